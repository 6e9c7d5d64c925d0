"""The loops over text and names of a page, in Python: what `_text_loops.pyx` does compiled. Both give the same."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from crunchpy.name_words import split_names
from crunchpy.word_count import PROSE_WORDS, words_in

Range = tuple[int, int]
_END: Range = (sys.maxsize, sys.maxsize)


def is_utf8(text: bytes) -> bool:
    """Whether the bytes are UTF-8 as the Encoding standard reads it, strictly."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def lower(text: bytes) -> bytes:
    """The text with ASCII's letters in lower case."""
    return text.lower()


class TextCounts:
    """The words of a page's text by their place: a question about a range is answered by look-ups in running sums."""

    def __init__(self, body: bytes, codec: str, gaps: list[int], links: list[Range], unread: list[Range]) -> None:
        """Count the words between the tags of a page.

        Args:
            body: the page.
            codec: Python's name of its charset.
            gaps: start and end of each stretch of text, flat, in order.
            links: where links are, in order.
            unread: where text is that nobody sees, in order.
        """
        self._places: list[int] = []
        self._columns: tuple[list[int], list[int], list[int]] = ([], [], [])
        self._link_starts = [start for start, _ in links]
        links_left, unread_left = iter((*links, _END)), iter((*unread, _END))
        link_start, link_end = next(links_left)
        unread_start, unread_end = next(unread_left)
        flat = iter(gaps)
        for start, end in zip(flat, flat, strict=True):
            words = words_in(body[start:end], codec)
            if not words:
                continue
            while unread_end <= start:
                unread_start, unread_end = next(unread_left)
            if unread_start < start:
                continue
            while link_end <= start:
                link_start, link_end = next(links_left)
            is_link = link_start < start
            self._places.append(start)
            found = (words, words if is_link else 0, words if words >= PROSE_WORDS and not is_link else 0)
            for column, count in zip(self._columns, found, strict=True):
                column.append(count)
        self._add_up()

    def between(self, start: int, end: int) -> tuple[int, int, int, int]:
        """The words, words in links, words of prose and links between two offsets."""
        first, last = bisect_left(self._places, start), bisect_left(self._places, end)
        words, link_words, prose_words = (sums[last] - sums[first] for sums in self._sums)
        links = bisect_left(self._link_starts, end) - bisect_left(self._link_starts, start)
        return words, link_words, prose_words, links

    def cut(self, ranges: Iterable[Range]) -> None:
        """Forget what stood in these ranges; they are in order and do not overlap."""
        for start, end in reversed(list(ranges)):
            first, last = bisect_left(self._places, start), bisect_left(self._places, end)
            for column in (self._places, *self._columns):
                del column[first:last]
            del self._link_starts[bisect_left(self._link_starts, start) : bisect_left(self._link_starts, end)]
        self._add_up()

    def _add_up(self) -> None:
        self._sums = [[0, *accumulate(column)] for column in self._columns]


def index_names(
    by_value: dict[str, list[int]], tags: list[bytes], but_not: frozenset[bytes], by_name: dict[str, list[list[int]]]
) -> None:
    """Enter elements under each word of an attribute's value.

    Args:
        by_value: ordinals by value, as `Page.by_value` gives them.
        tags: the elements' names by ordinal.
        but_not: elements of these names are left out.
        by_name: what is filled: by word, as `split_names` gives them, groups of ordinals.
    """
    for value, found in by_value.items():
        if ordinals := [ordinal for ordinal in found if tags[ordinal] not in but_not]:
            for name in split_names(value):
                by_name.setdefault(name, []).append(ordinals)
