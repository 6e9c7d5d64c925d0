"""Tables that hold nothing of substance go, the inner before the outer.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents", the empty
table remover; kinds of substance and the least text are the settings of the 2005 article's program.
Differs: players, drawings and formulas are substance, which the web of 2003 had not; of anchors those with an href
count, so that the empty targets that other cuts leave do not keep a table alive.
Known to fail: a table that style sheets draw (coloured cells of a calendar) has no text and goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from lxml import etree
from pydantic import Field

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

Kind = Literal["img", "a", "textarea", "input", "button", "select", "iframe", "form", "media"]
ALL_KINDS: list[Kind] = ["img", "a", "textarea", "input", "button", "select", "iframe", "form", "media"]
MEDIA = frozenset(["audio", "canvas", "embed", "math", "object", "svg", "video"])


class Settings(PluginSettings):
    min_text_chars: int = Field(12, ge=1, le=1000, description="letters of text, blanks trimmed, that are substance")
    substance: list[Kind] = Field(ALL_KINDS, description="kinds of element: one of them is substance")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    if page.elements("table"):
        empty = _empty_tables(page.root, settings)
        for table in page.elements("table"):
            if table in empty:
                yield Remove(table, "an empty table")


def _empty_tables(root: Element, settings: Settings) -> set[Element]:
    """Walks the page once; what an empty inner table holds does not count for the outer one."""
    empty: set[Element] = set()
    before: list[tuple[int, int]] = []
    chars = kinds = 0
    kinds_wanted = frozenset(settings.substance)
    events: Any = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in events:
        if event == "start":
            if element.tag == "table":
                before.append((chars, kinds))
            kinds += _is_substance(element, kinds_wanted)
            chars += _trimmed(element.text)
            continue
        if event == "end" and element.tag == "table":
            chars_before, kinds_before = before.pop()
            if kinds == kinds_before and chars - chars_before < settings.min_text_chars:
                empty.add(element)
                chars = chars_before
        chars += _trimmed(element.tail)
    return empty


def _is_substance(element: Element, kinds: frozenset[str]) -> bool:
    tag = element.tag
    if tag in MEDIA:
        return "media" in kinds
    return tag in kinds and (tag != "a" or element.get("href") is not None)


def _trimmed(text: str | None) -> int:
    return len(text.strip()) if text else 0
