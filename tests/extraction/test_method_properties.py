"""What must hold of every method: no page makes it fail, it is linear, and it does not depend on what it must not."""

from __future__ import annotations

import gc
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crunchpy.dom import text
from crunchpy.engine import Engine
from crunchpy.page import Page
from tests.extraction.pages import PLUGINS, methods, page_of, plugin, text_by, text_left

SOURCE_METHODS = "accb addanag bte ccb cetr_2010 cetr_2d cetr_threshold dana danag dsc r2l tccb".split()
PROSE = "The river rose by two metres over night, and nobody slept near the harbour. "
MENU = "".join(f'<li class="m"><a href="/{word}">{word}</a></li>' for word in ("home", "news", "sport", "about"))
ARTICLE = (
    f"<html><body><ul>{MENU * 4}</ul>\n<h1>Flood</h1>\n"
    + f"<p>{PROSE * 3}</p>\n<p class='x'>{PROSE}<b>{PROSE}</b>{PROSE}</p>\n" * 4
    + f"<p>{PROSE}<i>{PROSE}</i></p>\n<ul>{MENU * 4}</ul><div class=foot><a href=/i>Imprint</a></div></body></html>"
)


@pytest.mark.parametrize("method", methods())
@pytest.mark.parametrize(
    "html",
    [
        b"x",
        b"text without any tag " * 40,
        b"<div><p></p><br></div>" * 20,
        b"<p><b>never <i>closed <div>at all" * 10,
        b"<p>3 < 4 and a <",
        b"<p>\xff\xfe broken \xe4\xf6 text</p>" * 9,
        b"<p>&#1587;&#x644; &amp; &nbsp;</p>" * 9,
        b"<!-- x --><script>var a = '<p>';</script><style>p{}</style>",
        "<p>\u6c34\u4f4d\u4e0a\u6da8\u4e86\u4e24\u7c73\u3002</p>".encode() * 30,
        b"<table><tr>stray<td>a</table>" * 9,
    ],
    ids="one-letter no-tags no-text unclosed bare-less-than no-utf-8 references unseen chinese stray".split(),
)
def test_no_page_makes_a_method_fail(method: str, html: bytes) -> None:
    text_by(html, method)  # raises where the step failed


@pytest.mark.parametrize("name", PLUGINS)
def test_the_same_page_gives_the_same_answer(name: str) -> None:
    assert text_left(ARTICLE, name) == text_left(ARTICLE, name)


# R2L and DANA see no content in an English page; FE keeps one block.
@pytest.mark.parametrize("method", [name for name in methods() if name not in ("r2l", "dana", "fe")])
def test_an_article_between_menu_and_footer_is_found(method: str) -> None:
    whole, left = text(page_of(ARTICLE).root), text_by(ARTICLE, method)
    assert left.count("harbour") >= whole.count("harbour") / 2
    assert len(left) < len(whole)


@pytest.mark.parametrize("name", ["r2l", "dana"])
def test_scripts_of_their_own_are_all_that_two_methods_see(name: str) -> None:
    assert text_left(ARTICLE, name) == "Flood"  # the main heading is protected


def test_link_quota_keeps_more_where_it_allows_more() -> None:
    html = "".join(f"<p>{'word ' * (10 - n)}<a href=/x>{'link ' * n}</a></p>" for n in range(10))
    kept = [set(text_left(html, "lqf", max_link_ratio=ratio).split()) for ratio in (0, 0.25, 0.5, 0.75, 1)]
    counts = [len(text_left(html, "lqf", max_link_ratio=ratio)) for ratio in (0, 0.25, 0.5, 0.75, 1)]
    assert counts == sorted(counts)
    assert len(set(counts)) == len(counts)
    assert kept[0] <= kept[-1]


@given(st.lists(st.sampled_from(["<p>", "</p>", "<b>", "</b>", "<li>", "word ", PROSE]), min_size=1, max_size=40))
@settings(max_examples=40, deadline=None)
def test_methods_that_treat_links_apart_agree_where_there_are_none(parts: list[str]) -> None:
    html = "x" + "".join(parts)
    assert text_left(html, "accb") == text_left(html, "ccb")
    assert text_left(html, "addanag") == text_left(html, "danag")


@pytest.mark.parametrize("method", ["density", "tccb-25", "dsc", "bte", "cetr-threshold", "cetr-2010"])
def test_values_of_attributes_are_nothing_to_methods_that_count_tags(method: str) -> None:
    longer = re.sub(r'class="?m"?', 'class="a much longer value than it was before"', ARTICLE)
    assert longer != ARTICLE
    assert text_by(longer, method) == text_by(ARTICLE, method)


def test_density_does_not_see_inline_tags() -> None:
    more = ARTICLE.replace("metres", "<em>met<span>res</span></em>")
    left, expected = (text_left(html, "density").split() for html in (more, ARTICLE))
    assert "".join(left) == "".join(expected)


# Processor time, since other work on the machine must not fail it; a third of a second is below what can be told apart.
# Linear is four times, the square sixteen times: what a cold cache adds to the larger page lies between.
@pytest.mark.slow
@pytest.mark.parametrize("name", PLUGINS)
def test_four_times_the_page_takes_eight_times_as_long_at_the_most(name: str) -> None:
    unit = f"<p>{PROSE}<a href='/somewhere/else'>{PROSE[:20]}</a></p><ul>{MENU}</ul>"
    assert "\n" not in unit
    for _ in range(3):  # one such run in three is enough: others on the machine only ever make it worse
        quarter, whole = (_seconds(unit * (size // len(unit)), name) for size in (250_000, 1_000_000))
        if whole <= max(0.35, 8 * quarter):
            return
    pytest.fail(f"{quarter:.2f} s for a quarter of the page, {whole:.2f} s for all of it")


def _seconds(html: str, name: str) -> float:
    chosen, page = plugin(name), page_of(html)
    gc.disable()  # a full collection looks through what all tests before this one have left
    try:
        start = time.process_time()
        assert sum(1 for _ in chosen.apply(page, chosen.Settings())) >= 0
        return time.process_time() - start
    finally:
        gc.enable()


@pytest.mark.parametrize("name", PLUGINS)
@pytest.mark.parametrize("unit", [b"<a>", b"word ", b"<", b"&#1587;", b"<p>x</p>"], ids=repr)
def test_a_long_run_of_one_thing_is_no_trap(name: str, unit: bytes) -> None:
    page = Page.parse(b"<body>x" + unit * (60_000 // len(unit)))
    if not isinstance(page, Page):
        return
    chosen = plugin(name)
    start = time.process_time()
    list(chosen.apply(page, chosen.Settings()))
    assert time.process_time() - start < 3


def test_a_method_can_stand_in_a_chain_for_readers(tmp_path_factory: pytest.TempPathFactory) -> None:
    overlay = tmp_path_factory.mktemp("overlay")
    (overlay / "settings").mkdir()
    (overlay / "settings" / "only_bte.yaml").write_text("limits: {max_prose_ratio: 1}\nchain: [bte]\n")
    result = Engine.load(overlay).filter(ARTICLE.encode(), settings="only_bte")
    assert result.trace.untouched is None
    assert b"Imprint" not in result.body
    assert result.body.count(b"harbour") > 10
