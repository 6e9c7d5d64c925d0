"""Page headers go: `header`, the banner role, and what is named so, outside the article and without the main heading.

Source: none, own observation: on the WCXB pages a header outside `main` and `article` holds a fifth of the clutter.
Known to fail: a summary that stands in the page's header beside a heading that is no `h1`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import closest, is_minor
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

ROLES = frozenset(("banner",))
# Whole words of class and id; `header` and `head` name many a heading, so they count with little prose only.
NAMES = frozenset(
    ("branding", "head", "header", "masthead", "navheader", "siteheader", "subheader", "toolbar", "topbar")
)
NEVER = frozenset(("article", "body", "h1", "h2", "h3", "h4", "h5", "h6", "html", "main", "tbody", "thead", "th", "tr"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(0.5, gt=0, le=1, description="share of the page's words; a larger header is content")
    max_prose_ratio: float = Field(0.2, ge=0, le=1, description="share of the page's words of prose")
    max_named_words_ratio: float = Field(
        0.2, gt=0, le=1, description="share of the page's words, for a block that is a header by its name alone"
    )
    max_named_prose_ratio: float = Field(
        0.2, ge=0, le=1, description="share of its own words that are prose, for a header by its name alone"
    )
    max_alike: int = Field(
        2, ge=1, le=100, description="blocks of one name; more are the headings of entries, not of the page"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in (*page.elements("header"), *page.with_role(ROLES)):
        if _is_header(page, element, settings) and _is_outside(page, element):
            yield Remove(element, "is the page's header")
    named = page.named(NAMES)
    likes = Counter(_kind(element) for element in named)
    for element in named:
        if likes[_kind(element)] > settings.max_alike:
            continue
        if _is_named_header(page, element, settings) and _is_outside(page, element):
            yield Remove(element, "is named a header")


def _is_header(page: Page, element: Element, settings: Settings) -> bool:
    counts, total = page.counts(element), page.total
    if counts.words == 0:  # nothing to judge a hidden one by
        return False
    return is_minor(counts, total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio)


def _is_named_header(page: Page, element: Element, settings: Settings) -> bool:
    counts = page.counts(element)
    if not 0 < counts.words <= settings.max_named_words_ratio * page.total.words:
        return False
    return counts.prose_words <= settings.max_named_prose_ratio * counts.words


def _is_outside(page: Page, element: Element) -> bool:
    """Outside the content: an article has a header of its own, with its title and what leads into it."""
    if element.tag in NEVER or element in page.around_heading or closest(element, "main", "article") is not None:
        return False
    return all(around.get("role") != "main" for around in element.iterancestors())


def _kind(element: Element) -> tuple[str | None, ...]:
    """What entries of one list have in common."""
    parent = element.getparent()
    return element.tag, element.get("class"), parent.tag, parent.get("class")
