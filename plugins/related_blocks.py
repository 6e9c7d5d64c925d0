"""Related, recommended, popular and sponsored blocks go: pointers to other pages that are named so.

Source: none, own observation: on the WCXB pages blocks with these names hold forty times more clutter than content.
Known to fail: a front page whose main list is named `latest`, where it is small; a large one stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import is_minor
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

NAMES = frozenset((
    "crosssell", "headlines", "latest", "outbrain", "popular", "promoted", "recommendations", "recommended", "related",
    "relatedposts", "sponsored", "taboola", "trending", "upsell",
))  # fmt: skip
NEVER = frozenset(("article", "body", "h1", "html", "main"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(0.4, gt=0, le=1, description="share of the page's words; a larger block is content")
    max_prose_ratio: float = Field(0.3, ge=0, le=1, description="share of the page's words of prose")
    max_own_prose_ratio: float = Field(
        0.6, ge=0, le=1, description="share of the block's own words that are prose; a block with more is a text"
    )
    min_prose_words: int = Field(
        100, ge=0, le=10_000, description="words of prose in the page, from which on a block of links of any size goes"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.named(NAMES):
        if (
            element.tag not in NEVER
            and element not in page.around_heading
            and _points_elsewhere(page, element, settings)
        ):
            yield Remove(element, "is named after related pages")


def _points_elsewhere(page: Page, element: Element, settings: Settings) -> bool:
    counts = page.counts(element)
    if counts.words == 0 or counts.prose_words > settings.max_own_prose_ratio * counts.words:
        return False
    total = page.total
    if is_minor(counts, total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio):
        return True
    # Sixty links to other articles below a short one: large, but not what the page is for.
    return counts.prose_words == 0 and counts.link_ratio > 0.8 and total.prose_words >= settings.min_prose_words
