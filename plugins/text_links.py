"""Links without a picture go, with their text.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents", the text link
remover; Gupta et al., 2005, World Wide Web 8(2), the same.
Differs: a picture inside a `picture` element counts as a direct one. Skip links stay, whatever the settings.
Known to fail: a sentence loses its linked words, and a page of links all its text; `link_lists` is the gentle kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for link in page.elements("a"):
        if link.get("href") is not None and not _has_direct_picture(link):
            yield Remove(link, "a text link")


def _has_direct_picture(link: Element) -> bool:
    return any(child.tag in {"img", "picture"} for child in link)
