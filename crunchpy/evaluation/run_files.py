"""The files of a run: rows as they come, so that a run that was stopped goes on where it was.

`OUT/METHOD/PACKAGE.tsv` holds the rows, `PACKAGE.json` beside it what they were measured with. Rows measured with
something else (another version, other parameters, another way of counting) are not continued but measured anew.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from crunchpy.evaluation.methods import Method
from crunchpy.evaluation.peers import PEERS
from crunchpy.evaluation.rows import COLUMNS, Row, read_rows, row_line, to_lines, to_table

MeasuredWith = dict[str, str]


def measured_with(method: Method, folders: Sequence[Path], *, via: str, words: str) -> MeasuredWith:
    """Return everything that a row depends on but the page: the method, its code and parameters, and the measures."""
    here = Path(__file__).parent
    known = {
        "method": method.name,
        "via": via,
        "words": words,
        "python": platform.python_version(),
        "measures": code_digest(here / f"{name}.py" for name in _MEASURES),
        "turbohtml": metadata.version("turbohtml"),
        "rapidfuzz": metadata.version("rapidfuzz"),
    }
    if method.kind == "peer":
        return known | {PEERS[method.name].distribution: PEERS[method.name].version}
    if via not in ("engine", "proxy"):
        return known  # somebody else's proxy, whose version nobody knows
    if method.kind == "chain":
        data = [folder / "plugins" / f"{plugin}.py" for folder in folders for plugin in method.plugins]
    else:
        data = [part for folder in folders for part in (folder / "plugins", folder / "settings")]
    return known | {
        "chain": json.dumps(method.chain, ensure_ascii=False),
        "crunchpy": code_digest(sorted([*here.parent.glob("*.py"), *(here.parent / "extraction").glob("*.py")])),
        "plugins": code_digest(data),
    }


# The files of this folder that numbers depend on.
_MEASURES = ("measures", "package", "peers", "shares", "text", "words", "work")


def code_digest(places: Iterable[Path]) -> str:
    """Return a short digest of the code and settings in files and folders."""
    digest = hashlib.sha256()
    for place in places:
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in files:
            if path.suffix in (".py", ".yaml", ".txt") and path.is_file():
                digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


class RunFile:
    """The rows of one method on one package."""

    def __init__(self, out: Path, package: str, method: str) -> None:
        self.path = out / method / f"{package}.tsv"
        self._known = self.path.with_suffix(".json")
        self.rows: dict[str, Row] = {}

    def begin(self, measured_with: MeasuredWith, *, again: bool = False) -> bool:
        """Take over what was measured with the same things; rows with errors are tried again.

        Returns False where there were rows, measured with something else, that are now thrown away.
        """
        before, fits = self._before(), False
        try:
            fits = json.loads(self._known.read_text(encoding="utf-8")) == measured_with
        except (OSError, ValueError):
            fits = not before
        self.rows = {row.document: row for row in before if fits and not again and not row.error}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._known.write_text(json.dumps(measured_with, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        text = to_lines([COLUMNS]) + "".join(map(row_line, self.rows.values()))
        self.path.write_text(text, encoding="utf-8")
        return fits

    def add(self, row: Row) -> None:
        """Write one row at the end of the file, at once."""
        self.rows[row.document] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(row_line(row))

    def end(self, order: Iterable[str]) -> list[Row]:
        """Write the whole file in the order of the package, with mean and deviation, and return its rows."""
        places = {name: place for place, name in enumerate(order)}
        rows = sorted(self.rows.values(), key=lambda row: places.get(row.document, len(places)))
        whole = self.path.with_suffix(".new")
        whole.write_text(to_table(rows), encoding="utf-8")
        whole.replace(self.path)
        return rows

    def _before(self) -> list[Row]:
        try:
            return read_rows(self.path)
        except (OSError, ValueError):
            return []  # none there, or one of another version: measured anew
