"""Rows to tables: means by package and method, over all packages, and split by what is known of the pages.

The mean over packages is that of the packages' means, not weighted by their sizes (Gottron 2007, and the tables of
the papers after it).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from crunchpy.evaluation.package import Package, PackageError, read_meta
from crunchpy.evaluation.rows import Row, mean, stdev

#: Rows by package name, then by method name.
Results = Mapping[str, Mapping[str, Sequence[Row]]]

NOT_MEASURED = "–"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Table:
    """A table for people: what it shows, the heads of its columns, and lines of cells."""

    title: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """Return the table for a Markdown document, under a heading of the second level; numbers stand right."""
        columns = zip(*self.lines, strict=True) if self.lines else [()] * len(self.header)
        rule = ["---:" if _is_numbers(column) else "---" for column in columns]
        cells = [self.header, rule, *self.lines]
        drawn = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in cells)
        return "\n\n".join(part for part in (f"## {self.title}", self.note, drawn) if part) + "\n"


def _is_numbers(column: Sequence[str]) -> bool:
    """Return whether a column holds numbers and dashes, and not dashes alone."""
    known = [cell for cell in column if cell != NOT_MEASURED]
    return bool(known) and all(cell.replace(".", "", 1).isdigit() for cell in known)


def overview(results: Results, column: str, title: str) -> Table:
    """Return methods by packages for one column, and the mean over the packages that all methods were measured on."""
    packages = [name for name, methods in results.items() if any(_has(rows, column) for rows in methods.values())]
    lines = []
    for method in _methods(results):
        means = [mean(results[package].get(method, ()), column) for package in packages]
        known = [one for one in means if one is not None]
        whole = statistics.fmean(known) if known and len(known) == len(means) else None
        lines.append((method, *(number(one) for one in means), number(whole)))
    return Table(title, ("method", *packages, "mean of packages"), tuple(lines))


#: Columns of the table of one package: head, and the cell of the rows.
_DETAILS: Sequence[tuple[str, Callable[[Sequence[Row]], str]]] = (
    ("bag P", lambda rows: number(mean(rows, "vec_p"))),
    ("bag R", lambda rows: number(mean(rows, "vec_r"))),
    ("bag F1", lambda rows: number(mean(rows, "vec_f1"))),
    ("deviation", lambda rows: number(stdev(rows, "vec_f1"))),
    ("sequence P", lambda rows: number(mean(rows, "seq_p"))),
    ("sequence R", lambda rows: number(mean(rows, "seq_r"))),
    ("sequence F1", lambda rows: number(mean(rows, "seq_f1"))),
    ("characters F1", lambda rows: number(mean(rows, "str_f1"))),
    ("set F1", lambda rows: number(mean(rows, "set_f1"))),
    ("useful", lambda rows: number(mean(rows, "useful"))),
    ("useless", lambda rows: number(mean(rows, "useless"))),
    ("accuracy", lambda rows: number(mean(rows, "accuracy"))),
    ("phrases kept", lambda rows: number(mean(rows, "kept"))),
    ("phrases dropped", lambda rows: number(mean(rows, "dropped"))),
    ("ms a page", lambda rows: milliseconds(mean(rows, "seconds"))),
    ("ms a kB", lambda rows: milliseconds(mean(rows, "sec_per_kb"))),
    ("pages", lambda rows: str(sum(row.counts for row in rows))),
    ("failed", lambda rows: str(sum(bool(row.error) for row in rows))),
)


def details(results: Results, package: str) -> Table:
    """Return all means of one package by method; columns that no method has are left out."""
    methods = {name: results[package][name] for name in _methods({package: results[package]})}
    cells = {head: [cell(rows) for rows in methods.values()] for head, cell in _DETAILS}
    shown = [head for head, column in cells.items() if set(column) != {NOT_MEASURED}]
    lines = tuple((name, *(cells[head][place] for head in shown)) for place, name in enumerate(methods))
    return Table(f"Package {package}", ("method", *shown), lines)


def empty_gold(results: Results) -> Table | None:
    """Return what methods leave of pages that hold no content at all, None where there are no such pages."""
    lines = []
    for package, methods in results.items():
        for method, rows in methods.items():
            pages = [row for row in rows if row.gold_words == 0 and not row.error]
            words = [row.extract_words or 0 for row in pages]
            if pages:
                emptied = sum(count == 0 for count in words)
                lines.append((method, package, str(len(pages)), str(emptied), f"{statistics.median(words):.0f}"))
    if not lines:
        return None
    header = ("method", "package", "pages", "left without a word", "words left (median)")
    note = "No content to find: these pages are in none of the means. The right answer is nothing at all."
    return Table("Pages with an empty gold text", header, tuple(lines), note)


def by_key(results: Results, package: Package, key: str, column: str, title: str) -> Table:
    """Return methods by the values of a key of the meta files, such as page_type, for one column of one package.

    Pages whose meta file lacks the key, or cannot be read, are under "unknown".
    """
    values = values_of(package, key)
    methods = results.get(package.name, {})
    counted = {row.document for rows in methods.values() for row in rows if row.counts and column in row.values}
    kinds = sorted({values[name] for name in counted if name in values}, key=lambda kind: (kind == UNKNOWN, kind))
    lines = []
    for method, rows in methods.items():
        split = {kind: [row for row in rows if values.get(row.document) == kind] for kind in kinds}
        lines.append((method, *(number(mean(split[kind], column)) for kind in kinds)))
    heads = [f"{kind} ({sum(values.get(name) == kind for name in counted)})" for kind in kinds]
    return Table(title, ("method", *heads), tuple(lines), "In brackets the number of pages.")


def values_of(package: Package, key: str) -> dict[str, str]:
    """Return what the meta files say for a key, by document; `UNKNOWN` where they say nothing or cannot be read."""
    values: dict[str, str] = {}
    for name in package.ids:
        try:
            values[name] = str(read_meta(package.folder, name).get(key, UNKNOWN))
        except PackageError:
            values[name] = UNKNOWN
    return values


def number(value: float | None) -> str:
    """Return a share as a table has it."""
    return NOT_MEASURED if value is None else f"{value:.3f}"


def milliseconds(seconds: float | None) -> str:
    """Return seconds as a table has them."""
    if seconds is None:
        return NOT_MEASURED
    return f"{seconds * 1000:.3g}" if seconds < 1 else f"{seconds * 1000:.0f}"


def _methods(results: Results) -> list[str]:
    """Return the names of methods in the order in which they first come."""
    return list(dict.fromkeys(name for methods in results.values() for name in methods))


def _has(rows: Iterable[Row], column: str) -> bool:
    return any(column in row.values for row in rows)
