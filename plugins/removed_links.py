"""Nothing goes: text links that earlier steps took out are listed at the end of the page.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the removed link retainer: a list under the heading "Removed Links:".
Differs: a plain list under a heading that a screen reader finds, not a blue one in a white table; links of removed
lists are kept too, each target with its text once; adverts and addresses that are scripts are not listed.
Known to fail: an advert that only its look told to be one is listed with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pydantic import Field

from crunchpy.dom import texts
from crunchpy.edit import Edit, Insert
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings

NEVER_LISTED = ("data:", "javascript:", "vbscript:")


class Settings(PluginSettings):
    heading: str = Field("Removed Links:", min_length=1, max_length=100, description="words above the list")
    max_links: int = Field(300, ge=1, le=5000, description="links that the list holds")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    body = page.root.find("body")
    entries = list(dict.fromkeys(_removed(page)))[: settings.max_links]
    if body is None or not entries:
        return
    lines = "\n".join(f'<li><a href="{escape(address)}">{escape(words)}</a></li>' for address, words in entries)
    html = f"\n<section>\n<h2>{escape(settings.heading)}</h2>\n<ul>\n{lines}\n</ul>\n</section>\n"
    yield Insert(body, "last", html, "links that were removed")


def _removed(page: Page) -> Iterator[tuple[str, str]]:
    for ordinal, is_gone in enumerate(page.gone):
        link = page.element(ordinal) if is_gone else None
        if link is None or link.tag != "a":
            continue
        address, words = link.get("href", "").strip(), " ".join("".join(texts(link)).split())
        leads_nowhere = address in {"", "#"} or address.lower().startswith(NEVER_LISTED)
        if words and not leads_nowhere and not _is_advert(page, address):
            yield address, words


def _is_advert(page: Page, address: str) -> bool:
    if page.blocklist is None or not address.startswith(("http:", "https:", "//")):
        return False
    absolute = f"https:{address}" if address.startswith("//") else address
    return page.blocklist.blocks(absolute, page_url=page.url, kind="other") is not None
