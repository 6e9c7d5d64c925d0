"""Turns what a method selects into edits: what is not selected goes.

What stays beside the selected text: the heading of selected text; pictures and the like between its first and last
stretch; scripts, style sheets and form fields of elements that stay; cells of a table row that stays, emptied; and
what no plugin may remove (`protect.py`). A stretch of text goes or stays whole, so that no sentence is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from crunchpy.dom import HEADING_TAGS
from crunchpy.edit import Edit, Remove, RemoveText
from crunchpy.extraction.characters import Array
from crunchpy.extraction.runs import Run, runs
from crunchpy.page import Element, Page
from crunchpy.text_loop import Range

WHY = "not main content"
# A stretch of text stays if at least this share of its letters is selected, as a word does in Content Code Blurring.
MIN_SELECTED_RATIO = 0.5
_PAGE_ITSELF = frozenset(["html", "head", "body", "title"])
# They show nothing where they stand; what they do is not a method's to judge.
_MACHINERY = frozenset(
    "base br col colgroup dialog hr input link meta noscript option param script select source style template textarea"
    " track wbr".split()
)
# A form of more words is wrapped round content, see `protect.py`.
_SMALL_FORM_WORDS = 200
_CELLS = frozenset(["td", "th"])
_BLANK = np.zeros(256, bool)
_BLANK[list(b" \t\n\r\f\x0b")] = True


def ranges_of(selected: Iterable[Run]) -> list[Range]:
    """The bytes of runs, for methods that select runs."""
    return [found for run in selected for found in run.ranges]


def edits(page: Page, selected: Iterable[Range], found: Sequence[Run] | None = None) -> Iterator[Edit]:
    """The edits that leave of a page what is selected.

    Args:
        page: the page.
        selected: ranges of its bytes, in order, which do not overlap.
        found: the page's runs, where the caller has them already.
    """
    found = runs(page) if found is None else found
    shares = _shares(page.body, found, list(selected))
    kept = _with_headings(found, [share >= MIN_SELECTED_RATIO for share in shares])
    order = _Order(page, found, kept)
    wanted: list[tuple[int, int, Edit]] = list(order.removals())
    wanted += [
        (run.ranges[0][0], 1, RemoveText(run.element, run.where, WHY))
        for run, stays in zip(found, kept, strict=True)
        if not stays and not order.goes_with(run.owner)
    ]
    wanted.sort(key=lambda edit: edit[:2])
    for _, _, edit in wanted:
        yield edit


def _shares(body: bytes, found: Sequence[Run], selected: list[Range]) -> list[float]:
    """The share of each run's letters that is selected, 0..1."""
    letters = ~_BLANK[np.frombuffer(body, np.uint8)]
    depth = np.zeros(len(body) + 1, np.int32)
    if selected:
        chosen = np.asarray(selected, np.int64)
        np.add.at(depth, chosen[:, 0], 1)
        np.add.at(depth, chosen[:, 1], -1)
    of_letters, of_taken = _sums(letters), _sums(letters & (np.cumsum(depth[:-1]) > 0))
    return [_part(run.ranges, of_letters, of_taken) for run in found]


def _sums(flags: Array) -> Array:
    return np.concatenate(([0], np.cumsum(flags)))


def _part(ranges: list[Range], letters: Array, taken: Array) -> float:
    whole = sum(int(letters[end] - letters[start]) for start, end in ranges)
    return sum(int(taken[end] - taken[start]) for start, end in ranges) / whole if whole else 0.0


def _heading(run: Run) -> bool:
    return run.block.tag in HEADING_TAGS


def _with_headings(found: Sequence[Run], kept: list[bool]) -> list[bool]:
    """Also keep each heading of which something stays before the next heading."""
    kept = list(kept)
    follows = False  # whether kept text follows before the next heading
    block: Element = None
    block_kept = False
    for place in range(len(found) - 1, -1, -1):
        run = found[place]
        if not _heading(run):
            follows = kept[place] or (follows and block is None)
            block = None
            continue
        if run.block is not block:  # headings that stand one above the other stay or go together
            block, block_kept = run.block, follows or (block is not None and block_kept)
            follows = False
        kept[place] = kept[place] or block_kept
        block_kept = block_kept or kept[place]
    return kept


def _protected_frames(page: Page) -> Iterator[Element]:
    """Elements that no plugin may remove but whose parts it may (`protect.py`): a plan leaves all that is in them when
    something around them is to go, so what goes is named part by part.
    """
    half = page.total.words / 2
    for element in page.select("main, article, [role=main], form"):
        if page.counts(element).words > (min(half, _SMALL_FORM_WORDS) if element.tag == "form" else half):
            yield element


class _Order:
    """Which elements go whole, by their place in the source: an element stays if anything below it stays."""

    def __init__(self, page: Page, found: Sequence[Run], kept: Sequence[bool]) -> None:
        self.page = page
        self.elements = page.elements()
        self.stays: set[Element] = set()
        self.holds: set[Element] = set()
        for run, is_kept in zip(found, kept, strict=True):
            self._mark(run.owner, self.holds)
            if is_kept:
                self._mark(run.owner, self.stays)
        places = [run.ranges[0][0] for run, is_kept in zip(found, kept, strict=True) if is_kept]
        self.first, self.last = (places[0], places[-1]) if places else (0, -1)
        self.gone: set[Element] = set()
        self.left: set[Element] = set()  # known not to go with anything
        self.frame: set[Element] = set()
        for element in _protected_frames(page):
            self._mark(element, self.frame)

    @staticmethod
    def _mark(element: Element, marked: set[Element]) -> None:
        while element is not None and element not in marked:
            marked.add(element)
            element = element.getparent()

    def removals(self) -> Iterator[tuple[int, int, Edit]]:
        """(place, rank, edit) for each element that goes; what cannot be cut is left to its parts."""
        starts, behind = self.page.source.starts, 0
        for element in self.elements:
            ordinal = self.page.ordinal(element)
            assert ordinal is not None
            place = starts[ordinal]
            if place < behind or not self._goes(element, place):
                continue
            if self.page.why_uncuttable(element) is None:
                behind = self.page.source.ends[ordinal]
                self.gone.add(element)
                yield place, 0, Remove(element, WHY)

    def _goes(self, element: Element, place: int) -> bool:
        tag = element.tag
        if (
            element in self.stays
            or element in self.frame
            or tag in _PAGE_ITSELF
            or (tag in _CELLS and element.getparent() in self.stays)
        ):
            return False
        if element in self.holds:
            return True
        return tag not in _MACHINERY and not self.first <= place <= self.last

    def goes_with(self, element: Element) -> bool:
        """Whether an element goes with one around it or itself."""
        path: list[Element] = []
        while element is not None and element not in self.gone and element not in self.left:
            path.append(element)
            element = element.getparent()
        goes = element is not None and element in self.gone
        (self.gone if goes else self.left).update(path)
        return goes
