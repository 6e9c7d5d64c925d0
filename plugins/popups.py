"""Dialogs and pop-ups go: boxes that lie over the page, and those that come up by themselves to ask for something.

Source: none, own observation: boxes that say so hold fifteen times more clutter than content on the WCXB pages.
Differs: a box that is hidden until the reader opens it, such as a table of sizes, stays; so does a form in any box.
Known to fail: a page that is shown in a dialog as a whole, where it has other prose.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

ROLES = frozenset(("alertdialog", "dialog"))
NAMES = frozenset(("dialog", "drawer", "lightbox", "modal", "popup"))
# A box that is named so as well comes up unasked, so it goes although it is hidden now.
ASKS = frozenset(("newsletter", "optin", "promo", "promotion", "signup", "subscribe", "subscription", "welcome"))
NEVER = frozenset(("a", "article", "body", "button", "html", "img", "main"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(
        0.3, gt=0, le=1, description="share of the page's words, all boxes together; what is more than that stays"
    )
    max_prose_ratio: float = Field(
        0.3, ge=0, le=1, description="share of the page's words of prose, all boxes together; what is more stays"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    words = settings.max_words_ratio * page.total.words
    prose = settings.max_prose_ratio * page.total.prose_words
    for element in _boxes(page):
        counts = page.counts(element)
        if counts.words <= words and counts.prose_words <= prose:
            words, prose = words - counts.words, prose - counts.prose_words
            yield Remove(element, "is a dialog")


def _boxes(page: Page) -> Iterator[Element]:
    """The outermost boxes that a reader sees, or is going to."""
    asking = set(page.named(ASKS))
    found = [*page.elements("dialog"), *page.with_role(ROLES), *page.named(NAMES)]
    boxes = set(found)
    for element in found:
        if element.tag in NEVER or element in page.around_heading or not boxes.isdisjoint(element.iterancestors()):
            continue
        if page.counts(element).words or element in asking:
            yield element
