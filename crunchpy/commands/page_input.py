"""Reads the page that a command is about: a file, an address, or standard input."""

from __future__ import annotations

import http.client
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from crunchpy import codings, gate
from crunchpy.gate import Decision

# As for the proxy: what is longer is no page for reading.
MAX_BYTES = 10_000_000
FETCH_SECONDS = 30
_CHUNK_BYTES = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_XHTML_SUFFIXES = (".xhtml", ".xht")
_ASKED_WITH = {
    # Many servers refuse clients that do not look like a browser at all; this says both.
    "User-Agent": "Mozilla/5.0 (compatible; crunchpy)",
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "Accept-Encoding": "gzip, br, zstd, deflate",
}


class InputError(ValueError):
    """The page cannot be read; the message says what was asked for and why not."""


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page as received.

    body: plain bytes, without a content coding; url: its address, empty where it is not known; decision: why the
    proxy would leave the page alone, as far as its headers and first bytes say.
    """

    place: str
    body: bytes
    url: str
    content_type: str
    decision: Decision


def read_page(place: str, url: str = "") -> PageInput:
    """Read the page at `place`: a file (may be gzipped), an http or https address, or `-` for standard input.

    Args:
        place: where the page is.
        url: its address, for a file; decides the genre.

    Raises:
        InputError: it cannot be read, is too large, or takes too long.
    """
    if place.lower().startswith(("http://", "https://")):
        return _fetch(place, url)
    name = "standard input" if place == "-" else place
    body = _gunzipped(name, _limited(name, _read(place)))
    suffix = Path(place.removesuffix(".gz")).suffix.lower()
    content_type = "application/xhtml+xml" if suffix in _XHTML_SUFFIXES else "text/html"
    return PageInput(name, body, url, content_type, gate.at_body(body, page_load=True))


def _read(place: str) -> bytes:
    try:
        if place == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(place).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        hint = "; an address begins with http:// or https://" if "/" not in place or "://" in place else ""
        raise InputError(f"{place}: there is no such file{hint}") from error
    except IsADirectoryError as error:
        raise InputError(f"{place}: is a folder; name the file of one page") from error
    except OSError as error:
        raise InputError(f"{place}: cannot be read: {error.strerror or error}") from error


def _limited(name: str, body: bytes) -> bytes:
    if len(body) > MAX_BYTES:
        raise InputError(f"{name}: is larger than {MAX_BYTES:,} bytes, which the proxy leaves alone too")
    return body


def _gunzipped(name: str, body: bytes) -> bytes:
    if not body.startswith(_GZIP_MAGIC):
        return body
    plain = codings.decode(body, "gzip", codings.CodingLimits(max_inflated_bytes=MAX_BYTES))
    if isinstance(plain, codings.Refused):
        raise InputError(f"{name}: is gzip, but cannot be read: {plain.reason.sentence}")
    return plain.body


def _fetch(address: str, url: str) -> PageInput:
    try:
        request = urllib.request.Request(_in_ascii(address), headers=_ASKED_WITH)  # noqa: S310 - the scheme is known
        with _opener().open(request, timeout=FETCH_SECONDS) as response:
            body = _limited(address, _read_within(address, response))
            final, headers, status = response.url, response.headers, response.status
    except urllib.error.HTTPError as error:
        error.close()
        raise InputError(f"{address}: the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{address}: cannot be fetched: {_why(error)}") from error
    plain = codings.decode(body, headers.get("Content-Encoding", ""))
    decision = gate.at_headers(_Request(urlsplit(final).hostname or ""), _Response(status, _Lines(headers)))
    if isinstance(plain, codings.Refused):
        raise InputError(f"{address}: cannot be decompressed: {plain.reason.sentence}")
    if decision.may_filter:
        decision = gate.at_body(plain.body, page_load=True)
    return PageInput(address, plain.body, url or final, headers.get("Content-Type", ""), decision)


def _in_ascii(address: str) -> str:
    """An address as browsers send it, where a person has typed or copied letters of their own."""
    parts = urlsplit(address)
    path, query = (quote(text, safe="%/:=&?~+!$,;'@()*[]") for text in (parts.path, parts.query))
    return urlunsplit((parts.scheme, parts.netloc.encode("idna").decode("ascii"), path, query, ""))


def _opener() -> urllib.request.OpenerDirector:
    """Opens http and https alone: no redirect may lead to a file of this machine."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _read_within(address: str, response: http.client.HTTPResponse) -> bytes:
    deadline = time.monotonic() + FETCH_SECONDS
    pieces, size = [], 0
    while size <= MAX_BYTES and (piece := response.read1(_CHUNK_BYTES)):
        pieces.append(piece)
        size += len(piece)
        if time.monotonic() > deadline:
            raise InputError(f"{address}: did not arrive within {FETCH_SECONDS} seconds")
    return b"".join(pieces)


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(getattr(reason, "strerror", None) or reason) or type(error).__name__


@dataclass(frozen=True, slots=True)
class _Request:
    """The request as the gate wants to see it."""

    pretty_host: str
    method: str = "GET"

    @property
    def headers(self) -> _Lines:
        return _Lines(Message())


@dataclass(frozen=True, slots=True)
class _Response:
    status_code: int
    headers: _Lines


class _Lines:
    """Header lines of the standard library, as the gate reads them."""

    def __init__(self, message: Message) -> None:
        self.message = message

    def get_all(self, key: str, /) -> list[str]:
        return [str(value) for value in self.message.get_all(key, [])]

    def set_all(self, key: str, values: list[str], /) -> None:
        del self.message[key]
        for value in values:
            self.message[key] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self.message.keys())
