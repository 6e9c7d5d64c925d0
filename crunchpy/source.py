"""Where each element starts and ends in the bytes.

A `Source` has one entry a start tag, in the order of the source. The entry's place in the lists is the element's
*ordinal*; positions are byte offsets into the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from crunchpy.loops import Attributes, index_tags

MARK = "data-crunchpy-ordinal"

# The order in which `normalised` writes what belongs at one offset: implied end tags before the mark of the next
# start tag.
Fix = tuple[int, int, bytes]


class TooMuchError(Exception):
    """A page past the scanner's limits; `reason` is a code of `reasons`, `str()` says which limit, in words."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(slots=True)
class Source:
    """The tags of one body.

    Attributes:
        low: the body in lower case (ASCII letters only), for searching.
        names: the element's name, lower case in HTML.
        starts, start_ends: where the start tag begins, and the offset behind its `>`.
        content_ends, ends: where the content ends, and the offset behind the end tag; equal where the end tag is left
        out; -1 where no end was found.
        lasts: ordinal of the last start tag inside the element, its own where there is none.
        gaps: start and end of each stretch of text between two tags, flat: start, end, start, end ...
        unsure: ordinals whose extent the standard's error rules blur; such elements are never cut.
        fixes: what `normalised` changes in the copy that lxml reads: (start, end, bytes in their place).
    """

    body: bytes
    low: bytes = b""
    names: list[bytes] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    start_ends: list[int] = field(default_factory=list)
    content_ends: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    unsure: set[int] = field(default_factory=set)
    fixes: list[Fix] = field(default_factory=list)
    _attributes: Attributes | None = None
    _by_name: dict[str, list[int]] | None = None

    def normalised(self, *, marked: bool) -> bytes:
        """A copy of the body for lxml: implied end tags written out, end tags that close nothing left out.

        libxml2 knows an older HTML than browsers; with these ends it builds the standard's tree. With `marked`, each
        start tag also carries its ordinal in the attribute `MARK`.
        """
        fixes = self.fixes
        if marked:
            fixes = sorted([*fixes, *self._marks()], key=lambda fix: fix[:2])
        if not fixes:
            return self.body
        view, copied = memoryview(self.body), 0  # a view's slices copy nothing
        pieces: list[memoryview | bytes] = []
        for start, end, text in fixes:
            if start < copied:  # a start tag that is itself rewritten carries its mark in the rewriting
                continue
            pieces += (view[copied:start], text)
            copied = end
        pieces.append(view[copied:])
        return b"".join(pieces)

    def add(self, name: bytes, start: int, end: int) -> int:
        """Enter a start tag, which ends where it ends until an end is found; gives its ordinal."""
        ordinal = len(self.names)
        self.names.append(name)
        self.starts.append(start)
        for ends in (self.start_ends, self.content_ends, self.ends):
            ends.append(end)
        self.lasts.append(ordinal)
        return ordinal

    @property
    def by_name(self) -> dict[str, list[int]]:
        """The ordinals by the element's name, each in order."""
        if self._by_name is None:
            self._by_name = index_tags(self.names)
        return self._by_name

    @property
    def attributes(self) -> Attributes:
        """The attributes of the start tags, read when first asked for."""
        if self._attributes is None:
            self._attributes = Attributes(self.body, self.low, self.names, self.starts, self.start_ends)
        return self._attributes

    def _marks(self) -> list[Fix]:
        places = [start + 1 + len(name) for start, name in zip(self.starts, self.names, strict=True)]
        return [(place, place, f' {MARK}="{ordinal}"'.encode()) for ordinal, place in enumerate(places)]
