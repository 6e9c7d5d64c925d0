"""Lines of the source go on which little text stands beside the tags: less than a standard deviation, smoothed.

Source: Weninger and Hsu, 2008, "Web Content Extraction Through Histogram Clustering", section 3.
Differs: pages written on few long lines are broken into lines first, as readers of the 2010 paper do.
Known to fail: headings and short paragraphs go.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.markup import markup
from crunchpy.extraction.selection import edits
from crunchpy.extraction.tag_ratios import above_threshold, lines, ratios, smooth
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    min_deviations: float = Field(
        1.0, ge=0, le=100, description="standard deviations of the page's ratios that a line reaches (lambda)"
    )
    sigma_lines: float = Field(1.0, ge=0, le=100, description="lines of standard deviation in smoothing; 0: none")
    wrap_chars: int = Field(65, ge=0, le=10_000, description="characters after which a long line is broken; 0: never")
    long_line_chars: int = Field(
        400, ge=1, le=1_000_000, description="characters a line in the mean above which a page is broken anew"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = markup(page)
    line = lines(source, settings.wrap_chars, settings.long_line_chars)
    smoothed = smooth(ratios(source, line), settings.sigma_lines)
    chosen = above_threshold(smoothed, settings.min_deviations)
    return edits(page, source.ranges(chosen[line]))
