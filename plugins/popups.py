"""Dialogs and pop-ups go: boxes that scripts lay over the page.

Source: none, own observation: blocks that say so hold 3 words of clutter for each 0.2 of content on the WCXB pages.
Differs: a box that has a form stays with it (protected), as a log-in may live there.
Known to fail: a dialog that holds the very text that the reader opened the page for, where the page has other prose.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import is_minor
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

ROLES = frozenset(("alertdialog", "dialog"))
NAMES = frozenset(("dialog", "drawer", "lightbox", "modal", "popup"))
NEVER = frozenset(("a", "article", "body", "button", "html", "img", "main"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(0.3, gt=0, le=1, description="share of the page's words; a larger box is content")
    max_prose_ratio: float = Field(0.3, ge=0, le=1, description="share of the page's words of prose")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in (*page.elements("dialog"), *page.with_role(ROLES)):
        if _is_box(page, element, settings):
            yield Remove(element, "is a dialog")
    for element in page.named(NAMES):
        if page.counts(element).words and _is_box(page, element, settings):
            yield Remove(element, "is named a dialog")


def _is_box(page: Page, element: Element, settings: Settings) -> bool:
    if element.tag in NEVER or element in page.around_heading:
        return False
    counts, total = page.counts(element), page.total
    return is_minor(counts, total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio)
