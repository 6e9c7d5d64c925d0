"""Everything goes but the part of the source where content outweighs code, found by counting in fixed segments.

Source: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, 2011, "Extracting the Main Content of Web Documents
Based on a Naive Smoothing Method" (KDIR), DANAg; told again in the paper on AdDANAg, 2012, section 3.
Differs: the segment's length, the gap and where to begin are not printed where it could be read.
Known to fail: a long paragraph by itself among code goes, a short neighbour of its stays; `grow_segments` mends that.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
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
    selected = main_content(
        source, source.is_content, settings.segment_chars, settings.max_gap_segments, grow=settings.grow_segments
    )
    return edits(page, source.ranges(selected))
