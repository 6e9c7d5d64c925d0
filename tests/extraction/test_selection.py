from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crunchpy.chain import Chain, Step
from crunchpy.dom import text
from crunchpy.edit import Edit, Remove, RemoveText
from crunchpy.extraction.runs import runs
from crunchpy.extraction.selection import edits, ranges_of
from crunchpy.page import Page
from crunchpy.plan import Plan
from crunchpy.protect import Protection
from tests.extraction.pages import NO_LIMITS, page_of, plugin


def left(html: str, *kept: str) -> str:
    """What stays of a page if the runs with these words are selected."""
    page = page_of(html)
    chosen = [run for run in runs(page) if any(word in run.text for word in kept)]
    return carried_out(page, list(edits(page, ranges_of(chosen)))).decode()


def carried_out(page: Page, wanted: list[Edit]) -> bytes:
    plan = Plan(page, Protection(page))
    for edit in wanted:
        plan.add(edit)
    plan.carry_out()
    return page.render()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><p>no</p><p>KEEP</p></div><div><p>no</p></div>", "<div><p>KEEP</p></div>"),
        ("<p>no <b>KEEP</b> no</p>", "<p><b>KEEP</b></p>"),
        ("<p>KEEP <b>no</b> KEEP</p>", "<p>KEEP  KEEP</p>"),
        ("<div>no<p>KEEP</p>no<p>no</p>no</div>", "<div><p>KEEP</p></div>"),
        ("<div>no<!-- x -->no<p>KEEP</p></div>", "<div><!-- x --><p>KEEP</p></div>"),
        ("<body>no<!-- x --> no<p>KEEP</p>no</body>", "<body><!-- x --><p>KEEP</p></body>"),
        ("<body>KEEP<p>no</p></body>", "<body>KEEP</body>"),
        # Headings go with what they head.
        ("<h2>of it</h2><p>KEEP</p><h2>other</h2><p>no</p>", "<h2>of it</h2><p>KEEP</p>"),
        ("<h2>of <i>it</i></h2><h3>of it</h3><p>KEEP</p>", "<h2>of <i>it</i></h2><h3>of it</h3><p>KEEP</p>"),
        ("<h2>other</h2><p>no</p><h3>of it</h3><p>no</p><p>KEEP</p>", "<h3>of it</h3><p>KEEP</p>"),
        ("<p>KEEP</p><h2>of nothing</h2>", "<p>KEEP</p>"),
        # Pictures stay between kept texts, and go beside them.
        ("<img src=a><p>KEEP</p><p><img src=b></p><p>KEEP</p><p><img src=c></p>",
         "<p>KEEP</p><p><img src=b></p><p>KEEP</p>"),
        ("<ul><li>KEEP<li>no<li>KEEP</ul>", "<ul><li>KEEP<li>KEEP</ul>"),
        # A row keeps its cells, so that the table's columns stay; a row of which nothing stays goes.
        ("<table><tr><td>no<td>KEEP</tr><tr><td>no<td>no</tr></table>", "<table><tr><td><td>KEEP</tr></table>"),
        ("<script>x</script><p>KEEP</p><style>y</style>", "<script>x</script><p>KEEP</p><style>y</style>"),
        ("<div><script>x</script>no</div><p>KEEP</p>", "<p>KEEP</p>"),
        # A frame that holds most of the text is protected, what is in it is not.
        ("<div><main><p>no no no</p><p>no</p></main></div><p>KEEP</p>", "<div><main></main></div><p>KEEP</p>"),
        ("<div><article><p>no no no</p><p>KEEP</p></article></div>", "<div><article><p>KEEP</p></article></div>"),
        ("<form><p>no no no</p><input name=q></form><p>KEEP</p>", "<form><input name=q></form><p>KEEP</p>"),
        # Protected by the plan, whatever a method says.
        ("<h1>title</h1><p>KEEP</p>", "<h1>title</h1><p>KEEP</p>"),
        ("<div>no<form><input name=q></form>no</div><p>KEEP</p>", "<div><form><input name=q></form></div><p>KEEP</p>"),
        ("<a href='#x'>to it</a><div id=x>no</div><p>KEEP</p>", "<a href='#x'>to it</a><a id=\"x\"></a><p>KEEP</p>"),
    ],
)  # fmt: skip
def test_what_is_not_selected_goes(html: str, expected: str) -> None:
    assert left(html, "KEEP") == expected


def test_the_head_stays_when_nothing_is_selected() -> None:
    head = "<html><head><title>t</title><link rel=icon href=i><meta name=a content=b></head><body>"
    assert left(f"{head}<p>no</p></body></html>") == f"{head}</body></html>"


def test_a_stretch_of_text_is_judged_by_the_share_of_its_letters() -> None:
    page = page_of("<p>        abcd</p><p>efgh</p>")
    half, less = page.body.index(b"abcd"), page.body.index(b"efgh")
    assert carried_out(page, list(edits(page, [(half, half + 2), (less, less + 1)]))) == b"<p>        abcd</p>"


def test_all_selected_is_nothing_to_do() -> None:
    page = page_of("<div>a<p>b</p>c</div><hr><img src=x>" + "<p>d</p>")
    assert list(edits(page, [(0, len(page.body))])) == []


def test_edits_come_in_document_order_and_none_lies_in_another() -> None:
    page = page_of("<div>a<p>b<i>c</i></p>d</div>KEEP<div>e</div>f")
    chosen = [run for run in runs(page) if "KEEP" in run.text]
    found = list(edits(page, ranges_of(chosen)))
    assert [type(edit) for edit in found] == [Remove, Remove, RemoveText]


@pytest.mark.parametrize("codec", ["utf-8", "windows-1252", "utf-8-sig"])
def test_other_charsets(codec: str) -> None:
    body = f"<meta charset={codec.removesuffix('-sig')}><p>über — alles</p><p>KEEP é</p>".encode(codec)
    page = page_of(body)
    chosen = [run for run in runs(page) if "KEEP" in run.text]
    assert "KEEP é" in carried_out(page, list(edits(page, ranges_of(chosen)))).decode(codec)


WORDS = st.sampled_from(
    ["<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<ul><li>", "</ul>", "KEEP ", "drop ", "<br>"]
)


@given(st.lists(WORDS, max_size=30))
@settings(max_examples=80, deadline=None)
def test_of_any_tags_what_is_selected_stays(parts: list[str]) -> None:
    page = Page.parse(("<body>" + "".join(parts)).encode())
    if not isinstance(page, Page):
        return
    chosen = [run for run in runs(page) if "KEEP" in run.text]
    result = carried_out(page, list(edits(page, ranges_of(chosen))))
    assert result.count(b"KEEP") == sum(run.text.count("KEEP") for run in chosen)
    assert text(page.root).count("KEEP") == result.count(b"KEEP")


def test_a_method_is_a_filter_like_any_other() -> None:
    page, bte = page_of("<ul><li><a href=/>x</a></li></ul><p>some words of prose</p>"), plugin("bte")
    [verdict] = Chain("x", (Step(bte, bte.Settings()),), NO_LIMITS).run(page)
    assert (verdict.outcome, dict(verdict.reasons)) == ("changed", {"not main content": 1})
