"""The gate: what may be filtered, and the one reason for everything that may not."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mitmproxy.http import Headers
from mitmproxy.test import tflow

from crunchpy.gate import at_body, at_headers, at_request, host_names, is_excepted, is_page_load
from crunchpy.reasons import Reason, sentence
from tests.shared import documents, needs_shared


@dataclass
class Asked:
    headers: Headers = field(default_factory=Headers)
    method: str = "GET"
    pretty_host: str = "news.example"


@dataclass
class Answered:
    headers: Headers
    status_code: int = 200


BROWSER = "Sec-Fetch-Dest: document\nSec-Fetch-Mode: navigate\nSec-Fetch-Site: none\nUpgrade-Insecure-Requests: 1"


def lines(text: str) -> Headers:
    return Headers(tuple(line.encode().split(b": ", 1) for line in text.splitlines()))


def of_request(text: str, **attributes: str) -> Reason | None:
    return at_request(Asked(lines(text), **attributes)).reason


def of_response(text: str, status_code: int = 200, request: str = BROWSER) -> Reason | None:
    return at_headers(Asked(lines(request)), Answered(lines(text), status_code)).reason


# --- the request


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Host: a\nAccept: */*",
        BROWSER,
        BROWSER.replace("document", "iframe"),
        BROWSER.replace("document", "frame"),
        "X-Requested-With: org.example.browser",
        "Cache-Control: no-cache\nPragma: no-cache",
        "Cache-Control: max-age=0",
        "Sec-Purpose: prefetch\n" + BROWSER,
    ],
)
def test_windows_and_frames_ask_for_pages(text: str) -> None:
    assert of_request(text) is None


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "get"])
def test_only_get(method: str) -> None:
    assert of_request("", method=method) is Reason.NOT_GET


@pytest.mark.parametrize(
    "destination",
    [
        "audio",
        "audioworklet",
        "embed",
        "empty",
        "fencedframe",
        "font",
        "image",
        "json",
        "manifest",
        "object",
        "paintworklet",
        "report",
        "script",
        "serviceworker",
        "sharedworker",
        "style",
        "track",
        "video",
        "webidentity",
        "worker",
        "xslt",
        "anything-new",
    ],
)
def test_every_other_destination_is_no_page(destination: str) -> None:
    assert of_request(f"Sec-Fetch-Dest: {destination}") is Reason.WORKER_OR_FETCH


@pytest.mark.parametrize("mode", ["cors", "no-cors", "same-origin", "websocket"])
def test_only_navigations(mode: str) -> None:
    assert of_request(f"Sec-Fetch-Dest: document\nSec-Fetch-Mode: {mode}") is Reason.WORKER_OR_FETCH


@pytest.mark.parametrize(
    "header",
    [
        "HX-Request: true",
        "hx-request: true",
        "Turbo-Frame: list",
        "X-Requested-With: XMLHttpRequest",
        "X-Requested-With: fetch",
        "X-PJAX: true",
        "X-Inertia: true",
        "X-Up-Version: 3.0",
    ],
)
def test_scripts_that_fetch_pieces_of_pages(header: str) -> None:
    assert of_request(header) is Reason.FRAGMENT


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Range: bytes=0-99", Reason.RANGE),
        ("Upgrade: websocket", Reason.UPGRADE),
        ("Cache-Control: no-cache, No-Transform", Reason.NO_TRANSFORM),
        ("Cache-Control: no-cache\nCache-Control: no-transform", Reason.NO_TRANSFORM),
    ],
)
def test_other_requests_that_are_left_alone(header: str, reason: Reason) -> None:
    assert of_request(f"{BROWSER}\n{header}") is reason


@pytest.mark.parametrize(
    ("host", "excepted"),
    [
        ("bank.example", True),
        ("BANK.example", True),
        ("www.bank.example", True),
        ("bank.example.", True),
        ("notbank.example", False),
        ("example", False),
        ("bank.example.org", False),
        ("wild.test", True),
        ("a.wild.test", True),
        ("xn--bcher-kva.example", True),
        ("192.0.2.7", True),
        ("2.7", False),
    ],
)
def test_excepted_hosts(host: str, excepted: bool) -> None:
    names = host_names(["Bank.Example", "*.wild.test", "Bücher.example", "192.0.2.7"])
    assert is_excepted(host, names) is excepted
    assert at_request(Asked(pretty_host=host), names).reason is (Reason.EXCEPTED_HOST if excepted else None)


def test_what_the_browser_says_itself() -> None:
    assert is_page_load(Asked(lines(BROWSER)))
    assert not is_page_load(Asked())
    assert not is_page_load(Asked(lines("Sec-Fetch-Dest: empty")))


def test_mitmproxys_own_objects_fit() -> None:
    flow = tflow.tflow(resp=True)
    assert flow.response
    flow.response.headers = Headers(content_type="text/html")
    assert at_headers(flow.request, flow.response).may_filter


# --- the response's headers


@pytest.mark.parametrize(
    "text",
    [
        "Content-Type: text/html",
        "Content-Type: TEXT/HTML; Charset=x",
        "content-type: application/xhtml+xml;charset=utf-8",
        "Content-Type: text/html\nContent-Type: text/html",
        "Content-Type: text/html\nContent-Length: 10000000",
        "Content-Type: text/html\nContent-Encoding: gzip, br",
        "Content-Type: text/html\nContent-Disposition: inline; filename=a.html",
        "Content-Type: text/html\nCache-Control: no-store, private",
        "Content-Type: text/html\nTransfer-Encoding: chunked\nX-Content-Type-Options: nosniff",
    ],
)
def test_pages(text: str) -> None:
    assert of_response(text) is None


@pytest.mark.parametrize(
    "status", [100, 103, 201, 203, 204, 205, 226, 301, 302, 304, 307, 401, 403, 404, 410, 500, 503]
)
def test_only_successes(status: int) -> None:
    assert of_response("Content-Type: text/html", status) is Reason.STATUS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.NO_TYPE),
        ("Content-Type:   ", Reason.NO_TYPE),
        ("Content-Type: text/plain", Reason.NOT_HTML),
        ("Content-Type: application/json", Reason.NOT_HTML),
        ("Content-Type: application/xml", Reason.NOT_HTML),
        ("Content-Type: text/htmlx", Reason.NOT_HTML),
        ("Content-Type: image/svg+xml", Reason.NOT_HTML),
        ("Content-Type: text/vnd.turbo-stream.html", Reason.NOT_HTML),
        ("Content-Type: text/event-stream", Reason.STREAM),
        ("Content-Type: multipart/x-mixed-replace; boundary=x", Reason.STREAM),
        ("Content-Type: multipart/byteranges; boundary=x", Reason.NOT_HTML),
        ("Content-Type: text/html\nContent-Type: text/plain", Reason.BAD_HEADERS),
        ("Content-Type: text/plain, text/html", Reason.BAD_HEADERS),
        ("Content-Type: text/html\nContent-Length: 5\nContent-Length: 6", Reason.BAD_HEADERS),
        ("Content-Type: text/html\nContent-Length: -5", Reason.BAD_HEADERS),
        ("Content-Type: text/html\nContent-Length: 5, 5", Reason.BAD_HEADERS),
        ("Content-Type: text/html\nContent-Length: ٥", Reason.BAD_HEADERS),
        ("Content-Type: text/html; charset=utf-16", Reason.CHARSET_UNSUPPORTED),
        ("Content-Type: text/html\nContent-Range: bytes 0-9/99", Reason.RANGE),
        ("Content-Type: text/html\nCache-Control: public, no-transform", Reason.NO_TRANSFORM),
        ("Content-Type: text/html\nContent-Disposition: attachment", Reason.ATTACHMENT),
        ("Content-Type: text/html\nContent-Disposition: ATTACHMENT; filename=x", Reason.ATTACHMENT),
        ("Content-Type: text/html\nContent-Disposition: filename=x", Reason.ATTACHMENT),
        ("Content-Type: text/html\nSignature-Input: sig1=()", Reason.SIGNED),
        ("Content-Type: text/html\nContent-Encoding: bzip2", Reason.UNKNOWN_CODING),
        ("Content-Type: text/html\nContent-Encoding: gzip\nContent-Encoding: dcb", Reason.UNKNOWN_CODING),
        ("Content-Type: text/html\nContent-Length: 10000001", Reason.TOO_LARGE),
        ("Content-Type: text/html\nContent-Length: " + "9" * 5000, Reason.TOO_LARGE),
        ("Content-Type: text/html\nContent-Length: 0", Reason.EMPTY),
    ],
)
def test_answers_that_are_left_alone(text: str, reason: Reason) -> None:
    assert of_response(text) is reason


def test_a_part_of_a_page() -> None:
    assert of_response("Content-Type: text/html", 206) is Reason.RANGE


def test_the_request_is_asked_first() -> None:
    assert of_response("Content-Type: text/html", request="Sec-Fetch-Dest: worker") is Reason.WORKER_OR_FETCH


# --- the body


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><p>x",
        b"<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><p>x",
        b"\xef\xbb\xbf\r\n <!doctype html>",
        b"<!-- saved --><!-- twice --><html>",
        b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "x" "y"><html xmlns="z">',
        b"<HTML lang=de>",
        b"<head><title>T</title>",
        b"<body class='a>b'>",
        b"<!-- " + b"licence " * 1000 + b"--><html>",
        b"<br>\n<b>Warning</b>: something in line 3<!doctype html><html>",
        b"<script>var a = 1 < 2</script><html>",
    ],
)
def test_whole_documents(body: bytes) -> None:
    assert at_body(body).may_filter


@pytest.mark.parametrize(
    "body",
    [
        b"<tr id=r2><td>Pen</td><td>3</td></tr>",
        b"<option value=2>Two</option>",
        b"Saved!",
        b'{"html":"<p>Hi</p>","n":2}',
        b'["<html>"]',
        b'"<!doctype html>"',
        b"if(a<2&&b>0){go()}",
        b"<rss version=2.0><channel><html>",
        b"<svg xmlns=x><title>t</title></svg>",
        b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"></feed>',
        b"<!DOCTYPE svg PUBLIC 'x'><svg>",
        b"<div><script>w('<html>')</script></div>",
        b"<template><html></template>",
        b"<!-- <html> --><p>x",
        b"<div title='<html>'>x</div>",
        b"</html>",
        b"\x89PNG\r\n\x1a\n",
        b"%PDF-1.7 <html>",
        b"<p>" + b"words " * 500 + b"<html>",
    ],
)
@pytest.mark.parametrize("page_load", [False, True])
def test_pieces_and_wrong_labels(body: bytes, page_load: bool) -> None:
    expected = None if b"rss" in body else Reason.NOT_A_DOCUMENT
    assert at_body(body, page_load=page_load).reason is expected


@pytest.mark.parametrize("body", [b"<title>T</title><p>x", b"<meta charset=windows-1251>", b"<base href=/><p>x"])
def test_a_document_without_html_and_head_needs_the_browsers_word(body: bytes) -> None:
    assert at_body(body).reason is Reason.NOT_A_DOCUMENT
    assert at_body(body, page_load=True).may_filter


@pytest.mark.parametrize("body", [b"", b" \r\n\t", b"<!-- nothing -->", b"\xef\xbb\xbf", b" <!-- a --> <!-- b -->\n"])
def test_nothing_at_all(body: bytes) -> None:
    assert at_body(body).reason is Reason.EMPTY


def test_utf_16_is_named_as_such() -> None:
    for codec in ("utf-16-le", "utf-16-be"):
        assert at_body("\ufeff<!doctype html>".encode(codec)).reason is Reason.CHARSET_UNSUPPORTED


def test_framesets() -> None:
    frames = b'<frameset cols="20%,80%"><frame src=menu.html><noframes><p>x</p></noframes></frameset>'
    for start in (b"<!doctype html><html><head><title>T</title></head>", b"<html>", b"<HTML><HEAD></HEAD>", b""):
        assert at_body(start + frames).reason is Reason.FRAMESET
        assert at_body(start + frames.replace(b"<frameset", b"<FRAMESET")).reason is Reason.FRAMESET
    assert at_body(b"<html><body><p>About &lt;frameset: <code><frameset ></code>").may_filter


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(body: bytes) -> None:
    at_body(body)
    at_body(b"<" + body, page_load=True)


@pytest.mark.parametrize(
    "piece", [b"<a ", b'<a "', b"<!--", b"<?", b"<script>", b"<", b" ", b"<!doctype ", b"<!-- -->"]
)
def test_hostile_starts_take_no_time(piece: bytes) -> None:
    body = piece * (2_000_000 // len(piece))
    started = time.perf_counter()
    at_body(body)
    assert time.perf_counter() - started < 1


@needs_shared
def test_real_pages_are_pages() -> None:
    decisions = {document.id: at_body(document.body, page_load=True) for document in documents("readability")}
    assert len(decisions) > 100
    assert {name: decision for name, decision in decisions.items() if not decision.may_filter} == {}


# --- the reasons


def test_every_reason_has_one_sentence() -> None:
    sentences = [reason.sentence for reason in Reason]
    assert len(set(sentences)) == len(sentences)
    assert all(text[0].isupper() and text.endswith(".") and text.count(". ") == 0 for text in sentences)


def test_a_reason_is_its_code() -> None:
    assert sentence("not_get") == Reason.NOT_GET.sentence
    assert sentence("from_elsewhere") == "from_elsewhere"
    assert f"{Reason.NOT_GET}" == "not_get"
