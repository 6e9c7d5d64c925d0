"""Writes `docs/results.md`: everything that was measured, as tables, with what it was measured with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from crunchpy.evaluation.orderings import checked
from crunchpy.evaluation.package import Package
from crunchpy.evaluation.rows import Row, read_rows
from crunchpy.evaluation.summary import UNKNOWN, Results, Table, by_key, details, empty_gold, overview, values_of

_OVERVIEWS = (
    ("vec_f1", "Bag of words, F1"),
    ("seq_f1", "Words in order, F1"),
    ("str_f1", "Characters in order, F1"),
    ("vec_p", "Bag of words, precision"),
    ("vec_r", "Bag of words, recall"),
    ("useful", "Useful share of the article (characters)"),
    ("useless", "Useless share of the extract (characters)"),
    ("accuracy", "Accuracy (words)"),
    ("kept", "Phrases to keep: share that stayed"),
    ("dropped", "Phrases to drop: share that is gone"),
)
# Keys of the meta files by which every package is split that has more than one value of them.
_SPLITS = {"page_type": "by page type", "script": "by script"}


def read_results(out: Path, packages: Sequence[Package], order: Sequence[str]) -> Results:
    """Return the rows of a run's folder, methods in the order given; those that are not in it come last.

    Only the documents of a package that every method was measured on, or failed on, are taken: means over different
    pages cannot be compared. Raises ValueError for a broken file.
    """
    folders = {path.name: path for path in sorted(out.iterdir()) if path.is_dir()}
    names = [name for name in order if name in folders] + [name for name in folders if name not in order]
    return {package.name: _in_common(dict(_rows(out, package, names))) for package in packages}


def _in_common(methods: dict[str, list[Row]]) -> dict[str, list[Row]]:
    if not methods:
        return {}
    common = set.intersection(*({row.document for row in rows} for rows in methods.values()))
    return {name: [row for row in rows if row.document in common] for name, rows in methods.items()}


def _rows(out: Path, package: Package, names: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    for name in names:
        path = out / name / f"{package.name}.tsv"
        if path.exists():
            yield name, read_rows(path)


def tables(results: Results, packages: Sequence[Package]) -> list[Table]:
    """Return all tables in the order of the document."""
    found = [table for column, title in _OVERVIEWS if len((table := overview(results, column, title)).header) > 2]
    found.append(checked(results))
    found += [details(results, name) for name, methods in results.items() if methods]
    for package in packages:
        for key, words in _SPLITS.items():
            if results.get(package.name) and len({*values_of(package, key).values()} - {UNKNOWN}) > 1:
                found += [
                    by_key(results, package, key, column, f"{title}, {package.name} {words}")
                    for column, title in (("vec_f1", "Bag F1"), ("vec_p", "Bag precision"), ("vec_r", "Bag recall"))
                ]
    if empties := empty_gold(results):
        found.append(empties)
    return found


def document(results: Results, packages: Sequence[Package], out: Path, notes: str = "") -> str:
    """Return the whole Markdown document. ``notes`` is what people found out about the numbers, Markdown as well."""
    parts = [
        "# Results",
        "Made by `crunchpy results`; do not edit. What the columns mean, and how to run it again, is in\n"
        "[evaluation.md](evaluation.md). Shares are from 0 to 1, means over pages with a gold text that has words.\n"
        "Only pages that all methods were measured on are in the tables.",
        _packages(packages, results).markdown(),
        _versions(out, results).markdown(),
        notes.strip(),
        *(table.markdown() for table in tables(results, packages)),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _packages(packages: Sequence[Package], results: Results) -> Table:
    lines = []
    for package in packages:
        rows = next(iter(results.get(package.name, {}).values()), [])
        empty = sum(row.gold_words == 0 for row in rows)
        facts = (str(len(package.ids)), str(len(rows)), str(empty), package.description.licence)
        lines.append((package.name, *facts, package.description.source))
    header = ("package", "documents", "measured", "with an empty gold text", "licence", "source")
    return Table("Packages", header, tuple(lines))


def _versions(out: Path, results: Results) -> Table:
    """Return what the rows were measured with, as the files beside them say."""
    seen: dict[str, set[str]] = {}
    for package, methods in results.items():
        for method in methods:
            known = json.loads((out / method / f"{package}.json").read_text(encoding="utf-8"))
            for key, value in known.items():
                if key not in ("method", "chain"):
                    seen.setdefault(key, set()).add(str(value))
    lines = tuple((key, _named(values)) for key, values in seen.items())
    note = "Code is named by the first digits of its digest. `via`: in the measuring process, or through a proxy."
    return Table("Measured with", ("what", "version"), lines, note)


def _named(values: set[str]) -> str:
    """Return up to three values; each method has its own plugins, whose digests fill no page."""
    return ", ".join(sorted(values)) if len(values) <= 3 else f"{len(values)} different ones, see the .json of each"
