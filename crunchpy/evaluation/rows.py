"""One row a document: what was measured, and the file that rows are kept in.

The file is the one of Gottron (2007), section 4.3: text with a header, columns apart by tabs. The first columns are
package, document, size, time, and precision, recall and F1 of the four measures; what other papers measure follows to
the right of them. The last two rows begin with ``#mean`` and ``#stdev``.

A number that could not be measured is an empty cell. A document that failed is a row with its error and empty cells.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crunchpy.evaluation.measures import KINDS, Measures, Score

SCORES = tuple(f"{kind}_{part}" for kind in KINDS for part in ("p", "r", "f1"))
#: Columns that hold numbers between 0 and 1, or seconds; `#mean` and `#stdev` are taken of these.
NUMBERS = ("seconds", "sec_per_kb", *SCORES, "useful", "useless", "accuracy", "kept", "dropped")
COLUMNS = ("package", "document", "bytes", *NUMBERS, "extract_words", "gold_words", "note", "error")

MEAN, STDEV = "#mean", "#stdev"


@dataclass(frozen=True)
class Row:
    """What was measured on one document. ``values`` lacks the numbers that could not be measured.

    ``gold_words`` is None where the document has no gold text, 0 where nothing of the page counts as content.
    ``note`` says where a method did something else than asked, such as to leave the page as it was.
    """

    package: str
    document: str
    bytes: int
    values: dict[str, float] = field(default_factory=dict)
    extract_words: int | None = None
    gold_words: int | None = None
    note: str = ""
    error: str = ""

    @property
    def counts(self) -> bool:
        """Whether the row goes into means of scores: it was measured, and against a gold text that has words."""
        return not self.error and self.gold_words != 0


def timed(seconds: float, size_bytes: int) -> dict[str, float]:
    """Return the two columns of time; 1 kB is 1,000 bytes."""
    return {"seconds": seconds, "sec_per_kb": seconds / (size_bytes / 1000) if size_bytes else 0.0}


def scored(measures: Measures) -> dict[str, float]:
    """Return the twelve columns of the four measures."""
    columns: dict[str, float] = {}
    for kind in KINDS:
        score: Score = getattr(measures, kind)
        columns |= {f"{kind}_p": score.precision, f"{kind}_r": score.recall, f"{kind}_f1": score.f1}
    return columns


def mean(rows: Iterable[Row], column: str) -> float | None:
    """Return the mean of a column over the rows that count and have it, None where there is none."""
    values = _values(rows, column)
    return statistics.fmean(values) if values else None


def stdev(rows: Iterable[Row], column: str) -> float | None:
    """Return the estimated standard deviation (that of a sample) of a column, None for fewer than two rows."""
    values = _values(rows, column)
    return statistics.stdev(values) if len(values) > 1 else None


def _values(rows: Iterable[Row], column: str) -> list[float]:
    return [row.values[column] for row in rows if row.counts and column in row.values]


def to_table(rows: Sequence[Row]) -> str:
    """Return the whole file: header, rows, `#mean`, `#stdev`."""
    lines = [COLUMNS, *(_cells(row) for row in rows)]
    for name, number in ((MEAN, mean), (STDEV, stdev)):
        numbers = [_cell(number(rows, column)) for column in NUMBERS]
        lines.append((name, "", "", *numbers, "", "", "", ""))
    return to_lines(lines)


def to_lines(lines: Iterable[Sequence[str]]) -> str:
    """Return lines of cells as the file has them; tabs and line breaks inside a cell become blanks."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter="\t", lineterminator="\n")
    writer.writerows([" ".join(cell.split()) for cell in line] for line in lines)
    return written.getvalue()


def row_line(row: Row) -> str:
    """Return one row as its line of the file."""
    return to_lines([_cells(row)])


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file, without the last two. Raises ValueError, with file and line, for a broken one.

    A last line that was cut off, as a run that was killed leaves it, is left out.
    """
    written = path.read_text(encoding="utf-8")
    whole = written[: written.rfind("\n") + 1]
    lines = csv.reader(io.StringIO(whole), delimiter="\t")
    header = next(lines, [])
    if tuple(header) != COLUMNS:
        raise ValueError(f"{path}: the header is not that of a results file")
    rows = []
    for number, line in enumerate(lines, start=2):
        if line and line[0] in (MEAN, STDEV):
            continue
        try:
            rows.append(_row(dict(zip(COLUMNS, line, strict=True))))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return rows


def _cells(row: Row) -> tuple[str, ...]:
    numbers = [_cell(row.values.get(column)) for column in NUMBERS]
    words = ["" if count is None else str(count) for count in (row.extract_words, row.gold_words)]
    return (row.package, row.document, str(row.bytes), *numbers, *words, row.note, row.error)


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:.6f}"


def _row(cells: dict[str, str]) -> Row:
    return Row(
        package=cells["package"],
        document=cells["document"],
        bytes=int(cells["bytes"]),
        values={column: float(cells[column]) for column in NUMBERS if cells[column]},
        extract_words=int(cells["extract_words"]) if cells["extract_words"] else None,
        gold_words=int(cells["gold_words"]) if cells["gold_words"] else None,
        note=cells["note"],
        error=cells["error"],
    )
