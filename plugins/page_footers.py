"""Footers go: `footer`, the contentinfo role, and blocks that are named after footers, copyright or disclaimers.

Source: none, own observation: on the WCXB pages they hold a fifth of the clutter's words and 1 in 150 of the content's.
Known to fail: sources and notes that stand in a block named `footer`.
"""

from __future__ import annotations

from collections import Counter
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
# A footer in these says whose words they are.
CITES = ("blockquote", "figure")


class Settings(PluginSettings):
    max_words_ratio: float = Field(0.5, gt=0, le=1, description="share of the page's words; a larger footer is content")
    max_prose_ratio: float = Field(0.4, ge=0, le=1, description="share of the page's words of prose")
    max_named_words_ratio: float = Field(
        0.3, gt=0, le=1, description="share of the page's words, for a block that is a footer by its name alone"
    )
    max_alike: int = Field(
        2, ge=1, le=100, description="footers of one kind; more are the last lines of entries, not of the page"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    found = [(element, "is a footer", settings.max_words_ratio) for element in _footers(page)]
    named = (*page.named(NAMES), *(element for element in page.named(LOOSE_NAMES) if _is_outside(element)))
    found += [(element, "is named a footer", settings.max_named_words_ratio) for element in named]
    likes = Counter(_kind(element) for element in dict.fromkeys(element for element, *_ in found))
    for element, why, max_words_ratio in found:
        if element.tag in NEVER or element in page.around_heading or closest(element, *CITES) is not None:
            continue
        if likes[_kind(element)] > settings.max_alike or not page.counts(element).words:
            continue
        counts, total = page.counts(element), page.total
        if is_minor(counts, total, max_words_ratio=max_words_ratio, max_prose_ratio=settings.max_prose_ratio):
            yield Remove(element, why)


def _footers(page: Page) -> list[Element]:
    return [*page.elements("footer"), *page.with_role(ROLES)]


def _is_outside(element: Element) -> bool:
    return closest(element, "main", "article") is None and all(
        around.get("role") != "main" for around in element.iterancestors()
    )


def _kind(element: Element) -> tuple[str | None, ...]:
    """What entries of one list have in common."""
    parent = element.getparent()
    return element.tag, element.get("class"), parent.tag, parent.get("class")
