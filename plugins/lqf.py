"""Blocks go whose own text is mostly links.

Source: the link quota filter, in Gottron, 2007, "Evaluating Content Extraction on HTML Documents", section 2, with
the thresholds 0.25, 0.5 and 0.75.
Differs: of a block only its own text goes; the blocks in it are judged by themselves, since the paper does not say
what becomes of them, and a lone link right in the body would take the page along.
Known to fail: paragraphs with many links go at 0.25, as in encyclopedias.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.runs import runs
from crunchpy.extraction.selection import edits, ranges_of
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    max_link_ratio: float = Field(0.5, ge=0, le=1, description="share of a block's own letters that may stand in links")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    found = runs(page)
    letters: Counter[Element] = Counter()
    in_links: Counter[Element] = Counter()
    for run in found:
        letters[run.block] += run.letters
        in_links[run.block] += run.letters * run.in_link
    kept = (run for run in found if in_links[run.block] <= settings.max_link_ratio * letters[run.block])
    return edits(page, ranges_of(kept), found)
