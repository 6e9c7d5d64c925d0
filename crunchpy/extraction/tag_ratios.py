"""Content Extraction via Tag Ratios: the lines of a source, and how much text stands on each beside its tags.

Source: Weninger and Hsu, 2008, "Web Content Extraction Through Histogram Clustering"; Weninger, Hsu and Han, 2010,
"CETR: Content Extraction via Tag Ratios". The printed equations 1 to 4 have slips; what they mean is done.
"""

from __future__ import annotations

import math

import numpy as np

from crunchpy.extraction.blurring import gauss
from crunchpy.extraction.characters import Array
from crunchpy.extraction.markup import Markup, shifted

_LINE_FEED, _RETURN = 0x0A, 0x0D


def lines(source: Markup, wrap_chars: int, long_line_chars: int) -> Array:
    """The line of each character, counted from 0; lines with neither text nor tags are not counted.

    A line end inside a tag is none. Where the lines of the page have more than `long_line_chars` in the mean, it was
    made without a thought for lines, and each is broken after `wrap_chars` at the next blank or tag; 0: never.
    """
    breaks = source.is_text & ((source.codes == _LINE_FEED) | (source.codes == _RETURN))
    line = _without_empty(source, _after(breaks))
    count = int(line[-1]) + 1 if len(line) else 0
    if wrap_chars and count and len(line) > long_line_chars * count:
        line = _without_empty(source, _wrapped(source, line, wrap_chars))
    return line


def _after(breaks: Array) -> Array:
    return np.cumsum(shifted(breaks))


def _without_empty(source: Markup, line: Array) -> Array:
    """Number anew, so that a line without anything on it shares the number of the one before."""
    if not len(line):
        return line
    filled = np.bincount(line[source.begins_tag | source.is_content], minlength=int(line[-1]) + 1) > 0
    number: Array = np.maximum(np.cumsum(filled) - 1, 0)[line]
    return number


def _wrapped(source: Markup, line: Array, wrap_chars: int) -> Array:
    may_break = np.flatnonzero(source.begins_tag | (source.is_text & source.is_blank) | (np.diff(line, prepend=-1) > 0))
    starts_line = (np.diff(line, prepend=-1) > 0)[may_break].tolist()
    opens = np.zeros(len(line), bool)
    start = 0
    for place, is_start in zip(may_break.tolist(), starts_line, strict=True):
        if is_start or place - start >= wrap_chars:
            opens[place] = True
            start = place
    return np.cumsum(opens) - 1


def ratios(source: Markup, line: Array) -> Array:
    """Text characters a tag on each line; a line without tags counts as one with one tag.

    Text is that of the line without its tags, its white space collapsed.
    """
    size = int(line[-1]) + 1 if len(line) else 0
    text = np.flatnonzero(source.is_text)
    of_line = line[text]
    letter = source.is_content[text]
    before = shifted(letter) & (np.diff(of_line, prepend=-1) == 0)
    letters = np.bincount(of_line[letter], minlength=size)
    words = np.bincount(of_line[letter & ~before], minlength=size)
    tags = np.bincount(line[source.begins_tag], minlength=size)
    found: Array = (letters + np.maximum(words - 1, 0)) / np.maximum(tags, 1)
    return found


def smooth(values: Array, sigma: float) -> Array:
    """The paper's smoothing, a Gaussian of twice `sigma` (rounded up) and one entries; 0: none."""
    return gauss(values, math.ceil(sigma), sigma) if sigma else values.astype(float)


def rise(smoothed: Array, ahead: int) -> Array:
    """How much higher the mean of the next `ahead` entries is; at the end, of those that exist."""
    size = len(smoothed)
    sums = np.concatenate(([0.0], np.cumsum(smoothed)))
    place = np.arange(size)
    behind = np.minimum(place + 1 + ahead, size)
    count = behind - place - 1
    return np.where(count > 0, (sums[behind] - sums[place + 1]) / np.maximum(count, 1) - smoothed, 0.0)


def points(smoothed: Array, sigma: float, ahead: int) -> Array:
    """The two dimensions of a line: its smoothed ratio, and how steeply the ratios change there."""
    return np.column_stack((smoothed, np.abs(smooth(rise(smoothed, ahead), sigma))))


def above_threshold(smoothed: Array, deviations: float) -> Array:
    """Which lines reach the threshold of so many standard deviations."""
    return smoothed >= deviations * smoothed.std() if len(smoothed) else np.zeros(0, bool)
