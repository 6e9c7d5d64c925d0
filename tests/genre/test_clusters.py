"""Crunch's greedy clusters by worked examples, and the alternative."""

from __future__ import annotations

import numpy as np

from crunchpy.genre.clusters import Clusters, agglomerative_clusters, greedy_clusters, strongest_words

SITES = ["a", "b", "c", "d", "e", "f"]


def matrix(**pairs: float) -> np.ndarray:
    """Distances from pairs such as ab=3; all other pairs are far."""
    found = np.full((len(SITES), len(SITES)), 99.0)
    np.fill_diagonal(found, 0)
    for pair, distance in pairs.items():
        i, j = (SITES.index(site) for site in pair)
        found[i, j] = found[j, i] = distance
    return found


def test_a_pair_founds_a_cluster_and_chains_stop_at_depth_two() -> None:
    # ab found cluster 1 at depth 0; c joins at 1, d at 2; e only knows d, which is too deep; ef then found cluster 2.
    clusters = greedy_clusters(SITES, matrix(ab=1, bc=2, cd=3, de=4, ef=5), max_distance=50)
    assert clusters.placed == {"a": (1, 0), "b": (1, 0), "c": (1, 1), "d": (1, 2), "e": (2, 0), "f": (2, 0)}
    assert clusters.members() == {1: ["a", "b", "c", "d"], 2: ["e", "f"]}


def test_clusters_never_merge() -> None:
    clusters = greedy_clusters(SITES, matrix(ab=1, cd=2, bc=3), max_distance=50)
    assert clusters.placed == {"a": (1, 0), "b": (1, 0), "c": (2, 0), "d": (2, 0)}


def test_pairs_beyond_the_limit_are_ignored_and_the_limit_itself_is_not() -> None:
    assert greedy_clusters(SITES, matrix(ab=5, cd=6), max_distance=5).placed == {"a": (1, 0), "b": (1, 0)}


def test_equal_distances_go_by_the_order_of_the_sites() -> None:
    assert greedy_clusters(SITES, matrix(bc=1, ab=1), max_distance=5).placed == {"a": (1, 0), "b": (1, 0), "c": (1, 1)}


def test_a_new_site_joins_without_a_rebuild() -> None:
    clusters = greedy_clusters(SITES, matrix(ab=1, bc=2, cd=3), max_distance=10)
    assert clusters.add("new", [(4, "d"), (6, "a")]) == 1, "d is too deep, so a decides"
    assert clusters.placed["new"] == (1, 1)
    assert clusters.add("far", [(11, "a")]) is None
    assert clusters.add("pair", [(2, "f")]) == 2
    assert clusters.placed["f"] == (2, 0)


def test_an_unplaced_cluster_set_is_empty() -> None:
    assert Clusters(max_distance=5).members() == {}


def test_agglomerative_clusters_largest_first() -> None:
    groups = agglomerative_clusters(SITES, matrix(ab=1, bc=1, ac=1, de=1), max_distance=10)
    assert groups == {1: ["a", "b", "c"], 2: ["d", "e"], 3: ["f"]}


def test_a_cluster_is_named_by_what_it_has_more_of() -> None:
    members = [{"goal": 0.5, "the": 0.5}, {"goal": 0.2, "league": 0.3, "the": 0.5}]
    assert strongest_words(members, {"the": 0.5, "goal": 0.1}, 2) == ["goal", "league"]
