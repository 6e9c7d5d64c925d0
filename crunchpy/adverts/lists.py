"""Fetching the public filter lists and keeping them, one text file a list, in the cache folder.

A list is replaced only by a text that is a filter list; whatever goes wrong, the old one stays, and the outcome says
why.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from crunchpy.adverts.rules import Category, category_of, split_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The projects' own addresses, as https://easylist.to/ gives them.
PUBLIC_LISTS: dict[str, str] = {
    "easylist": "https://easylist.to/easylist/easylist.txt",
    "easyprivacy": "https://easylist.to/easylist/easyprivacy.txt",
    "easylist-cookie": "https://secure.fanboy.co.nz/fanboy-cookiemonster.txt",
}
# EasyList, the largest, is 2 MB; ten times that is a mistake or an attack.
MAX_LIST_BYTES = 20_000_000
# The public lists have tens of thousands of rules. A few hundred are a cut-off file or an error page in disguise.
MIN_FETCHED_RULES = 1000
TIMEOUT_S = 30
# The list projects ask for this where a list says nothing about it.
DEFAULT_EXPIRY_DAYS = 4

_HEADER = re.compile(r"\s*(?:\[Adblock|!\s*(?:Title|Checksum|Version|Homepage|Category)\b)", re.IGNORECASE)
_EXPIRES = re.compile(r"^!\s*Expires:\s*(\d{1,3})\s*(d|h)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one list. `state` "failed" means that the old list, if any, is still there."""

    name: str
    state: Literal["new", "changed", "unchanged", "failed"]
    detail: str

    @property
    def failed(self) -> bool:
        """Whether somebody has to look at it."""
        return self.state == "failed"


@dataclass(frozen=True, slots=True)
class CachedList:
    """A list in the cache folder. `fetched` is when it was last known to be the newest."""

    name: str
    category: Category
    rules_count: int
    size_bytes: int
    url: str
    fetched: datetime
    expires: datetime

    @property
    def is_expired(self) -> bool:
        """Whether its project would have it fetched again by now."""
        return datetime.now(UTC) > self.expires


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a list came from, kept beside it as NAME.json, so that an unchanged list is not sent again."""

    url: str = ""
    etag: str = ""
    last_modified: str = ""
    fetched_s: float = 0.0


def update(folder: Path, urls: Mapping[str, str]) -> Iterator[Outcome]:
    """Fetch each list of `urls` (name to address) into `folder`; yields an Outcome as each is done. Raises nothing."""
    for name, url in urls.items():
        try:
            yield _update_one(folder, name, url)
        except (OSError, ValueError, HTTPException) as error:
            yield Outcome(name, "failed", f"{url}: {_in_words(error)}; {_what_stays(folder / f'{name}.txt')}")


def import_files(folder: Path, paths: list[Path]) -> Iterator[Outcome]:
    """Copy list files from this machine into `folder`, under their own names. Raises nothing."""
    for path in paths:
        target = folder / f"{path.stem}.txt"
        try:
            # Cut off before reading: `--from /dev/zero` is a mistake somebody will make.
            with path.open("rb") as file:
                body = file.read(MAX_LIST_BYTES + 1)
            rules_count = _check(body, path.stem, min_rules=1)
            yield _store(target, body, rules_count, _Origin(url=path.resolve().as_uri(), fetched_s=time.time()))
        except (OSError, ValueError) as error:
            yield Outcome(path.stem, "failed", f"{path}: {_in_words(error)}; {_what_stays(target)}")


def _in_words(error: Exception) -> str:
    """What went wrong, without the names of exceptions and functions that Python puts around it."""
    if isinstance(error, HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, URLError) and isinstance(error.reason, OSError):
        error = error.reason
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def cached(folder: Path) -> list[CachedList]:
    """The lists in `folder`, by name. OSError where one cannot be read."""
    return [_describe(path) for path in sorted(folder.glob("*.txt"))]


def name_for(url: str) -> str:
    """The name under which the list at `url` is kept: the public list's, else the file's."""
    known = next((name for name, public in PUBLIC_LISTS.items() if public == url), None)
    stem = re.sub(r"[^\w-]+", "-", Path(urlsplit(url).path).stem).strip("-").lower()
    return known or stem or re.sub(r"[^\w-]+", "-", urlsplit(url).netloc)


def _update_one(folder: Path, name: str, url: str) -> Outcome:
    target = folder / f"{name}.txt"
    origin = _read_origin(target)
    usable = origin if target.exists() and origin.url == url else _Origin()
    fetched = _fetch(url, usable)
    if fetched is None:
        _write(target.with_suffix(".json"), json.dumps(asdict(usable) | {"fetched_s": time.time()}).encode())
        return Outcome(name, "unchanged", f"not modified; {_expiry_note(target)}")
    body, new_origin = fetched
    return _store(target, body, _check(body, name, min_rules=MIN_FETCHED_RULES), new_origin)


def _fetch(url: str, known: _Origin) -> tuple[bytes, _Origin] | None:
    """The body at `url` and where it came from; None where it is what we `known`ly have. OSError, HTTPException."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError("only http and https addresses are fetched; --from imports files")
    asked = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified, "User-Agent": "crunchpy"}
    request = Request(url, headers={name: value for name, value in asked.items() if value})  # noqa: S310 - checked above
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - checked above
            body = answer.read(MAX_LIST_BYTES + 1)
            told = answer.headers.get("Content-Length", "")
            if told.isdigit() and len(body) < min(int(told), MAX_LIST_BYTES):
                raise ValueError(f"cut off after {len(body)} of {told} bytes")
            etag, last_modified = answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", "")
    except HTTPError as error:
        with error:
            if error.code == 304:
                return None
            raise
    return body, _Origin(url, etag, last_modified, time.time())


