"""Nothing goes: text is shown larger or smaller, by steps.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the size modifier: eleven steps of relative FONT sizes.
Differs: Crunch wrapped every text in a FONT element; here the page's base size is set once, in percent of the size that
the reader chose, so that headings stay larger than text. A step is the factor 1.2 (CSS Fonts 3, "larger").
Known to fail: sizes in pixels in style sheets stay as they are, unless `style_sheets` takes those; a page whose
policy forbids inline styles, or without an `html` tag in the source, does not change.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, SetAttribute
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings

FACTOR = 1.2


class Settings(PluginSettings):
    steps: int = Field(1, ge=-5, le=5, description="steps of 1.2 times the size; below 0 smaller, 0 leaves it")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    if settings.steps == 0 or page.root.tag != "html":
        return
    percent = round(100 * FACTOR**settings.steps)
    size = f"font-size: {percent}%; text-size-adjust: {percent}%; -webkit-text-size-adjust: {percent}%"
    own = page.root.get("style", "").strip().rstrip(";")
    yield SetAttribute(page.root, "style", f"{own}; {size}" if own else size, "text size")
