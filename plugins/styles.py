"""Styles written in the page go, so that text is shown as the reader's device shows text.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents": STYLE
elements are removed.
Differs: a style inside an SVG picture stays, since it draws the picture.
Known to fail: what styles hide (closed menus, messages for later) is shown and read aloud.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.dom import closest
from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for style in page.elements("style"):
        if closest(style, "svg") is None:
            yield Remove(style, "a style")
