from __future__ import annotations

import numpy as np
import pytest

from crunchpy.extraction.blurring import Blur, gauss, ratios
from crunchpy.extraction.content_code import character_based, whole_words
from tests.extraction.pages import source_of, text_left

BTE_PAGE = "<a>home</a><p>the quick fox <b>ran</b> far away today</p><a>ads</a>"


def test_one_pass_and_two_over_characters() -> None:
    content = np.array([0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0])
    once = gauss(content, 2, 1)
    expected = [0.0777, 0.3159, 0.7013, 0.9455, 1, 1, 0.9455, 0.7013, 0.3532, 0.2987, 0.4258, 0.3482]
    assert once == pytest.approx(expected, abs=1e-4)
    twice = [0.2091, 0.3902, 0.6491, 0.8678, 0.9674, 0.9674, 0.8699, 0.6703, 0.4611, 0.3677, 0.3688, 0.3714]
    assert gauss(once, 2, 1) == pytest.approx(twice, abs=1e-4)
    for passes in (once, np.array(twice)):
        assert np.flatnonzero((passes >= 0.75) & (content == 1)).tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 6, 20])
def test_only_entries_that_exist_are_blurred(size: int) -> None:
    values = np.arange(size) % 3
    weights = [np.exp(-((np.arange(size) - i) ** 2) / 2) * (abs(np.arange(size) - i) <= 2) for i in range(size)]
    assert gauss(values, 2, 1) == pytest.approx([float(w @ values / w.sum()) for w in weights])


def test_blurring_stops_when_little_changes_and_after_two_passes_at_the_earliest() -> None:
    content = np.array([1] * 30 + [0] * 30 + [1, 0] * 20)
    once, twice = Blur(4, 2, 1), Blur(4, 2, 2)
    assert ratios(content, Blur(4, 2, 10, 1.0)) == pytest.approx(ratios(content, twice))
    assert not np.allclose(ratios(content, once), ratios(content, twice))


def test_tokens() -> None:
    words = 1 - source_of(BTE_PAGE).tokens
    expected = [
        0.348, 0.426, 0.299, 0.353, 0.701, 0.891, 0.756, 0.543, 0.512, 0.543, 0.756, 0.891, 0.701, 0.353, 0.299, 0.426,
        0.348,
    ]  # fmt: skip
    assert ratios(words, Blur(2, 1, 1)) == pytest.approx(expected, abs=1e-3)
    settings = {"range_tokens": 2, "max_passes": 1}
    kept = text_left(BTE_PAGE, "tccb", min_content_ratio=0.5, **settings)
    assert kept == "the quick fox ran far away today"


def test_link_tags_are_no_part_of_the_adapted_vector() -> None:
    link, other = source_of('<a href="x">hi</a>'), source_of("<p>x</p>")
    assert link.is_text[~link.is_anchor_tag].tolist() == [True, True]
    assert other.is_text[~other.is_anchor_tag].astype(int).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("tag", ["abbr", "article", "aside"])
def test_only_a_is_a_link_tag(tag: str) -> None:
    assert not source_of(f"<{tag}>x</{tag}>").is_anchor_tag.any()


def test_prose_full_of_links_is_lost_but_by_the_adapted_vector() -> None:
    # Every third word a link, as in an encyclopedia.
    words = "some words <a href='/wiki/a_long_address_of_an_article'>linked</a> "
    prose = f"<p>{words * 30}</p>"
    assert len(text_left(prose, "accb").split()) > 80
    assert len(text_left(prose, "ccb").split()) < 30


def test_a_word_is_kept_whole_if_half_of_its_letters_are() -> None:
    source = source_of("<p>abcd efg</p>")
    kept = np.zeros(len(source.codes), bool)
    kept[[3, 4, 8]] = True  # a and b, and e
    chosen = source.codes[whole_words(source, kept)]
    assert "".join(map(chr, chosen)) == "abcd"


def test_white_space_in_a_row_counts_once() -> None:
    blur = Blur(3, 1.5)
    one, many = source_of("<b>ab cd</b>"), source_of("<b>ab     \n\n   cd</b>")
    selected = [source.codes[character_based(source, blur, 0.5)].tolist() for source in (one, many)]
    assert selected[0] == selected[1] != []
