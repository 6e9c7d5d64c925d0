"""Finds where something can be put at the end of a page's body, which most pages do not close where it ends."""

from __future__ import annotations

from crunchpy.page import Page
from crunchpy.source import Source


def body_end(page: Page) -> int | None:
    """The offset of the last `</body>` or, without one, of `</html>` or the end of the bytes.

    Returns:
        None where an unfinished tag, comment or script swallows what would be put there.
    """
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
