"""What a reader sees in a stretch of the source: words, words in links, words of prose, links.

Counted once a page from the text between the tags; a question about an element is then a question about its range of
bytes. Text of scripts, styles, titles, form fields and of elements that hide themselves is not seen and not counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import NamedTuple

from crunchpy.loops import TextCounts
from crunchpy.source import Source
from crunchpy.tag_rules import UNREAD
from crunchpy.text_loop import Range

_HIDES = re.compile(rb"display[ \t\n\r\f]*:[ \t\n\r\f]*none|visibility[ \t\n\r\f]*:[ \t\n\r\f]*hidden")

_UNREAD = tuple(name.decode() for name in UNREAD)
# `<input type=hidden>` hides no text; a hidden page would hide all, and scripts show such pages.
_NEVER_HIDDEN = (b"input", b"html", b"body")


class Counts(NamedTuple):
    """What a reader sees of something.

    words: all visible words; link_words: those in links; prose_words: those in stretches of text outside links,
    undivided by tags, of at least `PROSE_WORDS`; links: the `a[href]`.
    """

    words: int
    link_words: int
    prose_words: int
    links: int

    @property
    def plain_words(self) -> int:
        """Words outside links."""
        return self.words - self.link_words

    @property
    def link_ratio(self) -> float:
        """Share of the words that stand in links, 0..1; 0 where there are no words."""
        return self.link_words / self.words if self.words else 0.0


class Reading:
    """The visible text of one page, by its place in the source; `total` counts all of it."""

    def __init__(self, source: Source, codec: str) -> None:
        self.hidden = _hidden_elements(source)
        links = _ranges(source, _link_ordinals(source))
        self._texts = TextCounts(source.body, codec, source.gaps, links, self._unread_ranges(source))
        self._count_all()

    def counts(self, start: int, end: int) -> Counts:
        """What a reader sees between two offsets of the source."""
        return tuple.__new__(Counts, self._texts.between(start, end))  # as `Counts(...)`, in half the time

    def cut(self, ranges: Iterable[Range]) -> None:
        """Forget what stood in these ranges; they are in order and do not overlap."""
        self._texts.cut(ranges)
        self._count_all()

    def _count_all(self) -> None:
        self.total = self.counts(0, sys.maxsize)

    def _unread_ranges(self, source: Source) -> list[Range]:
        ordinals = {n for name in _UNREAD for n in source.by_name.get(name, ())}
        return _ranges(source, sorted(ordinals | self.hidden))


def _hidden_elements(source: Source) -> set[int]:
    """Ordinals of elements that hide themselves by the `hidden` attribute or an inline style."""
    low, starts, ends = source.low, source.starts, source.start_ends
    by_attribute = source.attributes.ordinals(b"hidden")
    styles = source.attributes.of(b"style")
    may_hide = (n for n, style in styles if style is None or "none" in style.lower() or "hidden" in style.lower())
    by_style = (n for n in may_hide if _HIDES.search(low, starts[n], ends[n]))
    return {n for n in (*by_attribute, *by_style) if source.names[n] not in _NEVER_HIDDEN}


def _link_ordinals(source: Source) -> list[int]:
    return [n for n in source.attributes.ordinals(b"href") if source.names[n] == b"a"]


def _ranges(source: Source, ordinals: list[int]) -> list[Range]:
    """The outermost ranges of these elements, in order; what lies inside another is left out."""
    ranges: list[Range] = []
    behind = 0
    for ordinal in ordinals:
        if source.starts[ordinal] >= behind:
            behind = source.ends[ordinal]
            ranges.append((source.starts[ordinal], behind))
    return ranges
