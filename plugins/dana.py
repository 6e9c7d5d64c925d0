"""Everything goes but the part of the source where letters beyond ASCII outweigh the rest.

Source: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, 2011, "A Fast and Accurate Approach for Main Content
Extraction Based on Character Encoding" (DEXA), DANA: markup is ASCII, so other letters are content.
Differs: as `danag`; numeric references count as the letter they stand for.
Known to fail: languages with the Latin alphabet; all of a page in English goes.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.markup import is_between, markup
from crunchpy.extraction.segments import NOT_ASCII, main_content, without_references
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
    source = without_references(markup(page))
    selected = main_content(
        source,
        is_between(source.codes, NOT_ASCII),
        settings.segment_chars,
        settings.max_gap_segments,
        grow=settings.grow_segments,
    )
    return edits(page, source.ranges(selected))
