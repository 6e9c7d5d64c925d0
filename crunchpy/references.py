"""Which elements point at which ids: links within the page, labels, table headers, ARIA references, scripts."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from crunchpy.tree import Element

_IDS: Any = etree.XPath("//*[@id]")
_NAMED: Any = etree.XPath("//a[@name]")
_INLINE_SCRIPTS: Any = etree.XPath("//script[not(@src)]")
# A script that goes on with what it found without a look stops with an error where there is nothing, and what comes
# behind it is not done. One that looks first must find nothing, or it would work on an empty anchor.
_TAKEN_FOR_GRANTED = re.compile(r"""getElementById\(\s*["']([^"'\s]{1,100})["']\s*\)\s*\.""")
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
    for script in _INLINE_SCRIPTS(root):
        for identity in _TAKEN_FOR_GRANTED.findall(script.text or ""):
            found.setdefault(identity, []).append(script)
    return found


def _referred(element: Element) -> list[str]:
    found = [identity for name in _REFERENCES if (value := element.get(name)) for identity in value.split()]
    values = (element.get(name, "") for name in ("href", "usemap"))
    return found + [value[1:] for value in values if len(value) > 1 and value.startswith("#")]
