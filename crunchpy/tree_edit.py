"""Makes in lxml's tree the changes that `plan.py` makes in the bytes; the text behind an element is never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from lxml import etree
from lxml import html as lxml_html

from crunchpy.tree import Element


def put_html(html: str, element: Element, where: str) -> None:
    """Parse HTML and put its elements before or after an element, or first or last in it."""
    fragments: Any = lxml_html.fragments_fromstring(html)
    holder = etree.Element("span")
    holder.extend(fragment for fragment in fragments if not isinstance(fragment, str))
    _put(holder, element, where)


def _put(holder: Element, element: Element, where: str) -> None:
    parts = list(holder)
    if where == "before":
        for part in parts:
            element.addprevious(part)
    elif where == "after":
        for part in reversed(parts):
            element.addnext(part)
    elif where == "last":
        element.extend(parts)
    else:
        for place, part in enumerate(parts):
            element.insert(place, part)


def drop_tree(element: Element) -> None:
    """Take an element out of its tree; the text behind it stays."""
    parent, tail = element.getparent(), element.tail
    if parent is None:
        return
    if tail:
        previous = element.getprevious()
        if previous is None:
            parent.text = (parent.text or "") + tail
        else:
            previous.tail = (previous.tail or "") + tail
    parent.remove(element)


def drop_tag(element: Element) -> None:
    """Take an element out of its tree; its content and the text behind it stay in its place."""
    parent = element.getparent()
    if parent is None:
        return
    text, children, place = element.text or "", list(element), parent.index(element)
    if children:
        children[-1].tail = (children[-1].tail or "") + (element.tail or "")
    else:
        text += element.tail or ""
    element.tail = None
    if text:
        previous = element.getprevious()
        if previous is None:
            parent.text = (parent.text or "") + text
        else:
            previous.tail = (previous.tail or "") + text
    parent[place : place + 1] = children


def drop_text(element: Element, where: Literal["text", "tail"], *, is_from_source: Callable[[Element], bool]) -> None:
    """Take the text in or behind an element up to the next element that the source has; comments do not divide it."""
    setattr(element, where, None)
    sibling = next(iter(element), None) if where == "text" else element.getnext()
    while sibling is not None and not is_from_source(sibling):
        sibling.tail = None
        sibling = sibling.getnext()
