"""Pictures outside links go, or their ALT text takes their place.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents", the image
remover with its option to show the ALT text in bold brackets, linked to the picture.
Differs: a `picture` goes with its `img`. A picture whose address is its own data has its text without a link.
Known to fail: drawings (`svg`, `canvas`) and pictures from style sheets stay; a figure keeps its caption.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pydantic import Field

from crunchpy.edit import Edit, Remove, Replace
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings

NEVER_LINKED = ("data:", "javascript:", "vbscript:")


class Settings(PluginSettings):
    show_alt: bool = Field(False, description="yes or no: put the ALT text in the picture's place")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for img in page.elements("img"):
        if any(link.get("href") is not None for link in img.iterancestors("a")):
            continue
        parent = img.getparent()
        outermost = parent if parent is not None and parent.tag == "picture" else img
        alt, address = " ".join(img.get("alt", "").split()), img.get("src", "").strip()
        if settings.show_alt and alt and address:
            yield Replace(outermost, _in_words(alt, address), "a picture, shown as words")
        else:
            yield Remove(outermost, "a picture")


def _in_words(alt: str, address: str) -> str:
    if address.lower().startswith(NEVER_LINKED):
        return f"<b>[{escape(alt)}]</b>"
    return f'<b>[<a href="{escape(address)}">{escape(alt)}</a>]</b>'
