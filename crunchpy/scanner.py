"""Reads the tags of an HTML body as bytes, by the standard's tokenising rules, and finds where each element ends."""

from __future__ import annotations

import re

from crunchpy.open_elements import OpenElements
from crunchpy.reasons import Reason
from crunchpy.source import Source, TooMuchError
from crunchpy.tag_rules import (
    DOCUMENT_PARTS,
    FOREIGN_ROOTS,
    PARTICULAR,
    RAW_TEXT,
    RULE_ALWAYS,
    RULE_CHILDLESS,
    RULE_CLOSES_P,
    RULE_TRACKED,
    RULES,
    TRACKED,
    VOID,
    VOID_UNKNOWN_TO_LIBXML2,
)

# 13.2.5.8 to 13.2.5.40, the tag states, as one expression without backtracking: `++` and `*+` are possessive. A quote
# opens a value only behind `=`, so `<a title=it's>` is one tag. An unfinished tag matches nothing: in the standard it
# is no text either.
_REST_OF_TAG = rb"(?:[^>=]++|=[ \t\n\r\f]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\r\f\"'>][^ \t\n\r\f>]*+|(?=>)))*+>"
TAG = re.compile(
    rb"<(?:([a-z][^ \t\n\r\f/>]*+)" + _REST_OF_TAG + rb"|/([a-z][^ \t\n\r\f/>]*+)" + _REST_OF_TAG + rb"|(!--)|([!?/]))"
)
_ATTRIBUTE = re.compile(
    rb"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\r\f>]*+))?+"
)
# 13.2.5.43 and on: `<!-->` and `<!--->` are whole comments, `--!>` ends one too.
_COMMENT_END = re.compile(rb"--!?>")
_SHORT_COMMENT = re.compile(rb"<!--(?:>|->)")

# Limits. The deepest of 2,008 real pages had 56 levels, and libxml2 stops at 2,048; it needs time in the square of the
# attributes of one tag (0.4 s for 20,000).
MAX_DEPTH = 1000
MAX_TAGS = 150_000
MAX_ATTRIBUTES = 2000
_LONG_TAG_BYTES = 4000


def scan_html(body: bytes) -> Source:
    """Find the elements of an HTML body; every charset that keeps ASCII as ASCII will do.

    Raises:
        TooMuchError: past a limit on depth, tags or attributes.
    """
    return _Scanner(body).run()


