"""The Density method's sums: a page as a list of strings between block tags.

Source: Arias Moreno, Deschacht and Moens, 2009, "Language Independent Content Extraction from Web Pages", section 3.
"""

from __future__ import annotations

from collections.abc import Sequence


def dense_stretch(
    lengths: Sequence[int], *, min_length_ratio: float = 0.333, max_distance: int = 4
) -> tuple[int, int] | None:
    """The first and last string of the content; None where there is no text.

    From the longest string on, each string is added that is longer than `min_length_ratio` of the longest and less
    than `max_distance` places from one that is in already.
    """
    if not lengths or not max(lengths):
        return None
    longest = max(lengths)
    first = last = lengths.index(longest)
    least = min_length_ratio * longest
    for place in range(first - 1, -1, -1):
        if first - place >= max_distance:
            break
        if lengths[place] > least:
            first = place
    for place in range(last + 1, len(lengths)):
        if place - last >= max_distance:
            break
        if lengths[place] > least:
            last = place
    return first, last
