"""Links to style sheets go, so that text is shown as the reader's device shows text.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: `LINK rel=stylesheet` is ignored.
Differs: `rel=preload as=style` goes too, which scripts turn into a style sheet.
Known to fail: what style sheets hide (closed menus, messages for later) is shown and read aloud.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for link in page.elements("link"):
        if _is_style_sheet(link):
            yield Remove(link, "a style sheet")


def _is_style_sheet(link: Element) -> bool:
    kinds = link.get("rel", "").lower().split()
    is_preloaded = "preload" in kinds and link.get("as", "").strip().lower() == "style"
    return "stylesheet" in kinds or is_preloaded
