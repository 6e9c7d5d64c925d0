"""The built file: what is shipped, its exact way back, and what is said of a bad one."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from crunchpy.genre.build import SiteWords, build
from crunchpy.genre.by_hand import load_genres
from crunchpy.genre.key_words import KeyWordRule, key_words
from crunchpy.genre.known_sites import KnownSites, KnownSitesError, read_known_sites
from crunchpy.overlay import builtin, files, overlays


def test_the_shipped_file_knows_enough_sites_of_enough_genres() -> None:
    known = read_known_sites()
    genres = Counter(known.genres.values())
    assert len(known.counts) >= 400
    assert len([genre for genre, sites in genres.items() if sites >= 20]) >= 10
    assert sum(not counts for counts in known.counts.values()) < len(known.counts) / 100


def test_the_shipped_file_fits_genres_yaml() -> None:
    names = {path.stem for path in files(overlays()).settings}
    by_hand = load_genres(builtin() / "genres.yaml", names)
    known = read_known_sites()
    assert known.genres == {site: by_hand.hosts[site][1] for site in known.counts}


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    known = KnownSites(
        ("cart", "goal"), {"b.com": {1: 3}, "a.com": {}}, {"a.com": "shopping", "b.com": ""}, frozenset({"b.com"})
    )
    known.write(tmp_path / "one")
    known.write(tmp_path / "two")
    assert read_known_sites(tmp_path / "one") == known
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert known.words("b.com") == {"goal": 3}


def test_build_counts_as_the_rule_says_and_ignores_the_order_of_inputs() -> None:
    rule = KeyWordRule(more_than=2, min_sites=2)
    words = {
        "shop.com": SiteWords(["cart", "cart"], [["cart", "price"]]),
        "club.com": SiteWords(["goal", "goal", "goal"], []),
        "mall.com": SiteWords([], [["cart", "goal"]]),
    }
    built = build(words, {"shop.com": "shopping"}, rule)
    assert built.key_words == key_words((Counter(site.all()) for site in words.values()), rule) == ("cart", "goal")
    assert built.counts == {"club.com": {1: 3}, "mall.com": {0: 1, 1: 1}, "shop.com": {0: 3}}
    assert built.described == {"club.com"}
    assert built == build(dict(reversed(words.items())), {"shop.com": "shopping"}, rule)


GOOD = {"format": "crunchpy known sites", "version": 1, "key_words": ["a"], "sites": {"x.org": ["news", [0], [2]]}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no gzip", "is broken"),
        (gzip.compress(b"no json"), "is broken"),
        (gzip.compress(b"{}")[:-9], "is broken"),
        (gzip.compress(b"[1]"), "is no file of known sites"),
        (gzip.compress(json.dumps(GOOD | {"version": 9}).encode()), "is of version 9, this program reads version 1"),
        (gzip.compress(json.dumps(GOOD | {"sites": {"x.org": [1]}}).encode()), "is broken"),
        (gzip.compress(json.dumps(GOOD | {"sites": {"x.org": ["", [4], [1]]}}).encode()), "key word 4 of 1"),
        (gzip.compress(json.dumps({"format": GOOD["format"], "version": 1}).encode()), "is broken"),
    ],
)
def test_a_bad_file_is_named_and_left_alone(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "known.json.gz"
    path.write_bytes(content)
    with pytest.raises(KnownSitesError, match=message) as caught:
        read_known_sites(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(KnownSitesError, match="crunchpy genre build"):
        read_known_sites(tmp_path / "none")
