"""Building and judging the files offline: figures that can be checked by hand, and the commands on small inputs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
from typer.testing import CliRunner

from crunchpy.genre import fit_page_kind, offline
from crunchpy.genre.build import read_site_words
from crunchpy.genre.commands import app
from crunchpy.genre.evaluate import Sample, asker, compare, leave_one_out, precision_by_distance
from crunchpy.genre.fit_page_kind import KindFit, KindSample, cross_validate, fit, sample
from crunchpy.genre.page_features import FEATURES
from crunchpy.genre.page_kind import KINDS

GENRES = {"a.com": "shop", "b.com": "shop", "c.com": "club", "d.com": "club", "e.com": "news"}
WORDS = {
    "a.com": {"cart": 5, "price": 5},
    "b.com": {"cart": 50, "price": 40},
    "c.com": {"goal": 6, "match": 2},
    "d.com": {"goal": 9, "match": 1},
    "e.com": {"goal": 5, "report": 5},
    "tiny.com": {"cart": 4},
}


def small() -> Sample:
    return Sample.of("small", GENRES | {"tiny.com": "shop"}, ("cart", "goal", "match", "price", "report"), WORDS)


def test_each_site_is_asked_among_the_others() -> None:
    found = leave_one_out(small(), neighbours=1)
    assert small().sites == ("a.com", "b.com", "c.com", "d.com", "e.com"), "a site of four words has no histogram"
    assert small().largest_genre == 2 / 5
    assert found.accuracy == 4 / 5
    assert found.confusion == {("shop", "shop"): 2, ("club", "club"): 2, ("news", "club"): 1}
    assert found.nearest_distance[0] == pytest.approx(abs(5 / 10 - 50 / 90) * 2, abs=1e-5)


def test_raw_counts_mislead_where_sizes_differ() -> None:
    assert leave_one_out(small(), normalised=False, neighbours=1).accuracy < 4 / 5
    table = compare(small(), 1)
    assert len(table) == 6
    assert table["manhattan", True] == 4 / 5


@pytest.mark.parametrize(("measure", "expected"), [("manhattan", 4.0), ("euclid", 8**0.5), ("cosine", 1.0)])
def test_measures(measure: str, expected: float) -> None:
    rows = np.array([[2, 0], [0, 2]], dtype=np.float32)
    assert asker(rows, measure)(rows[0])[1] == pytest.approx(expected)


def test_precision_by_distance_has_nearest_first() -> None:
    parts = precision_by_distance(leave_one_out(small(), neighbours=1), steps=2)
    assert [count for _, count, _ in parts] == [3, 2]
    assert parts[0][0] <= parts[1][0]


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A folder as the test data's, with two sites."""
    (tmp_path / "genre").mkdir()
    lines = ["domain\ttitle\ttext\tlabels", "bbc.co.uk\tBBC\tThe reports of the reports\tx", "none.example\tx\ty\tz"]
    (tmp_path / "genre" / "wiki-sites-labelled.tsv").write_text("\n".join(lines), "utf-8")
    package = tmp_path / "packages" / "small"
    package.mkdir(parents=True)
    for number, (url, body) in enumerate(
        [
            ("https://www.nike.com/a", "<p>cart cart</p>"),
            ("https://nike.com/b", "<p>price</p><script>var hidden</script>"),
            ("https://elsewhere.example/", "<p>nothing</p>"),
            ("https://nike.com/c", ""),
        ]
    ):
        (package / f"{number}.meta").write_text(f"url: {url}\npage_type: product\n", "utf-8")
        (package / f"{number}.html.gz").write_bytes(gzip.compress(body.encode()))
    return tmp_path


def test_words_of_listed_sites_are_read_and_no_others(inputs: Path) -> None:
    words = read_site_words(inputs, {"bbc.co.uk", "nike.com"})
    assert sorted(words) == ["bbc.co.uk", "nike.com"]
    assert words["bbc.co.uk"].description == ["reports", "reports"]
    assert words["nike.com"].pages == [["cart", "cart"], ["price"]]


def test_the_build_command_writes_the_same_file_twice(inputs: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = CliRunner().invoke(app, ["build", "--inputs", str(inputs), "--out", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert "2 sites of 2 genres, 0 key words" in done.output, "no word is in fifteen sites"
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_figures_as_lines_and_as_a_plot(tmp_path: Path) -> None:
    figures = {"samples": {"all known sites": offline._figures(small())}}
    lines = "\n".join(offline.evaluation_lines(figures))
    assert "all known sites: 5 sites, largest genre 0.400" in lines
    assert "manhattan normalised  0.800" in lines
    assert json.loads(json.dumps(figures)) == figures
    offline.draw(leave_one_out(small()), tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_plain_numbers_say_what_the_library_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fit_page_kind._MODEL, "max_iter", 5)
    rng = np.random.default_rng(0)
    kinds = np.array([KINDS[number % len(KINDS)] for number in range(280)])
    rows = rng.integers(0, 4, (280, len(FEATURES))).astype(float)  # few values: the library is slow to sort many
    rows[:, 3] += [KINDS.index(kind) for kind in kinds]
    numbers = KindSample(rows, kinds, kinds)
    forest = fit(numbers, KindFit(0.5, 0.5, dict.fromkeys(KINDS, 0.5), 280, 7), tmp_path / "kind.json")
    with threadpool_limits(1):
        model = HistGradientBoostingClassifier(**fit_page_kind._MODEL).fit(rows, kinds)
        answers = model.predict_proba(rows[:20])
    for row, chances in zip(rows[:20], answers, strict=True):
        expected = dict(zip(model.classes_, chances, strict=True))
        assert forest.ask(list(row)) == pytest.approx(expected, abs=1e-3)


def test_pages_become_numbers_and_unlabelled_ones_are_left_out() -> None:
    body = b"<!doctype html><title>x</title><body><p>Some words"
    url = "https://www.example.com/a"
    numbers = sample([(body, url, "article"), (body, url, "odd"), (b"", url, "article"), (body, "", "forum")])
    assert numbers.rows.shape == (2, len(FEATURES))
    assert list(numbers.kinds) == ["article", "forum"]
    assert numbers.sites[0] == "example.com"


def test_cross_validation_keeps_sites_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fit_page_kind._MODEL, "max_iter", 3)
    rng = np.random.default_rng(0)
    kinds = np.array([kind for kind in KINDS for _ in range(10)])
    rows = np.array([[float(KINDS.index(kind))] for kind in kinds]) + rng.normal(0, 0.01, (len(kinds), 1))
    sites = np.array([f"{kind}{number % 5}" for number, kind in enumerate(kinds)])
    found = cross_validate(KindSample(np.repeat(rows, 2, axis=1), kinds, sites))
    assert (found.pages, found.sites) == (70, 35)
    assert set(found.f1) == set(KINDS)
