"""What other cuts left empty goes: boxes and list items without content, and headings with nothing under them any more.

Source: none, own observation; screen readers stop at empty paragraphs and lists (NVDA issues 699 and 19217), and a
heading without its part misleads.
Differs: only what had elements before and has none now; boxes that came empty are for scripts to fill, and stay.
Known to fail: a heading in a box of its own beside the block that went.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

BOXES = frozenset(
    ("aside", "center", "dd", "div", "dl", "figure", "footer", "header", "li", "nav", "ol", "p", "section", "ul")
)
HEADINGS = ("h2", "h3", "h4", "h5", "h6")


class Settings(PluginSettings):
    take_what_came_empty: bool = Field(
        False,
        description="yes or no: also take boxes that were empty from the start, at the risk that a script fills them",
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    if not any(page.gone) and not settings.take_what_came_empty:
        return
    empty = _emptied(page, settings)
    found = [(element, "left empty") for element in empty if element.getparent() not in empty]
    found += [(h, "heads nothing") for h in page.elements(*HEADINGS) if _heads_nothing(page, h, empty)]
    for element, why in sorted(found, key=lambda pair: page.ordinal(pair[0]) or 0):
        yield Remove(element, why)


def _emptied(page: Page, settings: Settings) -> set[Element]:
    """The boxes that hold nothing but others like them, at least one of which lost what it had."""
    empty: set[Element] = set()
    candidates = page.elements(*BOXES) if settings.take_what_came_empty else _around_cuts(page)
    for candidate in reversed(candidates):
        element = candidate
        while element is not None and element not in empty and _is_empty(element, empty):
            empty.add(element)
            element = element.getparent()
    return empty


def _is_empty(element: Element, empty: set[Element]) -> bool:
    if element.tag not in BOXES or (element.text and not element.text.isspace()):
        return False
    return all(child in empty and not (child.tail or "").strip() for child in element)


def _around_cuts(page: Page) -> list[Element]:
    """The elements whose first child is gone: those around it that may be empty now."""
    gone, lasts = page.gone, page.source.lasts
    found: list[Element] = []
    cut = gone.find(1)
    while cut != -1:
        if cut > 0 and lasts[cut - 1] >= cut and (around := page.element(cut - 1)) is not None:
            found.append(around)
        live = gone.find(0, cut)
        cut = gone.find(1, live) if live != -1 else -1
    return found


def _heads_nothing(page: Page, heading: Element, empty: set[Element]) -> bool:
    """Whether elements stood between the heading and the next one of its level, or its box's end, and none do."""
    ordinal, parent = page.ordinal(heading), heading.getparent()
    if ordinal is None or (heading.tail or "").strip() or next(heading.iter("a"), None) is not None:
        return False  # a heading with a link is an entry of a list by itself
    last = page.source.lasts[ordinal]
    following = heading.getnext()
    while following in empty and not (following.tail or "").strip():
        following = following.getnext()
    if following is None:
        around = page.ordinal(parent)
        return around is not None and parent.tag != "body" and page.source.lasts[around] > last
    behind = page.ordinal(following)
    is_heading = following.tag in ("h1", *HEADINGS) and following.tag <= heading.tag
    return is_heading and behind is not None and behind > last + 1
