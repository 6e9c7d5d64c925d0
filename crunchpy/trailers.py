"""Drops trailers where HTTP/1 is spoken, since mitmproxy cannot carry them there and stops the connection dead.

A chunked body may be followed by header fields. mitmproxy raises NotImplementedError when it reads one, and an
AssertionError when it is to send one to an HTTP/1 reader; either way the reader waits for ever
(mitmproxy issue 2474). The standard lets a proxy discard trailers (RFC 9110, 6.5), so they are: the body is whole.
Between HTTP/2 and HTTP/2, where gRPC needs them, they pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
from mitmproxy.proxy.layers.http import _http1

if TYPE_CHECKING:
    from mitmproxy.http import HTTPFlow

type Event = h11.Data | h11.EndOfMessage | None


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


def install() -> None:
    """Have mitmproxy's HTTP/1 connections read bodies so; doing it twice changes nothing."""
    make = _http1.make_body_reader
    if getattr(make, "drops_trailers", False):
        return

    def make_trailerless(expected_size: int | None) -> Any:
        return TrailerlessReader(make(expected_size))

    make_trailerless.drops_trailers = True  # type: ignore[attr-defined]
    _http1.make_body_reader = make_trailerless


def drop_for_http1(flow: HTTPFlow) -> None:
    """Take the trailers that came over HTTP/2 off a response whose reader speaks HTTP/1."""
    if flow.response and not (flow.request.is_http2 or flow.request.is_http3):
        flow.response.trailers = None
