"""mitmproxy has what the shortcuts and the stream of held pages rely on, and they change nothing that can be seen."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from mitmproxy import http
from mitmproxy.connection import Client, ConnectionState
from mitmproxy.net import check
from mitmproxy.net.http import url
from mitmproxy.options import Options
from mitmproxy.proxy import commands, events, mode_servers
from mitmproxy.proxy.context import Context
from mitmproxy.proxy.layers.http import HttpLayer, HTTPMode
from mitmproxy.proxy.layers.http._hooks import HttpResponseHeadersHook
from mitmproxy.proxy.mode_specs import ProxyMode

from crunchpy import holding, shortcuts
from crunchpy.held_bytes import HeldBytes
from crunchpy.hook_table import TableMaster

REQUEST = b"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"


@pytest.fixture(autouse=True)
def installed() -> None:
    assert callable(http.MessageData.__post_init__)
    shortcuts.install()
    holding.install()


def test_requests_and_responses_are_made_without_looking_up_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mitmproxy.utils.typecheck.check_option_type", lambda *_: pytest.fail("types were looked up"))
    assert http.Response.make(200, b"body").content == b"body"
    assert http.Request.make("GET", "http://example.com/a").path == "/a"


@pytest.mark.parametrize(
    ("host", "is_valid"),
    [
        ("example.com", True),
        ("bücher.example", True),
        ("a b", False),
        ("x" * 300, False),
        ("::1", True),
        (b"\xff", False),
    ],
)
def test_hosts_are_judged_as_before(host: Any, is_valid: bool) -> None:
    for _ in range(2):  # the second time from memory
        assert url.is_valid_host(host) is is_valid  # type: ignore[attr-defined]
        assert check.is_valid_host(host) is is_valid


def test_a_read_takes_all_that_has_come() -> None:
    async def read() -> list[int]:
        reader = asyncio.StreamReader()
        reader.feed_data(b"x" * 300_000)
        reader.feed_eof()
        wide = shortcuts.WideReader(reader)
        return [len(await wide.read(65_535)) for _ in range(3)]

    assert asyncio.run(read()) == [262_144, 300_000 - 262_144, 0]
    assert mode_servers.ProxyConnectionHandler is shortcuts.WideHandler


def drive(layer: HttpLayer, event: events.Event, flows: list[Any]) -> Iterator[bytes]:
    """Pass an event to the layer, play the part of the proxy's core, and give what is sent; for a timer, `b"TIMER"`."""
    waiting: list[events.Event] = []
    for command in layer.handle_event(event):
        if isinstance(command, commands.StartHook):
            flow = command.args()[0]
            if isinstance(command, HttpResponseHeadersHook):
                holding.Hold.within(max_bytes=1000, seconds=60, all_pages=HeldBytes(1000)).attach(flow)
            if all(flow is not known() for known in flows):
                flows.append(weakref.ref(flow))
            del flow
            waiting.append(events.HookCompleted(command))
        elif isinstance(command, commands.OpenConnection):
            command.connection.state = ConnectionState.OPEN
            yield from drive(layer, events.OpenConnectionCompleted(command, None), flows)
        elif isinstance(command, commands.SendData):
            yield command.data
        elif isinstance(command, commands.RequestWakeup):
            yield b"TIMER"
    for completed in waiting:  # as in mitmproxy, where an addon answers after the event has gone through all layers
        yield from drive(layer, completed, flows)


def exchange(options: Options, flows: list[Any], *pieces: bytes) -> tuple[HttpLayer, list[bytes]]:
    """One page through an HTTP layer; the layer, which stands for the open connection, and what each piece brought."""
    client = Client(
        peername=("192.0.2.1", 1), sockname=("192.0.2.2", 2), state=ConnectionState.OPEN,
        proxy_mode=ProxyMode.parse("regular"), timestamp_start=0,
    )  # fmt: skip
    layer = HttpLayer(Context(client, options), HTTPMode.regular)
    list(drive(layer, events.Start(), flows))
    list(drive(layer, events.DataReceived(client, REQUEST), flows))
    server = next(connection for connection in layer.connections if connection is not client)
    return layer, [b"".join(drive(layer, events.DataReceived(server, piece), flows)) for piece in pieces]


def test_a_page_that_has_been_sent_is_not_kept() -> None:
    async def run() -> None:
        master = TableMaster(Options())
        flows: list[Any] = []
        gc.collect()
        gc.disable()
        try:
            layer, sent = exchange(master.options, flows, ANSWER)
            assert sent == [ANSWER], "a page that comes whole needs no timer"
            assert [flow() for flow in flows] == [None], "the connection, or a cycle, keeps the page"
            assert layer.connections
        finally:
            gc.enable()
            master._legacy_log_events.uninstall()

    asyncio.run(run())


@pytest.mark.parametrize("first", [len(ANSWER) - 4, len(ANSWER) - 1])
def test_a_page_of_which_something_is_missing_has_a_timer(first: int) -> None:
    async def run() -> None:
        master = TableMaster(Options())
        try:
            _, sent = exchange(master.options, [], ANSWER[:first], ANSWER[first:])
            assert sent == [b"TIMER", ANSWER]
        finally:
            master._legacy_log_events.uninstall()

    asyncio.run(run())
