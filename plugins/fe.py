"""Everything goes but one block: of those that are text above all, the one with the most text.

Source: Debnath, Mitra, Pal and Giles, 2005, "Automatic Identification of Informative Sections of Web Pages",
FeatureExtractor.
Differs: only the abstract could be read; blocks, features and the choice are crunchpy/extraction/blocks.py's.
Known to fail: an article is many blocks, and one of them stays.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crunchpy.edit import Edit
from crunchpy.extraction.blocks import blocks, winner
from crunchpy.extraction.runs import runs
from crunchpy.extraction.selection import edits, ranges_of
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    found = runs(page)
    parts = blocks(page, found)
    chosen = winner(np.array([part.features for part in parts]))
    return edits(page, ranges_of(run for place in chosen for run in parts[place].runs), found)
