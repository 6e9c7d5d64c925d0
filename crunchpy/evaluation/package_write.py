"""Writes test packages in the form that `package.py` reads."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from crunchpy.evaluation.package import DESCRIPTION, Description, Document, PackageError, read_package

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80


def stem(wish: str) -> str:
    """Return a file stem like ``wish`` that every file system takes, never empty, never hidden."""
    return _NOT_IN_NAMES.sub("-", wish).strip("-._")[:_LONGEST_NAME] or "page"


def write_document(folder: Path, document: Document, *, packed: bool = False) -> None:
    """Write the files of one document; its name must be free. The list in `package.yaml` is not touched."""
    if any((folder / f"{document.id}{end}").exists() for end in (".html", ".html.gz", ".txt", ".meta")):
        raise PackageError(f"package {folder.name}, document {document.id}: exists already, choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    if document.gold is not None:
        (folder / f"{document.id}.txt").write_text(document.gold, encoding="utf-8", newline="\n")
    if document.meta:
        (folder / f"{document.id}.meta").write_text(_yaml(document.meta), encoding="utf-8")
    if packed:
        # Without a time stamp, so that the same pages make the same files.
        (folder / f"{document.id}.html.gz").write_bytes(gzip.compress(document.body, mtime=0))
    else:
        (folder / f"{document.id}.html").write_bytes(document.body)


def write_description(folder: Path, description: Description) -> None:
    """Write `package.yaml` anew."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {key: value for key, value in description.model_dump().items() if value and key != "documents"}
    (folder / DESCRIPTION).write_text(_yaml({**written, "documents": list(description.documents)}), encoding="utf-8")


def append_to_list(folder: Path, name: str) -> None:
    """Put one more document at the end of the list, and leave what a person wrote in the file as it is.

    A description whose list is not its last key, or is written in brackets, cannot be continued by a line: it is
    written anew, which loses its comments.
    """
    path = folder / DESCRIPTION
    if not path.exists():
        write_description(folder, Description(name=folder.resolve().name, documents=(name,)))
        return
    description = read_package(folder).description
    wanted = description.model_copy(update={"documents": (*description.documents, name)})
    before = path.read_text(encoding="utf-8")
    line = "- " + yaml.safe_dump(name, default_style="'").strip()
    path.write_text(before.rstrip("\n") + "\n" + line + "\n", encoding="utf-8")
    try:
        continued = read_package(folder).description == wanted
    except PackageError:
        continued = False
    if not continued:
        write_description(folder, wanted)


def _yaml(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(values), allow_unicode=True, sort_keys=False, width=1000)
