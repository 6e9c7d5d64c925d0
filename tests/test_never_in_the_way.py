"""Filtering is never in a reader's way: other requests go on, pages do not mix, and what is slow or large flows."""

from __future__ import annotations

import contextlib
import random
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import httpx
import pytest

from crunchpy.engine import Engine
from tests.faults import make_overlay, page, without_navigation
from tests.origin import Origin, answer, running_origin
from tests.proxy import Proxy, running_proxy

# What an image may have to wait because of pages, at the median: the event loop's own limit is 20 ms.
MAX_WAIT_MS = 20
CHUNKED = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "a"\r\nTransfer-Encoding: chunked\r\n\r\n'
HOLD_SECONDS = 1


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def slow_page(connection: socket.socket) -> None:
    connection.sendall(CHUNKED + chunk(b"<!doctype html><p>1</p>"))
    time.sleep(HOLD_SECONDS * 3)
    connection.sendall(chunk(b"<nav>2</nav>") + chunk(b""))


def event_stream(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
    time.sleep(HOLD_SECONDS * 3)


def endless_page(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><body>")
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b"<p>more</p>" * 10_000)


def broken_chunks(connection: socket.socket) -> None:
    connection.sendall(CHUNKED + b"4\r\n<p>a\r\nzz\r\n")


def cut_off(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n" + page("cut"))


ANSWERS = {
    "/image": answer(b"\x89PNG", "image/png"),
    "/quick": answer(page("quick")),
    "/sleeps": answer(page("FAULT-SLOW")),
    "/stuck": answer(page("FAULT-STUCK")),
    "/dies": answer(page("FAULT-DIE")),
    "/slow": slow_page,
    "/events": event_stream,
    "/endless": endless_page,
    "/broken": broken_chunks,
    "/cut": cut_off,
}


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_overlay(tmp_path_factory.mktemp("overlay"))


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    with running_origin(ANSWERS) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(overlay: Path) -> Iterator[Proxy]:
    options = {"crunchpy_hold_seconds": str(HOLD_SECONDS), "crunchpy_hold_bytes": "1000000"}
    with running_proxy(workers=2, overlays=[overlay], options=options) as running:
        yield running


def get(proxy: Proxy, url: str) -> bytes:
    with httpx.Client(proxy=proxy.url, timeout=30) as client:
        return client.get(url).content


def conversation(proxy: Proxy, url: str, seconds: float) -> list[tuple[float, bytes]]:
    """What arrives at the reader and when, in seconds from the request, until the end or for `seconds`."""
    arrived: list[tuple[float, bytes]] = []
    with socket.create_connection((proxy.host, proxy.port)) as connection:
        began = time.monotonic()
        connection.sendall(f"GET {url} HTTP/1.1\r\nHost: test\r\n\r\n".encode())
        while (left := began + seconds - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                data = connection.recv(65536)
            except TimeoutError:
                break
            arrived.append((time.monotonic() - began, data))
            if not data:
                break
    return arrived


def test_other_requests_go_on_while_a_plugin_sleeps(proxy: Proxy, origin: Origin) -> None:
    with httpx.Client(proxy=proxy.url, timeout=30) as client:
        timed(client, origin.url("/image"))
        delays = []
        for _ in range(3):  # A busy machine delays everything; a blocked loop delays every time.
            delays.append(delay_by_sleeping_pages(proxy, origin, client))
            if delays[-1] < MAX_WAIT_MS:
                return
    raise AssertionError(f"images waited {delays} ms longer while pages were filtered")


def delay_by_sleeping_pages(proxy: Proxy, origin: Origin, client: httpx.Client) -> float:
    """How much longer an image takes at the median, in milliseconds, while both workers sleep on pages."""
    alone = median(timed(client, origin.url("/image")) for _ in range(30))
    with contextlib.ExitStack() as open_sockets:
        readers = [
            open_sockets.enter_context(socket.create_connection((proxy.host, proxy.port), timeout=30)) for _ in range(4)
        ]
        for reader in readers:
            reader.sendall(f"GET {origin.url('/sleeps')} HTTP/1.1\r\nHost: test\r\n\r\n".encode())
        asleep = time.monotonic()
        waits = []
        while time.monotonic() - asleep < 1.5 or not waits:
            waits.append(timed(client, origin.url("/image")))
        for reader in readers:
            assert b"NAVIGATION" not in reader.recv(65536)
    return median(waits) - alone


def timed(client: httpx.Client, url: str) -> float:
    """Milliseconds that one request takes."""
    began = time.perf_counter()
    assert client.get(url).status_code == 200
    return (time.perf_counter() - began) * 1000


def test_a_page_whose_worker_dies_goes_out_as_it_came(proxy: Proxy, origin: Origin) -> None:
    for _ in range(3):
        assert get(proxy, origin.url("/dies")) == page("FAULT-DIE")
    assert get(proxy, origin.url("/quick")) == without_navigation(page("quick"))
    proxy.wait_for_log("untouched: worker_died", count=3)


def test_a_page_whose_worker_is_stuck_goes_out_as_it_came(overlay: Path, origin: Origin) -> None:
    with running_proxy(overlays=[overlay], options={"crunchpy_page_seconds": "1"}) as proxy:
        began = time.monotonic()
        assert get(proxy, origin.url("/stuck")) == page("FAULT-STUCK")
        assert time.monotonic() - began < 5
        assert get(proxy, origin.url("/quick")) == without_navigation(page("quick"))
        proxy.wait_for_log("untouched: filter_timeout")


def test_a_slow_page_begins_to_arrive_within_the_stated_seconds(proxy: Proxy, origin: Origin) -> None:
    arrived = conversation(proxy, origin.url("/slow"), HOLD_SECONDS * 4)
    whole = b"".join(data for _, data in arrived)
    assert arrived[0][0] < HOLD_SECONDS + 0.7
    assert whole.startswith(CHUNKED), "the origin's own headers, the ETag among them"
    assert b"<p>1</p>" in whole
    assert b"<nav>2</nav>" in whole, "unfiltered"
    assert whole.endswith(b"0\r\n\r\n")
    proxy.wait_for_log("untouched: too_slow")


def test_a_stream_of_events_arrives_at_once(proxy: Proxy, origin: Origin) -> None:
    arrived = conversation(proxy, origin.url("/events"), HOLD_SECONDS)
    assert b"data: 1" in b"".join(data for _, data in arrived)
    assert arrived[0][0] < HOLD_SECONDS * 0.8


def test_an_endless_page_flows_past_the_limit_of_bytes(proxy: Proxy, origin: Origin) -> None:
    arrived = conversation(proxy, origin.url("/endless"), HOLD_SECONDS * 0.8)
    assert sum(len(data) for _, data in arrived) > 2_000_000


def test_broken_chunks_are_not_made_whole(proxy: Proxy, origin: Origin) -> None:
    arrived = conversation(proxy, origin.url("/broken"), 10)
    assert b"".join(data for _, data in arrived) == CHUNKED + chunk(b"<p>a")
    assert arrived[-1][1] == b"", "the connection is closed, so that the reader sees that something is missing"
    assert get(proxy, origin.url("/quick")) == without_navigation(page("quick"))


def test_a_body_that_ends_early_arrives_as_far_as_it_came(proxy: Proxy, origin: Origin) -> None:
    arrived = conversation(proxy, origin.url("/cut"), 10)
    whole = b"".join(data for _, data in arrived)
    assert b"Content-Length: 5000\r\n" in whole
    assert whole.endswith(page("cut"))
    assert arrived[-1][1] == b""


def test_pages_do_not_mix_whatever_the_order_and_the_client(overlay: Path) -> None:
    bodies = {f"/page{number}": page(f"only on page {number}", filler_words=20 + number) for number in range(50)}
    engine = Engine.load(overlay)
    alone = {path: engine.filter(body).body for path, body in bodies.items()}
    wanted = random.Random(4).choices(sorted(bodies), k=200)
    answers = {path: answer(body) for path, body in bodies.items()}
    with running_origin(answers) as origin, running_proxy(workers=2, overlays=[overlay]) as proxy:

        def fetch(paths: list[str]) -> list[bytes]:
            with httpx.Client(proxy=proxy.url, timeout=30) as client:
                return [client.get(origin.url(path)).content for path in paths]

        shares = [wanted[start::4] for start in range(4)]
        with ThreadPoolExecutor(4) as clients:
            for paths, results in zip(shares, clients.map(fetch, shares), strict=True):
                assert results == [alone[path] for path in paths]
