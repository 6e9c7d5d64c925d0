"""The test data beside the checkout: pages, filter lists, site descriptions. None of it is in the repository."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml


def _find() -> Path | None:
    named = os.environ.get("CRUNCHPY_TEST_DATA")
    folders = [Path(named)] if named else [folder / "shared" for folder in Path(__file__).resolve().parents[1:4]]
    return next((folder for folder in folders if (folder / "packages").is_dir()), None)


SHARED = _find()
needs_shared = pytest.mark.skipif(
    SHARED is None, reason="the test data (a folder `shared` beside the checkout, or $CRUNCHPY_TEST_DATA) is not here"
)


@dataclass(frozen=True, slots=True)
class Document:
    """One page of a test package.

    body: as fetched; gold: the expert's text, None where only phrases are known; meta: what is known of the page.
    """

    id: str
    body: bytes
    gold: str | None
    meta: dict[str, Any]


def documents(package: str, *, every: int = 1) -> Iterator[Document]:
    """The documents of a package in order of their names, or every n-th of them."""
    assert SHARED is not None
    folder = SHARED / "packages" / package
    for path in sorted(folder.glob("*.html.gz"))[::every]:
        name = path.name.removesuffix(".html.gz")
        gold, meta = folder / f"{name}.txt", folder / f"{name}.meta"
        yield Document(
            name,
            gzip.decompress(path.read_bytes()),
            gold.read_text("utf-8") if gold.exists() else None,
            yaml.load(meta.read_text("utf-8"), yaml.CSafeLoader) if meta.exists() else {},
        )


def packages() -> list[str]:
    """The names of all packages; empty where there is no test data."""
    return sorted(path.name for path in (SHARED / "packages").iterdir()) if SHARED else []
