"""Everything goes but words in regions of the source where few tags stand among many words.

Source: Gottron, 2008, "Content Code Blurring: A New Approach to Content Extraction", token based; the ranges 18 and
25 are read from the names TCCB-18 and TCCB-25 in Mohammadzadeh et al., 2012, table 4.
Differs: each letter of a script without blanks is a token; when to stop blurring is not printed
(crunchpy/extraction/blurring.py).
Known to fail: short paragraphs with much markup go.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit
from crunchpy.extraction.blurring import Blur, ratios
from crunchpy.extraction.markup import markup
from crunchpy.extraction.selection import edits
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    range_tokens: int = Field(
        25, ge=1, le=1000, description="tokens to each side that count; the deviation is half of it"
    )
    min_content_ratio: float = Field(0.75, ge=0, le=1, description="blurred share of words that selects a word")
    max_passes: int = Field(10, ge=1, le=100, description="times that the page is blurred at most")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    source = markup(page)
    words = 1 - source.tokens
    blur = Blur(settings.range_tokens, settings.range_tokens / 2, settings.max_passes)
    selected = (words == 1) & (ratios(words, blur) >= settings.min_content_ratio)
    return edits(page, source.ranges(source.of_tokens(selected)))
