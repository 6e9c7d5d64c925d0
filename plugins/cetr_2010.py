"""Lines of the source go that are nearer the origin than two free clusters, by their tag ratio and its steepness.

Source: Weninger, Hsu and Han, 2010, "CETR: Content Extraction via Tag Ratios": K-Means with three clusters, of which
one stays at the origin.
Differs: only the abstract and notes on the paper could be read; the free clusters begin where Farthest First finds
them, so that the answer is always the same.
Known to fail: the lines before an article are steep and stay.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.clusters import CLUSTERS, pinned
from crunchpy.extraction.markup import markup
from crunchpy.extraction.selection import edits
from crunchpy.extraction.tag_ratios import above_threshold, lines, points, ratios, smooth
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    rise_lines: int = Field(3, ge=1, le=100, description="lines ahead that the steepness is taken from (alpha)")
    sigma_lines: float = Field(1.0, ge=0, le=100, description="lines of standard deviation in smoothing; 0: none")
    wrap_chars: int = Field(65, ge=0, le=10_000, description="characters after which a long line is broken; 0: never")
    long_line_chars: int = Field(
        400, ge=1, le=1_000_000, description="characters a line in the mean above which a page is broken anew"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = markup(page)
    line = lines(source, settings.wrap_chars, settings.long_line_chars)
    smoothed = smooth(ratios(source, line), settings.sigma_lines)
    where = points(smoothed, settings.sigma_lines, settings.rise_lines)
    if len(np.unique(where, axis=0)) < CLUSTERS:
        return edits(page, source.ranges(above_threshold(smoothed, 1.0)[line]))
    return edits(page, source.ranges((pinned(where) > 0)[line]))
