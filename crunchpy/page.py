"""A page: its bytes, its tree, and what plugins may ask about them. Only `edit.py` changes one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml.cssselect import CSSSelector

from crunchpy import charset
from crunchpy.attributes import grouped
from crunchpy.box_names import BoxNames, box_names
from crunchpy.certain import why_uncuttable
from crunchpy.codings import Refused
from crunchpy.dom import HEADING_TAGS, LANDMARK_ROLES, LANDMARK_TAGS, closest
from crunchpy.reading import Counts, Reading
from crunchpy.reasons import Reason
from crunchpy.references import elements_by_id, referrers_by_id
from crunchpy.splice import Splice, apply, check
from crunchpy.text_loop import Range
from crunchpy.tree import Element, Tree, Unfit, build

if TYPE_CHECKING:
    from crunchpy.adverts.blocklist import Blocklist

__all__ = ["Counts", "Element", "Inventory", "Page", "Unfit"]

_CONTROLS = frozenset(("input", "select", "textarea", "button"))


class Inventory(NamedTuple):
    """What a person finds their way by, counted."""

    headings: int
    landmarks: int
    controls: int


class Page:
    """One page while it is filtered. Made by `Page.parse`.

    Attributes:
        url: where the page came from; may be empty.
        body: the bytes as received, never changed.
        charset: Python's name of the charset.
        is_xml: XHTML that was sent as XML; its output must stay well-formed.
        root: lxml's root element; plugins read it.
        source: where the tags are in the body.
        blocklist: knows advert addresses; None where there is none.
    """

    def __init__(self, tree: Tree, *, url: str, codec: str, is_xml: bool, blocklist: Blocklist | None) -> None:
        self.url, self.charset, self.is_xml, self.blocklist = url, codec, is_xml, blocklist
        self.body, self.root, self.source = tree.source.body, tree.root, tree.source
        self._elements = tree.elements
        self._ordinals: dict[Element, int] = dict(zip(tree.elements, range(len(tree.elements)), strict=True))
        self._ordinals.pop(None, None)
        self.gone = bytearray(len(tree.elements))
        self.inserted = False
        self._by_value: dict[str, dict[str, list[int]]] = {}
        self._with_attribute: dict[str, list[tuple[int, Element, str]]] = {}
        self.splices: list[Splice] = []
        self.attribute_splices: dict[tuple[int, str], Splice] = {}  # the last value given to an attribute counts

    @classmethod
    def parse(
        cls, body: bytes, *, url: str = "", content_type: str = "text/html", blocklist: Blocklist | None = None
    ) -> Page | Unfit:
        """Read a page.

        Args:
            body: the decoded body (no Content-Encoding).
            url: its address.
            content_type: the value of the Content-Type header; decides the charset's default and whether it is XML.
            blocklist: what the `adverts` plugin asks.

        Returns:
            The page, or why it cannot be filtered without risk.
        """
        if not body.strip():
            return Unfit(Reason.EMPTY)
        found = charset.sniff(body, content_type)
        if isinstance(found, Refused):
            return Unfit(found.reason, found.detail)
        is_xml = charset.is_xml(content_type)
        tree = build(body, found.codec, is_xml=is_xml)
        if isinstance(tree, Unfit):
            return tree
        return cls(tree, url=url, codec=found.codec, is_xml=is_xml, blocklist=blocklist)

    # -- elements

    def ordinal(self, element: Element) -> int | None:
        """An element's place among the start tags; None for one that has no tag in the source."""
        return self._ordinals.get(element)

    def element(self, ordinal: int) -> Element | None:
        """The element of a start tag; None where the tree has none."""
        return self._elements[ordinal]

    def elements(self, *tags: str) -> list[Element]:
        """The elements with these tags (all, where none is named) that are still in the page, in order."""
        gone, elements = self.gone, self._elements
        if not tags:
            return [e for n, e in enumerate(elements) if e is not None and not gone[n]]
        ordinals = self.source.by_name.get(tags[0], []) if len(tags) == 1 else sorted(self._ordinals_named(tags))
        return [e for n in ordinals if not gone[n] and (e := elements[n]) is not None]

    def _ordinals_named(self, tags: Iterable[str]) -> Iterable[int]:
        return (n for tag in tags for n in self.source.by_name.get(tag, ()))

    def select(self, css: str) -> list[Element]:
        """The elements that match a CSS selector and are still in the page, in order.

        Raises:
            cssselect.SelectorError: the selector is not understood.
        """
        return [element for element in _selector(css)(self.root) if element in self._ordinals]

    def outermost(self, elements: Collection[Element]) -> list[Element]:
        """Those of some elements that are in none of the others, in order; only those with a tag in the source."""
        among = set(elements)
        outer = (element for element in among if among.isdisjoint(element.iterancestors()))
        placed = sorted((n, element) for element in outer if (n := self._ordinals.get(element)) is not None)
        return [element for _, element in placed]

    def with_attribute(self, name: str) -> list[tuple[int, Element, str]]:
        """The elements with this attribute, also those that are gone: their ordinals, themselves, its value; in order.

        Many times faster than asking the tree.
        """
        if name not in self._with_attribute:
            found = self.source.attributes.of(name.encode(), self._elements)
            if changed := {n for n, of in self.attribute_splices if of == name}:
                now = ((n, e, e.get(name)) for n in changed if (e := self._elements[n]) is not None)
                kept = (entry for entry in found if entry[0] not in changed)
                found = sorted([*kept, *(entry for entry in now if entry[2] is not None)], key=lambda entry: entry[0])
            self._with_attribute[name] = found
        return self._with_attribute[name]

    def by_value(self, name: str) -> dict[str, list[int]]:
        """The ordinals of the elements with this attribute by its value, also of those that are gone; in no order."""
        if name not in self._by_value:
            if any(changed == name for _, changed in self.attribute_splices):
                self._by_value[name] = grouped(self.with_attribute(name))
            else:
                self._by_value[name] = self.source.attributes.by_value(name.encode(), self._elements)
        return self._by_value[name]

    def attribute_changed(self, ordinal: int, name: str, splice: Splice) -> None:
        """Note that an element of the tree has an attribute's new value, and how to write it."""
        self.attribute_splices[ordinal, name] = splice
        self._with_attribute.pop(name, None)
        self._by_value.pop(name, None)

    @cached_property
    def main_heading(self) -> Element | None:
        """The first visible `h1`, one in a `main` or `article` before others."""
        visible = [h1 for h1 in self.elements("h1") if not self.is_hidden(h1)]
        in_main = [h1 for h1 in visible if closest(h1, "main", "article") is not None]
        return next(iter(in_main or visible), None)

    @cached_property
    def around_heading(self) -> frozenset[Element]:
        """The elements around the main heading."""
        return frozenset() if self.main_heading is None else frozenset(self.main_heading.iterancestors())

    def named(self, names: frozenset[str]) -> list[Element]:
        """The boxes with one of these words in class or id (`dom.tokens`) that are still in the page, in order.

        Parts of a line, pictures, controls and headings are no boxes (`box_names.NOT_BOXES`).
        """
        groups = (group for name in names & self._names.keys() for group in self._names[name])
        ordinals = {n for group in groups for n in group if not self.gone[n]}
        return [e for n in sorted(ordinals) if (e := self._elements[n]) is not None]

    def with_role(self, roles: frozenset[str]) -> list[Element]:
        """The elements whose `role` attribute is one of these and that are still in the page, in order."""
        return [e for n, role, e in self._roles if role in roles and not self.gone[n]]

    @cached_property
    def _roles(self) -> list[tuple[int, str, Element]]:
        return [(n, role, e) for n, e, role in self.with_attribute("role")]

    @cached_property
    def _names(self) -> BoxNames:
        return box_names(self)

    # -- what a reader sees

    @cached_property
    def reading(self) -> Reading:
        """The visible text by its place."""
        return Reading(self.source, self.charset)

    def counts(self, element: Element) -> Counts:
        """What a reader sees of an element as the page is now."""
        ordinal = self._ordinals.get(element)
        if ordinal is None or element.tag in ("html", "body"):
            return self.total
        return self.reading.counts(self.source.starts[ordinal], self.source.ends[ordinal])

    @property
    def total(self) -> Counts:
        """What a reader sees of the whole page as it is now."""
        return self.reading.total

    def is_hidden(self, element: Element) -> bool:
        """Whether the element hides itself (`hidden`, an inline `display: none`), or one around it does."""
        hidden = self.reading.hidden
        return bool(hidden) and any(self._ordinals.get(e) in hidden for e in (element, *element.iterancestors()))

    def inventory(self, element: Element) -> Inventory:
        """Headings, landmarks and form controls from an element downwards, as the page is now."""
        ordinal = self._ordinals.get(element)
        if ordinal is None:
            return self.inventory_between(0, len(self._elements) - 1)
        return self.inventory_between(ordinal, self.source.lasts[ordinal])

    def inventory_between(self, first: int, last: int) -> Inventory:
        """The same for a range of ordinals, both ends included."""
        return Inventory(*(self._live(kind, first, last) for kind in self._kinds))

    def _live(self, ordinals: list[int], first: int, last: int) -> int:
        found = ordinals[bisect_left(ordinals, first) : bisect_left(ordinals, last + 1)]
        return len(found) - sum(map(self.gone.__getitem__, found))

    @cached_property
    def _kinds(self) -> tuple[list[int], list[int], list[int]]:
        roles = (n for n, role, _ in self._roles if role in LANDMARK_ROLES)
        landmarks = {*self._ordinals_named(LANDMARK_TAGS), *roles}
        controls = [n for n in self._ordinals_named(_CONTROLS) if not self._is_hidden_field(n)]
        return sorted(self._ordinals_named(HEADING_TAGS)), sorted(landmarks), sorted(controls)

    def _is_hidden_field(self, ordinal: int) -> bool:
        element = self._elements[ordinal]
        return element is None or (element.tag == "input" and element.get("type", "").lower() == "hidden")

    # -- references

    @cached_property
    def ids(self) -> dict[str, Element]:
        """The elements by id (and anchors by name); of equal ids the first counts, as in browsers."""
        return elements_by_id(self)

    @cached_property
    def references(self) -> dict[str, list[Element]]:
        """The elements that point at each id: in-page links, labels, table headers, ARIA references."""
        return referrers_by_id(self)

    @cached_property
    def targets(self) -> list[tuple[int, str]]:
        """The ids that something points at, by the ordinals of their elements."""
        found = ((self._ordinals.get(self.ids[name]), name) for name in self.references if name in self.ids)
        return sorted((ordinal, name) for ordinal, name in found if ordinal is not None)

    @property
    def referenced_ids(self) -> set[str]:
        """The ids that something in the page points at."""
        return set(self.references)

    # -- output

    def render(self) -> bytes:
        """The page's bytes with all edits done, checked: outside the cuts every byte is the original one.

        Raises:
            SpliceError: the check failed.
        """
        splices = [*self.splices, *self.attribute_splices.values()]
        if not splices:
            return self.body
        result = apply(self.body, splices)
        check(self.body, result, splices)
        return result

    # -- extents

    def why_uncuttable(self, element: Element) -> str | None:
        """Why an element's place in the bytes is not certain enough to cut there; None where it is certain."""
        return why_uncuttable(self, element)

    def extent(self, element: Element) -> Range:
        """Where an element starts and ends in the body."""
        ordinal = self._ordinals[element]
        return self.source.starts[ordinal], self.source.ends[ordinal]


@lru_cache(maxsize=4096)
def _selector(css: str) -> Any:
    return CSSSelector(css, translator="html")
