"""Headers around a rewritten body: what must change does, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mitmproxy.http import Headers

from crunchpy.headers import ask, fold, not_modified, rewritten, unfold


def lines(text: str) -> Headers:
    return Headers(tuple(line.encode().split(b": ", 1) for line in text.strip().splitlines()))


def text(headers: Headers) -> list[str]:
    return [f"{name.decode()}: {value.decode()}" for name, value in headers.fields]


KEPT = """
Date: Fri, 02 Jan 2026 10:00:00 GMT
Server: x
Content-Type: text/html; Charset=Windows-1251
Content-Encoding: gzip
Content-Security-Policy: default-src 'self'; script-src 'nonce-r4nd'
Content-Security-Policy: img-src 'self'
Content-Security-Policy-Report-Only: default-src 'none'
Strict-Transport-Security: max-age=63072000; includeSubDomains; preload
Set-Cookie: a=1; Path=/; HttpOnly
Set-Cookie: b=2; Secure; SameSite=Lax
Cache-Control: private, max-age=60
Vary: Accept-Encoding, Cookie
Expires: Fri, 02 Jan 2026 10:01:00 GMT
Last-Modified: Thu, 01 Jan 2026 10:00:00 GMT
Alt-Svc: h3=":443"
Link: </style.css>; rel=preload; as=style
X-Odd:  two  spaces
"""


def test_fields_of_use_stay_byte_for_byte() -> None:
    headers = lines(KEPT)
    before = headers.fields
    rewritten(headers, 7, "g1")
    assert headers.fields == (*before, (b"content-length", b"7"))


@pytest.mark.parametrize(
    "stale",
    [
        "Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==",
        "Digest: SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=",
        "Content-Digest: sha-256=:X48E9q=:",
        "Repr-Digest: sha-256=:X48E9q=:",
        "Accept-Ranges: bytes",
        "Transfer-Encoding: chunked",
        "Trailer: Content-Digest",
        "Use-As-Dictionary: match=/x",
        "x-goog-hash: md5=abc",
        "x-amz-checksum-sha256: abc",
        "ETag: unquoted",
    ],
)
def test_what_described_the_old_bytes_goes(stale: str) -> None:
    name, value = stale.split(": ")
    for spelling in (stale, f"{name.upper()}: {value}", f"{stale}\n{stale}"):
        headers = lines(f"Server: x\n{spelling}")
        rewritten(headers, 12, "g1")
        assert text(headers) == ["Server: x", "content-length: 12"]


@pytest.mark.parametrize(
    "before",
    ["Content-Length: 999", "CONTENT-LENGTH: 1\nContent-length: 1", "Content-Length: 5\nTransfer-Encoding: chunked"],
)
def test_one_true_length(before: str) -> None:
    headers = lines(before)
    rewritten(headers, 12, "g1")
    assert headers.get_all("content-length") == ["12"]
    assert len(headers.fields) == 1


def test_a_filtered_page_has_an_etag_of_its_own() -> None:
    headers = lines('Content-Length: 5\nETag: "abc"\nX: y')
    rewritten(headers, 12, "g1")
    assert text(headers) == ["Content-Length: 12", 'ETag: W/"crunchpy.g1.s.abc"', "X: y"]


def test_two_etags_are_none() -> None:
    headers = lines('ETag: "abc"\nETag: "def"')
    rewritten(headers, 12, "g1")
    assert text(headers) == ["content-length: 12"]


@pytest.mark.parametrize(
    ("sent", "passed_on"),
    [
        ('W/"crunchpy.g1.s.abc"', '"abc"'),
        ('W/"crunchpy.g1.w.abc"', 'W/"abc"'),
        ('"crunchpy.g1.s.abc"', '"abc"'),
        ('W/"crunchpy.g1.s.a.b,c"', '"a.b,c"'),
        ('W/"crunchpy.g0.s.abc"', None),
        ('"abc"', None),
        ("*", None),
        ("abc", None),
        ('W/"crunchpy.g0.s.abc", W/"crunchpy.g1.s.def", "ghi"', '"def"'),
        ('W/"crunchpy.g1.s.abc", W/"crunchpy.g1.w.def"', '"abc", W/"def"'),
    ],
)
def test_validators_on_the_way_up(sent: str, passed_on: str | None) -> None:
    headers = lines(f"Host: a\nIf-None-Match: {sent}\nIf-Modified-Since: Thu, 01 Jan 2026 10:00:00 GMT")
    may_be_304 = ask(headers, "g1")
    assert text(headers) == ["Host: a", *([f"If-None-Match: {passed_on}"] if passed_on else [])]
    assert may_be_304 is (passed_on is not None)


@given(
    st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters='"')),
    st.booleans(),
    st.from_regex(r"[0-9A-Za-z_-]{1,20}", fullmatch=True),
)
def test_any_etag_comes_back_as_it_was(opaque: str, weak: bool, generation: str) -> None:
    etag = f'{"W/" if weak else ""}"{opaque}"'
    folded = fold(etag, generation)
    assert folded is not None
    assert folded != etag
    assert unfold(folded, generation) == etag
    assert unfold(folded, generation + "x") is None


def test_a_304_names_the_readers_copy() -> None:
    headers = lines('ETag: "abc"\nContent-MD5: x\nCache-Control: max-age=9')
    not_modified(headers, "g1")
    assert text(headers) == ['ETag: W/"crunchpy.g1.s.abc"', "Cache-Control: max-age=9"]


@pytest.mark.parametrize(
    ("asked", "passed_on"),
    [
        ("Accept-Encoding: gzip, br", "Accept-Encoding: gzip, br"),
        ("accept-encoding: gzip, deflate, br, zstd, dcb, dcz", "accept-encoding: gzip, deflate, br, zstd"),
        ("Accept-Encoding: gzip\nAccept-Encoding: lzma", "Accept-Encoding: gzip"),
        ("Accept-Encoding: *", "Accept-Encoding: identity"),
        ("Available-Dictionary: :abc=:\nDictionary-ID: x", ""),
    ],
)
def test_codings_asked_for(asked: str, passed_on: str) -> None:
    headers = lines(f"Host: a\n{asked}")
    ask(headers, "g1")
    assert text(headers) == ["Host: a", *([passed_on] if passed_on else [])]


def test_nothing_is_asked_for_that_the_reader_did_not_ask_for() -> None:
    headers = lines("Host: a\nCookie: x=1; y=2\nAccept: text/html\nReferer: https://a/")
    before = headers.fields
    assert ask(headers, "g1") is False
    assert headers.fields == before
