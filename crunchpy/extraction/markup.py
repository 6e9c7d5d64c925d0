"""The cleaned source of a page, character by character: which are text, which are tags, where tokens begin.

Cleaned means: only the body; no comments, and nothing of elements whose text no reader sees (scripts, styles,
`noscript`, pictures in markup, form fields). References such as `&amp;` stay as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crunchpy.extraction.characters import Array, characters
from crunchpy.page import Page
from crunchpy.source import Source
from crunchpy.text_loop import Range

UNSEEN = frozenset(
    b"audio canvas datalist iframe math noembed noframes noscript object script select style svg template textarea"
    b" title video".split()
)
_IN_HEAD = frozenset(b"html head meta link title base script style noscript template".split())
# Scripts that write without blanks: a token a letter, or a paragraph of theirs would be one word.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
)  # fmt: skip
_BLANKS = np.frombuffer(b" \t\n\r\f\x0b", np.uint8)


@dataclass(frozen=True, eq=False)
class Markup:
    """Arrays with one entry a character of the cleaned source.

    codes: its code point; offsets: its byte in the body; is_text: outside tags; begins_tag: the first of a tag;
    tag: which of `names` the tag is that it belongs to, -1 in text; names: of each tag, in order, `/a` for an end tag.
    """

    codes: Array
    offsets: Array
    is_text: Array
    begins_tag: Array
    tag: Array
    names: list[bytes]
    size: int

    @cached_property
    def is_blank(self) -> Array:
        """White space, in text or in tags."""
        return np.isin(self.codes, _BLANKS)

    @cached_property
    def is_content(self) -> Array:
        """Text that is no white space."""
        return self.is_text & ~self.is_blank

    @cached_property
    def begins_word(self) -> Array:
        """The first character of a word; each one of a script without blanks."""
        unspaced = is_between(self.codes, _UNSPACED) if len(self.codes) and self.codes.max() > 0xDFF else None
        part = self.is_content if unspaced is None else self.is_content & ~unspaced
        first = part & ~shifted(part)
        return first if unspaced is None else first | (self.is_content & unspaced)

    @cached_property
    def begins_token(self) -> Array:
        """The first character of a tag or word."""
        return self.begins_tag | self.begins_word

    @cached_property
    def tokens(self) -> Array:
        """One entry a token, in order: 1 for a tag, 0 for a word."""
        return self.begins_tag[self.begins_token].astype(np.int64)

    @cached_property
    def is_anchor_tag(self) -> Array:
        """Characters of `<a ...>` and `</a>`."""
        anchors = np.array([name in (b"a", b"/a") for name in self.names] + [False])
        found: Array = anchors[self.tag]
        return found

    def of_tokens(self, selected: Array) -> Array:
        """Turn a truth value a token into one a character."""
        if not len(selected):
            return np.zeros(len(self.codes), bool)
        number = np.cumsum(self.begins_token) - 1
        found: Array = selected.astype(bool)[np.maximum(number, 0)] & (number >= 0)
        return found

    def ranges(self, selected: Array) -> list[Range]:
        """Turn a truth value a character into ranges of bytes, in order."""
        starts, ends = intervals(selected)
        behind = np.append(self.offsets, self.size)
        return list(zip(self.offsets[starts].tolist(), behind[ends].tolist(), strict=True))


def intervals(flags: Array) -> tuple[Array, Array]:
    """Where the runs of true values start, and where each is over."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def shifted(flags: Array) -> Array:
    """The same values one place later."""
    return np.concatenate((np.zeros(min(1, len(flags)), flags.dtype), flags[:-1]))


def is_between(codes: Array, ranges: tuple[tuple[int, int], ...]) -> Array:
    """Whether each code point lies in one of the ranges, both ends included."""
    found = np.zeros(len(codes), bool)
    for low, high in ranges:
        found |= (codes >= low) & (codes <= high)
    return found


def markup(page: Page) -> Markup:
    """The cleaned source of a page as it was received."""
    source, size = page.source, len(page.body)
    codes, offsets = characters(page.body, page.charset)
    names, starts, ends = _tags(source)
    gaps = np.asarray(source.gaps, np.int64)
    in_text, in_tag = _inside(gaps[::2], gaps[1::2], size)[offsets], _inside(starts, ends, size)[offsets]
    kept = _is_seen(page)[offsets] & (in_text | in_tag)
    tag = np.where(in_tag, np.searchsorted(starts, offsets, "right") - 1, -1)
    begins = np.zeros(size + 1, bool)
    begins[starts] = True
    return Markup(
        codes=codes[kept], offsets=offsets[kept], is_text=~in_tag[kept], begins_tag=(begins[offsets] & in_tag)[kept],
        tag=tag[kept], names=names, size=size,
    )  # fmt: skip


def _tags(source: Source) -> tuple[list[bytes], Array, Array]:
    """Name, start and end of each tag, in order. End tags that close nothing are left out, as in the tree."""
    content_ends, ends = source.content_ends, source.ends
    tags = list(zip(source.starts, source.start_ends, source.names, strict=True))
    tags += [
        (content_ends[n], ends[n], b"/" + name)
        for n, name in enumerate(source.names)
        if 0 <= content_ends[n] < ends[n] and content_ends[n] >= source.start_ends[n]
    ]
    tags.sort()
    starts = np.array([start for start, _, _ in tags], np.int64)
    return [name for _, _, name in tags], starts, np.array([end for _, end, _ in tags], np.int64)


def _inside(starts: Array, ends: Array, size: int) -> Array:
    """For each byte whether it lies in one of these ranges."""
    depth = np.zeros(size + 2, np.int32)
    np.add.at(depth, starts, 1)
    np.add.at(depth, ends, -1)
    return np.cumsum(depth) > 0


def _is_seen(page: Page) -> Array:
    """For each byte whether it is of the body and of nothing that no reader sees, and still in the page."""
    source, size = page.source, len(page.body)
    gone = [(splice.start, splice.end) for splice in page.splices]
    unseen = [
        (source.starts[n], source.ends[n])
        for n, name in enumerate(source.names)
        if name in UNSEEN and n not in source.unsure and source.ends[n] >= 0
    ]
    ranges = np.array([(0, _body_start(source)), *gone, *unseen], np.int64)
    return ~_inside(ranges[:, 0], ranges[:, 1], size)


def _body_start(source: Source) -> int:
    if b"body" in source.names:
        return source.start_ends[source.names.index(b"body")]
    text = (start for start, end in zip(source.gaps[::2], source.gaps[1::2], strict=True)
            if source.body[start:end].strip())  # fmt: skip
    tags = (start for start, name in zip(source.starts, source.names, strict=True) if name not in _IN_HEAD)
    return min(next(text, len(source.body)), next(tags, len(source.body)))