def _check(body: bytes, name: str, *, min_rules: int) -> int:
    """The number of rules in `body`. ValueError, saying what is wrong, where it is not a filter list."""
    if len(body) > MAX_LIST_BYTES:
        raise ValueError(f"more than {MAX_LIST_BYTES // 1_000_000} MB, which no filter list is")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start})") from error
    head = text[:2000].lstrip().lower()
    if head.startswith(("<!doctype", "<html", "<?xml", "{")) or "\0" in text[:2000]:
        raise ValueError("a page or data, not a filter list")
    if not any(map(_HEADER.match, text.splitlines()[:20])):
        raise ValueError("no filter list header ([Adblock ...] or ! Title: ...) in its first 20 lines")
    rules_count = sum(part.rules_count for part in split_list(text, name))
    if rules_count < min_rules:
        raise ValueError(f"{rules_count} rules, fewer than the {min_rules} that a whole list has at least")
    return rules_count


def _store(target: Path, body: bytes, rules_count: int, origin: _Origin) -> Outcome:
    before = target.read_bytes() if target.exists() else None
    if before != body:
        _write(target, body)
    _write(target.with_suffix(".json"), json.dumps(asdict(origin)).encode())
    state: Literal["new", "changed", "unchanged"] = "new" if before is None else "changed"
    if before == body:
        state = "unchanged"
    return Outcome(target.stem, state, f"{rules_count} rules; {_expiry_note(target)}")


def _write(target: Path, body: bytes) -> None:
    """Whole or not at all: a reader sees the old file or the new one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(prefix=".writing-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        Path(written).replace(target)
    except OSError:
        Path(written).unlink(missing_ok=True)
        raise


def _read_origin(target: Path) -> _Origin:
    try:
        return _Origin(**json.loads(target.with_suffix(".json").read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        # Without it the list is simply fetched whole.
        return _Origin()


def _describe(path: Path) -> CachedList:
    text = path.read_text("utf-8", errors="replace")
    origin = _read_origin(path)
    fetched = datetime.fromtimestamp(origin.fetched_s or path.stat().st_mtime, UTC)
    found = _EXPIRES.search(text[:4000])
    valid = timedelta(days=DEFAULT_EXPIRY_DAYS)
    if found:
        valid = timedelta(**{"days" if found[2].lower() == "d" else "hours": int(found[1])})
    return CachedList(
        name=path.stem,
        category=category_of(text, path.stem),
        rules_count=sum(part.rules_count for part in split_list(text, path.stem)),
        size_bytes=path.stat().st_size,
        url=origin.url,
        fetched=fetched,
        expires=fetched + valid,
    )


def _expiry_note(target: Path) -> str:
    return f"expires {_describe(target).expires:%Y-%m-%d %H:%M} UTC"


def _what_stays(target: Path) -> str:
    if not target.exists():
        return "no list of this name is here, so its rules are not in force"
    return f"the list of {datetime.fromtimestamp(target.stat().st_mtime, UTC):%Y-%m-%d} stays in force"
