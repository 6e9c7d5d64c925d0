"""Everything goes but the stretch of long strings between block tags that lie near the longest one.

Source: Arias Moreno, Deschacht and Moens, 2009, "Language Independent Content Extraction from Web Pages", section 3,
with the authors' own parameters.
Differs: which tags are structural the paper shows by examples; here all that browsers show as blocks, and `br`.
Known to fail: one long comment or disclaimer that is far from the article is taken for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.runs import runs
from crunchpy.extraction.selection import edits, ranges_of
from crunchpy.extraction.strings import dense_stretch
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    min_length_ratio: float = Field(
        0.333, ge=0, le=1, description="share of the longest string's length that a string exceeds (the paper's c1)"
    )
    max_distance: int = Field(4, ge=1, le=1000, description="strings at which one is too far from the next (c2)")
    count_end_tags: bool = Field(True, description="yes or no: the end of a block opens a new string too")
    merge_empty: bool = Field(False, description="yes or no: strings without text do not count as distance")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    found = runs(page)
    numbers = [run.string if settings.count_end_tags else run.started for run in found]
    texts: dict[int, list[str]] = {}
    for number, run in zip(numbers, found, strict=True):
        texts.setdefault(number, []).append(run.text)
    places = sorted(texts) if settings.merge_empty else range(max(texts, default=-1) + 1)
    lengths = [len(" ".join("".join(texts.get(place, ())).split())) for place in places]
    stretch = dense_stretch(lengths, min_length_ratio=settings.min_length_ratio, max_distance=settings.max_distance)
    first, last = (places[stretch[0]], places[stretch[1]]) if stretch else (0, -1)
    chosen = (run for number, run in zip(numbers, found, strict=True) if first <= number <= last)
    return edits(page, ranges_of(chosen), found)
