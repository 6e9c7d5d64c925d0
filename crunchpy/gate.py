"""Is this a page that may be filtered, and if not, why?

Untouched is the default: each of the three questions looks for proof that filtering is right and answers with
a reason as soon as it is missing. `at_request` and `at_headers` need no body, so what they refuse is
never buffered; `at_body` looks at the start of the plain (decompressed) body.

No proxy is known here: requests and responses are anything of the shape below, and mitmproxy's are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from crunchpy.charset import http_label, is_unsupported
from crunchpy.codings import codings_of
from crunchpy.headers import HeaderLines
from crunchpy.reasons import Reason


class Request(Protocol):
    """The head of a request. Any further attribute is of no interest here."""

    @property
    def method(self) -> str:
        """GET, POST ..."""
        ...

    @property
    def pretty_host(self) -> str:
        """The host that was asked for, without a port."""
        ...

    @property
    def headers(self) -> HeaderLines:
        """All header lines."""
        ...


class Response(Protocol):
    """The head of a response."""

    @property
    def status_code(self) -> int:
        """200, 404 ..."""
        ...

    @property
    def headers(self) -> HeaderLines:
        """All header lines."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """May it be filtered, as far as is known by now? `detail` is for the log and never holds a body or a query."""

    reason: Reason | None = None
    detail: str = ""

    @property
    def may_filter(self) -> bool:
        """True while nothing speaks against it; else the response flows through and `reason` says why."""
        return self.reason is None


MAY_FILTER = Decision()

PAGE_TYPES = ("text/html", "application/xhtml+xml")
# Pushed for as long as the reader listens: never to be waited for.
STREAM_TYPES = ("text/event-stream", "multipart/x-mixed-replace", "application/grpc", "application/x-ndjson")
# What a window or a frame asks with (Fetch standard, "destination"); every other one is a worker, script, image ...
PAGE_DESTINATIONS = ("document", "iframe", "frame")

# Libraries that fetch a piece of a page and put it into the open one say so in these.
FRAGMENT_HEADERS = (
    "hx-request",  # htmx
    "turbo-frame",  # Turbo
    "turbolinks-referrer",
    "x-alpine-request",
    "x-barba",
    "x-inertia",
    "x-livewire",
    "x-pjax",
    "x-spf-request",
    "x-turbolinks-request",
    "x-up-version",  # Unpoly
)


def at_request(request: Request, excepted_hosts: frozenset[str] = frozenset()) -> Decision:
    """Does this request ask for a page? Where not, nothing about it or its answer may be changed.

    excepted_hosts: hosts that the administrator wants left alone, each with all hosts below it; see `host_names`.
    """
    if request.method != "GET":
        return Decision(Reason.NOT_GET, request.method)
    if excepted_hosts and is_excepted(request.pretty_host, excepted_hosts):
        return Decision(Reason.EXCEPTED_HOST, request.pretty_host)
    headers = request.headers
    for name, reason in (("range", Reason.RANGE), ("upgrade", Reason.UPGRADE)):
        if headers.get_all(name):
            return Decision(reason)
    if "no-transform" in _directives(headers):
        return Decision(Reason.NO_TRANSFORM, "request")
    return _by_purpose(headers)


def at_headers(
    request: Request, response: Response, *, excepted_hosts: frozenset[str] = frozenset(), max_bytes: int = 10_000_000
) -> Decision:
    """Is the answer a page, as far as the headers say? Covers `at_request`.

    max_bytes: a longer Content-Length is not worth waiting for. A body without a length may still become too long.
    """
    asked = at_request(request, excepted_hosts)
    return at_response(response, max_bytes=max_bytes) if asked.may_filter else asked


def at_response(response: Response, *, max_bytes: int = 10_000_000) -> Decision:
    """The same for a request of which `at_request` has said that it asks for a page."""
    if response.status_code != 200:
        reason = Reason.RANGE if response.status_code == 206 else Reason.STATUS
        return Decision(reason, str(response.status_code))
    for question in (_by_type, _by_use, lambda headers: _by_length_and_coding(headers, max_bytes)):
        decision = question(response.headers)
        if not decision.may_filter:
            return decision
    return MAY_FILTER


def is_page_load(request: Request) -> bool:
    """Whether the browser itself says that a window or frame asks (Sec-Fetch-Dest; only sent over HTTPS)."""
    return _first(request.headers, "sec-fetch-dest").lower() in PAGE_DESTINATIONS


def host_names(names: Iterable[str]) -> frozenset[str]:
    """Host names as `at_request` compares them: `Bücher.example` and `*.Example.org` as requests would spell them."""
    return frozenset(_host_name(name) for name in names)


def is_excepted(host: str, excepted_hosts: frozenset[str]) -> bool:
    """Whether a host is one of these (see `host_names`) or below one of these."""
    labels = host.lower().rstrip(".").split(".")
    return any(".".join(labels[place:]) in excepted_hosts for place in range(len(labels)))


def is_download(dispositions: list[str]) -> bool:
    """Whether Content-Disposition makes it a file: anything but `inline` does (RFC 6266, 4.2)."""
    kinds = {value.split(";", maxsplit=1)[0].strip().lower() for value in dispositions}
    return bool(kinds - {"inline", ""})


def _by_purpose(headers: HeaderLines) -> Decision:
    """Who asks: a window or frame, or a script, worker or element?"""
    destination = _first(headers, "sec-fetch-dest").lower()
    if destination and destination not in PAGE_DESTINATIONS:
        return Decision(Reason.WORKER_OR_FETCH, destination)
    mode = _first(headers, "sec-fetch-mode").lower()
    if mode and mode != "navigate":
        return Decision(Reason.WORKER_OR_FETCH, mode)
    for name in FRAGMENT_HEADERS:
        if headers.get_all(name):
            return Decision(Reason.FRAGMENT, name)
    # Android's web views send the name of their app (org.example.app) here with every page; scripts send a word.
    requested_with = _first(headers, "x-requested-with")
    if requested_with and "." not in requested_with:
        return Decision(Reason.FRAGMENT, f"x-requested-with: {requested_with[:40]}")
    return MAY_FILTER


def _by_type(headers: HeaderLines) -> Decision:
    types = headers.get_all("content-type")
    if not types or not types[0].strip():
        return Decision(Reason.NO_TYPE)
    if len(set(types)) > 1 or "," in types[0].split(";", maxsplit=1)[0]:
        return Decision(Reason.BAD_HEADERS, "several content types")
    essence = types[0].split(";", maxsplit=1)[0].strip().lower()
    if essence in STREAM_TYPES:
        return Decision(Reason.STREAM, essence)
    if essence not in PAGE_TYPES:
        return Decision(Reason.NOT_HTML, essence[:60])
    label = http_label(types[0])
    if label is not None and is_unsupported(label):
        return Decision(Reason.CHARSET_UNSUPPORTED, label[:40])
    return MAY_FILTER


def _by_use(headers: HeaderLines) -> Decision:
    """What the origin says about how the answer is to be used."""
    if headers.get_all("content-range"):
        return Decision(Reason.RANGE)
    if "no-transform" in _directives(headers):
        return Decision(Reason.NO_TRANSFORM, "response")
    if is_download(headers.get_all("content-disposition")):
        return Decision(Reason.ATTACHMENT)
    if headers.get_all("signature-input"):
        return Decision(Reason.SIGNED)
    return MAY_FILTER


def _by_length_and_coding(headers: HeaderLines, max_bytes: int) -> Decision:
    coding = ", ".join(headers.get_all("content-encoding"))
    if codings_of(coding) is None:
        return Decision(Reason.UNKNOWN_CODING, coding[:60])
    lengths = set(headers.get_all("content-length"))
    if len(lengths) > 1:
        return Decision(Reason.BAD_HEADERS, "several lengths")
    for length in lengths:
        if not (length.isascii() and length.isdigit()):
            return Decision(Reason.BAD_HEADERS, "a length that is no number")
        if int(length[:20]) > max_bytes:
            return Decision(Reason.TOO_LARGE, f"{length[:20]} bytes")
        if int(length[:20]) == 0:
            return Decision(Reason.EMPTY)
    return MAY_FILTER


def _directives(headers: HeaderLines) -> set[str]:
    parts = ",".join(headers.get_all("cache-control")).lower().split(",")
    return {part.split("=", maxsplit=1)[0].strip() for part in parts}


def _first(headers: HeaderLines, name: str) -> str:
    values = headers.get_all(name)
    return values[0].strip() if values else ""


def _host_name(name: str) -> str:
    name = name.strip().lower().strip(".").removeprefix("*.")
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:  # no host name, and so no host's
        return name


# --- the body -------------------------------------------------------------------------------------------------------

# A licence in a comment may stand before everything; after it, a server's warnings or a template's blank elements may.
MAX_PROLOG_BYTES = 65_536
MAX_START_BYTES = 2048
# Where a frameset is looked for; the parser sees those that come later.
MAX_HEAD_BYTES = 16_384

# Before the first tag: byte order mark, white space, comments, XML declaration and processing instructions.
_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?(?:[\t\n\f\r ]++|<!--.*?-->|<\?.*?>)*+", re.DOTALL)
_TAG = re.compile(
    rb"<(?:!--.*?-->|!doctype[\t\n\f\r ]++(?P<doctype>[^\t\n\f\r >]*+)[^>]*+>|\?[^>]*+>"
    rb"""|(?P<end>/)?(?P<name>[a-z][^\t\n\f\r />]*+)(?:"[^"]*+"|'[^']*+'|[^"'>])*+>)""",
    re.DOTALL | re.IGNORECASE,
)
_DOCUMENT_TAGS = (b"html", b"head", b"body", b"frameset")
# A page may leave out html, head and body; with the browser's word that it is a page, these say that it is a whole one.
_HEAD_TAGS = (b"title", b"meta", b"base", b"link", b"style", b"script")
_FRAMESET_OR_BODY = re.compile(rb"<(frameset|body)[\t\n\f\r />]", re.IGNORECASE)
_RAW_TEXT = (b"script", b"style", b"title", b"textarea", b"xmp", b"template")


