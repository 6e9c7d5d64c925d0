"""Menus go: `nav`, the menu roles, and blocks that are named after menus and are made of links.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, section 1, which names navigation links among the clutter.
On the WCXB pages menus that say so hold a third of all words that are not content, and 1 in 200 of those that are.
Differs: Crunch knew no `nav`; it found menus by the ratio of links to words alone.
Known to fail: menus that are named after nothing and mix links with text.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import is_minor
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

TAGS = ("nav",)
ROLES = frozenset(("menu", "menubar", "navigation"))
# Whole words of class and id. Each is on pages of several makers, and on none the name of a text.
NAMES = frozenset((
    "breadcrumb", "breadcrumbs", "dropdown", "hamburger", "mainnav", "megamenu", "menu", "menubar", "nav", "navbar",
    "navigation", "navlinks", "navmenu", "offcanvas", "sidenav", "submenu", "subnav", "topnav",
))  # fmt: skip
# The last of them is no link, so these need none; they are short.
TRAILS = frozenset(("breadcrumb", "breadcrumbs", "crumbs"))
MAX_TRAIL_WORDS = 40
# These are the page or the text, whatever their class says.
NEVER = frozenset(("article", "body", "html", "main"))


class Settings(PluginSettings):
    max_words_ratio: float = Field(
        0.6, gt=0, le=1, description="share of the page's words; a larger menu is the page (a site map)"
    )
    max_prose_ratio: float = Field(
        0.3, ge=0, le=1, description="share of the page's words of prose; a menu with more is no menu"
    )
    min_named_link_ratio: float = Field(
        0.4, ge=0, le=1, description="share of its words in links that a block needs to go by its name alone"
    )
    min_prose_words: int = Field(
        100, ge=0, le=10_000, description="words of prose outside it, from which on a menu of links of any size goes"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.elements(*TAGS):
        if _is_menu(page, element, settings):
            yield Remove(element, "is a menu")
    for element in page.with_role(ROLES):
        if element.tag not in NEVER and _is_menu(page, element, settings):
            yield Remove(element, "has the role of a menu")
    for element in page.named(NAMES):
        if (
            element.tag not in NEVER
            and _is_made_of_links(page, element, settings)
            and _is_menu(page, element, settings)
        ):
            yield Remove(element, "is named a menu and made of links")
    for element in page.named(TRAILS):
        counts = page.counts(element)
        if element.tag not in NEVER and element not in page.around_heading and 0 < counts.words <= MAX_TRAIL_WORDS:
            yield Remove(element, "is a trail of breadcrumbs")


def _is_menu(page: Page, element: Element, settings: Settings) -> bool:
    counts, total = page.counts(element), page.total
    if is_minor(counts, total, max_words_ratio=settings.max_words_ratio, max_prose_ratio=settings.max_prose_ratio):
        return True
    # A menu of a thousand links beside an article: large, but not what the page is for.
    return counts.prose_words == 0 and counts.link_ratio > 0.8 and total.prose_words >= settings.min_prose_words


def _is_made_of_links(page: Page, element: Element, settings: Settings) -> bool:
    counts = page.counts(element)
    return counts.words > 0 and counts.links > 0 and counts.link_ratio >= settings.min_named_link_ratio
