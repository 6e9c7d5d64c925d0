"""The requests of a browser: what kind each is, whether it may be made, and what is answered where it may not."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crunchpy.adverts.blocklist import ADVERTS, Blocklist, Kind, Match

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from crunchpy.adverts.rules import Category

# Sec-Fetch-Dest (Fetch standard, "destination") as the lists' option names.
_KIND_OF_DESTINATION: dict[str, Kind] = {
    "document": "document",
    "iframe": "subdocument",
    "frame": "subdocument",
    "fencedframe": "subdocument",
    "script": "script",
    "worker": "script",
    "sharedworker": "script",
    "serviceworker": "script",
    "audioworklet": "script",
    "paintworklet": "script",
    "style": "stylesheet",
    "xslt": "stylesheet",
    "image": "image",
    "audio": "media",
    "video": "media",
    "track": "media",
    "font": "font",
    "object": "object",
    "embed": "object",
    "empty": "xmlhttprequest",
    "json": "xmlhttprequest",
    "websocket": "websocket",
}
# Where the browser does not say (plain http, old browsers): what its Accept header begins with, then the file name.
_KIND_OF_ACCEPT: tuple[tuple[str, Kind], ...] = (
    ("text/html", "document"),
    ("application/xhtml", "document"),
    ("text/css", "stylesheet"),
    ("image/", "image"),
    ("audio/", "media"),
    ("video/", "media"),
    ("application/font", "font"),
    ("application/javascript", "script"),
    ("text/javascript", "script"),
    ("application/json", "xmlhttprequest"),
)
_KIND_OF_SUFFIX: dict[str, Kind] = {
    **dict.fromkeys((".js", ".mjs"), "script"),
    ".css": "stylesheet",
    **dict.fromkeys((".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".webp"), "image"),
    **dict.fromkeys((".m3u8", ".m4a", ".mp3", ".mp4", ".mpd", ".ogg", ".opus", ".ts", ".webm"), "media"),
    **dict.fromkeys((".eot", ".otf", ".ttf", ".woff", ".woff2"), "font"),
    ".swf": "object",
    ".json": "xmlhttprequest",
}
# One transparent pixel: a 1x1 screen with a two-colour table, colour 0 declared transparent, one LZW block.
_PIXEL = (
    b"GIF89a" + bytes((1, 0, 1, 0, 0x80, 0, 0)) + bytes(6) + b"\x21\xf9\x04" + bytes((1, 0, 0, 0, 0))
    + b"\x2c" + bytes((0, 0, 0, 0, 1, 0, 1, 0, 0)) + bytes((2, 2, 0x44, 1, 0)) + b"\x3b"
)  # fmt: skip


class RequestBlocker:
    """What the proxy asks before it passes a request on. In the proxy's own process: an answer takes microseconds."""

    def __init__(
        self,
        load: Callable[[], Blocklist] | None = None,
        *,
        categories: Collection[Category] = ADVERTS,
    ) -> None:
        """`load` makes the Blocklist; by default the installed lists, without the element rules."""
        self._load = load or (lambda: Blocklist.installed(cosmetic=False))
        self._categories = frozenset(categories)
        self._blocklist: Blocklist | None = None

    @property
    def blocklist(self) -> Blocklist | None:
        """The lists in force, or None before `start` and after `stop`."""
        return self._blocklist

    async def start(self) -> None:
        """Read the lists, in a thread. Called again it puts changed lists in force; if it raises, the old ones stay."""
        self._blocklist = await asyncio.to_thread(self._load)

    async def stop(self) -> None:
        """Let the lists go. From here on nothing is blocked."""
        self._blocklist = None

    async def verdict(self, url: str, page_url: str, kind: Kind) -> Match | None:
        """The rule that forbids the page at `page_url` to load `url`, or None. Nothing is blocked before `start`."""
        if self._blocklist is None:
            return None
        return self._blocklist.blocks(url, page_url=page_url, kind=kind, categories=self._categories)


def kind_of(headers: Mapping[str, str], url: str) -> Kind:
    """What kind of request this is, from its headers (any mapping that finds lower-case names) and its address.

    Where nothing says otherwise, a request that accepts HTML is a document: taking a frame for a page lets an advert
    through, the opposite would block what somebody asked for.
    """
    if headers.get("upgrade", "").lower() == "websocket":
        return "websocket"
    if headers.get("content-type", "").startswith("text/ping") or "ping-to" in headers:
        return "ping"
    if named := _KIND_OF_DESTINATION.get(headers.get("sec-fetch-dest", "").lower()):
        return named
    if headers.get("x-requested-with", "").lower() == "xmlhttprequest":
        return "xmlhttprequest"
    accept = headers.get("accept", "").lstrip().lower()
    if accepted := next((kind for start, kind in _KIND_OF_ACCEPT if accept.startswith(start)), None):
        return accepted
    return _KIND_OF_SUFFIX.get(_suffix(url), "other")


def page_of(headers: Mapping[str, str], url: str) -> str:
    """The address of the page that makes this request, as far as its headers tell, else an empty text."""
    for name in ("referer", "origin"):
        if headers.get(name, "null") != "null":
            return headers[name]
    # A page may hide its address; the browser still says whether the page is of the same site.
    return url if headers.get("sec-fetch-site", "") in {"same-origin", "same-site"} else ""


def empty_answer(kind: Kind) -> tuple[int, str, bytes]:
    """(status, content type, body) for a blocked request: a transparent pixel for a picture, else 204 and nothing.

    204 makes a frame keep its blank page and a script or style sheet count as failed. The content type is empty where
    there is no body.
    """
    return (200, "image/gif", _PIXEL) if kind == "image" else (204, "", b"")


def empty_headers(kind: Kind, origin: str = "") -> dict[str, str]:
    """The headers that go with `empty_answer`. `origin` is the request's Origin header.

    Not to be stored, so that allowing a host works at once; readable from other origins, so that the page's console
    shows no cross-origin error that it would not have without us.
    """
    status, content_type, body = empty_answer(kind)
    headers = {"Cache-Control": "no-store"}
    if content_type:
        headers["Content-Type"] = content_type
    if status != 204:
        headers["Content-Length"] = str(len(body))
    if origin:
        headers |= {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
        if origin != "null":
            headers["Access-Control-Allow-Credentials"] = "true"
    return headers


def _suffix(url: str) -> str:
    try:
        return PurePosixPath(urlsplit(url).path).suffix.lower()
    except ValueError:
        return ""
