"""Building and judging the files offline: figures that can be checked by hand, and the commands on small inputs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crunchpy.genre import fit_page_kind, offline
from crunchpy.genre.build import read_site_words
from crunchpy.genre.commands import app
from crunchpy.genre.evaluate import Sample, asker, compare, leave_one_out, precision_by_distance
from crunchpy.genre.fit_page_kind import KindFit, KindSample, cross_validate, fit, sample
from crunchpy.genre.page_features import FEATURES, features
from crunchpy.genre.page_kind import KINDS, page_kind
from crunchpy.page import Page
from tests.shared import documents, needs_shared

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


@needs_shared
def test_the_page_kinds_numbers_say_what_the_library_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fitted on some pages only: not how good it is, but that the plain numbers are the model."""
    monkeypatch.setitem(fit_page_kind._MODEL, "max_iter", 10)
    pages = [
        (d.body, str(d.meta.get("url") or ""), str(d.meta["page_type"]).strip()) for d in documents("wcxb", every=30)
    ]
    numbers = sample(pages)
    assert numbers.rows.shape[1] == len(FEATURES)
    validated = KindFit(0.5, 0.5, dict.fromkeys(KINDS, 0.5), len(numbers.kinds), len(set(numbers.sites)))
    forest = fit(numbers, validated, tmp_path / "kind.json")
    right = [
        max((chances := forest.ask(list(row))), key=lambda kind: chances[kind]) == kind
        for row, kind in zip(numbers.rows, numbers.kinds, strict=True)
    ]
    assert sum(right) > 0.8 * len(right), "asked about what it has seen"
    page = Page.parse(pages[0][0], url=pages[0][1])
    assert isinstance(page, Page)
    assert len(features(page)) == len(FEATURES)
    assert page_kind(page, forest).kind in KINDS


def test_cross_validation_keeps_sites_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fit_page_kind._MODEL, "max_iter", 3)
    rng = np.random.default_rng(0)
    kinds = np.array([kind for kind in KINDS for _ in range(10)])
    rows = np.array([[float(KINDS.index(kind))] for kind in kinds]) + rng.normal(0, 0.01, (len(kinds), 1))
    sites = np.array([f"{kind}{number % 5}" for number, kind in enumerate(kinds)])
    found = cross_validate(KindSample(np.repeat(rows, 2, axis=1), kinds, sites))
    assert (found.pages, found.sites) == (70, 35)
    assert set(found.f1) == set(KINDS)
