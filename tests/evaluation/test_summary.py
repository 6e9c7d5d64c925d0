from __future__ import annotations

from pathlib import Path

import pytest

from crunchpy.evaluation.package import read_package
from crunchpy.evaluation.rows import Row
from crunchpy.evaluation.summary import by_key, details, empty_gold, overview


def row(package: str, document: str, f1: float, **known: object) -> Row:
    values = {"vec_f1": f1, "seconds": 0.004}
    return Row(package, document, 1000, values, extract_words=5, gold_words=5, **known)  # type: ignore[arg-type]


RESULTS = {
    "big": {"plain": [row("big", str(n), 0.4) for n in range(9)], "bte": [row("big", "0", 0.6)]},
    "small": {"plain": [row("small", "a", 0.8)]},
}


def test_packages_weigh_the_same_whatever_their_size() -> None:
    table = overview(RESULTS, "vec_f1", "Bag")
    assert table.header == ("method", "big", "small", "mean of packages")
    assert table.lines[0] == ("plain", "0.400", "0.800", "0.600")


def test_a_mean_over_some_of_the_packages_is_not_shown_as_one_over_all() -> None:
    assert overview(RESULTS, "vec_f1", "Bag").lines[1] == ("bte", "0.600", "–", "–")


# Rows of table 3 of Mohammadzadeh et al. (2012), whose text gives the means of the first two.
@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (".924 .900 .912 .979 .945 .970 .949 .932 .952 .646 .401 .209", 0.8099),
        (".922 .900 .911 .994 .931 .970 .951 .932 .950 .840 .404 .236", 0.8284),
        (".924 .890 .929 .959 .916 .968 .861 .908 .732 .682 .419 .177", 0.7804),
        (".937 .881 .847 .958 .877 .925 .902 .902 .780 .594 .403 .252", 0.7715),
    ],
)
def test_means_of_a_paper_s_table(printed: str, expected: float) -> None:
    results = {str(n): {"m": [row(str(n), "a", float(value))]} for n, value in enumerate(printed.split())}
    assert overview(results, "vec_f1", "Bag").lines[0][-1] in (f"{expected - 1e-5:.3f}", f"{expected + 1e-5:.3f}")


def test_details_leave_out_what_nobody_has() -> None:
    table = details(RESULTS, "big")
    assert table.header == ("method", "bag F1", "deviation", "ms a page", "pages", "failed")
    assert table.lines[0] == ("plain", "0.400", "0.000", "4", "9", "0")
    assert table.lines[1] == ("bte", "0.600", "–", "4", "1", "0")


def test_empty_gold_is_scored_apart() -> None:
    rows = [Row("p", "a", 9, {}, 0, 0), Row("p", "b", 9, {}, 40, 0), Row("p", "c", 9, {}, 10, 0), row("p", "d", 0.5)]
    table = empty_gold({"p": {"bte": rows}})
    assert table is not None
    assert table.lines == (("bte", "p", "3", "1", "10"),)
    assert empty_gold({"p": {"bte": [row("p", "d", 0.5)]}}) is None


def test_split_by_any_key_of_the_meta_files(tmp_path: Path) -> None:
    (tmp_path / "package.yaml").write_text("name: p\ndocuments: [a, b, c, d]")
    for name, kind in {"a": "page_type: forum", "b": "page_type: article", "c": "url: http://x.test/"}.items():
        (tmp_path / f"{name}.meta").write_text(kind)
    (tmp_path / "d.meta").write_text("[broken")
    rows = [row(tmp_path.name, name, f1) for name, f1 in {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.5}.items()]
    package = read_package(tmp_path)
    table = by_key({package.name: {"bte": rows}}, package, "page_type", "vec_f1", "By type")
    assert table.header == ("method", "article (1)", "forum (1)", "unknown (2)")
    assert table.lines == (("bte", "0.200", "0.100", "0.400"),)


def test_markdown() -> None:
    text = overview(RESULTS, "vec_f1", "Bag").markdown()
    assert text.splitlines()[2:5] == [
        "| method | big | small | mean of packages |",
        "| --- | ---: | ---: | ---: |",
        "| plain | 0.400 | 0.800 | 0.600 |",
    ]
