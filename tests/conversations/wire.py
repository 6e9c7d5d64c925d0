"""Conversations: what a reader asks, what the origin is asked, what it answers, and what the reader gets, as bytes.

A `Talk` is one exchange. The reader and the origin are raw sockets, so that neither a client library nor a server
library can hide a difference; the running proxy stands between them.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.origin import Answer, Origin
from tests.proxy import Proxy

READ_SECONDS = 15.0

# What a browser's window sends when an address is typed in.
WINDOW = (
    "User-Agent: Reader/1.0\r\n"
    "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-Site: none\r\n"
)
# A client that says nothing of who asks, as all do over plain HTTP.
BARE = "User-Agent: Reader/1.0\r\nAccept: */*\r\n"

type End = Literal["whole", "cut", "closed"]


@dataclass(frozen=True)
class Talk:
    """One exchange.

    name: begins with the situation's number in the list that the cases come from.
    answer: what the origin sends, raw. seen: what the reader must get, raw; None for just the same.
    asked: header lines after Host. passed_on: those that the origin must see, None for the same.
    closes: the origin closes the connection after its answer.
    because: the code in the log, "" where the page is filtered, None where nothing is logged of it.
    """

    name: str
    answer: bytes
    seen: bytes | None = None
    asked: str = WINDOW
    passed_on: str | None = None
    method: str = "GET"
    closes: bool = False
    because: str | None = ""

    @property
    def path(self) -> str:
        """An address of its own, to find it in the log."""
        return "/" + re.sub(r"[^a-z0-9]+", "-", self.name.lower())

    def prepared(self) -> Answer:
        """The answer in the way that the test origin takes it."""
        return sends_and_closes(self.answer) if self.closes else self.answer


@dataclass(frozen=True)
class Message:
    """A response as a reader sees it: the head's bytes, the body without its framing, and how it ended."""

    head: bytes
    body: bytes
    end: End


def sends_and_closes(*pieces: bytes) -> Callable[[socket.socket], None]:
    """An origin that sends these and closes the connection."""

    def answer(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)
        if isinstance(connection, ssl.SSLSocket):
            connection = connection.unwrap()
        connection.shutdown(socket.SHUT_WR)

    return answer


def open_to(proxy: Proxy, origin: Origin, trust: ssl.SSLContext | None = None) -> socket.socket:
    """A reader's connection through the proxy, TLS inside a tunnel for an https origin; it trusts the proxy's CA."""
    connection = socket.create_connection(("127.0.0.1", proxy.port), timeout=READ_SECONDS)
    if origin.scheme == "http":
        return connection
    place = f"{origin.host}:{origin.port}"
    connection.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
    reply = b""
    while b"\r\n\r\n" not in reply:
        reply += connection.recv(4096)
    assert reply.startswith(b"HTTP/1.1 200"), reply
    return (trust or proxy.trust()).wrap_socket(connection, server_hostname=origin.host)


def request_bytes(origin: Origin, path: str, lines: str, method: str = "GET", *, to_proxy: bool = True) -> bytes:
    """A request as the reader sends it to a proxy, or (to_proxy=False) as the origin must receive it."""
    target = origin.url(path) if to_proxy and origin.scheme == "http" else path
    return f"{method} {target} HTTP/1.1\r\nHost: {origin.host}:{origin.port}\r\n{lines}\r\n".encode()


def ask(proxy: Proxy, origin: Origin, path: str, lines: str = WINDOW, method: str = "GET") -> Message:
    """Send one request on a connection of its own, and read the response to its end."""
    with open_to(proxy, origin) as connection:
        return ask_on(connection, origin, path, lines, method)


def ask_on(connection: socket.socket, origin: Origin, path: str, lines: str = WINDOW, method: str = "GET") -> Message:
    """Send one request on this connection, and read the response to its end."""
    connection.sendall(request_bytes(origin, path, lines, method))
    received = b""
    while not (message := read_message(received, closed=False, headless=method == "HEAD")):
        try:
            piece = connection.recv(1 << 20)
        except (ConnectionResetError, ssl.SSLEOFError):
            piece = b""
        if not piece:
            break
        received += piece
    message = message or read_message(received, closed=True)
    assert message, f"no answer to {method} {path}: {received!r}"
    return message


def read_message(received: bytes, *, closed: bool, headless: bool = False) -> Message | None:
    """The message in these bytes, None while it is not complete (closed: no more will come, so it is as it is)."""
    head, blank, body = received.partition(b"\r\n\r\n")
    if not blank:
        return None
    lines = head.lower()
    status = int(head.split(b" ", 2)[1])
    if headless or status in (204, 304):
        return Message(head, b"", "whole")
    if b"\r\ntransfer-encoding: chunked" in lines:
        body, whole = dechunked(body)
        return Message(head, body, "whole" if whole else "cut") if whole or closed else None
    length = re.search(rb"\r\ncontent-length: *(\d+)", lines)
    if length is None:
        return Message(head, body, "closed") if closed else None
    if len(body) < int(length[1]):
        return Message(head, body, "cut") if closed else None
    return Message(head, body[: int(length[1])], "whole")


def dechunked(body: bytes) -> tuple[bytes, bool]:
    """The data of a chunked body, and whether its last chunk is there."""
    data = b""
    while found := re.match(rb"([0-9A-Fa-f]+)[^\r\n]*\r\n", body):
        size = int(found[1], 16)
        if size == 0:
            return data, b"\r\n" in body[found.end() :]
        data += body[found.end() : found.end() + size]
        body = body[found.end() + size + 2 :]
    return data, False


def seen(raw: bytes, *, headless: bool = False) -> Message:
    """What a reader sees of these bytes when they arrive and the connection is closed."""
    message = read_message(raw, closed=True, headless=headless)
    assert message, raw
    return message


def without_generation(head: bytes) -> bytes:
    """The head with the settings' name in our ETag blotted out: it is another one on every change of the files."""
    return re.sub(rb"crunchpy\.[0-9A-Za-z_-]+\.", b"crunchpy.GENERATION.", head)


# --- pages ----------------------------------------------------------------------------------------------------------

PROSE = b"<p>" + b"The river rose by a foot in the night, and in the morning the road was gone. " * 4 + b"</p>"
GOES = b'<nav class="goes"><ul><li><a href="/1">one</a></li><li><a href="/2">two</a></li></ul></nav>'


def page(inside: bytes = b"", head: bytes = b"<title>T</title>") -> bytes:
    """A whole page with something that goes in it."""
    return b"<!doctype html>\n<html><head>" + head + b"</head><body>\n" + GOES + inside + PROSE + b"</body></html>\n"


def cut(body: bytes) -> bytes:
    """The body as it must be after filtering."""
    assert GOES in body
    return body.replace(GOES, b"")


def answer(body: bytes, lines: str = "Content-Type: text/html; charset=utf-8\r\n", status: str = "200 OK") -> bytes:
    """A response with these header lines and its length."""
    return f"HTTP/1.1 {status}\r\nServer: o\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body


def bare_answer(body: bytes, lines: str, status: str = "200 OK") -> bytes:
    """A response with these header lines and no others."""
    return f"HTTP/1.1 {status}\r\nServer: o\r\n{lines}\r\n".encode("latin-1") + body


def chunked(*pieces: bytes) -> bytes:
    """A chunked body."""
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
