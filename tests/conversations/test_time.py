"""Answers that take their time: streams flow at once, slow and large pages within the limits that the proxy has."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable

import pytest

from tests.conversations.wire import WINDOW, bare_answer, chunked, open_to, page, request_bytes
from tests.conversations.world import HOLD_SECONDS, World

CHUNKED = "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n"


def waits(first: bytes, released: threading.Event, rest: bytes) -> Callable[[socket.socket], None]:
    """An origin that sends the first part and then nothing, until it is told to go on."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(first)
        released.wait(30)
        connection.sendall(rest)

    return answer


def chunk(data: bytes) -> bytes:
    return chunked(data).removesuffix(b"0\r\n\r\n")


def first_bytes(world: World, scheme: str, path: str, wanted: bytes) -> tuple[float, bytes]:
    """Seconds until `wanted` reaches the reader, while the origin is still waiting; and all that came by then."""
    origin = world.origins[scheme]
    started = time.monotonic()
    with open_to(world.proxy, origin) as connection:
        connection.sendall(request_bytes(origin, path, WINDOW))
        received = b""
        while wanted not in received:
            piece = connection.recv(1 << 20)
            assert piece, f"ended before {wanted!r}: {received[:500]!r}"
            received += piece
    return time.monotonic() - started, received


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("path", "head", "first"),
    [
        ("/9a", "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n", b"data: 1\n\n"),
        (
            "/9c",
            "Content-Type: multipart/x-mixed-replace; boundary=b\r\n",
            b"--b\r\nContent-Type: text/html\r\n\r\n<p>1",
        ),
        ("/9-json", "Content-Type: application/x-ndjson\r\n", b'{"n":1}\n'),
        ("/9-download", "Content-Type: text/html\r\nContent-Disposition: attachment\r\n", b"<!doctype html><p>1"),
    ],
)
def test_streams_flow_at_once(world: World, scheme: str, path: str, head: str, first: bytes) -> None:
    released = threading.Event()
    world.answers[path] = waits(bare_answer(first, head), released, b"")
    seconds, received = first_bytes(world, scheme, path, first)
    released.set()
    assert seconds < HOLD_SECONDS
    assert received == bare_answer(first, head)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_slow_page_starts_within_the_limit(world: World, scheme: str) -> None:
    released = threading.Event()
    first = b"<!doctype html><p>1</p>"
    world.answers["/9b"] = waits(bare_answer(chunk(first), CHUNKED), released, chunked(b"<p>2</p>"))
    seconds, received = first_bytes(world, scheme, "/9b", first)
    released.set()
    assert HOLD_SECONDS * 0.5 < seconds < HOLD_SECONDS + 3
    assert received == bare_answer(chunk(first), CHUNKED)
    world.proxy.wait_for_log("/9b untouched: too_slow:")


def test_a_large_page_starts_when_it_is_too_large(world: World) -> None:
    released = threading.Event()
    first = page() + b"word " * 1_700_000
    world.answers["/9-large"] = waits(bare_answer(first, "Content-Type: text/html\r\n"), released, b"<p>end")
    seconds, received = first_bytes(world, "http", "/9-large", b"word word")
    released.set()
    assert seconds < HOLD_SECONDS
    assert received.startswith(b"HTTP/1.1 200 OK\r\nServer: o\r\nContent-Type: text/html\r\n\r\n" + page()[:1000])
    world.proxy.wait_for_log("/9-large untouched: too_large:")
