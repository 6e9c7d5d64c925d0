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

BOXES = ("aside", "center", "dd", "div", "dl", "figure", "footer", "header", "li", "nav", "ol", "p", "section", "ul")
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
    for element in page.elements(*BOXES, *HEADINGS):
        if element in empty and element.getparent() not in empty:
            yield Remove(element, "left empty")
        elif element.tag in HEADINGS and _heads_nothing(page, element, empty):
            yield Remove(element, "heads nothing")


def _emptied(page: Page, settings: Settings) -> set[Element]:
    """The boxes that hold nothing but others like them, at least one of which lost what it had."""
    empty: set[Element] = set()
    for element in reversed(page.elements(*BOXES)):
        if element.text and not element.text.isspace():
            continue
        ordinal = page.ordinal(element)
        if len(element) == 0:
            had_elements = ordinal is not None and page.source.lasts[ordinal] > ordinal
            if had_elements or settings.take_what_came_empty:
                empty.add(element)
        elif all(child in empty and not (child.tail or "").strip() for child in element):
            empty.add(element)
    return empty


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
