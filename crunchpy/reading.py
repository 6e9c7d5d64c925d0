"""What a reader sees in a stretch of the source: words, words in links, links, pauses between sentences.

Counted once a page from the text between the tags; a question about an element is then a question about its range of
bytes. Text of scripts, styles, titles, form fields and of elements that hide themselves is not seen and not counted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from crunchpy.source import Source
from crunchpy.tag_rules import UNREAD
from crunchpy.word_count import pauses_in, words_in

_HIDES = re.compile(
    rb"[ \t\n\r\f\"'/]hidden(?![-\w])|display[ \t\n\r\f]*:[ \t\n\r\f]*none|visibility[ \t\n\r\f]*:[ \t\n\r\f]*hidden",
    re.I,
)
_MAY_HIDE = re.compile(rb"hidden|none", re.I)
_HREF = re.compile(rb"[ \t\n\r\f\"'/]href[ \t\n\r\f]*=", re.I)

# `<input type=hidden>` hides no text; a hidden page would hide all, and scripts show such pages.
_NEVER_HIDDEN = (b"input", b"html", b"body")

Range = tuple[int, int]
# A menu entry or a button is shorter; a line of prose between two tags mostly longer.
PROSE_WORDS = 8


class _Text(NamedTuple):
    place: int
    words: int
    link_words: int
    prose_words: int
    pauses: int


class Counts(NamedTuple):
    """What a reader sees of something.

    words: all visible words; link_words: those in links; prose_words: those in stretches of text outside links,
    undivided by tags, of at least `PROSE_WORDS`; links: the `a[href]`; pauses: marks that end or divide a sentence.
    """

    words: int
    link_words: int
    prose_words: int
    links: int
    pauses: int

    @property
    def plain_words(self) -> int:
        """Words outside links."""
        return self.words - self.link_words

    @property
    def link_ratio(self) -> float:
        """Share of the words that stand in links, 0..1; 0 where there are no words."""
        return self.link_words / self.words if self.words else 0.0


class Reading:
    """The visible text of one page, by its place in the source."""

    def __init__(self, source: Source, codec: str) -> None:
        self.hidden = _hidden_elements(source)
        self._links = _ranges(source, _link_ordinals(source))
        self._link_starts = [start for start, _ in self._links]
        self._texts = _visible_texts(source, codec, self._links, self._unread_ranges(source))
        self._index()

    def counts(self, start: int, end: int) -> Counts:
        """What a reader sees between two offsets of the source."""
        first, last = bisect_left(self._places, start), bisect_left(self._places, end)
        links = bisect_left(self._link_starts, end) - bisect_left(self._link_starts, start)
        return Counts(
            self._words[last] - self._words[first],
            self._link_words[last] - self._link_words[first],
            self._prose_words[last] - self._prose_words[first],
            links,
            self._pauses[last] - self._pauses[first],
        )

    def cut(self, ranges: Iterable[Range]) -> None:
        """Forget what stood in these ranges; they are in order and do not overlap."""
        starts, ends = zip(*ranges, strict=True)
        self._texts = [text for text in self._texts if not _inside(text.place, starts, ends)]
        self._link_starts = [place for place in self._link_starts if not _inside(place, starts, ends)]
        self._index()

    def _index(self) -> None:
        self._places = [text.place for text in self._texts]
        self._words = list(accumulate((text.words for text in self._texts), initial=0))
        self._link_words = list(accumulate((text.link_words for text in self._texts), initial=0))
        self._prose_words = list(accumulate((text.prose_words for text in self._texts), initial=0))
        self._pauses = list(accumulate((text.pauses for text in self._texts), initial=0))

    def _unread_ranges(self, source: Source) -> list[Range]:
        ordinals = [n for n, name in enumerate(source.names) if name in UNREAD and name != b"head"]
        return _ranges(source, sorted({*ordinals, *self.hidden}))


def _inside(place: int, starts: tuple[int, ...], ends: tuple[int, ...]) -> bool:
    behind = bisect_left(starts, place + 1)
    return behind > 0 and place < ends[behind - 1]


def _hidden_elements(source: Source) -> set[int]:
    """Ordinals of elements that hide themselves by the `hidden` attribute or an inline style."""
    hidden, body = set(), source.body
    for hit in _MAY_HIDE.finditer(body):
        ordinal = bisect_left(source.starts, hit.start()) - 1
        if ordinal < 0 or hit.start() >= source.start_ends[ordinal]:
            continue  # in text, not in a start tag
        tag = source.starts[ordinal], source.start_ends[ordinal]
        if source.names[ordinal] not in _NEVER_HIDDEN and _HIDES.search(body, *tag):
            hidden.add(ordinal)
    return hidden


def _link_ordinals(source: Source) -> list[int]:
    search, body = _HREF.search, source.body
    return [
        n
        for n, name in enumerate(source.names)
        if name == b"a" and search(body, source.starts[n], source.start_ends[n])
    ]


def _ranges(source: Source, ordinals: list[int]) -> list[Range]:
    """The outermost ranges of these elements, in order; what lies inside another is left out."""
    ranges: list[Range] = []
    behind = 0
    for ordinal in ordinals:
        if source.starts[ordinal] >= behind:
            behind = source.ends[ordinal]
            ranges.append((source.starts[ordinal], behind))
    return ranges


def _visible_texts(source: Source, codec: str, links: list[Range], unread: list[Range]) -> list[_Text]:
    """Each stretch of visible text with what it adds to the counts."""
    body = source.body
    texts: list[_Text] = []
    link, hide = 0, 0
    gaps = iter(source.gaps)
    for start, end in zip(gaps, gaps, strict=True):
        text = body[start:end]
        if not text or text.isspace():
            continue
        while hide < len(unread) and unread[hide][1] <= start:
            hide += 1
        if hide < len(unread) and unread[hide][0] < start:
            continue
        words = words_in(text, codec)
        if not words:
            continue
        while link < len(links) and links[link][1] <= start:
            link += 1
        in_link = link < len(links) and links[link][0] < start
        prose = words if words >= PROSE_WORDS and not in_link else 0
        texts.append(_Text(start, words, words if in_link else 0, prose, pauses_in(text, codec)))
    return texts
