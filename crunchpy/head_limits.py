"""Limits on the header fields of HTTP/1 messages, and on whatever else mitmproxy would collect there without an end.

mitmproxy reads a head into memory however long it is, and likewise the line before a chunk, the fields behind the last
chunk, and what a client sends while its last request is still being answered. A hostile origin or client could fill
the memory, and tens of thousands of fields would stop the event loop for seconds. Past the limits the reader gets 400
(of a request) or 502 (of an answer) with a sentence that says why, and the connection that sent too much is closed.
HTTP/2 has limits already: h2 takes 65,536 bytes of fields, and ends the connection of whoever sends more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from mitmproxy.net.http import http1
from mitmproxy.proxy import commands, events
from mitmproxy.proxy.layers.http import _http1
from mitmproxy.proxy.layers.http._base import ReceiveHttp

if TYPE_CHECKING:
    from mitmproxy.proxy.layer import CommandGenerator

# As Chromium's limit on an answer's head; servers take 8 to 64 kB of a request's.
MAX_HEAD_BYTES = 262_144
# Every question about a field goes through all of them. Pages with a hundred cookies have some 150.
MAX_FIELDS = 1000

type ReadHead[Message] = Callable[[list[bytes]], Message]


def problem_of(lines: list[bytes]) -> str:
    """What is too much about the lines of a head, the first of them no field; empty where nothing is."""
    if len(lines) > MAX_FIELDS + 1:
        return f"{len(lines) - 1} header fields are more than the proxy takes, {MAX_FIELDS}"
    size = sum(map(len, lines))
    if size > MAX_HEAD_BYTES:
        return f"{size} bytes of header fields are more than the proxy takes, {MAX_HEAD_BYTES}"
    return ""


def within_limits[Message](read: ReadHead[Message]) -> ReadHead[Message]:
    """The reader of a head, but a head past the limits is refused as one that cannot be read is, by ValueError."""

    def read_within_limits(lines: list[bytes]) -> Message:
        if problem := problem_of(lines):
            raise ValueError(problem)
        return read(lines)

    return read_within_limits


@functools.cache
def install() -> None:
    """Have mitmproxy's HTTP/1 connections keep the limits; only the first call changes anything."""
    http1.read_request_head = within_limits(http1.read_request_head)  # type: ignore[assignment]
    http1.read_response_head = within_limits(http1.read_response_head)  # type: ignore[assignment]
    handle_event = _http1.Http1Connection._handle_event

    def handle_within_limits(self: _http1.Http1Connection, event: events.Event) -> CommandGenerator[None]:
        yield from handle_event(self, event)
        if len(self.buf) > MAX_HEAD_BYTES:
            self.buf.maybe_extract_at_most(len(self.buf))
            if self.state != self.done:  # Some pieces still come while the connection is being closed.
                yield from refuse(self)

    _http1.Http1Connection._handle_event = handle_within_limits  # type: ignore[method-assign]


def refuse(connection: _http1.Http1Connection) -> CommandGenerator[None]:
    """End a connection whose other side has sent more than the limit of what can only be read whole."""
    message = f"More than {MAX_HEAD_BYTES} bytes came where header fields, the size of a chunk or nothing may come."
    is_idle = connection.state == connection.read_headers and isinstance(connection, _http1.Http1Server)
    if is_idle:
        yield commands.SendData(connection.conn, _http1.make_error_response(400, message))
    yield commands.CloseConnection(connection.conn)
    connection.state = connection.done
    if not is_idle and connection.stream_id is not None:
        failure = connection.ReceiveProtocolError
        yield ReceiveHttp(failure(connection.stream_id, message, code=failure.code))
