"""Everything goes but text in regions of the source that are mostly text, not tags, where link tags do not count.

Source: Gottron, 2008, "Content Code Blurring: A New Approach to Content Extraction", in the adapted form ACCB that
Arias Moreno et al., 2009, section 2, and Mohammadzadeh et al., 2012, describe.
Differs: as `ccb`.
Known to fail: menus whose links stand in a row without list tags look like prose.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.blurring import Blur
from crunchpy.extraction.content_code import character_based
from crunchpy.extraction.markup import markup
from crunchpy.extraction.selection import edits
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    range_chars: int = Field(
        40, ge=1, le=1000, description="characters to each side that count; the deviation is half of it"
    )
    min_content_ratio: float = Field(0.75, ge=0, le=1, description="blurred share of content that selects a character")
    max_passes: int = Field(10, ge=1, le=100, description="times that the page is blurred at most")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = markup(page)
    blur = Blur(settings.range_chars, settings.range_chars / 2, settings.max_passes)
    selected = character_based(source, blur, settings.min_content_ratio, skip=source.is_anchor_tag)
    return edits(page, source.ranges(selected))
