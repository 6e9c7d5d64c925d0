"""Counting content against code by stretches of the source: R2L, DANA, DANAg and AdDANAg.

Source: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh: R2L (2011, ICSOFT), DANA (2011, DEXA), DANAg (2011, KDIR)
and AdDANAg (2012, "The Impact of Source Code Normalization on Main Content Extraction"), whose sections 2 and 3 tell
the others again. The middle pages of the first three could not be read: the length of a segment, the gap and the seed
are choices made here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crunchpy.extraction.characters import Array
from crunchpy.extraction.markup import Markup, intervals

# Hebrew to Arabic Extended, and their presentation forms.
RIGHT_TO_LEFT = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF))
NOT_ASCII = ((0x80, 0x10FFFF),)
_AMPERSAND, _HASH, _SEMICOLON = 0x26, 0x23, 0x3B
_LONGEST_REFERENCE = 9


def difference(content: Array, code: Array) -> Array:
    """Content less code of each segment and its two neighbours; beyond the ends is nothing."""
    own = np.concatenate(([0], content - code, [0]))
    return own[:-2] + own[1:-1] + own[2:]


def chosen_runs(content: Array, dense: Array, max_gap: int) -> list[tuple[int, int]]:
    """The runs (start, end) of dense segments that form the main content.

    The run with the most content, and on both sides those that follow with at most `max_gap` segments between.
    """
    starts, ends = intervals(dense)
    if not len(starts):
        return []
    sums = np.concatenate(([0], np.cumsum(content)))
    first = last = int(np.argmax(sums[ends] - sums[starts]))
    while first > 0 and starts[first] - ends[first - 1] <= max_gap:
        first -= 1
    while last < len(starts) - 1 and starts[last + 1] - ends[last] <= max_gap:
        last += 1
    return list(zip(starts[first : last + 1].tolist(), ends[first : last + 1].tolist(), strict=True))


def densest_group(content: Array, dense: Array, max_gap: int) -> tuple[int, int] | None:
    """The group (start, end) of dense segments with the most content; a gap of up to `max_gap` does not end a group."""
    starts, ends = intervals(dense)
    if not len(starts):
        return None
    opens = np.concatenate(([True], starts[1:] - ends[:-1] > max_gap))
    firsts = np.flatnonzero(opens)
    lasts = np.concatenate((firsts[1:], [len(starts)])) - 1
    # Only what is dense counts: the sum over a run, then over the runs of a group.
    sums = np.concatenate(([0], np.cumsum(np.where(dense, content, 0))))
    best = int(np.argmax(sums[ends[lasts]] - sums[starts[firsts]]))
    return int(starts[firsts[best]]), int(ends[lasts[best]])


def numbers(source: Markup, segment_chars: int) -> Array:
    """The segment of each character: `segment_chars` long, or, for 0, a line of the source."""
    if segment_chars:
        return np.arange(len(source.codes)) // segment_chars
    return np.cumsum(np.concatenate(([0], source.codes == 0x0A))[:-1]) if len(source.codes) else np.zeros(0, int)


def totals(segment: Array, counted: Array) -> Array:
    """How many characters of each segment are counted."""
    size = int(segment[-1]) + 1 if len(segment) else 0
    return np.bincount(segment[counted], minlength=size)


def _referred(codes: Array) -> int:
    """The code point of a numeric reference, from behind its `&#`; 0 where it is none."""
    text = "".join(map(chr, codes.tolist())).partition(";")[0]
    digits, base = (text[1:], 16) if text[:1] in ("x", "X") else (text, 10)
    try:
        return int(digits, base) if digits.isalnum() and digits.isascii() else 0
    except ValueError:
        return 0


def without_references(source: Markup) -> Markup:
    """The source with each numeric reference to a letter beyond ASCII as that one letter."""
    codes, dropped = source.codes.copy(), np.zeros(len(source.codes), bool)
    for place in np.flatnonzero((codes[:-1] == _AMPERSAND) & (codes[1:] == _HASH)).tolist():
        behind = codes[place + 2 : place + _LONGEST_REFERENCE + 1]
        code = _referred(behind)
        length = int(np.argmax(behind == _SEMICOLON)) + 3 if (behind == _SEMICOLON).any() else 0
        if length and 0x80 <= code <= 0x10FFFF:
            codes[place] = code
            dropped[place + 1 : place + length] = True
    if not dropped.any():
        return source
    return taken(replace(source, codes=codes), np.flatnonzero(~dropped))


def taken(source: Markup, places: Array) -> Markup:
    """The source with these of its characters, in this order; one may come several times."""
    return Markup(
        codes=source.codes[places], offsets=source.offsets[places], is_text=source.is_text[places],
        begins_tag=source.begins_tag[places], tag=source.tag[places], names=source.names, size=source.size,
    )  # fmt: skip


def main_content(source: Markup, content: Array, segment_chars: int, max_gap: int, *, grow: int = 0) -> Array:
    """For each character whether it is in the chosen segments.

    Args:
        source: the source.
        content: which characters count as content; all others that are no white space are code.
        segment_chars: characters of a segment, 0 for lines.
        max_gap: see `chosen_runs`.
        grow: segments by which each chosen run is widened on both sides.
    """
    segment = numbers(source, segment_chars)
    inside, code = totals(segment, content), totals(segment, ~content & ~source.is_blank)
    selected = np.zeros(len(inside), bool)
    for start, end in chosen_runs(inside, difference(inside, code) > 0, max_gap):
        selected[max(0, start - grow) : end + grow] = True
    found: Array = selected[segment] if len(segment) else np.zeros(0, bool)
    return found
