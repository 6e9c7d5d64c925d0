"""Everything goes but the article: the first large group of neighbouring blocks with much text and few links.

Source: Adam, Bouras and Poulopoulos, 2009, "CUTER: an Efficient Useful Text Extraction Mechanism", section IV: link
ratio 0.5, text a third of the best node's; pictures stay with the text that they stand in.
Differs: a node is a block's own text, since `body` would win otherwise; the share of a group and the distance are not
printed.
Known to fail: short paragraphs and captions go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.runs import runs
from crunchpy.extraction.selection import edits, ranges_of
from crunchpy.extraction.units import Rules, article, reject, units
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    max_link_ratio: float = Field(
        0.5, gt=0, le=1, description="share of a node's bytes in links from which on it goes with all below (maxLP)"
    )
    min_text_ratio: float = Field(
        1 / 3, ge=0, le=1, description="share of the largest block's bytes that a block exceeds (minTP)"
    )
    min_group_ratio: float = Field(
        1 / 3, ge=0, le=1, description="share of the largest group's bytes that the article exceeds (AL)"
    )
    max_distance: int = Field(2, ge=1, le=1000, description="places at which two blocks still are neighbours")
    strategy: Literal["first", "seed"] = Field(
        "first", description="name: the first group that is large enough, or the group of the largest block"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    found = runs(page)
    parts = units(found)
    reject(parts, settings.max_link_ratio)
    chosen = article(parts, Rules(**settings.model_dump()))
    # A block's runs lie round the blocks in it: put the bytes in order.
    return edits(page, sorted(ranges_of(run for unit in chosen for run in unit.runs)), found)
