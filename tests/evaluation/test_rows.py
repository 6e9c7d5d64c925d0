from __future__ import annotations

from pathlib import Path

import pytest

from crunchpy.evaluation.measures import measure
from crunchpy.evaluation.rows import COLUMNS, NUMBERS, Row, mean, read_rows, scored, stdev, timed, to_table


def row(document: str, f1: float, **known: object) -> Row:
    return Row("pkg", document, 1000, {"vec_f1": f1}, extract_words=3, gold_words=3, **known)  # type: ignore[arg-type]


def test_the_columns_of_the_paper_come_first_and_in_order() -> None:
    scores = [f"{kind}_{part}" for kind in ("str", "seq", "vec", "set") for part in ("p", "r", "f1")]
    assert COLUMNS[:17] == ("package", "document", "bytes", "seconds", "sec_per_kb", *scores)


def test_the_last_two_rows_are_mean_and_sample_deviation() -> None:
    lines = to_table([row("a", 0.8), row("b", 0.9), row("c", 1.0)]).splitlines()
    place = COLUMNS.index("vec_f1")
    assert [line.split("\t")[0] for line in lines] == ["package", "pkg", "pkg", "pkg", "#mean", "#stdev"]
    assert lines[-2].split("\t")[place] == "0.900000"
    assert lines[-1].split("\t")[place] == "0.100000"


def test_one_document_has_no_deviation() -> None:
    assert stdev([row("a", 0.8)], "vec_f1") is None
    assert mean([], "vec_f1") is None
    assert to_table([row("a", 0.8)]).splitlines()[-1].split("\t")[COLUMNS.index("vec_f1")] == ""


def test_failed_documents_and_empty_gold_stay_out_of_the_means() -> None:
    rows = [row("a", 0.5), Row("pkg", "b", 9, error="it broke"), Row("pkg", "c", 9, {"vec_f1": 0.0}, 5, 0)]
    assert mean(rows, "vec_f1") == 0.5


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    values = timed(0.0125, 2500) | scored(measure("a b c", "b c d"))
    rows = [
        Row("pkg", "a", 2500, values, extract_words=3, gold_words=3),
        Row("pkg", 'tab\there "quoted"', 7, error="line\nbreak"),
        Row("pkg", "phrases", 7, {"kept": 1.0, "dropped": 0.5}, extract_words=0, gold_words=None),
    ]
    path = tmp_path / "pkg.tsv"
    path.write_text(to_table(rows), encoding="utf-8")
    back = read_rows(path)
    assert to_table(back) == path.read_text(encoding="utf-8")
    assert [(one.document, one.error) for one in back[1:]] == [('tab here "quoted"', "line break"), ("phrases", "")]
    assert back[0].values["sec_per_kb"] == pytest.approx(0.005)
    assert set(back[0].values) <= set(NUMBERS)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pkg.tsv"
    whole = to_table([row("a", 0.5), row("b", 0.5)]).splitlines(keepends=True)
    path.write_text("".join(whole[:2]) + whole[2][:20], encoding="utf-8")
    assert [one.document for one in read_rows(path)] == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("package\tdocument\n", "header"), ("\t".join(COLUMNS) + "\npkg\ta\tmany\n", "line 2")],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "pkg.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said) as caught:
        read_rows(path)
    assert "pkg.tsv" in str(caught.value)
