"""What a page says, for the classifier.

The text before filtering, ALT text in, scripts and styles out (Crunch 3, step 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_TEXT_CHARS = 100_000  # about 15,000 words: more of one page tells nothing new and costs milliseconds

# Compiled expressions walk the tree in C; a walk in Python costs ten times as much. Their union would be sorted, which
# doubles the time, and for counting words the order says nothing.
_UNREAD = ("script", "style", "noscript", "template", "iframe", "textarea")
_PATHS = (
    f"//text()[normalize-space()][not({' or '.join(f'parent::{name}' for name in _UNREAD)})]",
    "//img/@alt",
    "//area/@alt",
    "//meta[@name='description' or @name='keywords' or @property='og:description']/@content",
)
_TEXTS = tuple(etree.XPath(path, smart_strings=False) for path in _PATHS)


def page_text(root: Element) -> str:
    """The words of a parsed page, with ALT texts and the page's description; at most `MAX_TEXT_CHARS` characters."""
    return " ".join(str(piece) for texts in _TEXTS for piece in _found(texts, root))[:MAX_TEXT_CHARS]


def _found(texts: etree.XPath, root: Element) -> list[object]:
    found = texts(root)
    assert isinstance(found, list)
    return list(found)


def page_language(root: Element) -> str:
    """The lang attribute of the html element, "" where there is none."""
    return (root.get("lang") or "").strip()
