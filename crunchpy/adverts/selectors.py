"""CSS selectors of element rules, tried on a page only where they can match at all.

A page meets some 900 selectors that are more than one class or id, and trying one costs 0.1 to 0.9 ms. So what a
selector needs (tags, classes, ids, attribute values) is read from its text once; SelectorTable groups selectors by
their rarest need; a page is asked for what it has, and only the few selectors that pass are evaluated.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, cast

from cssselect import SelectorError
from lxml.cssselect import CSSSelector
from lxml.etree import XPath, XPathError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from crunchpy.page import Element, Page
_NAME = r"(?:[\w-]|[^\x00-\x7f])+"
_PLAIN = re.compile(rf"([.#])({_NAME})")
_ATTRIBUTE = re.compile(
    r"""\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"\\]*)"|'([^'\\]*)'|([\w-]+))\s*([iIsS])?)?\s*\]""",
)
_CLASS = re.compile(rf"\.({_NAME})")
_ID = re.compile(rf"#({_NAME})")
_TAG = re.compile(r"(?:^|[\s>+~])([a-zA-Z][\w-]*)")
_PSEUDO = re.compile(r"::?[\w-]+")
# Between attribute values in a joined text: no HTML attribute can hold it, the tokeniser turns it into U+FFFD.
_GAP = "\0"


@dataclass(frozen=True, slots=True)
class AttributeNeed:
    """Some element must have the attribute `name`, with a value that starts with, is, contains ... `value`.

    `operator` is CSS's, or empty where any value will do. Whether letters are capital counts only where a value starts
    with or is something.
    """

    name: str
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class Needs:
    """What a page must have somewhere before a selector can match: a necessary condition, seldom a sufficient one."""

    tags: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    attributes: tuple[AttributeNeed, ...] = ()


@lru_cache(maxsize=8192)
def needs_of(selector: str) -> Needs:
    """What `selector` needs, from its text. A list of selectors or an escape needs nothing, and is tried."""
    outside = _without_parentheses(selector)
    bare = _PSEUDO.sub("", _ATTRIBUTE.sub("", outside))
    if "," in bare or "\\" in bare or "[" in bare:
        return Needs()
    return Needs(
        tags=tuple(name.lower() for name in _TAG.findall(bare)),
        classes=tuple(_CLASS.findall(bare)),
        ids=tuple(_ID.findall(bare)),
        attributes=tuple(map(_attribute_need, _ATTRIBUTE.finditer(outside))),
    )


class PageIndex:
    """What the elements of a page have, looked up when first asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._values: dict[str, list[str]] = {}
        self._joined: dict[str, str] = {}

    @cached_property
    def classes(self) -> set[str]:
        """All class tokens."""
        return {token for value in self._page.by_value("class") for token in value.split()}

    @cached_property
    def ids(self) -> set[str]:
        """All ids."""
        return set(self._page.by_value("id"))

    @cached_property
    def tags(self) -> set[str]:
        """All element names."""
        return {name.decode("latin-1") for name in set(self._page.source.names)}

    def may_have(self, name: str) -> bool:
        """Whether an attribute of this name is in the page."""
        return bool(self._page.by_value(name))

    def values(self, name: str) -> list[str]:
        """The different values of the attribute `name`, sorted."""
        if name not in self._values:
            self._values[name] = sorted(self._page.by_value(name))
        return self._values[name]

    def has(self, needs: Needs) -> bool:
        """Whether the page has all that `needs` names."""
        return (
            self.classes.issuperset(needs.classes)
            and self.ids.issuperset(needs.ids)
            and self.tags.issuperset(needs.tags)
            and all(map(self.has_attribute, needs.attributes))
        )

    def has_attribute(self, need: AttributeNeed) -> bool:
        """Whether some element's attribute satisfies `need`."""
        values = self.values(need.name)
        if not values or not need.operator:
            return bool(values)
        if need.operator in {"=", "^=", "|="}:
            place = bisect_left(values, need.value)
            following = values[place] if place < len(values) else ""
            return following == need.value if need.operator == "=" else following.startswith(need.value)
        if need.name not in self._joined:
            self._joined[need.name] = _GAP.join(values).lower() + _GAP
        return need.value.lower() + (_GAP if need.operator == "$=" else "") in self._joined[need.name]

    def matches(self, selector: str) -> list[Element]:
        """The elements that `selector` matches. One that cssselect cannot read matches nothing."""
        if plain := _PLAIN.fullmatch(selector):
            return self._with_token(plain[1], plain[2])
        if not self.has(needs_of(selector)) or (compiled := _compiled(selector)) is None:
            return []
        try:
            return cast("list[Element]", compiled(self._page.root))
        except XPathError:
            return []

    def _with_token(self, mark: str, name: str) -> list[Element]:
        if mark == "#":
            return cast("list[Element]", _WITH_ID(self._page.root, name=name))
        candidates = cast("list[Element]", _WITH_CLASS_TEXT(self._page.root, name=name))
        return [element for element in candidates if name in element.get("class").split()]


