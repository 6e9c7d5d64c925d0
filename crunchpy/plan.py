"""Turns the edits of one step into cuts: which are certain, what they would take, and carrying them out.

A plan changes nothing until `carry_out`; then it records the splices in the page and makes the same changes to the
page's tree, so that the next step reads the page as it will be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from crunchpy.edit import Edit, Insert, Remove, RemoveText, Replace, SetAttribute, Unwrap
from crunchpy.insertion import insertion_place, is_at_body_end
from crunchpy.page import Counts, Inventory, Page
from crunchpy.protect import Protection
from crunchpy.splice import Cut, Splice, attribute_splice
from crunchpy.text_loop import Range
from crunchpy.text_range import text_ranges
from crunchpy.tree import Element
from crunchpy.tree_edit import drop_tag, drop_text, drop_tree, put_html

# Elements that take no anchor as a child, so that an id inside a removed part of them cannot be kept.
_NO_ANCHOR_IN = frozenset(
    ["table", "tbody", "thead", "tfoot", "tr", "colgroup", "select", "optgroup", "datalist", "head"]
)


class Refusal(NamedTuple):
    """An edit that is not done: what, and why not."""

    edit: Edit
    reason: str


class Taken(NamedTuple):
    """What a plan takes from the page."""

    counts: Counts
    inventory: Inventory


class Plan:
    """The edits of one step on one page."""

    def __init__(self, page: Page, protection: Protection) -> None:
        self.page = page
        self.protection = protection
        self.accepted: list[Edit] = []
        self.refused: list[Refusal] = []
        self.cuts: list[Cut] = []
        self._gone = bytearray(len(page.gone))
        self._unwrapped: set[Element] = set()

    # -- deciding

    def add(self, edit: Edit) -> None:
        """Take in an edit: accept it, refuse it with a reason, or accept the parts of it that may be done."""
        if isinstance(edit, Remove | Unwrap | Replace) and edit.element in self._unwrapped:
            return  # of two edits that contradict each other the first counts
        if isinstance(edit, Remove):
            self._add_removal(edit)
            return
        if reason := self._why_not(edit):
            self.refused.append(Refusal(edit, reason))
        elif not self.is_gone(_owner(edit)):
            self.accepted.append(edit)
            if isinstance(edit, Unwrap):
                self._unwrapped.add(edit.element)
            elif isinstance(edit, Replace):
                self._take(edit.element, edit.why)
            elif isinstance(edit, RemoveText):
                self.cuts += [Cut(*found, edit.why) for found in text_ranges(self.page, edit)]

    def _add_removal(self, edit: Remove) -> None:
        if self.is_gone(edit.element):
            return
        protection, element, may_take = self.protection, edit.element, edit.controls_go
        reason = protection.reason(element, controls_go=may_take) or self._why_unknown(element)
        if reason is None and protection.holds(element, controls_go=may_take):
            for part in self._beside_protected(edit):
                self.add(part)
            return
        reason = reason or self.page.why_uncuttable(element) or self._why_ids_stay(element)
        if reason:
            self.refused.append(Refusal(edit, reason))
        else:
            self.accepted.append(edit)
            self._take(element, edit.why)

    def _why_unknown(self, element: Element) -> str | None:
        """Why not even its parts may go: it is all there is, or what the tree has in it may not be its own."""
        if element.tag in ("html", "head", "body"):
            return "is the page itself"
        return "has no certain extent" if self.page.ordinal(element) in self.page.source.unsure else None

    def _beside_protected(self, edit: Remove) -> Iterator[Edit]:
        """The parts of an element that may go although something in it is protected."""
        around, why = edit.element, edit.why
        if around.text and not around.text.isspace():
            yield RemoveText(around, "text", why)
        for child in list(around):
            if isinstance(child.tag, str) and self.protection.reason(child, controls_go=edit.controls_go) is None:
                part, is_cell = Remove(child, why, edit.controls_go), child.tag in ("td", "th")
                yield from self._beside_protected(part) if is_cell else [part]  # a row keeps its cells
            if child.tail and not child.tail.isspace() and self.page.ordinal(child) is not None:
                yield RemoveText(child, "tail", why)

    def _why_not(self, edit: Edit) -> str | None:
        element = edit.element
        if isinstance(edit, SetAttribute | Insert | RemoveText):
            return self._why_not_light(edit)
        if reason := self.page.why_uncuttable(element):
            return reason
        if isinstance(edit, Unwrap):
            return self.protection.zones.get(element) or self.protection.shells.get(element)
        holds = "holds something protected" if self.protection.holds(element) else None
        return self.protection.reason(element) or holds or self._why_ids_stay(element)

    def _why_not_light(self, edit: Edit) -> str | None:
        """Edits that need less than a certain extent."""
        if isinstance(edit, Insert) and is_at_body_end(edit):
            return None if insertion_place(self.page, edit) is not None else "has no certain end"
        if self.page.ordinal(edit.element) is None:
            return "has no tag in the source"
        if isinstance(edit, SetAttribute):
            return self._why_attribute_stays(edit)
        if isinstance(edit, RemoveText):
            owner = _owner(edit)
            reason = self.protection.reason(owner) if owner not in self.protection.shells else None
            return reason or (self.page.why_uncuttable(edit.element) if edit.where == "tail" else None)
        return self.page.why_uncuttable(edit.element) if isinstance(edit, Insert) and edit.where != "first" else None

    def _why_attribute_stays(self, edit: SetAttribute) -> str | None:
        is_target = edit.name in ("id", "name") and edit.element.get(edit.name) in self.page.references
        return "is the target of a link" if is_target else None

    def _why_ids_stay(self, element: Element) -> str | None:
        parent = element.getparent()
        if parent is not None and parent.tag in _NO_ANCHOR_IN and self._kept_ids(element):
            return "holds the target of a link where no anchor may stand"
        return None

    # -- what it would take

    def is_gone(self, element: Element) -> bool:
        """Whether the element goes with what is accepted so far."""
        ordinal = self.page.ordinal(element)
        return ordinal is not None and bool(self._gone[ordinal] or self.page.gone[ordinal])

    def counts_after(self, element: Element) -> Counts:
        """What a reader would see of the element after what is accepted so far."""
        now = self.page.counts(element)
        if self.page.ordinal(element) is None:
            return _minus(now, self.taken().counts)
        start, end = self.page.extent(element)
        for first, last in self._outer_ranges():
            if start <= first and last <= end:
                now = _minus(now, self.page.reading.counts(first, last))
            elif first <= start and end <= last:
                return Counts(0, 0, 0, 0)
        return now

    def taken(self) -> Taken:
        """What the accepted edits take from the page."""
        ranges = self._outer_ranges()
        total = Counts(0, 0, 0, 0)
        for start, end in ranges:
            total = Counts(*map(int.__add__, total, self.page.reading.counts(start, end)))
        inventory = Inventory(0, 0, 0)
        for first, last in self._ordinals_in(ranges):
            inventory = Inventory(*map(int.__add__, inventory, self.page.inventory_between(first, last)))
        return Taken(total, inventory)

    def _outer_ranges(self) -> list[Range]:
        outer: list[Range] = []
        for start, end, _ in sorted(self.cuts, key=lambda cut: (cut.start, -cut.end)):
            if not outer or start >= outer[-1][1]:
                outer.append((start, end))
        return outer

    def _ordinals_in(self, ranges: list[Range]) -> list[tuple[int, int]]:
        starts = self.page.source.starts
        elements = [(bisect_left(starts, start), bisect_left(starts, end) - 1) for start, end in ranges]
        return [(first, last) for first, last in elements if last >= first]

    def _take(self, element: Element, why: str) -> None:
        ordinal = self._number(element)
        self.cuts.append(Cut(*self.page.extent(element), why))
        behind = self.page.source.lasts[ordinal] + 1
        self._gone[ordinal:behind] = b"\x01" * (behind - ordinal)

    def _number(self, element: Element) -> int:
        ordinal = self.page.ordinal(element)
        assert ordinal is not None
        return ordinal

    # -- ids that something points at

    def _kept_ids(self, element: Element) -> list[str]:
        """Ids below an element that something outside of it points at."""
        page, ordinal = self.page, self._number(element)
        last, kept = page.source.lasts[ordinal], []
        first, behind = bisect_left(page.targets, (ordinal, "")), bisect_left(page.targets, (last + 1, ""))
        for _, identity in page.targets[first:behind]:
            numbers = [page.ordinal(referrer) for referrer in page.references[identity]]
            if any(n is not None and not ordinal <= n <= last and not page.gone[n] for n in numbers):
                kept.append(identity)
        return kept

    def _anchors(self, element: Element, *, own_only: bool = False) -> str:
        own = (element.get("id"), element.get("name"))
        kept = [name for name in self._kept_ids(element) if not own_only or name in own]
        names = (name.replace("&", "&amp;").replace('"', "&quot;") for name in kept)
        return "".join(f'<a id="{name}"></a>' for name in names)

    # -- doing it

    def carry_out(self) -> None:
        """Record the accepted edits in the page, and change its tree likewise."""
        splices: list[Splice] = []
        # Texts first: when an element goes, lxml's text behind it joins the text before it.
        for edit in sorted(self.accepted, key=lambda edit: not isinstance(edit, RemoveText)):
            splices += self._carry_out(edit)
        self.page.splices += splices
        if ranges := self._outer_ranges():
            self.page.reading.cut(ranges)

    def _carry_out(self, edit: Edit) -> list[Splice]:
        if isinstance(edit, Insert):
            return [self._insert(edit)]
        page, element, source = self.page, edit.element, self.page.source
        ordinal = self._number(element)
        if isinstance(edit, SetAttribute):
            self._set_attribute(edit, ordinal)
            return []
        if isinstance(edit, RemoveText):
            ranges = text_ranges(self.page, edit)
            drop_text(element, edit.where, is_from_source=lambda sibling: page.ordinal(sibling) is not None)
            return [Splice(start, end) for start, end in ranges]
        if isinstance(edit, Unwrap):
            return self._unwrap(element, ordinal)
        html = edit.html if isinstance(edit, Replace) else self._anchors(element)
        first, last = ordinal, source.lasts[ordinal]
        page.gone[first : last + 1] = b"\x01" * (last - first + 1)
        if html:
            self.page.inserted = True
            put_html(html, element, "before")
        drop_tree(element)
        return [Splice(*page.extent(element), _ascii(html))]

    def _unwrap(self, element: Element, ordinal: int) -> list[Splice]:
        source, anchors = self.page.source, self._anchors(element, own_only=True)
        self.page.gone[ordinal] = 1
        if anchors:
            self.page.inserted = True
            put_html(anchors, element, "before")
        drop_tag(element)
        return [
            Splice(source.starts[ordinal], source.start_ends[ordinal], _ascii(anchors)),
            Splice(source.content_ends[ordinal], source.ends[ordinal]),
        ]

    def _set_attribute(self, edit: SetAttribute, ordinal: int) -> None:
        source = self.page.source
        if edit.value is None:
            edit.element.attrib.pop(edit.name, None)
        else:
            edit.element.set(edit.name, edit.value)
        tag = source.starts[ordinal], source.start_ends[ordinal]
        splice = attribute_splice(self.page.body, tag, edit.name, edit.value)
        if splice is not None:
            self.page.attribute_changed(ordinal, edit.name, splice)

    def _insert(self, edit: Insert) -> Splice:
        place = insertion_place(self.page, edit)
        assert place is not None
        self.page.inserted = True
        put_html(edit.html, edit.element, edit.where)
        return Splice(place, place, _ascii(edit.html))


def _owner(edit: Edit) -> Element:
    """The element that what an edit takes belongs to; the text behind an element is its parent's."""
    is_tail = isinstance(edit, RemoveText) and edit.where == "tail"
    return edit.element.getparent() if is_tail else edit.element


def _ascii(html: str) -> bytes:
    return html.encode("ascii", "xmlcharrefreplace")


def _minus(now: Counts, less: Counts) -> Counts:
    return Counts(*(a - b for a, b in zip(now, less, strict=True)))
