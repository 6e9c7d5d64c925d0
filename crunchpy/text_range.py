"""Finds the bytes of one stretch of text: what stands in or behind an element up to the next tag."""

from __future__ import annotations

from bisect import bisect_left

from crunchpy.edit import RemoveText
from crunchpy.page import Page
from crunchpy.text_loop import Range


def text_ranges(page: Page, edit: RemoveText) -> list[Range]:
    """The stretches of text that an edit takes; comments between them stay."""
    source, ordinal = page.source, page.ordinal(edit.element)
    assert ordinal is not None
    start = source.start_ends[ordinal] if edit.where == "text" else source.ends[ordinal]
    end = _next_tag(page, edit, ordinal)
    place = bisect_left(source.gaps, start) // 2 * 2
    ranges = []
    while place < len(source.gaps) and source.gaps[place] < end:
        if source.gaps[place] >= start:
            ranges.append((source.gaps[place], min(source.gaps[place + 1], end)))
        place += 2
    return ranges


def _next_tag(page: Page, edit: RemoveText, ordinal: int) -> int:
    source = page.source
    if edit.where == "text":
        child = _next_live(page, ordinal + 1)
        if edit.element.tag == "body":  # where its content ends is not known
            return source.starts[child] if child < len(source.starts) else len(page.body)
        return source.starts[child] if child <= source.lasts[ordinal] else source.content_ends[ordinal]
    behind, around = _next_live(page, source.lasts[ordinal] + 1), edit.element.getparent()
    parent = page.ordinal(around)
    is_known = parent is not None and around.tag not in ("html", "body")
    if behind < len(source.starts) and (not is_known or behind <= source.lasts[parent or 0]):
        return source.starts[behind]
    return source.content_ends[parent] if is_known and parent is not None else len(page.body)


def _next_live(page: Page, ordinal: int) -> int:
    """The next start tag that is still in the page: the text behind what is gone joins the text before it."""
    while ordinal < len(page.gone) and page.gone[ordinal]:
        ordinal += 1
    return ordinal