class SelectorTable:
    """Many selectors, grouped by the need that fewest pages fulfil."""

    def __init__(self, selectors: Iterable[str]) -> None:
        self._by_class: dict[str, list[str]] = {}
        self._by_id: dict[str, list[str]] = {}
        self._by_tag: dict[str, list[str]] = {}
        self._by_attribute: dict[str, list[tuple[AttributeNeed, str]]] = {}
        self._others: list[str] = []
        for selector in selectors:
            self._file(selector, needs_of(selector))

    def possible(self, index: PageIndex) -> Iterator[str]:
        """The selectors whose rarest need the page fulfils."""
        yield from self._others
        yield from _filed_under(index.classes, self._by_class)
        yield from _filed_under(index.ids, self._by_id)
        yield from _filed_under(index.tags, self._by_tag)
        for name in filter(index.may_have, self._by_attribute):
            yield from (selector for need, selector in self._by_attribute[name] if index.has_attribute(need))

    def _file(self, selector: str, needs: Needs) -> None:
        own_tags = [tag for tag in needs.tags if "-" in tag or not needs.attributes]
        if needs.classes:
            self._by_class.setdefault(needs.classes[0], []).append(selector)
        elif needs.ids:
            self._by_id.setdefault(needs.ids[0], []).append(selector)
        elif own_tags:
            self._by_tag.setdefault(own_tags[0], []).append(selector)
        elif needs.attributes:
            longest = max(needs.attributes, key=lambda need: len(need.value))
            self._by_attribute.setdefault(longest.name, []).append((longest, selector))
        else:
            self._others.append(selector)


def _filed_under(present: Set[str], table: dict[str, list[str]]) -> Iterator[str]:
    for name in table.keys() & present:
        yield from table[name]


def _attribute_need(found: re.Match[str]) -> AttributeNeed:
    name, operator, double, single, plain, flag = found.groups(default="")
    if flag in {"i", "I"}:
        return AttributeNeed(name.lower(), "*=", double or single or plain)
    return AttributeNeed(name.lower(), operator, double or single or plain)


def _without_parentheses(selector: str) -> str:
    """`a:not(.b) .c` without what is in parentheses, which may be alternatives or the opposite of a need."""
    kept: list[str] = []
    depth = 0
    quote = ""
    for character in selector:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
            continue
        if depth == 0:
            kept.append(character)
    return "".join(kept)


_WITH_ID = XPath("//*[@id = $name]")
_WITH_CLASS_TEXT = XPath("//*[contains(@class, $name)]")


@lru_cache(maxsize=2048)
def _compiled(selector: str) -> CSSSelector | None:
    try:
        return CSSSelector(selector, translator="html")
    except (SelectorError, XPathError, SyntaxError, ValueError):
        # SyntaxError is lxml's: cssselect translates some selectors to XPath that is none.
        return None
