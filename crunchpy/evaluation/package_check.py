"""Finds everything that is wrong with a test package, in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crunchpy.evaluation.package import Package, PackageError, read_body, read_gold, read_meta, read_package


def faults(folder: Path) -> list[str]:
    """Return a message per fault, each with package, document and file; empty for a good package."""
    try:
        package = read_package(folder)
    except PackageError as error:
        return str(error).splitlines()
    return [*_twice(package), *_unlisted(package), *(fault for name in package.ids for fault in _of(package, name))]


def _twice(package: Package) -> Iterator[str]:
    for name, times in Counter(package.ids).items():
        if times > 1:
            yield f"package {package.name}, document {name}: stands {times} times in package.yaml"


def _unlisted(package: Package) -> Iterator[str]:
    """Name pages that lie in the folder and that no run would ever measure."""
    listed = set(package.ids)
    for path in sorted([*package.folder.glob("*.html"), *package.folder.glob("*.html.gz")]):
        name = path.name.removesuffix(".gz").removesuffix(".html")
        if name not in listed:
            yield f"package {package.name}, document {name}: {path.name} is not in the list of package.yaml"


def _of(package: Package, name: str) -> Iterator[str]:
    """Name the faults of one document; each file is looked at whatever the others are."""
    folder, where = package.folder, f"package {package.name}, document {name}"
    has_phrases = False
    try:
        meta = read_meta(folder, name)
        has_phrases = bool(meta.get("keep") or meta.get("drop"))
    except PackageError as error:
        has_phrases = True  # perhaps: the fault to mend is the one reported here
        yield str(error)
    try:
        if read_gold(folder, name) is None and not has_phrases:
            yield f"{where}: {name}.txt is missing, and the meta file has no keep or drop phrases"
    except PackageError as error:
        yield str(error)
    try:
        if not read_body(folder, name).strip():
            yield f"{where}: {name}.html is empty"
    except PackageError as error:
        yield str(error)
    if (folder / f"{name}.html").exists() and (folder / f"{name}.html.gz").exists():
        yield f"{where}: {name}.html and {name}.html.gz are both there; {name}.html is the one that is read"
