"""Reads a test package: a folder of pages with the text that an expert would keep of each.

The form is that of Gottron (2007), section 4.1: a description file and, per document, files of one stem.

    package.yaml    name, notes, licence, source, and documents: the stems, in order
    ID.html         the page's bytes as fetched; ID.html.gz is the same, packed
    ID.txt          the gold text, UTF-8; may be missing where the meta file names phrases
    ID.meta         what is known of the page, YAML; may be missing

Everything is read when it is asked for, so a package with one broken file can still be measured on its others.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from crunchpy.evaluation.text import page_encoding, page_text

DESCRIPTION = "package.yaml"

# What the framework itself reads of a meta file. Any other key is the owner's, and tables can be split by it.
META_TYPES: Mapping[str, type] = {
    "url": str,
    "content_type": str,
    "language": str,
    "fragmented": bool,
    "multiple": bool,
    "keep": list,
    "drop": list,
}


class PackageError(ValueError):
    """A package or a document of it that cannot be read; the message names package, document and file."""


class Description(BaseModel):
    """What `package.yaml` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    documents: tuple[str, ...] = ()
    notes: str = ""
    licence: str = ""
    source: str = ""


@dataclass(frozen=True)
class Document:
    """One page with what is known of it. ``gold`` is None where only phrases are known, and "" where nothing counts."""

    package: str
    id: str
    body: bytes
    gold: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where the page came from, or a name that nobody can have."""
        return str(self.meta.get("url") or f"http://{self.package}.invalid/{self.id}.html".replace(" ", "-"))

    @cached_property
    def content_type(self) -> str:
        """What the server said of the page, as far as the package kept it.

        Test sets were often saved as UTF-8 whatever the page says of itself. Where the package does not know and the
        bytes can only be UTF-8 (no text of another encoding happens to be valid), this is what the server must say.
        """
        if kept := self.meta.get("content_type"):
            return str(kept)
        return "text/html; charset=utf-8" if _is_utf8(self.body) else "text/html"

    @property
    def keep(self) -> tuple[str, ...]:
        """Phrases that must stay."""
        return tuple(self.meta.get("keep") or ())

    @property
    def drop(self) -> tuple[str, ...]:
        """Phrases that must go."""
        return tuple(self.meta.get("drop") or ())

    @cached_property
    def encoding(self) -> str | None:
        """Label of the encoding to read the page, and what a filter made of it, with."""
        _, _, declared = self.content_type.lower().partition("charset=")
        return declared.strip("\"' ") or page_encoding(self.body)

    @cached_property
    def text(self) -> str:
        """All text of the unfiltered page."""
        return page_text(self.body, encoding=self.encoding)


@dataclass(frozen=True)
class Package:
    """A package as its description has it; `document` reads one of its pages."""

    folder: Path
    description: Description

    @property
    def name(self) -> str:
        """The short name, which is the folder's, as it stands in tables and file names."""
        return self.folder.name

    @property
    def ids(self) -> tuple[str, ...]:
        """Stems of the documents, in order."""
        return self.description.documents

    def document(self, name: str) -> Document:
        """Return one document; raises PackageError where a file is missing or unreadable."""
        meta = read_meta(self.folder, name)
        gold = read_gold(self.folder, name)
        if gold is None and not (meta.get("keep") or meta.get("drop")):
            raise _error(self.folder, name, f"{name}.txt", "is missing, and the meta file has no keep or drop phrases")
        return Document(self.name, name, read_body(self.folder, name), gold, meta)


def read_package(folder: Path) -> Package:
    """Return the package in a folder; raises PackageError with every fault of the description file."""
    folder = Path(folder).resolve()
    path = folder / DESCRIPTION
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise _error(folder, "", DESCRIPTION, f"is missing in {folder}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _error(folder, "", DESCRIPTION, f"cannot be read: {_one_line(error)}") from error
    if not isinstance(written, dict):
        raise _error(folder, "", DESCRIPTION, "must be a list of keys: name, documents, notes, licence, source")
    try:
        description = Description.model_validate(written, strict=False)
    except ValidationError as error:
        raise PackageError("\n".join(_description_faults(folder, error))) from error
    for name in description.documents:
        if not name or name != Path(name).name or name.startswith("."):
            raise _error(folder, name, DESCRIPTION, f"{name!r} is no file name without a folder")
    return Package(folder, description)


def read_body(folder: Path, name: str) -> bytes:
    """Return the bytes of a page, unpacked."""
    plain, packed = folder / f"{name}.html", folder / f"{name}.html.gz"
    try:
        if plain.exists():
            return plain.read_bytes()
        return gzip.decompress(packed.read_bytes())
    except FileNotFoundError as error:
        raise _error(folder, name, plain.name, "is missing, and so is the packed form") from error
    except (OSError, EOFError, zlib.error) as error:
        raise _error(folder, name, packed.name, f"cannot be unpacked: {_one_line(error)}") from error


def read_gold(folder: Path, name: str) -> str | None:
    """Return the gold text as it is written, None where there is none."""
    path = folder / f"{name}.txt"
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        fault = f"is not UTF-8 (byte {error.start}): save it again as UTF-8"
        raise _error(folder, name, path.name, fault) from error


def read_meta(folder: Path, name: str) -> dict[str, Any]:
    """Return what the meta file says, empty where there is none."""
    path = folder / f"{name}.meta"
    try:
        written = yaml.safe_load(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise _error(folder, name, path.name, f"cannot be read: {_one_line(error)}") from error
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise _error(folder, name, path.name, "must be a list of keys, such as url and language")
    for key, kind in META_TYPES.items():
        if written.get(key) is not None and not isinstance(written[key], kind):
            fault = f"{key} is {written[key]!r}, must be {_KIND_NAMES[kind]}"
            raise _error(folder, name, path.name, fault)
    return {str(key): value for key, value in written.items()}


def _is_utf8(body: bytes) -> bool:
    """Return whether bytes are UTF-8 that is more than ASCII."""
    try:
        return not body.isascii() and bool(body.decode("utf-8"))
    except UnicodeDecodeError:
        return False


_KIND_NAMES: Mapping[type, str] = {str: "a text (in quotes)", bool: "true or false", list: "a list of phrases"}


def _error(folder: Path, document: str, file: str, fault: str) -> PackageError:
    where = f"package {folder.name}" + (f", document {document}" if document else "")
    return PackageError(f"{where}: {file} {fault}")


def _description_faults(folder: Path, error: ValidationError) -> list[str]:
    """Return one message per fault of a description file, in the words of the file."""
    faults = []
    for fault in error.errors():
        key = str(fault["loc"][0])
        if fault["type"] == "extra_forbidden":
            said = f"{key} is not known; known are {', '.join(Description.model_fields)}"
        elif key == "documents" and len(fault["loc"]) > 1:
            said = f"documents, number {int(fault['loc'][1]) + 1}: {fault['input']!r} must be a text (in quotes)"
        else:
            said = f"{key}: {fault['msg']}"
        faults.append(str(_error(folder, "", DESCRIPTION, said)))
    return faults


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
