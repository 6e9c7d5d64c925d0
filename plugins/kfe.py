"""Everything goes but the blocks that are text above all and are in the cluster with the most text.

Source: Debnath, Mitra, Pal and Giles, 2005, "Automatic Identification of Informative Sections of Web Pages",
K-FeatureExtractor.
Differs: only the abstract could be read; blocks, features and clusters are crunchpy/extraction/blocks.py's.
Known to fail: where one block is much longer than all others it stays alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.blocks import blocks, winners
from crunchpy.extraction.runs import runs
from crunchpy.extraction.selection import edits, ranges_of
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    clusters: int = Field(0, ge=0, le=10, description="clusters of blocks; 0: two, or three on pages of many blocks")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    found = runs(page)
    parts = blocks(page, found)
    chosen = winners(np.array([part.features for part in parts]), settings.clusters)
    return edits(page, ranges_of(run for place in chosen for run in parts[place].runs), found)
