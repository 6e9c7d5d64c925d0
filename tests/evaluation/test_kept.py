"""How much of the content and of the clutter is left: the counting, on texts whose answer is known."""

from __future__ import annotations

from functools import cache

import pytest

from crunchpy.engine import Engine
from crunchpy.evaluation.kept import Bag, kept_of, losses, means, phrase_shares, table, without
from crunchpy.evaluation.package import Document

PROSE = "The bridge over the river was opened again this morning, after two years of work on its piers. " * 4
HEAD = "<!doctype html><title>T</title><body>"
PAGE = f"{HEAD}<nav><a href=/>Home</a> <a href=/n>News</a></nav><h1>Bridge</h1><p>{PROSE}</p>"


@cache
def engine() -> Engine:
    return Engine.load()


def document(body: str = PAGE, **meta: object) -> Document:
    return Document("made", "one", body.encode(), f"Bridge {PROSE}", {"page_type": "article", **meta})


def test_bag_counts_each_word_as_often_as_both_have_it() -> None:
    bag = Bag.of("a a b", "A b b c")
    assert (bag.precision, bag.recall, bag.f1) == pytest.approx((2 / 3, 1 / 2, 4 / 7))


@pytest.mark.parametrize(("text", "gold"), [("", "a"), ("a", ""), ("a", "b")])
def test_bag_without_common_words_is_nothing(text: str, gold: str) -> None:
    assert Bag.of(text, gold).f1 == 0


def test_a_page_is_measured_before_and_after() -> None:
    found = means([kept_of(document(), engine(), "default")])
    assert found is not None
    before, after = found
    assert (before.recall, after.recall, after.precision) == (1, 1, 1)
    assert before.precision < 1


def test_phrases_that_the_page_never_had_do_not_count() -> None:
    page = kept_of(document(keep=["two years", "three years"], drop=["News", "Imprint"]), engine(), "default")
    assert (page.keep, page.drop) == ((1, 1), (0, 1))
    assert phrase_shares([page]) == (1.0, 1.0)


def test_shares_of_nothing_are_nothing() -> None:
    assert phrase_shares([kept_of(document(), engine(), "default")]) == (None, None)
    assert means([]) is None


def test_table_has_a_line_for_each_page_type_and_for_all() -> None:
    lines = list(table([kept_of(document(), engine(), "default")]))
    assert [line.split()[0] for line in lines] == ["page", "article", "all"]


def test_a_page_that_lost_most_of_its_gold_words_is_listed_with_the_trace() -> None:
    menu = f"{HEAD}<nav><a href=/>Only this</a></nav><h1>Bridge</h1><p>{PROSE * 2}</p>"
    lost = kept_of(Document("made", "menu", menu.encode(), "Only"), engine(), "default")
    [line] = losses([lost])
    assert line.startswith("menu: gold recall 1.00 to 0.00")
    assert "navigation:1" in line


def test_without_a_plugin_it_does_nothing() -> None:
    page = kept_of(document(), without(engine(), "default", "navigation"), "default")
    assert page.after is not None
    assert page.after.precision < 1


def test_without_a_plugin_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="no step bridges"):
        without(engine(), "default", "bridges")
