"""Which elements point at which ids: links within the page, labels, table headers, ARIA references, scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from crunchpy.script_references import ids_taken_for_granted
from crunchpy.tree import Element

if TYPE_CHECKING:
    from crunchpy.page import Page

_REFERENCES = [
    "for",
    "headers",
    "form",
    "list",
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "aria-details",
    "aria-flowto",
    "aria-activedescendant",
    "aria-errormessage",
]
_LOOKS_UP = (b"getelementbyid(", b"queryselector(")


def elements_by_id(page: Page) -> dict[str, Element]:
    """The elements by id (and anchors by name); of equal ids the first counts, as in browsers."""
    found: dict[str, Element] = {}
    for _, element, identity in page.with_attribute("id"):
        found.setdefault(identity, element)
    for _, element, name in page.with_attribute("name"):
        if element.tag == "a":
            found.setdefault(name, element)
    return found


def referrers_by_id(page: Page) -> dict[str, list[Element]]:
    """The elements that point at each id, in order."""
    found: dict[str, list[Element]] = {}
    for _, element, identity in sorted(_referrers(page), key=lambda referrer: referrer[0]):
        found.setdefault(identity, []).append(element)
    for script in _scripts_that_look_up(page):
        for identity in ids_taken_for_granted(script.text or ""):
            found.setdefault(identity, []).append(script)
    return found


def _referrers(page: Page) -> Iterator[tuple[int, Element, str]]:
    """The ordinals of elements, themselves, and the ids that they point at."""
    for name in _REFERENCES:
        for ordinal, element, value in page.with_attribute(name):
            yield from ((ordinal, element, identity) for identity in value.split())
    for name in ("href", "usemap"):
        for ordinal, element, value in page.with_attribute(name):
            if value.startswith("#") and len(value) > 1:
                yield ordinal, element, value[1:]


def _scripts_that_look_up(page: Page) -> Iterator[Element]:
    """Most scripts are data or have no such words, and their text is expensive to ask for."""
    for script in page.elements("script"):
        start, end = page.extent(script)
        if script.get("src") is None and any(page.source.low.find(words, start, end) >= 0 for words in _LOOKS_UP):
            yield script
