"""What an engine is made of, as files: which they are, and whether any has changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

# The folders of an overlay that hold what an engine is made of, beside the files in the overlay itself.
SUBFOLDERS = ("plugins", "settings")
SUFFIXES = frozenset({".py", ".yaml", ".yml", ".txt"})

type Fingerprint = dict[str, tuple[int, int]]


def watched_folders(folders: Sequence[Path]) -> list[Path]:
    """The existing folders whose files matter, none of them with what lies deeper."""
    places = [place for folder in folders for place in (folder, *(folder / name for name in SUBFOLDERS))]
    return [place for place in places if place.is_dir()]


def is_data(file: Path) -> bool:
    """True for the files that make an engine, not for editors' swap files."""
    return file.suffix in SUFFIXES and not file.name.startswith(".")


def fingerprint(folders: Sequence[Path]) -> Fingerprint:
    """Path, time of change (nanoseconds) and size of every file that an engine may be made of."""
    return {
        str(file): (status.st_mtime_ns, status.st_size)
        for place in watched_folders(folders)
        for file in sorted(place.iterdir())
        if is_data(file) and (status := status_of(file))
    }


def status_of(file: Path) -> os.stat_result | None:
    """The file's status; None where it has gone meanwhile or is no file."""
    try:
        return file.stat() if file.is_file() else None
    except OSError:
        return None


def digest(folders: Sequence[Path]) -> str:
    """A short name that changes with every file that an engine is made of, our own code among them."""
    package = Path(__file__).parent
    code = {str(file): status_of(file) for file in sorted(package.rglob("*.py"))}
    known = [fingerprint(folders), {path: status and status.st_mtime_ns for path, status in code.items()}]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:12]
