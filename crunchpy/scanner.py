"""Reads the tags of an HTML body as bytes, by the standard's tokenising rules, and finds where each element ends."""

from __future__ import annotations

import re

from crunchpy.loops import lower, scan_tags
from crunchpy.open_elements import OpenElements
from crunchpy.reasons import Reason
from crunchpy.source import Source, TooMuchError
from crunchpy.tag_loop import end_of_tag
from crunchpy.tag_rules import CHILDLESS, DOCUMENT_PARTS, FOREIGN_ROOTS, RAW_TEXT, VOID, VOID_UNKNOWN_TO_LIBXML2

_ATTRIBUTE = re.compile(
    rb"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\r\f>]*+))?+"
)
# 13.2.5.43 and on: `<!-->` and `<!--->` are whole comments, `--!>` ends one too.
_COMMENT_END = re.compile(rb"--!?>")
_SHORT_COMMENT = re.compile(rb"<!--(?:>|->)")

# Limits. libxml2 needs time in the square of the attributes of one tag (0.4 s for 20,000). A table of 24,000 rows has
# 200,000 tags, start and end tags together.
MAX_TAGS = 400_000
MAX_ATTRIBUTES = 2000
_SHORTEST_TAG_BYTES = 3
_LONG_TAG_BYTES = 4000


def scan_html(body: bytes) -> Source:
    """Find the elements of an HTML body; every charset that keeps ASCII as ASCII will do.

    Raises:
        TooMuchError: past a limit on depth, tags or attributes.
    """
    return Scanner(body).run()


class Scanner:
    """One body while it is scanned: asked by the loop over the tags about all that is not plain."""

    long_tag_bytes = _LONG_TAG_BYTES

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.low = lower(body)
        if len(body) > _SHORTEST_TAG_BYTES * MAX_TAGS and self.low.count(b"<") > MAX_TAGS:
            raise TooMuchError(Reason.TOO_MANY_ELEMENTS, f"more than {MAX_TAGS:,} tags")
        self.source = Source(body, self.low)
        self.open = OpenElements(self.source)

    def run(self) -> Source:
        """Scan the whole body."""
        size, position = len(self.low), 0
        while 0 <= position < size:
            position = scan_tags(self, position)
        if position == size:  # also where a comment or a script is last: the text behind it is empty
            self.source.gaps += (size, size)
        self.open.check_depth()
        self.open.close_all(size)
        return self.source

    def start_tag(self, name: bytes, start: int, end: int, *, is_whole: bool) -> int:
        """Take in a start tag for which there is a rule (`is_whole`: one that ends in `/>`).

        Gives the offset at which scanning goes on.
        """
        source, opened = self.source, self.open
        opened.make_room(name, start)
        ordinal = source.add(name, start, end)
        if name in CHILDLESS or end - start > _LONG_TAG_BYTES or is_whole:
            return self._unusual_start_tag(ordinal, name, (start, end), is_whole=is_whole)
        opened.push(ordinal, name)
        return end

    def _unusual_start_tag(self, ordinal: int, name: bytes, tag: tuple[int, int], *, is_whole: bool) -> int:
        """Elements without child elements, `<name/>`, and tags so long that their attributes are counted."""
        opened, (start, end) = self.open, tag
        if end - start > _LONG_TAG_BYTES:
            _check_attributes(self.low[start + 1 + len(name) : end])
        if name in VOID or name in DOCUMENT_PARTS:
            self._note_nothing(ordinal, name, end)
        elif is_whole and self._closes_itself(name, end):
            return end
        elif name in RAW_TEXT and not opened.foreign:
            return self.raw_text(ordinal, name, end)
        else:
            if name in RAW_TEXT and self.low.find(b"<", end) != self.low.find(b"</" + name, end):
                # Markup in a picture's title: libxml2 takes it for text.
                self.source.unsure.update(opened.ordinals, (ordinal,))
            opened.push(ordinal, name)
        return end

    def _note_nothing(self, ordinal: int, name: bytes, end: int) -> None:
        """Elements without content, and the tags of the document itself, which may stand anywhere."""
        if name in DOCUMENT_PARTS:
            self.source.unsure.add(ordinal)
        elif name in VOID_UNKNOWN_TO_LIBXML2:
            self.source.fixes.append((end, end, b"</" + name + b">"))

    def _closes_itself(self, name: bytes, end: int) -> bool:
        """`<path/>` is whole inside a picture; elsewhere `<div/>` opens a div, whatever libxml2 thinks."""
        if self.open.foreign or name in FOREIGN_ROOTS:
            return True
        self.source.fixes.append((end - 2, end, b" >"))
        return False

    def raw_text(self, ordinal: int, name: bytes, end: int) -> int:
        """Pass over the text of a script, a style or the like; gives the offset behind the end tag."""
        source, low, close = self.source, self.low, b"</" + name
        content_end = low.find(close, end)
        while content_end >= 0 and low[content_end + len(close) : content_end + len(close) + 1] not in b" \t\n\r\f/>":
            content_end = low.find(close, content_end + 1)
        if name == b"plaintext":
            content_end = -1  # nothing ends it
        behind = end_of_tag(low, content_end) if content_end >= 0 else -1
        if behind < 0:
            content_end = behind = len(low)
            source.unsure.update(self.open.ordinals, (ordinal,))
        if name == b"script" and _may_be_escaped(low, end, content_end):
            source.unsure.update(self.open.ordinals, (ordinal,))
        source.content_ends[ordinal], source.ends[ordinal] = content_end, behind
        return behind

    def skip_markup(self, start: int, *, is_comment: bool) -> int:
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


def _may_be_escaped(low: bytes, start: int, end: int) -> bool:
    """13.2.5.20 and on: `<!--` and then `<script` inside a script can hide the next `</script`."""
    comment = low.find(b"<!--", start, end)
    return comment >= 0 and low.find(b"<script", comment, end) >= 0


def _check_attributes(rest_of_tag: bytes) -> None:
    if sum(1 for _ in _ATTRIBUTE.finditer(rest_of_tag)) > MAX_ATTRIBUTES:
        raise TooMuchError(Reason.TOO_MANY_ATTRIBUTES, f"more than {MAX_ATTRIBUTES:,} attributes on one tag")
