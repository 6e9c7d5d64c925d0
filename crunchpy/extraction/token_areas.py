"""Which tokens of a page are its content, seen as a row of tags (1) and words (0)."""

from __future__ import annotations

import numpy as np

from crunchpy.extraction.characters import Array


def best_interval(tags: Array) -> tuple[int, int, int] | None:
    """The first and last token of the stretch with the most words in it and the most tags outside it, and that sum.

    Source: Finn, Kushmerick and Smyth, 2001 (BTE), as Gottron, 2007, section 2, states it. The sum is that of all tags
    plus the stretch's words less its tags, so the stretch is the one with the largest sum of +1 and -1, found in one
    sweep. Of equal stretches the first counts. None where there is no word.
    """
    if not len(tags) or tags.all():
        return None
    sums = np.concatenate(([0], np.cumsum(1 - 2 * tags)))
    lowest = np.minimum.accumulate(sums)[:-1]
    last = int(np.argmax(sums[1:] - lowest))
    first = int(np.argmax(sums[: last + 1] == lowest[last]))
    return first, last, int(tags.sum() + sums[last + 1] - sums[first])


def low_slope_areas(tags: Array, window: int, *, in_a_row: int = 3, factor: float = 0.5) -> list[tuple[int, int]]:
    """The stretches (start, end) where the document slope curve is flat: few tags for many words.

    Source: Pinto et al., 2002 (DSC), as Gottron, 2007, section 2, extends it: windows that overlap by half; one is low
    if its slope is below `factor` of the document's; `in_a_row` low ones open an area, as many others close it. An
    area ends with its last low window.
    """
    sums, size = np.concatenate(([0], np.cumsum(tags))), len(tags)
    starts = np.arange(0, size - window + 1, window // 2)
    if not len(starts):
        return []
    low = (sums[starts + window] - sums[starts]) / window < factor * sums[-1] / size
    areas: list[tuple[int, int]] = []
    first = last = -1  # `first` is the window that opened the area, -1 outside of one
    run = 0
    for number, is_low in enumerate(low.tolist()):
        if first < 0:
            run = run + 1 if is_low else 0
            if run == in_a_row:
                first, last, run = number - in_a_row + 1, number, 0
        elif is_low:
            last, run = number, 0
        else:
            run += 1
            if run == in_a_row:
                areas.append((int(starts[first]), int(starts[last]) + window))
                first, run = -1, 0
    if first >= 0:
        areas.append((int(starts[first]), size if run == 0 else int(starts[last]) + window))
    return areas


def fitting_window(size: int, window: int) -> int:
    """The window for a page of so many tokens: three windows in a row must have room, on short pages too."""
    return window if size >= 6 * window else max(4, 2 * (size // 12))
