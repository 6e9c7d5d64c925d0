"""A page as text that is read line by line: nothing is lost, nothing runs together."""

from __future__ import annotations

import pytest

from crunchpy.edit import Remove
from crunchpy.page import Page
from crunchpy.plain_text import plain_text
from crunchpy.plan import Plan
from crunchpy.protect import Protection
from tests.shared import documents, needs_shared


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("one<br>two<br>three", "one\ntwo\nthree\n"),
        ("<p>one</p>last", "one\n\nlast\n"),
        ("<p>a <b>bold</b>, un<i>brok</i>en   word</p>", "a bold, unbroken word\n"),
        ("<div>one<div>two</div>three</div>", "one\ntwo\nthree\n"),
        ("<h1>Title</h1><h3>Part</h3>text", "# Title\n\n### Part\n\ntext\n"),
        ("<ul><li>one<li><p>two</p></li><li></li></ul>end", "- one\n- two\n\nend\n"),
        ("<ol><li>one</li><li>two<ul><li>deep</li></ul></li></ol>", "1. one\n2. two\n\n- deep\n"),
        ("<table><tr><th>Year<th>Cars</tr><tr><td>2024<td>1,204</tr></table>", "Year | Cars\n2024 | 1,204\n"),
        ("<table><tr><td><p>left</p></td><td><p>right</p></td></tr></table>", "left\n\nright\n"),
        ("<table><tr><td> </td><td></td></tr></table>text", "text\n"),
        ("<img src=a.png alt='A pier'> and <img src=b.png alt=''>", "[A pier] and\n"),
        ("<pre>if a:\n    b = 1\n</pre>text", "if a:\n    b = 1\n\ntext\n"),
        ("<script>s</script><style>y</style><template>t</template><noscript>n</noscript>text", "text\n"),
        ("<select><option>o</select><textarea>t</textarea><label>Find</label>", "Find\n"),
        ("<p hidden>h</p><p style='display:none'>d</p>text", "text\n"),
        ("<p>caf\u00e9 &amp; \u6771\u4eac &lt;x></p>", "caf\u00e9 & \u6771\u4eac <x>\n"),
        ("<h2></h2><p></p><div> </div>text", "text\n"),
        ("<!-- c -->one<!-- c -->two", "onetwo\n"),
        ("", ""),
    ],
)
def test_text_of(body: str, expected: str) -> None:
    html = f"<!doctype html><html><head><meta charset=utf-8></head><body>{body}</body></html>"
    assert plain_text(html.encode()) == expected


def test_title_comes_first() -> None:
    html = b"<html><head><title> A\n page </title></head><body><p>text</p></body></html>"
    assert plain_text(html) == "A page\n\ntext\n"


@pytest.mark.parametrize(("limit", "lines"), [(0, 1), (1, 2), (2, 3), (5, 5)])
def test_runs_of_blank_lines_are_cut(limit: int, lines: int) -> None:
    html = b"<html><body>one<br><br><br> <br><br>two</body></html>"
    assert plain_text(html, max_blank_lines=limit) == f"one{chr(10) * lines}two\n"


def test_parts_stand_apart_by_one_blank_line() -> None:
    html = b"<html><body><p>one</p><p>&nbsp;</p><ul><li><p>two</p></li></ul><hr><hr><h2>three</h2></body></html>"
    assert plain_text(html) == "one\n\n- two\n\n## three\n"


def test_lines_are_broken_between_words() -> None:
    html = b"<html><body><p>a braille display has forty cells</p><ul><li>and items hang in</li></ul></body></html>"
    text = plain_text(html, line_chars=12, max_blank_lines=0)
    assert text == "a braille\ndisplay has\nforty cells\n- and items\n  hang in\n"


def test_text_without_blanks_is_broken_too() -> None:
    html = "<html><head><meta charset=utf-8></head><body>\u6771\u4eac\u90fd\u306e\u4eba</body></html>".encode()
    assert plain_text(html, line_chars=2) == "\u6771\u4eac\n\u90fd\u306e\n\u4eba\n"


def test_page_is_written_as_edited() -> None:
    page = Page.parse(b"<html><body><p>one two three</p><p id=x>gone</p><p>four</p></body></html>")
    assert isinstance(page, Page)
    plan = Plan(page, Protection(page))
    plan.add(Remove(page.ids["x"], "w"))
    plan.carry_out()
    assert plain_text(page) == plain_text(page.render()) == "one two three\n\nfour\n"


def test_unfit_page_gives_no_text() -> None:
    assert plain_text(b" \n ") == ""


@needs_shared
def test_gold_of_real_pages_is_in_their_text() -> None:
    """Nearly every word of the expert's text that the page's own text nodes have is in the plain text."""
    short = []
    for document in documents("wcxb", every=100):
        page = Page.parse(document.body)
        if not isinstance(page, Page):
            continue
        written = plain_text(page)
        source = {word for text in page.root.find("body").itertext("*") for word in text.split()}
        gold = [word for word in (document.gold or "").split() if word in source]
        missing = [word for word in gold if word not in written]
        if len(missing) > 0.05 * len(gold):
            short.append((document.id, len(missing), len(gold), missing[:5]))
    assert not short
