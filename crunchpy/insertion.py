"""Finds where inserted HTML goes in the bytes; the body's end is not where most pages close it."""

from __future__ import annotations

from crunchpy.edit import Insert
from crunchpy.page import Page
from crunchpy.source import Source


def is_at_body_end(edit: Insert) -> bool:
    """Whether the edit asks for the end of the page, which needs no tag in the source."""
    return edit.where == "last" and edit.element.tag == "body"


def insertion_place(page: Page, edit: Insert) -> int | None:
    """The offset at which an insertion goes.

    Returns:
        None for the end of a body where an unfinished tag, comment or script would swallow it.
    """
    if is_at_body_end(edit):
        return _body_end(page)
    ordinal, source = page.ordinal(edit.element), page.source
    assert ordinal is not None
    offsets = {"before": source.starts, "first": source.start_ends, "last": source.content_ends, "after": source.ends}
    return offsets[edit.where][ordinal]


def _body_end(page: Page) -> int | None:
    """The last `</body>` or, without one, `</html>` or the end of the bytes."""
    source = page.source
    if page.is_xml:
        bodies = [source.content_ends[n] for n, name in enumerate(source.names) if name == b"body"]
        return bodies[0] if bodies else None
    for name in (b"</body", b"</html"):
        # The scanner leaves these end tags out of lxml's copy, so they are among the fixes.
        places = [start for start, end, text in source.fixes if not text and _is_at(source.body, start, end, name)]
        if places:
            return places[-1]
    end, last_gap = len(source.body), source.gaps[-1] if source.gaps else 0
    if last_gap != end or _ends_in_comment(source.body) or _ends_in_raw_text(source):
        return None
    return end


def _is_at(body: bytes, start: int, end: int, name: bytes) -> bool:
    return end > start and body[start : start + len(name)].lower() == name


def _ends_in_comment(body: bytes) -> bool:
    return body.rfind(b"<!--") > body.rfind(b"-->")


def _ends_in_raw_text(source: Source) -> bool:
    """Whether a script, a style or the like is not closed: the scanner lets it reach to the end."""
    end = len(source.body)
    return any(
        source.content_ends[n] == end and source.names[n] in (b"script", b"style", b"textarea", b"title", b"xmp")
        for n in range(max(0, len(source.names) - 3), len(source.names))
    )
