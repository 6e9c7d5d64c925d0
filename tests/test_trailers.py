"""Trailers over HTTP/1: the body arrives whole, the fields after it are dropped."""

from __future__ import annotations

import h11
from h11._receivebuffer import ReceiveBuffer
from mitmproxy.http import Headers
from mitmproxy.proxy.layers.http import _http1
from mitmproxy.test import tflow

from crunchpy import trailers


def read_all(body: bytes) -> list[object]:
    buffer = ReceiveBuffer()
    buffer += body
    reader = _http1.make_body_reader(None)
    events: list[object] = []
    while not events or not isinstance(events[-1], h11.EndOfMessage):
        events.append(reader(buffer))
    return events


def test_fields_after_a_chunked_body_are_dropped() -> None:
    trailers.install()
    trailers.install()
    data, end = read_all(b"2\r\nhi\r\n0\r\nServer-Timing: a\r\nX: y\r\n\r\n")
    assert isinstance(data, h11.Data)
    assert bytes(data.data) == b"hi"
    assert end == h11.EndOfMessage()


def test_a_body_without_them_is_read_as_before() -> None:
    trailers.install()
    assert read_all(b"2\r\nhi\r\n0\r\n\r\n")[-1] == h11.EndOfMessage()


def test_only_readers_over_http_1_lose_them() -> None:
    for version, kept in (("HTTP/1.1", False), ("HTTP/2.0", True), ("HTTP/3", True)):
        flow = tflow.tflow(resp=True)
        assert flow.response
        flow.request.http_version = version
        flow.response.trailers = Headers(grpc_status="0")
        trailers.drop_for_http1(flow)
        assert (flow.response.trailers is not None) is kept, version