class _Scanner:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.low = body.lower()
        self.source = Source(body, self.low)
        self.open = OpenElements(self.source)

    def run(self) -> Source:
        """The loop over all tags. Common start tags and matching end tags are handled in place, for speed."""
        low, search, source, opened = self.low, TAG.search, self.source, self.open
        names, gaps, stack, open_names = source.names, source.gaps, opened.ordinals, opened.names
        content_ends, ends, lasts = source.content_ends, source.ends, source.lasts
        position = 0
        while (tag := search(low, position)) is not None:
            start, kind = tag.start(), tag.lastindex
            if start > position:
                gaps += (position, start)
            position = tag.end()
            if kind == 1:
                name = tag[1]
                position = self._start_tag(name, start, position)
            elif kind == 2:
                name = tag[2]
                if open_names and open_names[-1] == name:
                    ordinal = stack.pop()
                    del open_names[-1]
                    content_ends[ordinal] = start
                    ends[ordinal] = position
                    lasts[ordinal] = len(names) - 1
                    if name in TRACKED:
                        opened.left(name)
                else:
                    opened.close(name, start, position)
            else:
                position = self._skip_markup(start, is_comment=kind == 3)
        gaps += (position, self._end_of_text(position))
        opened.close_all(len(low))
        return source

    def _start_tag(self, name: bytes, start: int, end: int) -> int:
        """Take in a start tag; gives the offset at which scanning goes on."""
        source, elements = self.source, self.open
        rules = RULES.get(name, 0)
        open_names = elements.names
        if (
            rules & RULE_ALWAYS
            or (rules & RULE_CLOSES_P and elements.open_p)
            or elements.foreign
            or (open_names and open_names[-1] in PARTICULAR)
        ):
            elements.make_room(name, start)
        ordinal = len(source.names)
        source.names.append(name)
        source.starts.append(start)
        source.start_ends.append(end)
        source.content_ends.append(end)
        source.ends.append(end)
        source.lasts.append(ordinal)
        if rules & RULE_CHILDLESS or end - start > _LONG_TAG_BYTES or self.low[end - 2] == 0x2F:
            return self._unusual_start_tag(ordinal, name, start, end)
        elements.ordinals.append(ordinal)
        open_names.append(name)
        if rules & RULE_TRACKED:
            elements.entered(name)
        if len(open_names) > MAX_DEPTH or ordinal > MAX_TAGS:
            _refuse_size(ordinal)
        return end

    def _unusual_start_tag(self, ordinal: int, name: bytes, start: int, end: int) -> int:
        """Elements without child elements, `<name/>`, and tags so long that their attributes are counted."""
        elements = self.open
        if end - start > _LONG_TAG_BYTES:
            _check_attributes(self.low[start + 1 + len(name) : end])
        if name in VOID or name in DOCUMENT_PARTS:
            return self._open_nothing(ordinal, name, end)
        if self.low[end - 2] == 0x2F and self._closes_itself(name, end):
            return end
        if name in RAW_TEXT and not elements.foreign:
            return self._raw_text(ordinal, name, end)
        elements.ordinals.append(ordinal)
        elements.names.append(name)
        elements.entered(name)
        return end

    def _open_nothing(self, ordinal: int, name: bytes, end: int) -> int:
        """Elements without content, and the tags of the document itself, which may stand anywhere."""
        if name in DOCUMENT_PARTS:
            self.source.unsure.add(ordinal)
        elif name in VOID_UNKNOWN_TO_LIBXML2:
            self.source.fixes.append((end, end, b"</" + name + b">"))
        return end

    def _closes_itself(self, name: bytes, end: int) -> bool:
        """`<path/>` is whole inside a picture; elsewhere `<div/>` opens a div, whatever libxml2 thinks."""
        if self.open.foreign or name in FOREIGN_ROOTS:
            return True
        self.source.fixes.append((end - 2, end, b" >"))
        return False

    def _raw_text(self, ordinal: int, name: bytes, end: int) -> int:
        """Pass over the text of a script, a style or the like; gives the offset behind the end tag."""
        source, low, close = self.source, self.low, b"</" + name
        content_end = low.find(close, end)
        while content_end >= 0 and low[content_end + len(close) : content_end + len(close) + 1] not in b" \t\n\r\f/>":
            content_end = low.find(close, content_end + 1)
        tag = TAG.match(low, content_end) if content_end >= 0 else None
        if tag is None:
            content_end = behind = len(low)
            source.unsure.update(self.open.ordinals, (ordinal,))
        else:
            behind = tag.end()
        if name == b"script" and _may_be_escaped(low[end:content_end]):
            source.unsure.update(self.open.ordinals, (ordinal,))
        source.content_ends[ordinal], source.ends[ordinal] = content_end, behind
        return behind

    def _skip_markup(self, start: int, *, is_comment: bool) -> int:
        """The offset behind a comment, a doctype, a processing instruction or a bogus end tag."""
        low = self.low
        if is_comment:
            if short := _SHORT_COMMENT.match(low, start):
                return short.end()
            end = _COMMENT_END.search(low, start + 4)
            return end.end() if end else len(low)
        closing = b">"
        if self.open.foreign and low.startswith(b"<![cdata[", start):
            closing = b"]]>"
        found = low.find(closing, start)
        return found + len(closing) if found >= 0 else len(low)

    def _end_of_text(self, position: int) -> int:
        """The end of the last text: the body's, or the start of a tag that is never finished."""
        unfinished = re.compile(rb"<[a-z/!?]").search(self.low, position)
        return unfinished.start() if unfinished else len(self.low)


def _may_be_escaped(script: bytes) -> bool:
    """13.2.5.20 and on: `<!--` and then `<script` inside a script can hide the next `</script`."""
    comment = script.find(b"<!--")
    return comment >= 0 and script.find(b"<script", comment) >= 0


def _refuse_size(tags: int) -> None:
    if tags > MAX_TAGS:
        raise TooMuchError(Reason.TOO_MANY_ELEMENTS, f"more than {MAX_TAGS:,} tags")
    raise TooMuchError(Reason.TOO_DEEP, f"elements nested more than {MAX_DEPTH:,} deep")


def _check_attributes(rest_of_tag: bytes) -> None:
    if sum(1 for _ in _ATTRIBUTE.finditer(rest_of_tag)) > MAX_ATTRIBUTES:
        raise TooMuchError(Reason.TOO_MANY_ATTRIBUTES, f"more than {MAX_ATTRIBUTES:,} attributes on one tag")
