"""Whether an element's place in the bytes is certain: whether the tree and browsers have there what the source has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crunchpy.tag_rules import ALLOWED_IN_TABLE, TABLE_PARTS
from crunchpy.tree import Element

if TYPE_CHECKING:
    from crunchpy.page import Page

_TABLE_PARTS = frozenset(name.decode() for name in TABLE_PARTS)
# What these elements may hold for their place in the bytes to be theirs.
_TAKES = {
    **dict.fromkeys(_TABLE_PARTS, frozenset(name.decode() for name in ALLOWED_IN_TABLE)),
    **dict.fromkeys(("select", "optgroup", "option"), frozenset(("option", "optgroup", "hr", "script", "template"))),
    "colgroup": frozenset(("col", "template")),
}


def why_uncuttable(page: Page, element: Element) -> str | None:
    """Why an element's place in the bytes is not certain enough to cut there; None where it is certain."""
    ordinal = page.ordinal(element)
    if ordinal is None:
        return "has no tag in the source"
    checks = (
        (page.gone[ordinal], "is already gone"),
        (ordinal in page.source.unsure or element.getparent() is None, "has no certain extent"),
        (next(element.iterancestors("template", "noscript"), None) is not None, "is inside a template or noscript"),
    )
    found = next((reason for is_so, reason in checks if is_so), None)
    return found or _why_blurred(page, element, ordinal)


def _why_blurred(page: Page, element: Element, ordinal: int) -> str | None:
    if _differs_from_source(page, element, ordinal):
        return "has other elements in the tree than in the source"
    if element.tag in _TAKES and _has_misplaced(next(element.iterancestors("select"), element)):
        return "has content that browsers move or drop"
    return "ends elsewhere where scripts run" if element.tag == "noscript" and _ends_early(page, ordinal) else None


def _ends_early(page: Page, ordinal: int) -> bool:
    """Where scripts run, `</noscript>` inside a comment ends a noscript too."""
    source = page.source
    return source.low.find(b"</noscript", source.start_ends[ordinal]) != source.content_ends[ordinal]


def _differs_from_source(page: Page, element: Element, ordinal: int) -> bool:
    below = list(element.iter("*"))
    count = sum(page.ordinal(e) is not None for e in below) if page.inserted else len(below)
    last = page.source.lasts[ordinal]
    return bool(count != last - ordinal + 1 - page.gone.count(1, ordinal, last + 1))


def _has_misplaced(part: Element) -> bool:
    """Browsers move what stands in a table but in no cell to before the table, and drop what a select does not take."""
    texts = [part.text, *(child.tail for child in part)]
    if part.tag not in ("select", "optgroup", "option") and any(text and not text.isspace() for text in texts):
        return True
    takes = _TAKES[part.tag]
    inner = [child for child in part if isinstance(child.tag, str)]
    return any(child.tag not in takes or (child.tag in _TAKES and _has_misplaced(child)) for child in inner)
