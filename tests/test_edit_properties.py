"""After any mixture of edits over several steps, the tree that plugins read says what the bytes say, on real pages.

The judge is turbohtml, which reads the bytes by the HTML standard and shares nothing with the page layer.
"""

from __future__ import annotations

import random

import turbohtml

from crunchpy.edit import Edit, Remove, RemoveText, SetAttribute, Unwrap
from crunchpy.engine import Engine
from crunchpy.page import Element, Page
from crunchpy.plan import Plan
from crunchpy.protect import Protection
from tests.shared import documents, needs_shared

EVERY = 45  # about 35 pages
STEPS, EDITS_A_STEP = 3, 25
LARGEST_REMOVAL = 40  # elements; or nothing would be left to edit
# Parsers read their content differently, or not at all.
LEFT_OUT = frozenset(
    """canvas datalist iframe math noembed noframes noscript object option script select style svg template textarea
    title video xmp audio""".split()
)
# Without their tags the text would be read in another way: these close others, or are closed by them.
UNWRAPPED = frozenset(["div", "span", "section", "header", "footer", "nav", "aside", "main", "article", "figure"])


def letters_of_bytes(body: bytes, codec: str) -> str:
    texts: list[str] = []
    waiting: list[object] = [turbohtml.parse(body.decode(codec), scripting=True)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, turbohtml.Text):
            texts.append(node.data)
        elif isinstance(node, turbohtml.Document) or (
            isinstance(node, turbohtml.Element) and node.tag.lower() not in LEFT_OUT
        ):
            waiting.extend(reversed(node.children))
    return "".join("".join(texts).split())


def letters_of_tree(page: Page) -> str:
    texts: list[str] = []
    waiting: list[Element | str] = [page.root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item.tag, str) and item.tag not in LEFT_OUT:
            for child in item.iterchildren(reversed=True):
                waiting += [child.tail or "", child]
            waiting.append(item.text or "")
    return "".join("".join(texts).replace("\0", "").split())


def some_edit(chance: random.Random, element: Element) -> Edit:
    kind = chance.randrange(6)
    if kind == 0 and sum(1 for _ in element.iter()) <= LARGEST_REMOVAL:
        return Remove(element, "chance")
    if kind == 1 and element.tag in UNWRAPPED:
        return Unwrap(element, "chance")
    if kind in {2, 3}:
        return RemoveText(element, "text", "chance")
    return RemoveText(element, "tail", "chance") if kind == 4 else SetAttribute(element, "title", "t", "chance")


@needs_shared
def test_tree_and_bytes_agree_after_each_step() -> None:
    chance, wrong, steps = random.Random(2005), [], 0
    for document in documents("wcxb", every=EVERY):
        page = Page.parse(document.body)
        if not isinstance(page, Page) or letters_of_bytes(page.body, page.charset) != letters_of_tree(page):
            continue
        protection = Protection(page)
        for _ in range(STEPS):
            plan = Plan(page, protection)
            elements = [
                e for e in page.elements() if LEFT_OUT.isdisjoint(around.tag for around in (e, *e.iterancestors()))
            ]
            for element in chance.sample(elements, min(EDITS_A_STEP, len(elements))):
                plan.add(some_edit(chance, element))
            plan.carry_out()
            steps += 1
            if letters_of_bytes(page.render(), page.charset) != letters_of_tree(page):
                wrong.append(document.id)
                break
    assert steps > 60
    assert not wrong


@needs_shared
def test_removed_links_are_seen_at_the_end_of_real_pages() -> None:
    engine, seen = Engine.load(), 0
    for document in documents("wcxb", every=EVERY * 2):
        filtered = engine.filter(document.body, url="https://example.org/", settings="links_at_end")
        if not any(verdict.plugin == "removed_links" and verdict.edits for verdict in filtered.trace.verdicts):
            continue
        page = Page.parse(filtered.body)
        assert isinstance(page, Page)
        letters = letters_of_bytes(filtered.body, page.charset)
        assert "RemovedLinks:" in letters[len(letters) // 5 :], document.id
        seen += 1
    assert seen > 5
