"""Nothing goes: pictures and tables of a fixed size are made larger or smaller, by steps.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the size modifier: eleven factors, powers of the square root of two from 0.177 to 5.657, for the fixed width and
height of IMG, TABLE, TR, TD and TH.
Differs: a size stays at least one pixel and at most 20,000.
Known to fail: sizes in style sheets and inline styles stay; the picture's bytes are sent as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, SetAttribute
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings

FACTOR = 2**0.5
FIXED = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*", re.ASCII)
MAX_SIDE_PX = 20_000


class Settings(PluginSettings):
    steps: int = Field(2, ge=-5, le=5, description="steps of 1.414 times the size; below 0 smaller, 0 leaves it")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    if settings.steps == 0:
        return
    factor = FACTOR**settings.steps
    for element in page.elements("img", "table", "tr", "td", "th"):
        for side in ("width", "height"):
            fixed = FIXED.fullmatch(element.get(side, ""))
            if fixed is not None and int(fixed[1]) > 0:
                pixels = min(max(round(int(fixed[1]) * factor), 1), MAX_SIDE_PX)
                yield SetAttribute(element, side, str(pixels), "fixed size")
