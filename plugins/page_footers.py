"""Footers go: `footer`, the contentinfo role, and blocks that are named after footers, copyright or disclaimers.

Source: none, own observation: on the WCXB pages they hold a fifth of the clutter's words and 1 in 150 of the content's.
Known to fail: sources and notes that stand in a block named `footer`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import closest, is_minor
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

ROLES = frozenset(("contentinfo",))
NAMES = frozenset(("bottombar", "colophon", "contentinfo", "copyright", "disclaimer", "globalfooter", "siteinfo"))
# These name the last line of a card or a table as well, so they count outside the main part only.
LOOSE_NAMES = frozenset(("foot", "footer"))
NEVER = frozenset(("article", "body", "html", "main", "tfoot"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(0.5, gt=0, le=1, description="share of the page's words; a larger footer is content")
    max_prose_ratio: float = Field(0.4, ge=0, le=1, description="share of the page's words of prose")
    max_named_words_ratio: float = Field(
        0.3, gt=0, le=1, description="share of the page's words, for a block that is a footer by its name alone"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in (*page.elements("footer"), *page.with_role(ROLES)):
        counts = page.counts(element)
        if element.tag not in NEVER and element not in page.around_heading and is_minor(
            counts, page.total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio
        ):  # fmt: skip
            yield Remove(element, "is a footer")
    for element in (*page.named(NAMES), *(loose for loose in page.named(LOOSE_NAMES) if _is_outside(loose))):
        counts = page.counts(element)
        if element.tag in NEVER or element in page.around_heading or not counts.words:
            continue
        if is_minor(
            counts, page.total,
            max_words_ratio=settings.max_named_words_ratio, max_prose_ratio=settings.max_prose_ratio,
        ):  # fmt: skip
            yield Remove(element, "is named a footer")


def _is_outside(element: Element) -> bool:
    return closest(element, "main", "article") is None and all(
        around.get("role") != "main" for around in element.iterancestors()
    )
