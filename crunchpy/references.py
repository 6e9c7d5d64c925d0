"""Which elements point at which ids: links within the page, labels, table headers, ARIA references, scripts."""

from __future__ import annotations

from typing import Any

from lxml import etree

from crunchpy.script_references import ids_taken_for_granted
from crunchpy.tree import Element

_IDS: Any = etree.XPath("//*[@id]")
_NAMED: Any = etree.XPath("//a[@name]")
# Asked in C, since most scripts are data or have no such words: 0.13 ms a page instead of 0.45.
_SCRIPTS_THAT_LOOK_UP: Any = etree.XPath(
    "//script[not(@src)][contains(text(), 'getElementById') or contains(text(), 'querySelector(')]"
)
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
# The union over attributes is three times as fast as one test of all of them on every element.
_REFERRERS: Any = etree.XPath(
    " | ".join([*(f"//@{name}/.." for name in [*_REFERENCES, "usemap"]), "//@href[starts-with(., '#')]/.."])
)


def elements_by_id(root: Element) -> dict[str, Element]:
    """The elements by id (and anchors by name); of equal ids the first counts, as in browsers."""
    found: dict[str, Element] = {}
    for element in _IDS(root):
        found.setdefault(element.get("id"), element)
    for element in _NAMED(root):
        found.setdefault(element.get("name"), element)
    return found


def referrers_by_id(root: Element) -> dict[str, list[Element]]:
    """The elements that point at each id, in order."""
    found: dict[str, list[Element]] = {}
    for element in _REFERRERS(root):
        for identity in _referred(element):
            found.setdefault(identity, []).append(element)
    for script in _SCRIPTS_THAT_LOOK_UP(root):
        for identity in ids_taken_for_granted(script.text or ""):
            found.setdefault(identity, []).append(script)
    return found


def _referred(element: Element) -> list[str]:
    found = [identity for name in _REFERENCES if (value := element.get(name)) for identity in value.split()]
    values = (element.get(name, "") for name in ("href", "usemap"))
    return found + [value[1:] for value in values if len(value) > 1 and value.startswith("#")]
