from __future__ import annotations

import numpy as np
import pytest

from crunchpy.extraction.links import normalised
from crunchpy.extraction.markup import intervals, is_between, markup
from crunchpy.extraction.segments import (
    NOT_ASCII,
    RIGHT_TO_LEFT,
    chosen_runs,
    densest_group,
    difference,
    numbers,
    totals,
    without_references,
)
from tests.extraction.pages import page_of, source_of, text_left

TEXT = np.array([5, 4, 0, 60, 70, 10, 80, 3, 0, 0, 50, 40, 2, 0, 0, 0, 0, 90, 3])
CODE = np.array([40, 60, 30, 10, 7, 30, 7, 50, 40, 30, 8, 9, 60, 50, 40, 45, 60, 10, 40])
PERSIAN = "<p>سلام دنیا 2011 BBC</p>"


def test_segments_of_ten_characters() -> None:
    source = source_of("<p>abcdefgh ijkl</p><a href='/x'>go</a>")
    assert len(source.codes) == 39
    segment = numbers(source, 10)
    content, code = totals(segment, source.is_content), totals(segment, ~source.is_text & ~source.is_blank)
    assert content.tolist() == [7, 5, 0, 2]
    assert code.tolist() == [3, 4, 9, 7]
    assert difference(content, code).tolist() == [5, -4, -13, -14]


def test_differences_and_the_runs_above_zero() -> None:
    found = difference(TEXT, CODE)
    expected = [-91, -121, -36, 83, 93, 116, 6, -14, -117, -28, 43, 15, -77, -148, -135, -145, -25, -17, 43]
    assert found.tolist() == expected
    starts, ends = intervals(found > 0)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [(3, 7), (10, 12), (18, 19)]


@pytest.mark.parametrize(
    ("gap", "runs"),
    [(2, [(3, 7)]), (3, [(3, 7), (10, 12)]), (4, [(3, 7), (10, 12)]), (20, [(3, 7), (10, 12), (18, 19)])],
)
def test_runs_within_the_gap_are_chosen(gap: int, runs: list[tuple[int, int]]) -> None:
    assert chosen_runs(TEXT, difference(TEXT, CODE) > 0, gap) == runs


def test_nothing_dense_is_nothing_chosen() -> None:
    assert chosen_runs(TEXT, TEXT < 0, 20) == []
    assert densest_group(TEXT, TEXT < 0, 20) is None


def test_the_group_with_the_most_letters_of_the_script_wins() -> None:
    content = np.array([9, 0, 5, 0, 0, 0, 8, 8, 1])
    dense = content > 2
    assert densest_group(content, dense, 1) == (6, 8)
    assert densest_group(content, dense, 3) == (0, 8)
    assert densest_group(np.array([9, 0, 9, 0, 0, 0, 8, 8, 1]), dense, 1) == (0, 3)


def test_letters_of_right_to_left_scripts() -> None:
    source = source_of(PERSIAN)
    letters = is_between(source.codes, RIGHT_TO_LEFT)
    assert (int(letters.sum()), int((~letters & ~source.is_blank).sum()), len(source.codes)) == (8, 14, 25)


def test_right_to_left_selects_letters_alone_and_dana_whole_segments() -> None:
    page = f"<p>{'سلام دنیا ' * 30}</p><p>2011 <b>BBC</b></p>"
    assert "BBC" not in text_left(page, "r2l")
    assert "BBC" in text_left(page, "dana")
    assert "سلام" in text_left(page, "r2l")


def test_a_page_in_ascii_is_nothing_to_dana() -> None:
    assert text_left("<p>plain English text, and nothing else</p>" * 20, "dana") == ""


def test_a_numeric_reference_is_one_letter() -> None:
    written = source_of("<p>&#1587;&#x644; &#65; &#; &#99999999999;x&#xZZ;</p>")
    source = without_references(written)
    assert is_between(source.codes, NOT_ASCII).sum() == 2
    assert len(source.codes) == len(written.codes) - len("#1587;#x644;")
    plain = source_of("<p>no references</p>")
    assert without_references(plain) is plain


def test_a_link_tag_becomes_as_long_as_its_text() -> None:
    page = page_of('<a href="http://www.BBC.com/">BBC Web Site </a>')
    rebuilt, places = normalised(page, markup(page))
    assert (len(markup(page).codes), len(rebuilt.codes)) == (47, 27)
    written = "".join(map(chr, rebuilt.codes.tolist()))
    assert written[2:] == " _____ _BBC Web Site </a>"  # that `<`, `a` and `>` became fillers changes no count
    assert rebuilt.is_blank[:10].sum() == 2
    assert places[rebuilt.is_text].tolist() == list(range(30, 43))


def test_a_short_link_tag_grows_and_that_of_a_short_text_is_bare() -> None:
    page = page_of("<p><a>a very long text of a link</a> and <a href='/x'>go</a></p>")
    rebuilt, _ = normalised(page, markup(page))
    firsts = np.flatnonzero(rebuilt.begins_tag)
    assert firsts[:2].tolist() == [0, 3]
    assert int(rebuilt.is_text[3:].argmax()) == len("averylongtextofalink")
    assert int(np.argmax(rebuilt.is_text[firsts[3] :])) == 3


def test_links_weigh_nothing_in_the_rebuilt_source() -> None:
    words = "some words <a href='/wiki/a_very_long_address_of_an_article_that_is_linked'>linked</a> "
    page = f"<p>{words * 40}</p>"
    assert len(text_left(page, "addanag").split()) == 120
    assert len(text_left(page, "danag").split()) < 60


def test_growing_repairs_a_long_paragraph_among_code() -> None:
    code = '<i class="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"></i>' * 3
    page = f"{code}<p>{'word ' * 40}</p>{code}"
    assert len(text_left(page, "danag", grow_segments=2).split()) == 40
