"""What a page says, for the classifier.

The text before filtering, ALT text in, scripts and styles out (Crunch 3, step 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_TEXT_CHARS = 100_000  # about 15,000 words: more of one page tells nothing new and costs milliseconds

# One compiled expression walks the tree in C; a walk in Python costs ten times as much.
_TEXTS = etree.XPath(
    "//*[not(self::script or self::style or self::noscript or self::template or self::iframe or self::textarea)]/text()"
    "[normalize-space()] | //img/@alt | //area/@alt"
    " | //meta[@name='description' or @name='keywords' or @property='og:description']/@content",
    smart_strings=False,
)


def page_text(root: Element) -> str:
    """The words of a parsed page, with ALT texts and the page's description; at most `MAX_TEXT_CHARS` characters."""
    found = _TEXTS(root)
    assert isinstance(found, list)
    pieces: list[str] = []
    size_chars = 0
    for piece in found:
        assert isinstance(piece, str)
        pieces.append(piece)
        size_chars += len(piece)
        if size_chars > MAX_TEXT_CHARS:
            break
    return " ".join(pieces)[:MAX_TEXT_CHARS]


def page_language(root: Element) -> str:
    """The lang attribute of the html element, "" where there is none."""
    return (root.get("lang") or "").strip()
