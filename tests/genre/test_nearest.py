"""Key words, distances and votes, by examples that can be worked on paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.genre.key_words import KeyWordRule, identifier, key_words
from crunchpy.genre.nearest import Neighbour, Neighbours, manhattan
from crunchpy.genre.vote import vote

COUNTS = st.dictionaries(st.integers(0, 19), st.integers(1, 9), max_size=12)


def test_a_key_word_exceeds_the_limit_in_at_least_one_site() -> None:
    sites = [{"goal": 6, "match": 5, "cart": 1}, {"cart": 9, "goal": 1, "match": 5}, {"cart": 1}]
    assert key_words(sites, KeyWordRule(more_than=5, min_sites=1)) == ("cart", "goal")
    assert key_words(sites, KeyWordRule(more_than=5, min_sites=3)) == ("cart",)
    assert key_words([], KeyWordRule()) == ()


def test_an_identifier_counts_key_words_only() -> None:
    places = {"cart": 0, "goal": 1, "match": 2}
    assert identifier({"goal": 4, "weather": 7}, places) == {1: 4}
    assert identifier({f"w{i}": 1 for i in range(9)} | {"cart": 2}, places) == {0: 2}


def test_manhattan_raw_and_normalised() -> None:
    a, b = {0: 3, 1: 1}, {0: 1, 2: 1}
    assert manhattan(a, b, normalised=False) == 2 + 1 + 1
    assert manhattan(a, b) == pytest.approx(0.25 + 0.25 + 0.5)  # |3/4-1/2| + |1/4-0| + |0-1/2|


def test_the_nearest_first_and_ties_by_name() -> None:
    known = Neighbours(["b.com", "a.com", "c.com"], [{0: 2}, {0: 9}, {1: 1}], 2)
    assert known.nearest({0: 1}) == (Neighbour("a.com", 0.0), Neighbour("b.com", 0.0), Neighbour("c.com", 2.0))
    assert known.nearest({0: 1}, 1) == (Neighbour("a.com", 0.0),)


def test_raw_counts_tell_sizes_apart() -> None:
    known = Neighbours(["large", "small"], [{0: 100}, {0: 1, 1: 1}], 2, normalised=False)
    assert [n.site for n in known.nearest({0: 3})] == ["small", "large"]


def test_empty_histograms_are_near_nobody() -> None:
    known = Neighbours(["empty.com", "full.com"], [{}, {0: 1}], 1)
    assert known.nearest({}) == ()
    assert [n.site for n in known.nearest({0: 2})] == ["full.com"]
    assert Neighbours([], [], 1).nearest({0: 1}) == ()


@given(st.lists(COUNTS, min_size=1, max_size=6), COUNTS.filter(bool), st.booleans())
def test_the_short_cut_equals_the_definition(
    sites: list[dict[int, int]], asked: dict[int, int], normalised: bool
) -> None:
    known = Neighbours([str(i) for i in range(len(sites))], sites, 20, normalised=normalised)
    for site, distance in zip(sites, known.distances(asked), strict=True):
        if site:
            assert distance == pytest.approx(manhattan(site, asked, normalised=normalised), abs=1e-4)
        else:
            assert np.isinf(distance)


@pytest.mark.parametrize(
    ("neighbours", "expected"),
    [
        ([("news", 0.5)], "news"),
        ([("sport", 0.5), ("news", 0.6), ("news", 0.7)], "news"),
        ([("sport", 0.1), ("news", 0.6), ("news", 0.7)], "sport"),
        ([("sport", 0.5), ("news", 0.5)], "sport"),
        ([("sport", 0.0), ("news", 0.1), ("news", 0.1)], "sport"),
    ],
)
def test_vote(neighbours: list[tuple[str, float]], expected: str) -> None:
    assert vote(neighbours) == expected
