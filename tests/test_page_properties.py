"""What the page layer promises, on real pages: without edits not a byte changes, and a cut takes an element's text
and no more.

The judge is a parser that the page layer does not use (turbohtml, which follows the HTML standard): it reads the page
with one element marked, and the page without that element.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import turbohtml

from crunchpy.edit import Remove
from crunchpy.page import Page
from crunchpy.plan import Plan
from tests.shared import SHARED, Document, documents, needs_shared, packages

# One page in so many, and so many elements of each: about 600 elements. 11,308 elements (every second
# page) were tried once: all right, 1.1 % refused.
EVERY = 30
ELEMENTS_A_PAGE = 8
_VICTIM = "data-victim"


def _pages(every: int) -> Iterator[tuple[Document, Page]]:
    for package in packages():
        for document in documents(package, every=every):
            page = Page.parse(document.body)
            if isinstance(page, Page):
                yield document, page


def _text(body: bytes, codec: str) -> str:
    """The letters of the page without those of a marked element; white space is left out, since cuts join lines."""
    page = turbohtml.parse(body.decode(codec), scripting=True)
    letters: list[str] = []
    waiting: list[object] = [page]
    while waiting:
        node = waiting.pop()
        if isinstance(node, turbohtml.Text):
            letters.append(node.data)
        elif isinstance(node, turbohtml.Document) or (
            isinstance(node, turbohtml.Element) and node.attrs.get(_VICTIM) is None
        ):
            waiting.extend(reversed(node.children))
    return "".join("".join(letters).split())


@needs_shared
def test_no_edits_give_the_identical_bytes() -> None:
    count = 0
    for document, page in _pages(every=12):
        assert page.render() == document.body, document.id
        count += 1
    assert count > 100


@needs_shared
def test_a_cut_takes_the_text_of_its_element_and_no_more() -> None:
    chance = random.Random(2007)
    sampled = refused = 0
    wrong: list[str] = []
    for document, page in _pages(EVERY):
        elements = [e for e in page.elements() if e.tag not in ("html", "head", "body")]
        for element in chance.sample(elements, min(ELEMENTS_A_PAGE, len(elements))):
            sampled += 1
            if page.why_uncuttable(element):
                refused += 1
                continue
            start, end = page.extent(element)
            name_end = start + 1 + len(page.source.names[page.ordinal(element) or 0])
            marked = document.body[:name_end] + f" {_VICTIM}=1".encode() + document.body[name_end:]
            if _text(marked, page.charset) != _text(document.body[:start] + document.body[end:], page.charset):
                wrong.append(f"{document.id}: {document.body[start : start + 80]!r}")
    assert sampled > 500
    assert not wrong
    assert refused / sampled < 0.05  # refusing is safe, refusing everything would be useless


@needs_shared
def test_counts_agree_with_the_text_that_is_cut() -> None:
    """What a plan says that it takes is what the page has less afterwards."""
    for _, page in _pages(every=40):
        plan = Plan(page, _Nothing())
        for element in page.elements("ul", "nav", "table")[:10]:
            plan.add(Remove(element, "test"))
        before, taken = page.total, plan.taken().counts
        plan.carry_out()
        assert page.total.words == before.words - taken.words
        assert page.total.links == before.links - taken.links


class _Nothing:
    """Protects nothing."""

    def reason(self, element: object, *, controls_go: bool = False) -> None:
        return None

    def holds(self, element: object, *, controls_go: bool = False) -> bool:
        return False


def _tree_construction_inputs() -> list[bytes]:
    folder = (SHARED or Path()) / "html5lib-tests" / "tree-construction"
    inputs = []
    for path in sorted(folder.rglob("*.dat")):
        inputs += [case.split(b"\n#errors", 1)[0] for case in path.read_bytes().split(b"#data\n")[1:]]
    return inputs


@needs_shared
def test_standard_cases_never_raise_and_never_lose_bytes() -> None:
    inputs = _tree_construction_inputs()
    assert len(inputs) > 1000
    for body in inputs:
        page = Page.parse(body)
        if isinstance(page, Page):
            assert page.render() == body


@needs_shared
def test_standard_cases_are_cut_right_or_refused() -> None:
    """The hardest markup there is: every element of every case."""
    tried = 0
    wrong: list[str] = []
    for body in _tree_construction_inputs():
        page = Page.parse(body)
        if not isinstance(page, Page):
            continue
        for element in page.elements():
            if element.tag in ("html", "head", "body") or page.why_uncuttable(element):
                continue
            tried += 1
            start, end = page.extent(element)
            name_end = start + 1 + len(page.source.names[page.ordinal(element) or 0])
            marked = body[:name_end] + f" {_VICTIM}=1".encode() + body[name_end:]
            if _text(marked, page.charset) != _text(body[:start] + body[end:], page.charset):
                wrong.append(f"{body!r}: {element.tag} {body[start:end]!r}")
    assert tried > 1000
    assert not wrong
