"""Adds one page to a test package: fetches it, and asks a person for its gold text in an editor."""

from __future__ import annotations

import gzip
import http.client
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crunchpy.evaluation.package import Document, PackageError
from crunchpy.evaluation.package_write import append_to_list, stem, write_document
from crunchpy.evaluation.text import page_text

MAX_PAGE_BYTES = 32_000_000
FETCH_SECONDS = 30

# The first line of the file in the editor; a line that begins so is not taken into the gold text.
HINT_MARK = "#:"
_HINT = (
    f"{HINT_MARK} Leave only the main content of the page, as a careful reader would choose it, then save and close.\n"
    f"{HINT_MARK} Line breaks do not matter. Lines that begin with {HINT_MARK} are dropped.\n"
    f"{HINT_MARK} Nothing left means: nothing on this page is content.\n"
)

#: Shows a text to a person and returns what came of it, None when it was not saved.
Editor = Callable[[str], str | None]


@dataclass(frozen=True)
class Wish:
    """What is to be added, as asked for on the command line. Empty and None mean: not known."""

    source: str
    name: str = ""
    url: str = ""
    language: str = ""
    fragmented: bool | None = None
    multiple: bool | None = None
    gold_file: Path | None = None


def add(folder: Path, wish: Wish, editor: Editor) -> Document:
    """Put a page into the package in ``folder``, which is made where there is none, and return the document.

    The gold text is that of ``wish.gold_file``, or what ``editor`` returns for the page's whole text. Nothing is
    written before the gold text is there. Raises PackageError where the page or the gold text cannot be had.
    """
    body, meta = _fetched(wish.source) if _is_url(wish.source) else (_read(Path(wish.source)), {})
    known = {
        "url": wish.url or meta.get("url"),
        "content_type": meta.get("content_type"),
        "language": wish.language,
        "fragmented": wish.fragmented,
        "multiple": wish.multiple,
    }
    meta = {key: value for key, value in known.items() if value not in (None, "")}
    name = stem(wish.name or _name_of(wish.source))
    bare = Document(folder.resolve().name, name, body, None, meta)
    gold = _gold(wish, bare, editor)
    document = Document(bare.package, name, body, gold, meta)
    write_document(folder, document)
    append_to_list(folder, name)
    return document


def _gold(wish: Wish, document: Document, editor: Editor) -> str:
    if wish.gold_file is not None:
        try:
            return wish.gold_file.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise PackageError(f"gold text {wish.gold_file}: {error}") from error
    saved = editor(_HINT + "\n" + _in_lines(page_text(document.body, encoding=document.encoding)))
    if saved is None:
        raise PackageError(f"document {document.id}: the gold text was not saved, nothing was added")
    return "\n".join(line for line in saved.splitlines() if not line.startswith(HINT_MARK)).strip() + "\n"


def _in_lines(text: str) -> str:
    """Return text with a line a sentence or so: a page on one line is no fun in an editor."""
    for end in (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f"):
        text = text.replace(end, end.rstrip() + "\n")
    return text + "\n"


def _is_url(source: str) -> bool:
    return urlsplit(source).scheme.lower() in ("http", "https")


def _name_of(source: str) -> str:
    if not _is_url(source):
        return Path(source).name.removesuffix(".gz").removesuffix(".html").removesuffix(".htm")
    parts = urlsplit(source)
    return f"{parts.hostname or ''}{parts.path}".removesuffix(".html")


def _read(path: Path) -> bytes:
    try:
        body = path.read_bytes()
        return gzip.decompress(body) if path.suffix == ".gz" else body
    except (OSError, EOFError, zlib.error) as error:
        raise PackageError(f"page {path}: {error}") from error


def _fetched(url: str) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of a page as the server sends them, with its address after redirects and its content type."""
    headers = {"User-Agent": "crunchpy package add", "Accept": "text/html"}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - `_is_url` has let through http(s) only
    try:
        with urllib.request.urlopen(request, timeout=FETCH_SECONDS) as answer:  # noqa: S310
            body = answer.read(MAX_PAGE_BYTES + 1)
            meta = {"url": answer.geturl(), "content_type": answer.headers.get("Content-Type")}
            packed = answer.headers.get("Content-Encoding", "identity")
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        raise PackageError(f"page {url}: {error}") from error
    if len(body) > MAX_PAGE_BYTES:
        raise PackageError(f"page {url}: is longer than {MAX_PAGE_BYTES:,} bytes")
    if packed != "identity":
        raise PackageError(f"page {url}: the server packs it as {packed}, although it was not asked to")
    return body, meta
