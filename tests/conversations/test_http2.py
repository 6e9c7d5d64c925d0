"""HTTP/1.1 and HTTP/2 give the same page."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from crunchpy.codings import encode
from tests.conversations.h2_origin import H2Origin, running_h2_origin
from tests.conversations.wire import bare_answer, cut, page, without_generation
from tests.conversations.world import World

BODY = page(b"<p>A line among others.</p>" * 200)
FIELDS = [
    ("content-type", "text/html; charset=utf-8"),
    ("content-encoding", "gzip"),
    ("etag", '"v1"'),
    ("content-md5", "Q2hlY2sgSW50ZWdyaXR5IQ=="),
    ("content-security-policy", "default-src 'self'"),
    ("set-cookie", "a=1"),
    ("set-cookie", "b=2"),
    ("strict-transport-security", "max-age=1"),
    ("alt-svc", 'h3=":443"'),
]
WINDOW = {"sec-fetch-dest": "document", "sec-fetch-mode": "navigate", "accept-encoding": "gzip, dcb"}


def read(world: World, url: str, *, http2: bool) -> httpx.Response:
    with httpx.Client(proxy=world.proxy.url, verify=world.proxy.trust(), http2=http2) as client:
        return client.get(url, headers=WINDOW)


def seen(response: httpx.Response) -> list[tuple[str, bytes]]:
    return sorted((name.lower().decode(), without_generation(value)) for name, value in response.headers.raw)


@pytest.fixture(scope="module")
def origin(world: World) -> Iterator[H2Origin]:
    with running_h2_origin(world.authority, H2Origin(FIELDS, encode(BODY, ("gzip",)))) as running:
        yield running


@pytest.fixture(scope="module")
def same_over_http1(world: World) -> str:
    lines = "".join(f"{name}: {value}\r\n" for name, value in FIELDS)
    coded = encode(BODY, ("gzip",))
    world.answers["/same"] = bare_answer(coded, lines + f"content-length: {len(coded)}\r\n").replace(
        b"Server: o\r\n", b""
    )
    return world.origins["https"].url("/same")


def test_both_versions_give_the_same_page(world: World, origin: H2Origin, same_over_http1: str) -> None:
    over_h2 = read(world, origin.url("/same"), http2=True)
    over_h1 = read(world, same_over_http1, http2=False)
    assert (over_h2.http_version, over_h1.http_version) == ("HTTP/2", "HTTP/1.1")
    assert over_h2.content == over_h1.content == cut(BODY)
    assert seen(over_h2) == seen(over_h1)
    fields = seen(over_h2)
    assert dict(fields)["etag"] == b'W/"crunchpy.GENERATION.s.v1"'
    assert dict(fields)["content-length"] == str(len(encode(cut(BODY), ("gzip",)))).encode()
    assert "content-md5" not in dict(fields)
    assert [value for name, value in fields if name == "set-cookie"] == [b"a=1", b"b=2"]


def test_a_reader_of_http2_gets_a_page_from_an_origin_of_http1(world: World, same_over_http1: str) -> None:
    assert read(world, same_over_http1, http2=True).content == cut(BODY)


def test_the_origin_is_asked_only_for_what_can_be_read(world: World, origin: H2Origin) -> None:
    read(world, origin.url("/alike"), http2=True)
    assert origin.requests[-1][b"accept-encoding"] == b"gzip"
    assert origin.requests[-1][b":path"] == b"/alike"


@pytest.mark.parametrize(("body", "expected"), [(BODY, cut(BODY)), (b"Saved!", b"Saved!")])
def test_trailers_never_stop_a_page(world: World, body: bytes, expected: bytes) -> None:
    answer = H2Origin([("content-type", "text/html")], body, trailers=[("server-timing", "a")])
    with running_h2_origin(world.authority, answer) as running:
        assert read(world, running.url("/trailers"), http2=True).content == expected


def test_an_answer_without_a_length_is_whole(world: World) -> None:
    with running_h2_origin(world.authority, H2Origin([("content-type", "text/html")], BODY)) as running:
        response = read(world, running.url("/no-length"), http2=True)
    assert response.content == cut(BODY)
    assert response.headers["content-length"] == str(len(cut(BODY)))
