from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.evaluation.measures import Score
from crunchpy.evaluation.shares import accuracy, phrase_counts, useful_shares

WORDS = st.lists(st.sampled_from("abcd"), max_size=15)


def test_useful_and_useless_are_recall_and_what_precision_lacks() -> None:
    # 900 characters of an article of 1,000 in an extract of 1,200.
    shares = useful_shares(Score.of(900, 1200, 1000), extract_is_empty=False)
    assert (shares.useful, shares.useless) == (pytest.approx(0.9), pytest.approx(0.25))


def test_nothing_extracted_is_neither_useful_nor_useless() -> None:
    shares = useful_shares(Score.of(0, 0, 1000), extract_is_empty=True)
    assert (shares.useful, shares.useless) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("extract", "gold", "page", "expected"),
    [
        ("b c", "b c", "a b c d", 1.0),  # all on the right side
        ("a b c d", "b c", "a b c d", 0.5),  # two of four wrongly kept
        ("", "b c", "a b c d", 0.5),  # two of four wrongly left out
        ("c b", "b c", "a b c d", 0.5),  # out of order: one of each counts as wrong
        ("", "", "", 1.0),
    ],
)
def test_accuracy(extract: str, gold: str, page: str, expected: float) -> None:
    assert accuracy(extract.split(), gold.split(), page.split()) == pytest.approx(expected)


@given(WORDS, WORDS, WORDS)
def test_accuracy_is_a_share(extract: list[str], gold: list[str], page: list[str]) -> None:
    assert 0 <= accuracy(extract, gold, page) <= 1


def test_only_phrases_of_the_page_count() -> None:
    counts = phrase_counts(
        "the article text",
        "menu the article text imprint",
        keep=["article  text", "never on the page"],
        drop=["menu", "imprint", "the article", "nowhere"],
    )
    assert (counts.kept, counts.keep, counts.dropped, counts.drop) == (1, 1, 2, 3)
    assert counts.kept_share == 1.0
    assert counts.dropped_share == pytest.approx(2 / 3)


def test_no_phrases_no_share() -> None:
    counts = phrase_counts("text", "text", keep=[], drop=[""])
    assert counts.kept_share is None
    assert counts.dropped_share is None
