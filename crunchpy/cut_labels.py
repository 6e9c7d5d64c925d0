"""Finds where in a page's source the labels of removed parts can stand without changing how the page is parsed."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from html import escape

from lxml import etree

from crunchpy.page import Element, Page
from crunchpy.splice import Cut, Splice
from crunchpy.trace import Trace

# Inside these, text that is not in a cell moves out of the table: the label goes into the first cell.
_TABLE_PARTS = frozenset(("table", "thead", "tbody", "tfoot", "tr"))
_LISTS = frozenset(("ul", "ol", "menu"))
# Inside these no other element can stand: the label goes before the outermost of them.
_CLOSED = frozenset(
    ("select", "optgroup", "datalist", "option", "svg", "math", "iframe", "object", "audio", "video", "picture")
)
# Nothing of these is seen, or a label there would end the head.
_UNSEEN = frozenset(("head", "script", "style", "template", "noscript", "colgroup", "title", "link", "meta"))


@dataclass(frozen=True, slots=True)
class Label:
    """A removed part: its number in the page's order, who took it and why, and the splices that show it."""

    number: int
    plugin: str
    cut: Cut
    splices: tuple[Splice, ...]

    @property
    def why(self) -> str:
        """The plugin's reason."""
        return self.cut.why

    def text(self, page: Page) -> str:
        """What a reader would have read there, white space drawn together."""
        return _text(page.body[self.cut.start : self.cut.end].decode(page.charset, "replace"))


def labels(page: Page, trace: Trace) -> list[Label]:
    """The labels of all cuts of a trace, in the order of the source; outer parts before those that they hold.

    Parts of which nothing can be seen (scripts, styles, what the head holds) are in the list without splices.
    """
    cuts = [(cut, verdict.plugin) for verdict in trace.verdicts for cut in verdict.cuts if not _is_blank(page, cut)]
    ordered = sorted(cuts, key=lambda each: (each[0].start, -each[0].end))
    return [
        Label(number, plugin, cut, tuple(_splices(page, cut, f"Part {number}, {plugin}: {cut.why}")))
        for number, (cut, plugin) in enumerate(ordered, 1)
    ]


def _is_blank(page: Page, cut: Cut) -> bool:
    return not page.body[cut.start : cut.end].strip()


def _splices(page: Page, cut: Cut, said: str) -> list[Splice]:
    ordinal = _ordinal_at(page, cut.start)
    element = page.element(ordinal) if ordinal is not None else None
    if element is None or ordinal is None:
        return _around(cut.start, cut.end, said)
    ancestors = [element, *element.iterancestors()]
    if any(e.tag in _UNSEEN for e in ancestors):
        return []
    tag_end = page.source.starts[ordinal] + 1 + len(page.source.names[ordinal])
    return [Splice(tag_end, tag_end, b" data-crunchpy-cut"), *_placed(page, ancestors, cut, said)]


def _placed(page: Page, ancestors: list[Element], cut: Cut, said: str) -> list[Splice]:
    """The labels of an element, where its surroundings take them."""
    element, parent = ancestors[0], ancestors[1] if len(ancestors) > 1 else None
    closed = [e for e in ancestors[1:] if e.tag in _CLOSED]
    if closed:
        outermost = page.ordinal(closed[-1])
        return [] if outermost is None else [_label(page.source.starts[outermost], said, "span")]
    around = parent.tag if parent is not None else ""
    if around in _LISTS:
        return _around(cut.start, cut.end, said, "li")
    if around in _TABLE_PARTS or around == "dl":
        return _inside(page, element, said)
    return _around(cut.start, cut.end, said)


def _inside(page: Page, element: Element, said: str) -> list[Splice]:
    """A label at the beginning of the first cell, term or caption."""
    first = next((e for e in element.iter("td", "th", "dt", "dd", "caption") if page.ordinal(e) is not None), None)
    ordinal = page.ordinal(first) if first is not None else None
    return [] if ordinal is None else [_label(page.source.start_ends[ordinal], said, "span")]


def _around(start: int, end: int, said: str, tag: str = "span") -> list[Splice]:
    part = said.partition(",")[0]
    return [_label(start, said, tag), _label(end, f"End of {part.lower()}", tag)]


def _label(place: int, said: str, tag: str) -> Splice:
    text = escape(said).encode("ascii", "xmlcharrefreplace")
    return Splice(place, place, f"<{tag} data-crunchpy-label>".encode() + text + f"</{tag}>".encode())


def _ordinal_at(page: Page, start: int) -> int | None:
    ordinal = bisect_left(page.source.starts, start)
    return ordinal if ordinal < len(page.source.starts) and page.source.starts[ordinal] == start else None


def _text(html: str) -> str:
    parser = etree.HTMLParser(recover=True)
    try:
        root = etree.fromstring(f"<div>{html}</div>", parser)
    except (etree.XMLSyntaxError, ValueError):
        return ""
    if root is None:
        return ""
    etree.strip_elements(root, "script", "style", "template", "noscript", with_tail=False)
    return " ".join("".join(map(str, root.itertext())).split())
