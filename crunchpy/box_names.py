"""What the boxes of a page are named: the words of their class and id, an index for `Page.named`."""

from __future__ import annotations

from collections.abc import Iterable

from crunchpy.dom import split_names
from crunchpy.tree import Element

# Not boxes: parts of a line, pictures and their parts, controls, headings, rows, what is not shown. What they are named
# says nothing about a block, and there are more of them than of all others.
_NOT_BOXES = (
    "a abbr b body br button circle cite code col defs em ellipse g h1 h2 h3 h4 h5 h6 head hr html i iframe img input"
    " kbd label li line link meta option path picture polygon pre q rect s samp script small source span strong style"
    " sub sup svg symbol tbody time title tr u use wbr"
)
NOT_BOXES = frozenset(_NOT_BOXES.encode().split())

BoxNames = list[tuple[frozenset[str], list[int]]]


def box_names(tags: Iterable[bytes], elements: Iterable[Element | None]) -> BoxNames:
    """The words of class and id, each set with the ordinals of its boxes; pages repeat a few, so each is split once.

    Args:
        tags: the names of the start tags in the source, in order.
        elements: their elements; None where the tree has none.
    """
    by_names: dict[str, list[int]] = {}
    for ordinal, (tag, element) in enumerate(zip(tags, elements, strict=True)):
        if tag in NOT_BOXES or element is None:
            continue
        names, identity = element.get("class"), element.get("id")
        if identity:
            names = f"{names or ''} {identity}"
        if names:
            by_names.setdefault(names, []).append(ordinal)
    return [(split_names(names), ordinals) for names, ordinals in by_names.items()]
