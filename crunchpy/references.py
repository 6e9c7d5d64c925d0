"""Which elements point at which ids: links within the page, labels, table headers, ARIA references, scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lxml import etree

from crunchpy.script_references import ids_taken_for_granted
from crunchpy.tree import Element

if TYPE_CHECKING:
    from crunchpy.page import Page

_IDS: Any = etree.XPath("//*[@id]")
_NAMED: Any = etree.XPath("//a[@name]")
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
# What to look for in the start tags: looking in the source first is many times as fast as asking every element.
_SEARCHED = [f"{name}=".encode() for name in (*_REFERENCES, "usemap") if not name.startswith("aria-")]
_SEARCHED += [b"aria-", b'href="#', b"href='#", b"href=#"]
_LOOKS_UP = (b"getelementbyid(", b"queryselector(")


def elements_by_id(root: Element) -> dict[str, Element]:
    """The elements by id (and anchors by name); of equal ids the first counts, as in browsers."""
    found: dict[str, Element] = {}
    for element in _IDS(root):
        found.setdefault(element.get("id"), element)
    for element in _NAMED(root):
        found.setdefault(element.get("name"), element)
    return found


def referrers_by_id(page: Page) -> dict[str, list[Element]]:
    """The elements that point at each id, in order."""
    found: dict[str, list[Element]] = {}
    for ordinal in sorted({ordinal for text in _SEARCHED for ordinal in page.source.tags_with(text)}):
        element = page.element(ordinal)
        for identity in _referred(element) if element is not None else ():
            found.setdefault(identity, []).append(element)
    for script in _scripts_that_look_up(page):
        for identity in ids_taken_for_granted(script.text or ""):
            found.setdefault(identity, []).append(script)
    return found


def _scripts_that_look_up(page: Page) -> Iterator[Element]:
    """Most scripts are data or have no such words, and their text is expensive to ask for."""
    for script in page.elements("script"):
        start, end = page.extent(script)
        if script.get("src") is None and any(page.source.low.find(words, start, end) >= 0 for words in _LOOKS_UP):
            yield script


def _referred(element: Element) -> list[str]:
    found = [identity for name in _REFERENCES if (value := element.get(name)) for identity in value.split()]
    values = (element.get(name, "") for name in ("href", "usemap"))
    return found + [value[1:] for value in values if len(value) > 1 and value.startswith("#")]
