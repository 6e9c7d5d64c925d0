"""Everything goes but the stretches where few tags stand among many words: where the document slope curve is flat.

Source: Pinto et al., 2002, "QuASM: A System for Question Answering Using Semi-Structured Data"; the windows that may
lie in several places are the extension in Gottron, 2007, "Evaluating Content Extraction on HTML Documents", section 2.
Differs: the window's length is not printed; an area ends with its last flat window; on short pages the window shrinks.
Known to fail: pages that are nearly all text have no stretch that is flatter than half; articles of fewer than 100
words are seldom found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.markup import markup
from crunchpy.extraction.selection import edits
from crunchpy.extraction.token_areas import fitting_window, low_slope_areas
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    window_tokens: int = Field(
        50, ge=4, le=1000, multiple_of=2, description="tokens in a window; windows overlap by half"
    )
    windows_in_a_row: int = Field(3, ge=1, le=20, description="windows in a row that open or close an area")
    max_slope_ratio: float = Field(
        0.5, gt=0, le=1, description="share of the page's slope that a flat window stays below"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = markup(page)
    selected = np.zeros(len(source.tokens), bool)
    areas = low_slope_areas(
        source.tokens,
        fitting_window(len(selected), settings.window_tokens),
        in_a_row=settings.windows_in_a_row,
        factor=settings.max_slope_ratio,
    )
    for start, end in areas:
        selected[start:end] = True
    return edits(page, source.ranges(source.of_tokens(selected)))
