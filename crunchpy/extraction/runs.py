"""The stretches of text of a page, each with the block that it is text of.

A *run* is what an edit can take: lxml's `text` or `tail` of one element, up to the next tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from lxml import etree

from crunchpy.edit import RemoveText
from crunchpy.extraction.markup import UNSEEN
from crunchpy.page import Element, Page
from crunchpy.text_loop import Range
from crunchpy.text_range import text_ranges

# What the HTML standard's style sheet shows as blocks. `br` parts text and holds none.
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol option p pre section summary table tbody"
    " td tfoot th thead tr ul".split()
)
_UNREAD = frozenset(name.decode() for name in UNSEEN) | {"head"}


@dataclass(slots=True)
class Run:
    """One stretch of text.

    element, where: as in `RemoveText`; text: with references resolved; block: the innermost block around it;
    in_link: inside an `a[href]`; string: the number of block tags and `br` before it; started: the same without end
    tags; ranges: its bytes.
    """

    element: Element
    where: Literal["text", "tail"]
    block: Element
    in_link: bool
    string: int
    started: int
    ranges: list[Range] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text as a reader gets it."""
        return "".join(self.pieces)

    @property
    def letters(self) -> int:
        """Characters that are no white space."""
        return len("".join(self.text.split()))

    @property
    def owner(self) -> Element:
        """The element that the text is in; the text behind an element is its parent's."""
        return self.element if self.where == "text" else self.element.getparent()


def runs(page: Page) -> list[Run]:
    """All text that a reader sees and an edit can take, in order; white space alone is none."""
    found: list[Run] = []
    for run in _Walk(page).run():
        run.ranges = text_ranges(page, RemoveText(run.element, run.where, ""))
        if run.ranges:
            found.append(run)
    return found


class _Walk:
    """One pass over the tree. Elements that the source does not have divide no run; comments neither."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.strings = self.started = self.links = 0
        self.blocks: list[Element] = [page.root]
        self.place: tuple[Element, Literal["text", "tail"]] | None = None
        self.current: Run | None = None

    def run(self) -> Iterator[Run]:
        walk: Any = etree.iterwalk(self.page.root, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            text = element.text if event == "start" else element.tail
            if event == "start":
                if element.tag in _UNREAD:
                    walk.skip_subtree()
                    text = None
                yield from self._enter(element)
            elif event == "end":
                yield from self._leave(element)
            if text and not text.isspace() and self.place is not None:
                self._note(text)
        yield from self._finished()

    def _enter(self, element: Element) -> Iterator[Run]:
        if element.tag in BLOCKS:
            self.blocks.append(element)
            self.strings += 1
            self.started += 1
        elif element.tag == "a" and element.get("href") is not None:
            self.links += 1
        if self.page.ordinal(element) is not None:
            yield from self._finished()
            self.place = None if element.tag in _UNREAD else (element, "text")

    def _leave(self, element: Element) -> Iterator[Run]:
        if element.tag in BLOCKS:
            self.blocks.pop()
        elif element.tag == "a" and element.get("href") is not None:
            self.links -= 1
        if element.tag in BLOCKS or element.tag == "br":
            self.strings += element.tag != "hr"
            self.started += element.tag == "br"
        if self.page.ordinal(element) is not None:
            yield from self._finished()
            self.place = (element, "tail")

    def _note(self, text: str) -> None:
        if self.current is None:
            assert self.place is not None
            self.current = Run(*self.place, self.blocks[-1], self.links > 0, self.strings, self.started)
        self.current.pieces.append(text)

    def _finished(self) -> Iterator[Run]:
        if self.current is not None:
            yield self.current
        self.current = None
