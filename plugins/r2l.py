"""Everything goes but text in scripts written from right to left, in the part of the source that is full of it.

Source: Mohammadzadeh, Schweiggert and Nakhaeizadeh, 2011, "Using UTF-8 to Extract Main Content of Right to Left
Language Web Pages" (R2L).
Differs: the rule for a dense line and the gap are not printed where it could be read; lines are segments of fixed
length, so that pages on one line work too.
Known to fail: Latin words and digits in the article are not selected, so a stretch of text made of them goes; pages in
other scripts go whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.markup import is_between, markup
from crunchpy.extraction.segments import RIGHT_TO_LEFT, densest_group, numbers, totals, without_references
from crunchpy.extraction.selection import edits
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    segment_chars: int = Field(
        80, ge=0, le=10_000, description="characters of a segment of the source; 0: the source's own lines"
    )
    max_gap_segments: int = Field(
        20, ge=0, le=10_000, description="segments between two dense ones of the main content at most (the paper's P)"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = without_references(markup(page))
    letters = is_between(source.codes, RIGHT_TO_LEFT)
    segment = numbers(source, settings.segment_chars)
    content, other = totals(segment, letters), totals(segment, ~letters & ~source.is_blank)
    group = densest_group(content, content > other, settings.max_gap_segments)
    first, behind = group or (0, 0)
    return edits(page, source.ranges(letters & (segment >= first) & (segment < behind)))
