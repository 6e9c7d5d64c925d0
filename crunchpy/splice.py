"""Cuts in the original bytes, and the check that nothing else was touched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """Put `text` in the place of the bytes from `start` to `end`."""

    start: int
    end: int
    text: bytes = b""


class Cut(NamedTuple):
    """What a step took: the bytes from `start` to `end` of the page as received, and the plugin's reason."""

    start: int
    end: int
    why: str


class SpliceError(Exception):
    """The splices contradict each other, or the check found a byte changed that no splice names."""


def apply(body: bytes, splices: Iterable[Splice]) -> bytes:
    """The body with the splices carried out; a splice inside the range of another is part of what that one takes.

    Raises:
        SpliceError: two splices overlap without one holding the other.
    """
    view, copied = memoryview(body), 0  # a view's slices copy nothing
    pieces: list[memoryview | bytes] = []
    for start, end, text in _outermost(splices):
        pieces += (view[copied:start], text)
        copied = end
    pieces.append(view[copied:])
    return b"".join(pieces)


def check(body: bytes, result: bytes, splices: Iterable[Splice]) -> None:
    """Make sure that outside the splices every byte of the result is the original one, in order.

    Raises:
        SpliceError: it is not; the message says where.
    """
    place = copied = 0
    for start, end, text in _outermost(splices):
        kept = start - copied
        if not (result.startswith(body[copied:start], place) and result.startswith(text, place + kept)):
            raise SpliceError(f"bytes {copied} to {start} did not come out as they went in")
        place, copied = place + kept + len(text), end
    if result[place:] != body[copied:]:
        raise SpliceError(f"bytes from {copied} on did not come out as they went in")


def _outermost(splices: Iterable[Splice]) -> list[Splice]:
    kept: list[Splice] = []
    behind = 0
    # Insertions come before a cut at the same place; of two cuts from one place, the longer.
    for splice in sorted(splices, key=lambda s: (s.start, s.start != s.end, -s.end)):
        if splice.start >= behind:
            kept.append(splice)
            behind = splice.end
        elif splice.end > behind:
            raise SpliceError(f"cuts overlap at byte {splice.start}")
    return kept


_ATTRIBUTE = re.compile(
    rb"[ \t\n\r\f/]*([^ \t\n\r\f/>][^ \t\n\r\f/>=]*)(?:[ \t\n\r\f]*=[ \t\n\r\f]*(\"[^\"]*\"|'[^']*'|[^ \t\n\r\f>]*))?"
)


def attribute_splice(body: bytes, tag: tuple[int, int], name: str, value: str | None) -> Splice | None:
    """The splice that sets (or, with None, takes away) an attribute of the start tag at `tag`; None: nothing to do."""
    start, end = tag
    place = start + len(re.match(rb"<[^ \t\n\r\f/>]+", body[start:end])[0])  # type: ignore[index]
    written = b"" if value is None else f' {name}="{_escaped(value)}"'.encode("ascii", "xmlcharrefreplace")
    name_end = place
    while (found := _ATTRIBUTE.match(body, place, end - 1)) and found[1]:
        if found[1].lower() == name.encode():
            return Splice(found.start(), found.end(), written)
        place = found.end()
    return Splice(name_end, name_end, written) if written else None


def _escaped(value: str) -> str:
    return value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