def at_body(body: bytes, *, page_load: bool = False) -> Decision:
    """Is the plain body a whole HTML document, or a piece of one, or JSON, a script or text under a wrong label?

    body: decompressed; only its first kilobytes are read.
    page_load: the browser said that a window or frame asks, see `is_page_load`.
    """
    if body.startswith((b"\xfe\xff", b"\xff\xfe")):
        return Decision(Reason.CHARSET_UNSUPPORTED, "utf-16")
    if not body.strip():
        return Decision(Reason.EMPTY)
    prolog = _PROLOG.match(body[:MAX_PROLOG_BYTES])
    position = prolog.end() if prolog else 0
    start = body[position : position + MAX_START_BYTES]
    if not start:
        return Decision(Reason.EMPTY, "only comments")
    if not start.startswith(b"<"):
        return Decision(Reason.NOT_A_DOCUMENT, "starts with text")
    first = _TAG.match(start)
    by_head = page_load and first is not None and not first["end"] and (first["name"] or b"").lower() in _HEAD_TAGS
    if not (by_head or _has_document_tag(start)):
        return Decision(Reason.NOT_A_DOCUMENT, "no doctype, html, head or body near the start")
    frames = _FRAMESET_OR_BODY.search(body[:MAX_HEAD_BYTES])  # a frameset comes first or not at all
    return Decision(Reason.FRAMESET) if frames and frames[1].lower() == b"frameset" else MAY_FILTER


def _has_document_tag(start: bytes) -> bool:
    """Whether a doctype of HTML or one of the document's own tags stands here as markup, not inside a script."""
    position = 0
    while found := _TAG.search(start, position):
        position = found.end()
        if found["doctype"] is not None:
            return found["doctype"].lower() == b"html"
        name = (found["name"] or b"").lower()
        if name in _DOCUMENT_TAGS and not found["end"]:
            return True
        if name in _RAW_TEXT and not found["end"]:
            position = start.lower().find(b"</" + name, position)
            if position < 0:
                return False
    return False
