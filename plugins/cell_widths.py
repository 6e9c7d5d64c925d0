"""Fixed widths of tables and their cells go, so that a narrow screen decides them.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: width attributes of tables and cells are ignored.
Differs: `th` counts as a cell, which it did not.
Known to fail: widths in style sheets stay; `style_attributes` and `style_sheets` take those.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, SetAttribute
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.elements("table", "td", "th"):
        if element.get("width") is not None:
            yield SetAttribute(element, "width", None, "fixed width")
