"""Closes two gaps of mitmproxy's HTTP/1 layer, in both of which the reader would wait for ever.

* Trailers: a chunked body may be followed by header fields. mitmproxy raises NotImplementedError when it reads one, and
  an AssertionError when it is to send one to an HTTP/1 reader (its issue 2474). The standard lets a proxy discard them
  (RFC 9110, 6.5), so they are: the body is whole. Between HTTP/2 and HTTP/2, where gRPC needs them, they pass.
* Interim responses (103 Early Hints): mitmproxy takes one for the answer itself. Over HTTP/2 it swallows them, and
  so they are swallowed here; nothing in them is needed.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

import h11
from mitmproxy.proxy import events
from mitmproxy.proxy.layers.http import _http1

if TYPE_CHECKING:
    from mitmproxy.http import HTTPFlow
    from mitmproxy.proxy.layer import CommandGenerator

type Event = h11.Data | h11.EndOfMessage | None

# 101 ends HTTP on a connection and is an answer of its own.
INTERIM = re.compile(rb"HTTP/1\.[01] 1(?!01)\d\d[ \r\n]")


class TrailerlessReader:
    """Reads a body as the reader that it is given does, but for the fields after its end."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def __call__(self, buffer: Any) -> Event:
        """The next piece of the body, or its end, or None while more bytes are needed."""
        return without_trailers(self.reader(buffer))

    def read_eof(self) -> Event:
        """What the end of the connection means."""
        return without_trailers(self.reader.read_eof())


def without_trailers(event: Event) -> Event:
    """The event, but the end of a message without its fields."""
    return h11.EndOfMessage() if isinstance(event, h11.EndOfMessage) else event


@functools.cache
def install() -> None:
    """Have mitmproxy's HTTP/1 connections read so; only the first call changes anything."""
    make, read_headers = _http1.make_body_reader, _http1.Http1Client.read_headers

    def make_trailerless(expected_size: int | None) -> Any:
        return TrailerlessReader(make(expected_size))

    def read_final_headers(self: _http1.Http1Client, event: events.ConnectionEvent) -> CommandGenerator[None]:
        if isinstance(event, events.DataReceived) and self.request:
            drop_interim(self.buf)
        return read_headers(self, event)

    _http1.make_body_reader = make_trailerless
    _http1.Http1Client.read_headers = read_final_headers  # type: ignore[method-assign]


def drop_interim(buffer: Any) -> None:
    """Take whole interim responses from the front of an h11 receive buffer; one that is still arriving stays."""
    while INTERIM.match(bytes(buffer)) and buffer.maybe_extract_lines():
        pass


def drop_trailers_for_http1(flow: HTTPFlow) -> None:
    """Take the trailers that came over HTTP/2 off a response whose reader speaks HTTP/1."""
    if flow.response and not (flow.request.is_http2 or flow.request.is_http3):
        flow.response.trailers = None
