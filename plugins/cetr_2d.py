"""Lines of the source go that lie in the cluster nearest the origin, by their tag ratio and its steepness.

Source: Weninger and Hsu, 2008, "Web Content Extraction Through Histogram Clustering", section 4: three clusters, by
Farthest First, K-Means or EM, by distance or by density.
Differs: Farthest First begins nearest the origin instead of at random; density is read as Weka's wrapper.
Known to fail: the lines before an article are steep and stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.clusters import CLUSTERS, background, labelled, relabelled
from crunchpy.extraction.markup import markup
from crunchpy.extraction.selection import edits
from crunchpy.extraction.tag_ratios import above_threshold, lines, points, ratios, smooth
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    clustering: Literal["farthest_first", "k_means", "em"] = Field(
        "farthest_first", description="name of the clustering"
    )
    mode: Literal["density", "distance"] = Field("density", description="name: what decides to which cluster a line is")
    rise_lines: int = Field(3, ge=1, le=100, description="lines ahead that the steepness is taken from (alpha)")
    is_scaled: bool = Field(False, description="yes or no: bring both dimensions to 0..1 first, as Weka does")
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
    if settings.is_scaled and len(where):
        where = (where - where.min(axis=0)) / np.maximum(np.ptp(where, axis=0), 1e-12)
    if len(np.unique(where, axis=0)) < CLUSTERS:
        return edits(page, source.ranges(above_threshold(smoothed, 1.0)[line]))
    labels = labelled(where, settings.clustering)
    if settings.mode == "density":
        labels = relabelled(where, labels)
    return edits(page, source.ranges((labels != background(where, labels))[line]))
