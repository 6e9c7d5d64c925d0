"""What the boxes of a page are named: the words of their class and id, an index for `Page.named`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crunchpy.loops import index_names

if TYPE_CHECKING:
    from crunchpy.page import Page

# Not boxes: parts of a line, pictures and their parts, controls, headings, rows, what is not shown. What they are named
# says nothing about a block, and there are more of them than of all others.
_NOT_BOXES = (
    "a abbr b body br button circle cite code col defs em ellipse g h1 h2 h3 h4 h5 h6 head hr html i iframe img input"
    " kbd label li line link meta option path picture polygon pre q rect s samp script small source span strong style"
    " sub sup svg symbol tbody time title tr u use wbr"
)
NOT_BOXES = frozenset(_NOT_BOXES.encode().split())

BoxNames = dict[str, list[list[int]]]


def box_names(page: Page) -> BoxNames:
    """The ordinals of the boxes by each word of their class and id, as groups with the same value, in no order."""
    by_name: BoxNames = {}
    for attribute in ("class", "id"):
        index_names(page.by_value(attribute), page.source.names, NOT_BOXES, by_name)
    return by_name
