from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.evaluation import measures
from crunchpy.evaluation.measures import Score, bag, characters, common_in_order, distinct, measure, sequence
from crunchpy.evaluation.words import plain

GOLD = "the cat sat on the mat"
EXTRACT = "home the cat sat on mat the"

WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd", "e"]), max_size=25)
TEXTS = st.text(alphabet="abc ", max_size=40)


def table_lcs(first: str | list[str], second: str | list[str]) -> int:
    """The longest common subsequence by the textbook's table: slow, and plainly right."""
    above = [0] * (len(second) + 1)
    for item in first:
        line = [0]
        for place, other in enumerate(second):
            line.append(above[place] + 1 if item == other else max(above[place + 1], line[place]))
        above = line
    return above[-1]


# The worked example of Gottron's four measures: items in common, precision, recall, F1.
@pytest.mark.parametrize(
    ("kind", "common", "precision", "recall", "f1"),
    [
        ("str", 18, 0.6667, 0.8182, 0.7347),
        ("seq", 5, 0.7143, 0.8333, 0.7692),
        ("vec", 6, 0.8571, 1.0, 0.9231),
        ("set", 5, 0.8333, 1.0, 0.9091),
    ],
)
def test_worked_example(kind: str, common: int, precision: float, recall: float, f1: float) -> None:
    score: Score = getattr(measure(EXTRACT, GOLD), kind)
    assert score.precision == pytest.approx(precision, abs=5e-5)
    assert score.recall == pytest.approx(recall, abs=5e-5)
    assert score.f1 == pytest.approx(f1, abs=5e-5)
    sizes = {"str": len(EXTRACT), "seq": 7, "vec": 7, "set": 6}
    assert round(score.precision * sizes[kind]) == common


@pytest.mark.parametrize(
    ("extract", "gold", "expected"),
    [
        ("", "", (1.0, 1.0, 1.0)),
        ("", "gold", (0.0, 0.0, 0.0)),
        ("text", "", (0.0, 0.0, 0.0)),
        ("aaa", "bbb", (0.0, 0.0, 0.0)),
        ("same words", "same words", (1.0, 1.0, 1.0)),
    ],
)
def test_edge_cases_hold_for_all_four(extract: str, gold: str, expected: tuple[float, float, float]) -> None:
    result = measure(extract, gold)
    for score in (result.str, result.seq, result.vec, result.set):
        assert (score.precision, score.recall, score.f1) == expected


def test_plain_page_of_the_sheet() -> None:
    score = measure("home the cat", "the cat").seq
    assert (score.precision, score.recall, score.f1) == (pytest.approx(2 / 3), 1.0, pytest.approx(0.8))


@given(TEXTS, TEXTS)
def test_characters_agree_with_the_table(first: str, second: str) -> None:
    common = table_lcs(first, second)
    assert characters(first, second) == Score.of(common, len(first), len(second))


@given(WORDS, WORDS)
def test_words_agree_with_the_table(first: list[str], second: list[str]) -> None:
    assert common_in_order(first, second) == table_lcs(first, second)


@given(WORDS, WORDS)
def test_a_looser_measure_never_scores_less(first: list[str], second: list[str]) -> None:
    ordered, counted = sequence(first, second), bag(first, second)
    assert ordered.precision <= counted.precision + 1e-12
    assert ordered.recall <= counted.recall + 1e-12


@given(WORDS, WORDS)
def test_all_scores_are_shares_and_change_sides(first: list[str], second: list[str]) -> None:
    for kind in (sequence, bag, distinct):
        here, there = kind(first, second), kind(second, first)
        assert 0 <= here.f1 <= 1
        assert (here.precision, here.recall) == (there.recall, there.precision)


@given(WORDS, st.data())
def test_a_page_that_holds_its_gold_in_order_has_full_recall(page: list[str], data: st.DataObject) -> None:
    gold = [word for word in page if data.draw(st.booleans())]
    result = measure(" ".join(page), " ".join(gold))
    if gold:
        assert result.str.recall == result.seq.recall == result.vec.recall == result.set.recall == 1.0


def test_past_the_limit_the_beginnings_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "MAX_SEQUENCE_ITEMS", 4)
    assert characters("abcdXXXX", "abcdYYYY").f1 == 1.0
    assert sequence(list("abcdX"), list("abcdY")).f1 == 1.0


def test_sizes_and_words_follow_the_way_of_counting() -> None:
    result = measure("The cat, the CAT!", "the cat", words=plain)
    assert (result.extract_words, result.gold_words) == (4, 2)
    assert result.set.f1 == 1.0


def test_long_texts_are_measured_in_a_moment() -> None:
    # 60,000 by 20,000 characters: far from linear, so a slow way would be seen at once (minutes).
    page = "lorem ipsum dolor sit amet " * 2_300
    assert characters(page, page[10_000:30_000]).recall == 1.0
