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
# Each sidebar is compared with each content, and a page can have thousands of both.
MAX_CONTENTS = 10


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
    contents = _contents(page, settings)
    for element in (*page.elements("aside"), *page.with_role(ROLES)):
        if element.tag in NEVER or element in page.around_heading or not page.counts(element).words:
            continue  # without visible words there is nothing to judge a hidden one by
        if _is_small(page, element, settings) or _is_beside(page, element, contents):
            yield Remove(element, "is a sidebar")
    for element in page.named(NAMES):
        counts = page.counts(element)
        if counts.words == 0 or counts.prose_words > settings.max_named_prose_ratio * counts.words:
            continue
        if element.tag not in NEVER and element not in page.around_heading and _is_small(page, element, settings):
            yield Remove(element, "is named a sidebar")


def _is_small(page: Page, element: Element, settings: Settings) -> bool:
    counts, total = page.counts(element), page.total
    if is_minor(counts, total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio):
        return True
    # An archive of hundreds of links beside one article: large, but not what the page is for.
    return counts.prose_words == 0 and counts.link_ratio > 0.8 and total.prose_words >= settings.min_prose_words


def _contents(page: Page, settings: Settings) -> list[Element]:
    """What the page itself says is its content and is a text to read; the longest ones."""
    marked = (*page.elements("article", "main"), *page.with_role(frozenset(("main",))))
    texts = [element for element in marked if page.counts(element).prose_words >= settings.min_prose_words]
    return sorted(texts, key=lambda element: -page.counts(element).prose_words)[:MAX_CONTENTS]


def _is_beside(page: Page, element: Element, contents: list[Element]) -> bool:
    """Whether it is beside a content with more prose than it has itself; then its size does not matter."""
    around, prose = set(element.iterancestors()), page.counts(element).prose_words
    return any(
        content not in around and element not in content.iterancestors() and page.counts(content).prose_words > prose
        for content in contents
    )
