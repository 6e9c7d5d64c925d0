"""Answers questions about elements; changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from crunchpy.name_words import split_names
from crunchpy.reading import Counts
from crunchpy.tag_rules import HEADINGS
from crunchpy.tree import Element
from crunchpy.word_count import words

__all__ = [
    "HEADING_TAGS",
    "absolute",
    "closest",
    "host_of",
    "is_landmark",
    "is_minor",
    "split_names",
    "text",
    "texts",
    "tokens",
    "words",
]

HEADING_TAGS = frozenset(name.decode() for name in HEADINGS)
# WAI-ARIA 1.2, 5.3.4, landmark roles; and the HTML elements that have them by themselves.
LANDMARK_ROLES = frozenset(["banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search"])
LANDMARK_TAGS = frozenset(["aside", "footer", "header", "main", "nav", "search"])
# Their text is not read as text of the page.
_NOT_READ = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "title",
        "textarea",
        "select",
        "iframe",
        "svg",
        "math",
        "datalist",
        "object",
    ]
)

_HOST = re.compile(r"(?:https?:)?//(?:[^/?#]*@)?([^/?#:]*)")


def tokens(element: Element) -> frozenset[str]:
    """The words of an element's class and id, as `split_names` gives them."""
    names, identity = element.get("class"), element.get("id")
    if not names and not identity:
        return frozenset()
    return split_names(f"{names or ''} {identity or ''}")


def texts(element: Element) -> Iterator[str]:
    """The stretches of text below an element that belong to the page's text, in order; hidden elements included."""
    waiting: list[Element | str] = [element]  # no recursion: pages nest deep
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        if item.tag in _NOT_READ or not isinstance(item.tag, str):
            continue
        for child in item.iterchildren(reversed=True):
            if child.tail:
                waiting.append(child.tail)
            waiting.append(child)
        if item.text:
            yield item.text


def text(element: Element) -> str:
    """The text below an element on one line."""
    return " ".join(" ".join(texts(element)).split())


def closest(element: Element, *tags: str) -> Element | None:
    """The element itself or the innermost one around it that has one of these tags."""
    while element is not None and element.tag not in tags:
        element = element.getparent()
    return element


def is_landmark(element: Element) -> bool:
    """Whether assistive technology offers the element as a place to jump to."""
    return element.tag in LANDMARK_TAGS or element.get("role", "") in LANDMARK_ROLES


def is_minor(part: Counts, whole: Counts, *, max_words_ratio: float, max_prose_ratio: float) -> bool:
    """Whether a part is too small to be the content of a page.

    Args:
        part: what a reader sees of the part.
        whole: what a reader sees of the page.
        max_words_ratio: share of the page's words, 0..1, above which the part counts as content.
        max_prose_ratio: the same for the words of prose.
    """
    return part.words <= max_words_ratio * whole.words and part.prose_words <= max_prose_ratio * whole.prose_words


def host_of(url: str) -> str:
    """The host of an absolute or protocol-relative URL, lower case without port; empty for others."""
    found = _HOST.match(url)
    return found[1].lower() if found else ""


def absolute(base: str, address: str) -> str:
    """An address as a page at `base` means it; empty where it is none."""
    if address.startswith(("https://", "http://", "data:")):
        return address
    if address.startswith("/") and (end := base.find("/", len("https://"))) > 0:
        # As `urljoin`, in a tenth of its time.
        return f"{base.partition(':')[0]}:{address}" if address.startswith("//") else base[:end] + address
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return ""
