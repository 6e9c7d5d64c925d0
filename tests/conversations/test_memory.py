"""Many slow large pages at once: past a limit on all of them pages flow as they came, and it is given back."""

from __future__ import annotations

import contextlib
import gc
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from crunchpy.held_bytes import HeldBytes, Share
from crunchpy.holding import Hold
from tests.conversations.wire import WINDOW, Message, answer, ask, bare_answer, cut, open_to, page, request_bytes
from tests.conversations.world import World, running_world

# Of all pages together; one page of `LARGE` fits, two do not.
MAX_BYTES = 300_000
HOLD_SECONDS = 30
FILLER = b"<p>" + b"The road went on. " * 10 + b"</p>"
LARGE = page(FILLER * (180_000 // len(FILLER)))
HTML = "Content-Type: text/html; charset=utf-8\r\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    options = {"crunchpy_hold_total_bytes": str(MAX_BYTES), "crunchpy_hold_seconds": str(HOLD_SECONDS)}
    with running_world(tmp_path_factory.mktemp("authority"), options=options) as running:
        yield running


def stops_before_the_end(
    body: bytes, arrived: threading.Event, go_on: threading.Event
) -> Callable[[socket.socket], None]:
    """An origin that sends all but the last ten bytes, and these when it is told to."""

    def converse(connection: socket.socket) -> None:
        raw = answer(body)
        connection.sendall(raw[:-10])
        arrived.set()
        go_on.wait(30)
        with contextlib.suppress(OSError):
            connection.sendall(raw[-10:])

    return converse


def breaks_off(connection: socket.socket) -> None:
    connection.sendall(bare_answer(LARGE, HTML + f"Content-Length: {len(LARGE) + 1}\r\n"))


def ask_until(world: World, scheme: str, path: str, body: bytes, *, seconds: float = 10) -> Message:
    """The answer once its body is `body`: what another connection gave back is there again a moment later."""
    until = time.monotonic() + seconds
    while (message := ask(world.proxy, world.origins[scheme], path)).body != body and time.monotonic() < until:
        time.sleep(0.1)
    return message


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_page_that_no_longer_fits_flows_as_it_came_and_the_held_one_is_filtered(small: World, scheme: str) -> None:
    arrived, go_on = threading.Event(), threading.Event()
    small.answers["/held"] = stops_before_the_end(LARGE, arrived, go_on)
    small.answers["/second"] = answer(LARGE)
    small.answers["/small"] = answer(page())
    origin = small.origins[scheme]
    with open_to(small.proxy, origin) as reader:
        reader.sendall(request_bytes(origin, "/held", WINDOW))
        assert arrived.wait(10)
        assert ask_until(small, scheme, "/second", LARGE).body == LARGE
        small.proxy.wait_for_log("/second untouched: memory_limit: The pages held at this moment")
        assert ask(small.proxy, origin, "/small").body == cut(page()), "what fits is filtered meanwhile"
        go_on.set()
        received = b""
        while not received.endswith(b"</html>\n"):
            received += reader.recv(1 << 20)
    assert received.partition(b"\r\n\r\n")[2] == cut(LARGE)
    assert ask_until(small, scheme, "/second", cut(LARGE)).body == cut(LARGE), "and now there is room again"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_pages_that_end_in_any_way_give_back_what_they_held(small: World, scheme: str) -> None:
    origin = small.origins[scheme]
    small.answers["/whole"] = answer(LARGE)
    small.answers["/broken-off"] = breaks_off
    for _ in range(4):
        message = ask(small.proxy, origin, "/broken-off")
        assert (message.body, message.end) == (LARGE, "cut")
        gone_before_the_end(small, scheme)
    assert ask_until(small, scheme, "/whole", cut(LARGE)).body == cut(LARGE)


def gone_before_the_end(world: World, scheme: str) -> None:
    """A reader that goes away while its page is held."""
    arrived, go_on = threading.Event(), threading.Event()
    world.answers["/left"] = stops_before_the_end(LARGE, arrived, go_on)
    origin = world.origins[scheme]
    with open_to(world.proxy, origin) as reader:
        reader.sendall(request_bytes(origin, "/left", WINDOW))
        assert arrived.wait(10)
        time.sleep(0.1)
    go_on.set()


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running_world(tmp_path_factory.mktemp("authority"), options={"crunchpy_hold_total_bytes": "9000000"}) as world:
        yield world


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("reads", [True, False])
def test_a_page_that_its_reader_does_not_take_counts_until_it_does(roomy: World, scheme: str, reads: bool) -> None:
    """It is in the proxy's memory until the reader takes it, or goes away (reads=False)."""
    huge = page(FILLER * (7_000_000 // len(FILLER)))
    origin = roomy.origins[scheme]
    roomy.answers["/huge"] = answer(huge)
    roomy.answers["/next"] = answer(LARGE + b" " * 2_500_000)
    time.sleep(0.5)  # What the test before has read is given back a moment later.
    slow = open_to(roomy.proxy, origin)
    with slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 131_072)  # else the system may take it all by itself
        slow.sendall(request_bytes(origin, "/huge", WINDOW))
        assert slow.recv(1000).startswith(b"HTTP/1.1 200 OK")
        time.sleep(0.3)

        assert ask(roomy.proxy, origin, "/next").body == LARGE + b" " * 2_500_000
        roomy.proxy.wait_for_log("/next untouched: memory_limit")
        while reads and not slow.recv(1 << 20).endswith(b"</html>\n"):
            pass
        if reads:
            assert ask_until(roomy, scheme, "/next", cut(LARGE) + b" " * 2_500_000).body.startswith(cut(LARGE)[:500])
    filtered = cut(LARGE) + b" " * 2_500_000
    assert ask_until(roomy, scheme, "/next", filtered).body == filtered


def test_what_an_error_leaves_behind_is_given_back_too() -> None:
    all_pages = HeldBytes(10)
    hold = Hold.within(max_bytes=5, seconds=1, all_pages=all_pages)
    hold.share.add(11)
    assert all_pages.is_full
    del hold
    gc.collect()
    assert (all_pages.held, all_pages.is_full) == (0, False)


def test_a_share_is_given_back_once() -> None:
    all_pages = HeldBytes(10)
    first, second = Share(all_pages), Share(all_pages)
    first.add(4)
    second.add(5)
    first.give_back()
    first.give_back()
    assert all_pages.held == 5
