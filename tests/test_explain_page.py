"""The labels of removed parts stand beside them, as text, and change nothing else of the page."""

from __future__ import annotations

import re

import pytest
import turbohtml

from crunchpy.cut_labels import labels
from crunchpy.engine import Engine
from crunchpy.explain_page import explain_page, marked
from crunchpy.page import Page
from crunchpy.splice import Cut
from crunchpy.trace import Trace, Verdict
from tests.shared import documents, needs_shared


def cut_of(page: Page, css: str) -> Cut:
    (element,) = page.select(css)
    return Cut(*page.extent(element), "a reason")


def traced(*cuts: Cut) -> Trace:
    return Trace("", verdicts=(Verdict("some_plugin", "changed", len(cuts), 9, 8, 1.0, cuts=cuts),))


def shown(body: str, css: str) -> str:
    """The page with the label of one element, without our style."""
    page = Page.parse(f"<!DOCTYPE html><html><head><title>t</title></head><body>{body}</body></html>".encode())
    assert isinstance(page, Page)
    text = marked(page, labels(page, traced(cut_of(page, css))))
    return text.partition("<body>")[2].removesuffix("</body></html>")


SAID = "Part 1, some_plugin: a reason"


@pytest.mark.parametrize(
    ("body", "css", "expected"),
    [
        (
            "<p>a</p><div>b</div>",
            "div",
            f"<p>a</p><span data-crunchpy-label>{SAID}</span><div data-crunchpy-cut>b</div>"
            "<span data-crunchpy-label>End of part 1</span>",
        ),
        (
            "<ul><li>a</li><li class=x>b</li></ul>",
            "li.x",
            f"<ul><li>a</li><li data-crunchpy-label>{SAID}</li><li data-crunchpy-cut class=x>b</li>"
            "<li data-crunchpy-label>End of part 1</li></ul>",
        ),
        # A label before a row or a cell would be moved out of the table.
        (
            "<table><tr><td>a</td></tr></table>",
            "tr",
            f"<table><tr data-crunchpy-cut><td><span data-crunchpy-label>{SAID}</span>a</td></tr></table>",
        ),
        (
            "<table><tr><td>a</td></tr></table>",
            "td",
            f"<table><tr><td data-crunchpy-cut><span data-crunchpy-label>{SAID}</span>a</td></tr></table>",
        ),
        # One in a list to choose from would be dropped.
        (
            "<p><select><option>a</option></select></p>",
            "option",
            f"<p><span data-crunchpy-label>{SAID}</span><select><option data-crunchpy-cut>a</option></select></p>",
        ),
        # Nothing can be seen of it.
        ("<script>1</script>", "script", "<script>1</script>"),
    ],
    ids=["block", "item", "row", "cell", "option", "script"],
)
def test_label_stands_where_the_page_takes_it(body: str, css: str, expected: str) -> None:
    assert shown(body, css) == expected


def test_parts_in_parts_are_numbered_from_outside_and_all_labelled() -> None:
    page = Page.parse(b"<!DOCTYPE html><body><div id=a><p id=b>text</p></div></body>")
    assert isinstance(page, Page)
    text = marked(page, labels(page, traced(cut_of(page, "#b"), cut_of(page, "#a"))))
    said = re.findall(r"data-crunchpy-label>([^<]+)<", text)
    assert said == [SAID, "Part 2, some_plugin: a reason", "End of part 2", "End of part 1"]


def test_reason_is_escaped() -> None:
    page = Page.parse(b"<!DOCTYPE html><body><p>text</p></body>")
    assert isinstance(page, Page)
    start, end, _ = cut_of(page, "p")
    assert "<b>" not in marked(page, labels(page, traced(Cut(start, end, "<b> & more"))))


def test_page_that_cannot_be_parsed_is_shown_as_it_is() -> None:
    text = explain_page(b"", Trace("", untouched="empty"), place="empty.html").decode()
    assert "Left as it came: The body is empty or blank." in text


@needs_shared
@pytest.mark.parametrize("package", ["wcxb", "canola"])
def test_marked_pages_are_the_pages_with_labels(package: str) -> None:
    """By a parser that follows the standard: without labels and marks the same elements and texts as before."""
    engine = Engine.load()
    seen = 0
    for document in documents(package, every=170 if package == "wcxb" else 60):
        trace = engine.filter(document.body).trace
        page = Page.parse(document.body)
        if isinstance(page, Page):
            found = labels(page, trace)
            seen += len(found)
            before = document.body.decode(page.charset, "replace")
            after = marked(page, found).partition("</style>")[2]
            assert outline(after) == outline(before), document.id
    assert seen > 5


def outline(html: str) -> list[str]:
    """Elements and texts in order, without what we add; texts are joined, for labels stand between them."""
    lines = [""]
    waiting: list[object] = [turbohtml.parse(html, scripting=False)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, turbohtml.Text):
            lines[-1] += "".join(node.data.split())
        elif isinstance(node, turbohtml.Document):
            waiting += reversed(node.children)
        elif isinstance(node, turbohtml.Element) and "data-crunchpy-label" not in node.attrs:
            lines += [f"<{node.tag}>", ""]
            waiting += reversed(node.children)
    return lines
