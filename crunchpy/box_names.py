"""What the boxes of a page are named: the words of their class and id, an index for `Page.named`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crunchpy.dom import split_names

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

BoxNames = list[tuple[frozenset[str], list[int]]]


def box_names(page: Page) -> BoxNames:
    """The words of class and id, each set with the ordinals of its boxes; pages repeat a few, so each is split once."""
    tags = page.source.names
    names_of = {n: names for n, _, names in page.with_attribute("class") if tags[n] not in NOT_BOXES}
    for n, _, identity in page.with_attribute("id"):
        if tags[n] not in NOT_BOXES:
            names_of[n] = f"{names_of.get(n, '')} {identity}"
    by_names: dict[str, list[int]] = {}
    for n, names in names_of.items():
        by_names.setdefault(names, []).append(n)
    return [(split_names(names), ordinals) for names, ordinals in by_names.items()]
