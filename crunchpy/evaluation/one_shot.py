"""Serves one page once through a proxy, and takes the time as Gottron (2007, section 4.2) does.

The clock runs from the moment the origin has sent its last byte to the moment the client has read the proxy's last
one: what lies between is the proxy's work (and one trip over loopback).
"""

from __future__ import annotations

import contextlib
import gzip
import http.client
import http.server
import secrets
import socketserver
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

ALL_READ_SECONDS = 30


class ProxyError(Exception):
    """The proxy did not hand over the page; the message says what it did instead."""


@dataclass(frozen=True)
class Address:
    """Where a proxy listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Return the address written as HOST:PORT; raises ValueError for anything else."""
        host, colon, port = text.removeprefix("http://").rstrip("/").rpartition(":")
        if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise ValueError(f"{text!r} is no HOST:PORT, such as 127.0.0.1:8118")
        return cls(host.strip("[]"), int(port))


@dataclass(frozen=True)
class Fetched:
    """What came through a proxy, and the seconds that the proxy took."""

    body: bytes
    content_type: str
    seconds: float


class OneShot(socketserver.ThreadingTCPServer):
    """A server on a free loopback port that answers one request for one page, and refuses all others."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, name: str, body: bytes, content_type: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.body = body
        self.content_type = content_type
        # A path that no cache has seen before.
        self.path = f"/{secrets.token_hex(8)}/{quote(name, safe='')}.html"
        self._guard = threading.Lock()
        self._is_taken = False
        self._sent_at: float | None = None
        self._is_sent = threading.Event()

    @property
    def host(self) -> str:
        """Host and port as a URL has them."""
        return f"127.0.0.1:{self.server_address[1]}"

    def take(self, path: str) -> bool:
        """Return whether this request is the one to be answered."""
        with self._guard:
            is_first = path == self.path and not self._is_taken
            self._is_taken = self._is_taken or is_first
            return is_first

    def mark_sent(self, *, whole: bool = True) -> None:
        """Take the time: the last byte has been sent, or never will be."""
        if whole:
            self._sent_at = time.perf_counter()
        self._is_sent.set()

    @property
    def sent_at(self) -> float | None:
        """When the last byte was sent, by `time.perf_counter`; None where nobody asked for the page.

        A fast client is through before the server's thread has looked at the clock, so this may wait a moment.
        """
        if self._is_taken:
            self._is_sent.wait(ALL_READ_SECONDS)
        return self._sent_at


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OneShot
    timeout = ALL_READ_SECONDS

    def do_GET(self) -> None:
        self.close_connection = True
        if not self.server.take(self.path):
            self._head(404, 0)
            return
        try:
            self._head(200, len(self.server.body))
            self.wfile.write(self.server.body)
            self.wfile.flush()
        except OSError:
            self.server.mark_sent(whole=False)  # the proxy hung up: that is for the client to find
        else:
            self.server.mark_sent()

    def _head(self, status: int, size: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", self.server.content_type)
        self.send_header("Content-Length", str(size))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing: the rows say it all."""


@contextlib.contextmanager
def one_shot(name: str, body: bytes, content_type: str) -> Iterator[OneShot]:
    """Run a server for one page until the block ends."""
    server = OneShot(name, body, content_type)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(ALL_READ_SECONDS)


def fetch_through(
    proxy: Address, name: str, body: bytes, content_type: str, *, timeout: float = ALL_READ_SECONDS
) -> Fetched:
    """Return what a proxy makes of a page. Raises ProxyError when it fetches nothing, or fails, within ``timeout``."""
    with one_shot(name, body, content_type) as origin:
        # No proxy settings of the environment take part: they would leave loopback addresses out.
        connection = http.client.HTTPConnection(proxy.host, proxy.port, timeout=timeout)
        try:
            connection.request("GET", f"http://{origin.host}{origin.path}", headers=_as_a_browser(origin))
            answer = connection.getresponse()
            packed = answer.read()
            done_at = time.perf_counter()
        except (OSError, http.client.HTTPException) as error:
            raise ProxyError(f"proxy {proxy.host}:{proxy.port}: {type(error).__name__} {error}".rstrip()) from error
        finally:
            connection.close()
        sent_at = origin.sent_at
    if answer.status != http.HTTPStatus.OK or sent_at is None:
        asked = "asked" if sent_at is not None else "never asked"
        raise ProxyError(f"proxy {proxy.host}:{proxy.port}: answered {answer.status}, the origin was {asked}")
    unpacked = _unpacked(packed, answer.headers.get("Content-Encoding", "identity"))
    return Fetched(unpacked, answer.headers.get("Content-Type", ""), max(0.0, done_at - sent_at))


def _as_a_browser(origin: OneShot) -> dict[str, str]:
    """Return the headers of somebody who opens a page, which is what a filter acts on."""
    return {
        "Host": origin.host,
        "Accept": "text/html,application/xhtml+xml",
        "Accept-Encoding": "gzip",
        "Connection": "close",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Mode": "navigate",
        "User-Agent": "Mozilla/5.0 (crunchpy eval)",
    }


def _unpacked(body: bytes, encoding: str) -> bytes:
    if encoding.lower() not in ("gzip", "x-gzip"):
        return body
    try:
        return gzip.decompress(body)
    except (OSError, EOFError, zlib.error) as error:
        raise ProxyError(f"the proxy's gzip body is broken: {error}") from error
