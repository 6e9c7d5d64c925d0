"""Where elements start and end: what the scanner makes of markup, by the HTML standard's rules."""

from __future__ import annotations

import time

import pytest

from crunchpy.page import Page, Unfit
from crunchpy.reasons import Reason
from crunchpy.scanner import scan_html
from crunchpy.source import TooMuchError
from crunchpy.xml_scanner import scan_xml


def _extents(html: str) -> list[str]:
    source = scan_html(html.encode())
    return [html[start:end] for start, end in zip(source.starts, source.ends, strict=False)]


@pytest.mark.parametrize(
    ("html", "extents"),
    [
        ("<div><b>x</b></div>", ["<div><b>x</b></div>", "<b>x</b>"]),
        ("<p>one<p>two", ["<p>one", "<p>two"]),  # a p ends a p
        ("<p>one<div>two</div>", ["<p>one", "<div>two</div>"]),  # a block ends a p
        ("<ul><li>a<li>b</ul>", ["<ul><li>a<li>b</ul>", "<li>a", "<li>b"]),
        (
            "<ul><li>a<ul><li>b</ul></ul>",
            ["<ul><li>a<ul><li>b</ul></ul>", "<li>a<ul><li>b</ul>", "<ul><li>b</ul>", "<li>b"],
        ),
        ("<table><tr><td>a<td>b<tr><td>c</table>", None),
        ("<a title='>'>x</a>", ["<a title='>'>x</a>"]),  # > in a quoted value
        ("<a title=it's>x</a>", ["<a title=it's>x</a>"]),  # a quote in a bare value opens nothing
        ("<script>if(a<b)'</p>'</script><i>x</i>", ["<script>if(a<b)'</p>'</script>", "<i>x</i>"]),
        ("<textarea><b></textarea><i>x</i>", ["<textarea><b></textarea>", "<i>x</i>"]),
        ("<!-- <b> --><i>x</i>", ["<i>x</i>"]),
        ("<!--><i>x</i>-->", ["<i>x</i>"]),  # a comment that is over at once
        ("<div/>x", ["<div/>x"]),  # outside pictures a slash closes nothing
        ("<svg><a href=/x/><g/></a></svg>", ["<svg><a href=/x/><g/></a></svg>", "<a href=/x/><g/></a>", "<g/>"]),
        ("<svg><g a=b/ /></svg>", ["<svg><g a=b/ /></svg>", "<g a=b/ />"]),  # a slash of the value, then one of the tag
        ("<svg><path/><g>x</g></svg>", ["<svg><path/><g>x</g></svg>", "<path/>", "<g>x</g>"]),
        ("<img>x<br/>y", ["<img>", "<br/>"]),
        ("<div>a</span>b</div>", ["<div>a</span>b</div>"]),  # an end tag of nothing
        ("<p>a<i b='>", ["<p>a<i b='>"]),  # an unfinished tag is no element
    ],
)
def test_extents(html: str, extents: list[str] | None) -> None:
    if extents is None:
        source = scan_html(html.encode())
        cells = [
            html[source.starts[n] : source.ends[n]] for n, name in enumerate(source.names) if name in (b"td", b"tr")
        ]
        assert cells == ["<tr><td>a<td>b", "<td>a", "<td>b", "<tr><td>c", "<td>c"]
    else:
        assert _extents(html) == extents


@pytest.mark.parametrize(
    ("html", "unsure"),
    [
        ("<b><i>x</b>y</i>", [b"i"]),  # the i is reopened behind the b
        ("<b><div>x</b>y</div>", [b"b", b"div"]),  # the standard splits the b
        ("<form><div></form>x</div>", [b"form", b"div"]),  # the form ends, its content goes on
        ("<h1>x</h2>", [b"h1"]),
        ("<div><td>x</td></div>", [b"td"]),  # a cell outside a table is no element
        ("<div><b>x</b></div>", []),
        ("<p><a href=/>x</a></p>", []),
    ],
)
def test_extents_that_the_error_rules_blur(html: str, unsure: list[bytes]) -> None:
    source = scan_html(html.encode())
    assert sorted(source.names[n] for n in source.unsure) == sorted(unsure)


def test_markup_behind_the_end_of_the_document_is_part_of_it() -> None:
    body = b"<!doctype html><html><body><p>x</p></body></html><script>late()</script><h2>Comments</h2><p>first!</p>"
    page = Page.parse(body)
    assert isinstance(page, Page)
    assert [element.tag for element in page.root.iter("h2", "p", "script")] == ["p", "script", "h2", "p"]
    assert page.why_uncuttable(page.elements("h2")[0]) is None


