"""Everything goes but the part of the source where content outweighs code, with links brought to weigh nothing.

Source: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, 2012, "The Impact of Source Code Normalization on Main
Content Extraction", section 3 (AdDANAg): each link's tag is made as long as its text before DANAg counts.
Differs: as `danag`; letters of a link's text are counted without blanks, which the paper's one example agrees with.
Known to fail: menus profit too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.links import normalised
from crunchpy.extraction.markup import markup
from crunchpy.extraction.segments import main_content
from crunchpy.extraction.selection import edits
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    segment_chars: int = Field(
        80, ge=0, le=10_000, description="characters of a segment of the source; 0: the source's own lines"
    )
    max_gap_segments: int = Field(
        20, ge=0, le=10_000, description="segments between two parts of the main content at most"
    )
    grow_segments: int = Field(0, ge=0, le=100, description="segments by which each part is widened on both sides")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = markup(page)
    rebuilt, places = normalised(page, source)
    chosen = main_content(
        rebuilt, rebuilt.is_content, settings.segment_chars, settings.max_gap_segments, grow=settings.grow_segments
    )
    selected = np.zeros(len(source.codes), bool)
    selected[places[chosen]] = True
    return edits(page, source.ranges(selected))
