"""Messages whose length is told in two ways: none goes on to the origin, and a bad answer is no page."""

from __future__ import annotations

import contextlib
import socket
import time

import pytest

from tests.conversations.wire import PROSE, WINDOW, Talk, ask, bare_answer, open_to, page
from tests.conversations.world import World

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
TE = b"Transfer-Encoding: chunked\r\n"

REQUESTS = {
    "a length and chunks": b"Content-Length: %d\r\n" % (len(HIDDEN) + 5) + TE + b"\r\n0\r\n\r\n" + HIDDEN,
    "chunks and a length": TE + b"Content-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN,
    "two lengths": b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a length with a sign": b"Content-Length: +%d\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a length in hexadecimal": b"Content-Length: 0x%x\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a list of lengths": b"Content-Length: 0, %d\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a space before the colon": b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN,
    "an unknown transfer coding": b"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "chunks that are not last": b"Transfer-Encoding: chunked, identity\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "a folded line": b"Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a vertical tab": b"Transfer-Encoding: \x0bchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a bare line feed in a value": b"X: a\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a chunk size in 0x": TE + b"\r\n0x0\r\n\r\n" + HIDDEN,
    "a chunk size with a sign": TE + b"\r\n-1\r\n\r\n" + HIDDEN,
}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("method", [b"POST", b"GET"])
def test_no_request_hides_in_another(world: World, name: str, method: bytes) -> None:
    origin = world.origins["http"]
    world.answers["/outer"] = bare_answer(b"ok", "Content-Length: 2\r\n")
    before = len(origin.requests)
    with open_to(world.proxy, origin) as connection:
        place = f"127.0.0.1:{origin.port}".encode()
        head = method + b" http://" + place + b"/outer HTTP/1.1\r\nHost: " + place + b"\r\n"
        connection.sendall(head + REQUESTS[name].replace(b"Host: a", b"Host: " + place))
        received = read_for(connection, seconds=0.7)
    assert received == b"" or received.startswith(b"HTTP/1.1 400 ")
    assert received.count(b"HTTP/1.1 ") <= 1
    assert origin.requests[before:] == []


def read_for(connection: socket.socket, *, seconds: float) -> bytes:
    received = b""
    until = time.monotonic() + seconds
    connection.settimeout(seconds)
    with contextlib.suppress(TimeoutError, ConnectionError):
        while time.monotonic() < until and (piece := connection.recv(65536)):
            received += piece
    return received


HTML = "Content-Type: text/html\r\n"
SECOND = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\nhidden"

ANSWERS = {
    "two lengths": bare_answer(page(), HTML + f"Content-Length: {len(page())}\r\nContent-Length: 5\r\n"),
    "a length and chunks": bare_answer(b"0\r\n\r\n", HTML + "Transfer-Encoding: chunked\r\nContent-Length: 99\r\n"),
    "a length in hexadecimal": bare_answer(page(), HTML + "Content-Length: 0x5\r\n"),
    "a negative length": bare_answer(page(), HTML + "Content-Length: -5\r\n"),
    "a chunk size in 0x": bare_answer(b"0x5\r\nhello\r\n0\r\n\r\n", HTML + "Transfer-Encoding: chunked\r\n"),
    "a negative chunk": bare_answer(b"-5\r\nhello\r\n0\r\n\r\n", HTML + "Transfer-Encoding: chunked\r\n"),
    "an endless chunk size": bare_answer(
        b"f" * 40 + b"\r\nhello\r\n0\r\n\r\n", HTML + "Transfer-Encoding: chunked\r\n"
    ),
    "a space before the colon": bare_answer(page(), HTML + "Content-Length : 5\r\n"),
    "no status": b"HTTP/1.1\r\nContent-Type: text/html\r\n\r\n" + PROSE,
    "no head": b"<!doctype html>" + PROSE,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_bad_answer_is_never_made_a_good_page(world: World, name: str) -> None:
    talk = Talk(f"answer with {name}", ANSWERS[name] + SECOND, closes=True)
    origin = world.origins["http"]
    world.answers[talk.path] = talk.prepared()
    message = ask(world.proxy, origin, talk.path)
    status = int(message.head.split(b" ")[1])
    assert status == 502 or message.end == "cut" or b"hidden" not in message.body
    world.answers["/after"] = bare_answer(b"fine", "Content-Length: 4\r\n")
    assert ask(world.proxy, origin, "/after", WINDOW).body == b"fine"