def test_deep_pages_keep_their_innermost_and_last_text() -> None:
    body = b"<!doctype html><body>" + b"<div>" * 300 + b"DEEP" + b"</div>" * 300 + b"<p>TAIL</p>"
    page = Page.parse(body)
    assert isinstance(page, Page)
    assert page.total.words == 2
    assert page.root.xpath("string()").endswith("DEEPTAIL")


def test_a_nul_does_not_end_the_page() -> None:
    page = Page.parse(b"<!doctype html><p>a\x00b</p><p>c</p>")
    assert isinstance(page, Page)
    assert page.elements("p")[1].text == "c"


_HOSTILE = {
    "attributes": (
        b"<!doctype html><p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">x",
        Reason.TOO_MANY_ATTRIBUTES,
    ),
    "unclosed": (b"<!doctype html>" + b"<div>" * 200_000, Reason.TOO_DEEP),
    "elements": (b"<!doctype html>" + b"<p>x" * 500_000, Reason.TOO_MANY_ELEMENTS),
    "options": (b"<!doctype html><select>" + b"<option>x" * 50_000 + b"</select>", None),
    "text": (b"<!doctype html><p>" + b"word " * 2_200_000 + b"</p><p>end", None),
    "stray end tags": (b"<!doctype html><td>" + b"<span>" * 900 + b"</p></div>" * 50_000, Reason.PARSE_LIMITS),
    "blocked end tags": (b"<!doctype html><div><object>" + b"<span>" * 900 + b"</div>" * 50_000, Reason.PARSE_LIMITS),
    "quotes": (b"<!doctype html><a title='" + b"<b>" * 300_000, None),
    "comments": (b"<!doctype html>" + b"<!--" * 300_000, None),
}


@pytest.mark.parametrize("name", list(_HOSTILE))
def test_hostile_pages_cost_at_most_a_second(name: str) -> None:
    """Processor time, so that a busy machine does not matter; on a quiet one the slowest takes 0.5 s."""
    body, reason = _HOSTILE[name]
    start = time.process_time()
    page = Page.parse(body)
    assert time.process_time() - start < 1.0
    if reason is not None:
        assert isinstance(page, Unfit)
        assert page.reason == reason
    if isinstance(page, Page):
        assert page.render() == body


_XHTML = (
    b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>'
    b'<ul><li><a href="/1">x</a></li></ul><p>A<br/>B &lt; C<![CDATA[ <b> ]]></p></body></html>'
)


def test_xhtml_is_read_as_xml() -> None:
    page = Page.parse(_XHTML, content_type="application/xhtml+xml")
    assert isinstance(page, Page)
    [items] = page.elements("ul")
    assert page.body[slice(*page.extent(items))] == b'<ul><li><a href="/1">x</a></li></ul>'
    assert page.elements("b") == []


def test_xhtml_that_is_not_well_formed_is_left_alone() -> None:
    page = Page.parse(_XHTML.replace(b"</li>", b""), content_type="application/xhtml+xml")
    assert isinstance(page, Unfit)
    assert page.reason == Reason.NOT_WELL_FORMED


def test_xml_limits() -> None:
    with pytest.raises(TooMuchError):
        scan_xml(b"<a>" * 2000)


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (b"", "text/html", Reason.EMPTY),
        (b" \n ", "text/html", Reason.EMPTY),
        ("<p>x".encode("utf-16"), "text/html", Reason.CHARSET_UNSUPPORTED),
        (b"<p>\x1b$B", "text/html; charset=iso-2022-jp", Reason.CHARSET_UNSUPPORTED),
        (b"<p>caf\xe9", "text/html; charset=utf-8", Reason.UNDECODABLE),
        (b"<frameset cols=20%,80%><frame src=a><frame src=b></frameset>", "text/html", Reason.FRAMESET),
    ],
)
def test_unfit_pages(body: bytes, content_type: str, reason: Reason) -> None:
    page = Page.parse(body, content_type=content_type)
    assert isinstance(page, Unfit)
    assert page.reason == reason


@pytest.mark.parametrize(
    ("text", "codec"), [("Привет мир", "windows-1251"), ("今日は", "shift_jis"), ("镕基", "gbk"), ("한국어", "euc-kr")]
)
def test_legacy_charsets_are_read_and_cut_as_bytes(text: str, codec: str) -> None:
    body = f"<!doctype html><meta charset={codec}><p>{text}</p><p>x</p>".encode(codec)
    page = Page.parse(body)
    assert isinstance(page, Page)
    assert page.elements("p")[0].text == text
    assert body[slice(*page.extent(page.elements("p")[0]))] == f"<p>{text}</p>".encode(codec)
