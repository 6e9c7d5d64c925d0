"""The two loops over all bytes of all tags, in Python: what `_loops.pyx` does compiled, several times as fast.

The compiled one is used where it could be built; both give the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, overload

from crunchpy.tag_rules import PROPER_PARENTS, RULE_NONE, RULE_PARENT, RULE_SAME, RULE_VOID, RULES, TRACKED

if TYPE_CHECKING:
    from crunchpy.scanner import Scanner

# 13.2.5.8 to 13.2.5.40, the tag states, as one expression without backtracking: `++` and `*+` are possessive. A quote
# opens a value only behind `=`, so `<a title=it's>` is one tag. The last group is a tag that is never finished:
# the standard drops it and all that follows.
_BARE = rb"[^ \t\n\r\f\"'>][^ \t\n\r\f>]*+"
_VALUE = rb"=[ \t\n\r\f]*+(?:\"[^\"]*+\"|'[^']*+'|" + _BARE + rb"|(?=>))"
_REST_OF_TAG = rb"[^>=]*+(?:" + _VALUE + rb"[^>=]*+)*+>"
_TAG = re.compile(
    rb"<(?:([a-z][^ \t\n\r\f/>]*+)"
    + _REST_OF_TAG
    + rb"|/([a-z][^ \t\n\r\f/>]*+)"
    + _REST_OF_TAG
    + rb"|(!--)|([!?]|/(?![a-z]))|([a-z/]))"
)
_UNFINISHED = 5
_LAST_BARE_VALUE = re.compile(rb"<[^ \t\n\r\f/>]*+" + _REST_OF_TAG.replace(_BARE, rb"(" + _BARE + rb")"))
_ATTRIBUTE = re.compile(
    rb"[ \t\n\r\f/]*+([^ \t\n\r\f/][^ \t\n\r\f/=]*+)"
    rb"(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"([^\"]*+)\"?|'([^']*+)'?|([^ \t\n\r\f>]*+)))?+"
)

# Without character references, letters of other charsets, and what parsers replace.
_PLAIN_VALUE = re.compile(rb"[\t\n -%'-\x7f]*")


def lower(text: bytes) -> bytes:
    """The text with ASCII's letters in lower case."""
    return text.lower()


def end_of_tag(low: bytes, start: int) -> int:
    """The offset behind the tag at `start`; -1 for one that is never finished."""
    tag = _TAG.match(low, start)
    return -1 if tag is None or tag.lastindex == _UNFINISHED else tag.end()


def scan_tags(scanner: Scanner, begin: int) -> int:
    """Take in the tags from an offset on, up to a jump over text.

    Start tags whose rule can do nothing and matching end tags are handled in place, for speed; the scanner is asked
    about all others.

    Args:
        scanner: its source and its open elements are filled.
        begin: the offset.

    Returns:
        The offset at which to go on; -1 after a tag that is never finished.
    """
    low, source, opened = scanner.low, scanner.source, scanner.open
    names, gaps, stack, open_names = source.names, source.gaps, opened.ordinals, opened.names
    content_ends, ends, lasts = source.content_ends, source.ends, source.lasts
    long_tag, position = scanner.long_tag_bytes, begin
    for tag in _TAG.finditer(low, begin):
        start, end = tag.span()
        if start > position:
            gaps += (position, start)
        position, kind = end, tag.lastindex or 0
        if kind == 1:
            name = tag[1]
            rules = RULES.get(name, RULE_NONE) & opened.watched
            is_whole = low[end - 2] == 0x2F and _is_slash_of_tag(low, start, end)
            if rules == RULE_VOID and end - start <= long_tag:
                source.add(name, start, end)
            elif not (is_whole or end - start > long_tag) and _does_nothing(rules, name, open_names):
                stack.append(source.add(name, start, end))
                open_names.append(name)
            elif (position := scanner.start_tag(name, start, end, is_whole=is_whole)) != end:
                return position
        elif kind > 2:
            return -1 if kind == _UNFINISHED else scanner.skip_markup(start, is_comment=kind == 3)
        elif open_names and open_names[-1] == (name := tag[2]):
            del open_names[-1]
            ordinal = stack.pop()
            content_ends[ordinal], ends[ordinal], lasts[ordinal] = start, end, len(names) - 1
            if name in TRACKED:
                opened.count(name, -1)
        else:
            opened.close(tag[2], start, end)
    gaps += (position, len(low))
    return len(low)


def _does_nothing(rules: int, name: bytes, open_names: list[bytes]) -> bool:
    """Whether the rules for a start tag find nothing to do."""
    if rules == RULE_SAME:
        return name not in open_names
    return not rules or (rules == RULE_PARENT and bool(open_names) and open_names[-1] in PROPER_PARENTS[name])


def _is_slash_of_tag(low: bytes, start: int, end: int) -> bool:
    """Whether the slash before `>` is the tag's, and no part of a bare value: `<a href=/x/>`."""
    tag = _LAST_BARE_VALUE.match(low, start)
    return tag is None or tag.end(1) != end - 1


class Attributes:
    """The attributes of the start tags, in the order of the source."""

    def __init__(self, body: bytes, low: bytes, names: list[bytes], starts: list[int], start_ends: list[int]) -> None:
        """Read them from `low`, where their names are as they are asked for, and their values from `body`.

        `names`, `starts` and `start_ends` are those of the tags, as in `Source`.
        """
        self._body = body
        self._found: dict[bytes, list[tuple[int, int, int]]] = {}
        for ordinal, (name, start, end) in enumerate(zip(names, starts, start_ends, strict=True)):
            for attribute in _ATTRIBUTE.finditer(low, start + 1 + len(name), end - 1):
                group = attribute.lastindex or 1
                first, last = attribute.span(group) if group > 1 else (attribute.end(1), attribute.end(1))
                self._found.setdefault(attribute[1], []).append((ordinal, first, last))

    def names(self) -> list[bytes]:
        """The names of all attributes."""
        return list(self._found)

    @overload
    def of(self, name: bytes) -> list[tuple[int, str | None]]: ...
    @overload
    def of(self, name: bytes, elements: list[Any]) -> list[tuple[int, Any, str]]: ...
    def of(self, name: bytes, elements: list[Any] | None = None) -> list[Any]:
        """The tags with this attribute.

        Args:
            name: in lower case. Of equal names on a tag the first counts, as the standard has it.
            elements: the elements of the tags, by ordinal.

        Returns:
            Ordinals and values, in order; None for a value with character references or letters beyond ASCII. With
            `elements`: ordinals, elements, and the values, which the elements are asked for where they are such.
        """
        found: dict[int, str | None] = {}
        for ordinal, start, end in self._found.get(name, ()):
            if ordinal not in found:
                value = self._body[start:end]
                found[ordinal] = value.decode() if _PLAIN_VALUE.fullmatch(value) else None
        if elements is None:
            return list(found.items())
        own = ((n, elements[n], value) for n, value in found.items())
        asked = name.decode("latin-1")
        return [(n, e, e.get(asked, "") if value is None else value) for n, e, value in own if e is not None]
