"""The loop over all text of a page, in Python: what `_loops.pyx` does compiled. Both give the same."""

from __future__ import annotations

import sys

from crunchpy.word_count import words_in

Range = tuple[int, int]
_END: Range = (sys.maxsize, sys.maxsize)


def count_texts(
    body: bytes, codec: str, gaps: list[int], links: list[Range], unread: list[Range]
) -> tuple[list[int], list[int], list[bool]]:
    """Count the words between the tags of a page.

    Args:
        body: the page.
        codec: Python's name of its charset.
        gaps: start and end of each stretch of text, flat, in order.
        links: where links are, in order.
        unread: where text is that nobody sees, in order.

    Returns:
        Of each stretch that has words and is seen: where it starts, its words, and whether it is in a link.
    """
    places: list[int] = []
    counts: list[int] = []
    in_links: list[bool] = []
    links_left, unread_left = iter((*links, _END)), iter((*unread, _END))
    link_start, link_end = next(links_left)
    unread_start, unread_end = next(unread_left)
    flat = iter(gaps)
    for start, end in zip(flat, flat, strict=True):
        words = words_in(body[start:end], codec)
        if not words:
            continue
        while unread_end <= start:
            unread_start, unread_end = next(unread_left)
        if unread_start < start:
            continue
        while link_end <= start:
            link_start, link_end = next(links_left)
        places.append(start)
        counts.append(words)
        in_links.append(link_start < start)
    return places, counts, in_links
