"""Sidebars go: `aside`, the complementary role, and blocks that are named after sidebars and hold little prose.

Source: none, own observation: a tenth of the clutter's words on the WCXB pages, 1 in 200 of the content's.
Known to fail: shops that describe a product in an `aside` beside its pictures and have other prose below.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import is_minor
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

ROLES = frozenset(("complementary",))
NAMES = frozenset(("portlet", "rightcol", "sidebar", "widgets"))
NEVER = frozenset(("article", "body", "html", "main"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(0.4, gt=0, le=1, description="share of the page's words; a larger block is content")
    max_prose_ratio: float = Field(0.25, ge=0, le=1, description="share of the page's words of prose")
    max_named_prose_ratio: float = Field(
        0.5, ge=0, le=1, description="share of its own words that are prose, for a sidebar by its name alone"
    )
    min_prose_words: int = Field(
        100,
        ge=0,
        le=10_000,
        description="words of prose in the page, from which on a sidebar of links of any size goes",
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in (*page.elements("aside"), *page.with_role(ROLES)):
        if element.tag not in NEVER and element not in page.around_heading and _is_beside(page, element, settings):
            yield Remove(element, "is a sidebar")
    for element in page.named(NAMES):
        counts = page.counts(element)
        if counts.words == 0 or counts.prose_words > settings.max_named_prose_ratio * counts.words:
            continue
        if element.tag not in NEVER and element not in page.around_heading and _is_beside(page, element, settings):
            yield Remove(element, "is named a sidebar")


def _is_beside(page: Page, element: Element, settings: Settings) -> bool:
    counts, total = page.counts(element), page.total
    if is_minor(counts, total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio):
        return True
    # An archive of hundreds of links beside one article: large, but not what the page is for.
    return counts.prose_words == 0 and counts.link_ratio > 0.8 and total.prose_words >= settings.min_prose_words
