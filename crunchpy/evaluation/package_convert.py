"""Turns test sets of other people into test packages.

A form is a function: a folder in, documents out. To add one, write it and name it in `FORMS`. The texts are taken as
they are; only marks that are not text (CleanEval's tags) go.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crunchpy.evaluation.package import Description, Document, PackageError
from crunchpy.evaluation.package_write import stem, write_description, write_document
from crunchpy.evaluation.text import page_text

Form = Callable[[Path], Iterator[Document]]

_PAGE_ENDS = (".html.gz", ".html", ".htm")
_CLEANEVAL_MARK = re.compile(r"</?(?:h|p|l|text)\b[^<>]*>", re.IGNORECASE)
_CLEANEVAL_URL = re.compile(r"\A\s*URL:\s*(\S+)[^\n]*\n?")
_CLEANEVAL_WRAPPER = re.compile(rb"\A\s*<text\b[^>]*>\s*|\s*</text>\s*\Z", re.IGNORECASE)


def convert(source: Path, form: str, target: Path) -> tuple[int, list[str]]:
    """Write the pages of ``source``, which has the form named, as a new package in ``target``.

    Returns how many documents were written, and a message for each that could not be. Raises PackageError where the
    target exists, the form is unknown, or nothing at all was found.
    """
    if form not in FORMS:
        raise PackageError(f"form {form!r} is not known; known are {', '.join(FORMS)}")
    if target.exists() and any(target.iterdir()):
        raise PackageError(f"{target} exists and is not empty")
    names: list[str] = []
    faults: list[str] = []
    for document in FORMS[form](source):
        try:
            write_document(target, document, packed=True)
        except (PackageError, OSError) as error:
            faults.append(f"document {document.id}: {error}")
        else:
            names.append(document.id)
    if not names:
        raise PackageError(f"{source}: no pages of the form {form} found")
    write_description(target, Description(name=target.name, documents=tuple(sorted(names)), source=f"{form} form"))
    return len(names), faults


def _pairs(source: Path) -> Iterator[Document]:
    """Pages and gold texts of the same stems, in one folder or in ``html`` and ``txt`` (or ``text``, ``gold``)."""
    texts = next((source / name for name in ("txt", "text", "gold", "clean") if (source / name).is_dir()), source)
    pages = next((source / name for name in ("html", "original", "orig") if (source / name).is_dir()), source)
    for path, name in _pages(pages):
        gold = _text(texts / f"{name}.txt")
        if gold is not None:
            yield _document(name, _bytes(path), gold)


def _cleaneval(source: Path) -> Iterator[Document]:
    """CleanEval: ``orig/N.html`` in a ``text`` element, ``clean/N.txt`` with an address and marks for paragraphs."""
    for document in _pairs(source):
        gold = document.gold or ""
        address = _CLEANEVAL_URL.match(gold)
        meta = {"url": address[1]} if address else {}
        text = _CLEANEVAL_MARK.sub("", _CLEANEVAL_URL.sub("", gold))
        yield Document("", document.id, _CLEANEVAL_WRAPPER.sub(b"", document.body), text.strip() + "\n", meta)


def _readability(source: Path) -> Iterator[Document]:
    """Readability's ``test-pages/CASE`` with ``source.html`` and ``expected.html``."""
    for path in sorted(source.glob("*/source.html")):
        expected = path.with_name("expected.html")
        if expected.exists():
            yield _document(path.parent.name, path.read_bytes(), page_text(expected.read_bytes()))


def _scrapinghub(source: Path) -> Iterator[Document]:
    """The article extraction benchmark: ``ground-truth.json`` and ``html/ID.html.gz``."""
    for name, known in _json(source / "ground-truth.json").items():
        path = source / "html" / f"{name}.html.gz"
        if path.exists():
            yield _document(name, _bytes(path), str(known.get("articleBody") or ""), url=known.get("url"))


def _webis(source: Path) -> Iterator[Document]:
    """The Webis collection: ``ground-truth/SET.jsonl`` with page_id and plaintext, ``html/SET/ID.html``."""
    for truth in sorted((source / "ground-truth").glob("*.jsonl")):
        for number, line in enumerate(truth.read_text(encoding="utf-8").splitlines(), start=1):
            known = _object(line, f"{truth}, line {number}") if line.strip() else {}
            name = str(known.get("page_id", ""))
            path = source / "html" / truth.stem / f"{name}.html"
            if name and path.exists():
                gold = str(known.get("plaintext") or "")
                yield _document(f"{truth.stem}-{name}", path.read_bytes(), gold, url=known.get("url"))


#: The forms by the name of the command line.
FORMS: Mapping[str, Form] = {
    "pairs": _pairs,
    "cleaneval": _cleaneval,
    "readability": _readability,
    "scrapinghub": _scrapinghub,
    "webis": _webis,
}


def _document(name: str, body: bytes, gold: str, *, url: object = None) -> Document:
    return Document("", stem(name), body, gold, {"url": url} if url else {})


def _pages(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.iterdir()):
        for end in _PAGE_ENDS:
            if path.name.endswith(end):
                yield path, path.name.removesuffix(end)
                break


def _bytes(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _text(path: Path) -> str | None:
    """Return a text file of unknown age: UTF-8, or else the encoding that old Windows tools wrote."""
    if not path.exists():
        return None
    written = path.read_bytes()
    try:
        return written.decode("utf-8-sig")
    except UnicodeDecodeError:
        return written.decode("cp1252", errors="replace")


def _json(path: Path) -> dict[str, Any]:
    try:
        return _object(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError(f"{path}: cannot be read: {error}") from error


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        written = json.loads(text)
    except ValueError as error:
        raise PackageError(f"{place}: cannot be read: {error}") from error
    if not isinstance(written, dict):
        raise PackageError(f"{place}: must be one JSON object")
    return written
