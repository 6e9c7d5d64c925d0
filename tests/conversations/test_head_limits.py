"""Header fields without an end, and what else is only read whole: a clear answer, and no memory for it."""

from __future__ import annotations

import contextlib
import queue
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from crunchpy.head_limits import MAX_FIELDS, MAX_HEAD_BYTES, problem_of
from tests.conversations.h2_origin import H2Origin, running_h2_origin
from tests.conversations.wire import WINDOW, answer, ask, cut, open_to, page, request_bytes
from tests.conversations.world import World

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
FLOOD_BYTES = 32_000_000
MAX_GROWTH_BYTES = 15_000_000

# What comes before an endless line, by what the reader gets: an error page, or the head and no more.
ENDLESS_ANSWERS = {
    "status line": (b"HTTP/1.1 200 ", b"HTTP/1.1 502 Bad Gateway"),
    "field": (HTML + b"X: ", b"HTTP/1.1 502 Bad Gateway"),
    "size of a chunk": (HTML + b"Transfer-Encoding: chunked\r\n\r\n5;", HTML.partition(b"\r\n")[0]),
    "field behind the body": (HTML + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", HTML.partition(b"\r\n")[0]),
}


def resident_bytes(world: World) -> int:
    pages = int(Path(f"/proc/{world.proxy.process.pid}/statm").read_text().split()[1])
    return pages * 4096


def floods(beginning: bytes, told: queue.Queue[bool]) -> Callable[[socket.socket], None]:
    """An origin whose line does not end; `told` gets True where it is made to stop."""

    def converse(connection: socket.socket) -> None:
        told.put(not sends_all(connection, beginning))
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    return converse


def waits_for_the_end(connection: socket.socket) -> None:
    connection.recv(1)


def sends_all(connection: socket.socket, beginning: bytes, total_bytes: int = FLOOD_BYTES) -> bool:
    """Whether the other side took the beginning and then a flood of letters."""
    piece = b"a" * 100_000
    try:
        connection.sendall(beginning)
        for _ in range(total_bytes // len(piece)):
            connection.sendall(piece)
    except OSError:
        return False
    return True


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("name", ENDLESS_ANSWERS)
def test_an_answer_that_does_not_end_is_cut_off_and_takes_no_memory(world: World, scheme: str, name: str) -> None:
    beginning, expected = ENDLESS_ANSWERS[name]
    told: queue.Queue[bool] = queue.Queue()
    path = f"/endless-{name.replace(' ', '-')}"
    world.answers[path] = floods(beginning, told)
    before = resident_bytes(world)
    message = ask(world.proxy, world.origins[scheme], path)
    assert message.head.startswith(expected)
    assert b"More than" in message.body or message.end == "cut"
    assert told.get(timeout=10), "the origin's connection is closed"
    assert resident_bytes(world) - before < MAX_GROWTH_BYTES


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_answer_with_too_many_fields_is_an_error_that_says_so(world: World, scheme: str) -> None:
    fields = "".join(f"X-{number}: b\r\n" for number in range(MAX_FIELDS + 1))
    world.answers["/many-fields"] = answer(page(), fields + "Content-Type: text/html\r\n")
    message = ask(world.proxy, world.origins[scheme], "/many-fields")
    assert message.head.startswith(b"HTTP/1.1 502 ")
    assert b"header fields are more than the proxy takes" in message.body


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_large_heads_within_the_limits_pass_and_the_page_is_filtered(world: World, scheme: str) -> None:
    fields = "".join(f"X-{number}: {'b' * 250}\r\n" for number in range(900))
    world.answers["/large-head"] = answer(page(), fields + "Content-Type: text/html\r\n")
    asked = "".join(f"Cookie: c{number}={'b' * 250}\r\n" for number in range(900))
    message = ask(world.proxy, world.origins[scheme], "/large-head", WINDOW + asked)
    assert message.body == cut(page())
    assert message.head.count(b"X-") == 900
    assert world.origins[scheme].requests[-1].count(b"Cookie: ") == 900


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_request_with_too_many_fields_is_answered_400_and_not_passed_on(world: World, scheme: str) -> None:
    origin = world.origins[scheme]
    fields = "".join(f"X-{number}: b\r\n" for number in range(MAX_FIELDS + 1))
    message = ask(world.proxy, origin, "/asked-with-many", WINDOW + fields)
    assert message.head.startswith(b"HTTP/1.1 400 ")
    assert b"header fields are more than the proxy takes" in message.body
    assert "/asked-with-many" not in origin.paths()


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("waiting", [False, True])
def test_a_client_that_sends_without_end_is_cut_off(world: World, scheme: str, waiting: bool) -> None:
    """Both in a head, and (waiting) behind a request that is still being answered."""
    origin = world.origins[scheme]
    world.answers["/not-yet"] = waits_for_the_end
    before = resident_bytes(world)
    with open_to(world.proxy, origin) as connection:
        first = request_bytes(origin, "/not-yet", WINDOW) if waiting else b""
        assert not sends_all(connection, first + b"GET / HTTP/1.1\r\nX: ")
    assert resident_bytes(world) - before < MAX_GROWTH_BYTES
    world.answers["/after"] = answer(page())
    assert ask(world.proxy, origin, "/after").body == cut(page())


@pytest.mark.parametrize("host", ["mitm.it", "ads.doubleclick.net"])
def test_the_body_of_a_request_that_is_answered_here_is_not_kept(world: World, host: str) -> None:
    before = resident_bytes(world)
    with socket.create_connection((world.proxy.host, world.proxy.port), timeout=30) as connection:
        head = f"POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: {FLOOD_BYTES}\r\n\r\n"
        assert sends_all(connection, head.encode())
        assert resident_bytes(world) - before < MAX_GROWTH_BYTES
        assert connection.recv(65536).startswith(b"HTTP/1.1 ")


def test_over_http2_a_large_head_is_an_error(world: World) -> None:
    fields = [("content-type", "text/html"), *((f"x-{number}", "b" * 4000) for number in range(20))]
    with (
        running_h2_origin(world.authority, H2Origin(fields, page())) as origin,
        httpx.Client(proxy=world.proxy.url, verify=world.proxy.trust(), http2=True) as client,
    ):
        assert client.get(origin.url("/")).status_code == 502
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(origin.url("/"), headers={f"x-{number}": "b" * 4000 for number in range(20)})


def test_over_http2_a_body_without_a_length_flows_while_it_comes(world: World) -> None:
    with (
        running_h2_origin(world.authority, H2Origin([("content-type", "text/plain")], b"ok")) as origin,
        httpx.Client(proxy=world.proxy.url, verify=world.proxy.trust(), http2=True, timeout=30) as client,
    ):

        def body() -> Iterator[bytes]:
            yield b"first"
            until = time.monotonic() + 10
            while not origin.requests and time.monotonic() < until:
                time.sleep(0.01)
            seen.append(bool(origin.requests))
            yield b"last"

        seen: list[bool] = []
        assert client.post(origin.url("/upload"), content=body()).content == b"ok"
    assert seen == [True]


def test_the_limits_are_exact() -> None:
    assert not problem_of([b"GET / HTTP/1.1", *[b"a: b"] * MAX_FIELDS])
    assert problem_of([b"GET / HTTP/1.1", *[b"a: b"] * (MAX_FIELDS + 1)])
    assert not problem_of([b"a" * MAX_HEAD_BYTES])
    assert problem_of([b"a" * MAX_HEAD_BYTES, b"b"])
