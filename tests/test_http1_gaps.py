"""Trailers and interim responses over HTTP/1: both are dropped, and the answer arrives whole."""

from __future__ import annotations

import h11
import pytest
from h11._receivebuffer import ReceiveBuffer
from mitmproxy.http import Headers
from mitmproxy.proxy.layers.http import _http1
from mitmproxy.test import tflow

from crunchpy import http1_gaps


def read_all(body: bytes) -> list[object]:
    buffer = ReceiveBuffer()
    buffer += body
    reader = _http1.make_body_reader(None)
    events: list[object] = []
    while not events or not isinstance(events[-1], h11.EndOfMessage):
        events.append(reader(buffer))
    return events


def test_fields_after_a_chunked_body_are_dropped() -> None:
    http1_gaps.install()
    http1_gaps.install()
    data, end = read_all(b"2\r\nhi\r\n0\r\nServer-Timing: a\r\nX: y\r\n\r\n")
    assert isinstance(data, h11.Data)
    assert bytes(data.data) == b"hi"
    assert end == h11.EndOfMessage()


def test_a_body_without_them_is_read_as_before() -> None:
    http1_gaps.install()
    assert read_all(b"2\r\nhi\r\n0\r\n\r\n")[-1] == h11.EndOfMessage()


def test_only_readers_over_http_1_lose_them() -> None:
    for version, kept in (("HTTP/1.1", False), ("HTTP/2.0", True), ("HTTP/3", True)):
        flow = tflow.tflow(resp=True)
        assert flow.response
        flow.request.http_version = version
        flow.response.trailers = Headers(grpc_status="0")
        http1_gaps.drop_trailers_for_http1(flow)
        assert (flow.response.trailers is not None) is kept, version


@pytest.mark.parametrize(
    ("received", "left"),
    [
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 x\r\n\r\n", b""),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n"),
        (b"HTTP/1.1 101 Switching\r\n\r\nraw", b"HTTP/1.1 101 Switching\r\n\r\nraw"),
        (b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 103 x", b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 103 x"),
        (b"HTTP/1.", b"HTTP/1."),
    ],
)
def test_interim_responses_are_taken_off_the_front(received: bytes, left: bytes) -> None:
    buffer = ReceiveBuffer()
    buffer += received
    http1_gaps.drop_interim(buffer)
    assert bytes(buffer) == left
