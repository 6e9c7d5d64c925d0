"""Turns the edits of one step into cuts: which are certain, what they would take, and carrying them out.

A plan changes nothing until `carry_out`; then it records the splices in the page and makes the same changes to the
page's tree, so that the next step reads the page as it will be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from crunchpy.edit import Edit, Insert, Remove, RemoveText, Replace, SetAttribute, Unwrap
from crunchpy.page import Counts, Inventory, Page
from crunchpy.protect import Protection
from crunchpy.reading import Range
from crunchpy.splice import Splice, attribute_splice
from crunchpy.tree import Element
from crunchpy.tree_edit import drop_tag, drop_tree, put_html

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
        self._ranges: list[Range] = []
        self._gone: set[int] = set()

    # -- deciding

    def add(self, edit: Edit) -> None:
        """Take in an edit: accept it, refuse it with a reason, or accept the parts of it that may be done."""
        if isinstance(edit, Remove):
            self._add_removal(edit)
            return
        reason = self._why_not(edit)
        if reason:
            self.refused.append(Refusal(edit, reason))
        elif not self.is_gone(edit.element):
            self.accepted.append(edit)
            if isinstance(edit, Replace):
                self._take(edit.element)
            elif isinstance(edit, RemoveText):
                self._ranges += self._text_ranges(edit)

    def _add_removal(self, edit: Remove) -> None:
        if self.is_gone(edit.element):
            return
        protection, element = self.protection, edit.element
        if reason := protection.reason(element, controls_go=edit.controls_go):
            self.refused.append(Refusal(edit, reason))
        elif protection.holds(element, controls_go=edit.controls_go):
            for part in self._beside_protected(edit):
                self.add(part)
        elif reason := self.page.why_uncuttable(element) or self._why_ids_stay(element):
            self.refused.append(Refusal(edit, reason))
        else:
            self.accepted.append(edit)
            self._take(element)

    def _beside_protected(self, edit: Remove) -> Iterator[Edit]:
        """The parts of an element that may go although something in it is protected."""
        around, why = edit.element, edit.why
        if around.text and not around.text.isspace():
            yield RemoveText(around, "text", why)
        for child in list(around):
            if isinstance(child.tag, str) and self.protection.reason(child, controls_go=edit.controls_go) is None:
                is_cell = child.tag in ("td", "th")  # a row keeps its cells
                yield from self._emptied(child, edit) if is_cell else [Remove(child, why, edit.controls_go)]
            if child.tail and not child.tail.isspace() and self.page.ordinal(child) is not None:
                yield RemoveText(child, "tail", why)

    def _emptied(self, cell: Element, edit: Remove) -> Iterator[Edit]:
        yield from self._beside_protected(Remove(cell, edit.why, edit.controls_go))

    def _why_not(self, edit: Edit) -> str | None:
        element = edit.element
        if isinstance(edit, SetAttribute | Insert | RemoveText):
            return self._why_not_light(edit)
        if reason := self.page.why_uncuttable(element):
            return reason
        if isinstance(edit, Unwrap):
            return None
        if self.protection.holds(element):
            return "holds something protected"
        return self.protection.reason(element) or self._why_ids_stay(element)

    def _why_not_light(self, edit: Edit) -> str | None:
        """Edits that need less than a certain extent."""
        if self.page.ordinal(edit.element) is None:
            return "has no tag in the source"
        if isinstance(edit, RemoveText):
            owner = edit.element if edit.where == "text" else edit.element.getparent()
            if reason := self.protection.reason(owner) if owner not in self.protection.shells else None:
                return reason
            return self.page.why_uncuttable(edit.element) if edit.where == "tail" else None
        if isinstance(edit, Insert) and (edit.where != "first"):
            return self.page.why_uncuttable(edit.element)
        return None

    def _why_ids_stay(self, element: Element) -> str | None:
        parent = element.getparent()
        if parent is not None and parent.tag in _NO_ANCHOR_IN and self._kept_ids(element):
            return "holds the target of a link where no anchor may stand"
        return None

    # -- what it would take

    def is_gone(self, element: Element) -> bool:
        """Whether the element goes with what is accepted so far."""
        ordinal = self.page.ordinal(element)
        return ordinal is not None and (ordinal in self._gone or bool(self.page.gone[ordinal]))

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
                return Counts(0, 0, 0, 0, 0)
        return now

    def taken(self) -> Taken:
        """What the accepted edits take from the page."""
        total = Counts(0, 0, 0, 0, 0)
        for start, end in self._outer_ranges():
            total = Counts(*map(int.__add__, total, self.page.reading.counts(start, end)))
        inventory = Inventory(0, 0, 0)
        for first, last in self._outer_ordinals():
            inventory = Inventory(*map(int.__add__, inventory, self.page.inventory_between(first, last)))
        return Taken(total, inventory)

    def _outer_ranges(self) -> list[Range]:
        outer: list[Range] = []
        for start, end in sorted(self._ranges, key=lambda r: (r[0], -r[1])):
            if not outer or start >= outer[-1][1]:
                outer.append((start, end))
        return outer

    def _outer_ordinals(self) -> list[tuple[int, int]]:
        starts = self.page.source.starts
        elements = [(bisect_left(starts, start), bisect_left(starts, end) - 1) for start, end in self._outer_ranges()]
        return [(first, last) for first, last in elements if last >= first]

    def _take(self, element: Element) -> None:
        ordinal = self._number(element)
        self._ranges.append(self.page.extent(element))
        self._gone.update(range(ordinal, self.page.source.lasts[ordinal] + 1))

    def _number(self, element: Element) -> int:
        ordinal = self.page.ordinal(element)
        assert ordinal is not None
        return ordinal

    def _text_ranges(self, edit: RemoveText) -> list[Range]:
        """The stretches of text before the next tag; comments between them stay."""
        source, ordinal = self.page.source, self._number(edit.element)
        start = source.start_ends[ordinal] if edit.where == "text" else source.ends[ordinal]
        end = self._next_tag(edit)
        place = bisect_left(source.gaps, start) // 2 * 2
        ranges = []
        while place < len(source.gaps) and source.gaps[place] < end:
            if source.gaps[place] >= start:
                ranges.append((source.gaps[place], min(source.gaps[place + 1], end)))
            place += 2
        return ranges

    def _next_tag(self, edit: RemoveText) -> int:
        source, ordinal = self.page.source, self._number(edit.element)
        if edit.where == "text":
            has_children = source.lasts[ordinal] > ordinal
            return source.starts[ordinal + 1] if has_children else source.content_ends[ordinal]
        behind, parent = source.lasts[ordinal] + 1, self.page.ordinal(edit.element.getparent())
        is_known = parent is not None and edit.element.getparent().tag not in ("html", "body")
        if behind < len(source.starts) and (not is_known or behind <= source.lasts[parent or 0]):
            return source.starts[behind]
        return source.content_ends[parent] if is_known and parent is not None else len(self.page.body)

    # -- ids that something points at

    def _kept_ids(self, element: Element) -> list[str]:
        """Ids below an element that something outside of it points at."""
        references, kept = self.page.references, []
        if not references:
            return []
        ordinal = self._number(element)
        last = self.page.source.lasts[ordinal]
        for part in element.xpath("descendant-or-self::*[@id or (self::a and @name)]"):
            for identity in dict.fromkeys((part.get("id"), part.get("name") if part.tag == "a" else None)):
                referrers = references.get(identity, ()) if identity else ()
                numbers = [self.page.ordinal(referrer) for referrer in referrers]
                if any(n is not None and not ordinal <= n <= last and not self.page.gone[n] for n in numbers):
                    kept.append(identity)
        return kept

    def _anchors(self, element: Element) -> str:
        names = (name.replace("&", "&amp;").replace('"', "&quot;") for name in self._kept_ids(element))
        return "".join(f'<a id="{name}"></a>' for name in names)

    # -- doing it

    def carry_out(self) -> None:
        """Record the accepted edits in the page, and change its tree likewise."""
        splices: list[Splice] = []
        for edit in self.accepted:
            splices += self._carry_out(edit)
        self.page.splices += splices
        if ranges := self._outer_ranges():
            self.page.reading.cut(ranges)

    def _carry_out(self, edit: Edit) -> list[Splice]:
        page, element = self.page, edit.element
        ordinal = self._number(element)
        source = page.source
        if isinstance(edit, SetAttribute):
            self._set_attribute(edit, ordinal)
            return []
        if isinstance(edit, Insert):
            return [self._insert(edit, ordinal)]
        if isinstance(edit, RemoveText):
            ranges = self._text_ranges(edit)
            setattr(element, edit.where, None)
            return [Splice(start, end) for start, end in ranges]
        if isinstance(edit, Unwrap):
            page.gone[ordinal] = 1
            drop_tag(element)
            return [
                Splice(source.starts[ordinal], source.start_ends[ordinal]),
                Splice(source.content_ends[ordinal], source.ends[ordinal]),
            ]
        html = edit.html if isinstance(edit, Replace) else self._anchors(element)
        first, last = ordinal, source.lasts[ordinal]
        page.gone[first : last + 1] = b"\x01" * (last - first + 1)
        if html:
            self.page.inserted = True
            put_html(html, element, "before")
        drop_tree(element)
        return [Splice(*page.extent(element), _ascii(html))]

    def _set_attribute(self, edit: SetAttribute, ordinal: int) -> None:
        source = self.page.source
        if edit.value is None:
            edit.element.attrib.pop(edit.name, None)
        else:
            edit.element.set(edit.name, edit.value)
        tag = source.starts[ordinal], source.start_ends[ordinal]
        splice = attribute_splice(self.page.body, tag, edit.name, edit.value)
        if splice is not None:
            self.page.attribute_splices[ordinal, edit.name] = splice

    def _insert(self, edit: Insert, ordinal: int) -> Splice:
        source = self.page.source
        places = {
            "before": source.starts[ordinal],
            "first": source.start_ends[ordinal],
            "last": source.content_ends[ordinal],
            "after": source.ends[ordinal],
        }
        self.page.inserted = True
        put_html(edit.html, edit.element, edit.where)
        return Splice(places[edit.where], places[edit.where], _ascii(edit.html))


def _ascii(html: str) -> bytes:
    return html.encode("ascii", "xmlcharrefreplace")


def _minus(now: Counts, less: Counts) -> Counts:
    return Counts(*(a - b for a, b in zip(now, less, strict=True)))
