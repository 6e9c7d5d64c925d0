"""The loop over the tags of a page, in Python: what `_tag_loop.pyx` does compiled. Both give the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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


def same_names(names: list[bytes], tags: list[str]) -> bool:
    """Whether the names of the source and of the tree are the same, in the same order."""
    return [name.decode("latin-1") for name in names] == tags


def index_tags(names: list[bytes]) -> dict[str, list[int]]:
    """The places of each name in the list, in order."""
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        found.setdefault(name.decode("latin-1"), []).append(place)
    return found


def _does_nothing(rules: int, name: bytes, open_names: list[bytes]) -> bool:
    """Whether the rules for a start tag find nothing to do."""
    if rules == RULE_SAME:
        return name not in open_names
    return not rules or (rules == RULE_PARENT and bool(open_names) and open_names[-1] in PROPER_PARENTS[name])


def _is_slash_of_tag(low: bytes, start: int, end: int) -> bool:
    """Whether the slash before `>` is the tag's, and no part of a bare value: `<a href=/x/>`."""
    tag = _LAST_BARE_VALUE.match(low, start)
    return tag is None or tag.end(1) != end - 1
