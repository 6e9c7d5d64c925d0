"""The charset of a page: what browsers would read it as, or a refusal."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.charset import Charset, declared, http_label, sniff
from crunchpy.codings import Refused
from crunchpy.reasons import Reason
from tests.shared import SHARED, needs_shared

HTML = "text/html"
XHTML = "application/xhtml+xml"


def codec(body: bytes, content_type: str = HTML) -> str:
    answer = sniff(body, content_type)
    assert isinstance(answer, Charset), answer
    body.decode(answer.codec)
    return answer.codec


def reason(body: bytes, content_type: str = HTML) -> Reason:
    answer = sniff(body, content_type)
    assert isinstance(answer, Refused), answer
    return answer.reason


# --- order of the sources


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"\xef\xbb\xbf<meta charset=koi8-r>\xc3\xbc", "text/html; charset=koi8-r", Charset("utf-8-sig", "bom")),
        (b"<meta charset=koi8-r>\xc3\xbc", "text/html; charset=utf-8", Charset("utf-8", "http")),
        (b"<meta charset=koi8-r>\xc4", HTML, Charset("koi8-r", "meta")),
        (b"<p>\xc3\xbc", HTML, Charset("utf-8", "valid_utf8")),
        (b"<p>\xfc", HTML, Charset("cp1252", "default")),
        (b"<p>\x96 \x81", HTML, Charset("c1_cp1252", "default")),
        (b"<p>plain", HTML, Charset("utf-8", "valid_utf8")),
        (b'<?xml version="1.0" encoding="windows-1251"?><html>\xcf', XHTML, Charset("cp1251", "xml")),
        (b'<?xml version="1.0"?><html><meta charset="koi8-r"/>\xc3\xbc', XHTML, Charset("utf-8", "xml")),
        (b'<?xml version="1.0" encoding="windows-1251"?><html>\xcf', HTML, Charset("cp1251", "meta")),
        (b'<?xml version="1.0" encoding="windows-1251"?><meta charset=koi8-r>\xcf', HTML, Charset("koi8-r", "meta")),
    ],
)
def test_order(body: bytes, content_type: str, expected: Charset) -> None:
    assert sniff(body, content_type) == expected


@pytest.mark.parametrize(
    ("content_type", "label"),
    [
        ("text/html", None),
        ("text/html; charset=utf-8", "utf-8"),
        ("TEXT/HTML;CHARSET=UTF-8", "UTF-8"),
        ("text/html; Charset = 'x'", "'x'"),
        ('text/html; charset="windows-1251"; x=y', "windows-1251"),
        ("text/html; a=b; charset=koi8-r ;c=d", "koi8-r"),
        ("text/html; charset=", None),
        ('text/html; charset=""', ""),
        ("text/html; charset=utf-8; charset=koi8-r", "utf-8"),
        ("text/html; xcharset=utf-8", None),
    ],
)
def test_label_of_the_header(content_type: str, label: str | None) -> None:
    assert http_label(content_type) == label


# --- labels mean what the Encoding standard says


@pytest.mark.parametrize(
    ("label", "body", "text"),
    [
        ("x-sjis", "日本語①".encode("cp932"), "日本語①"),
        ("gb2312", "镕基".encode("gbk"), "镕基"),
        ("gbk", "𠀀".encode("gb18030"), "𠀀"),
        ("windows-874", "ไทย".encode("cp874"), "ไทย"),
        ("tis-620", "ไทย".encode("cp874"), "ไทย"),
        ("iso-8859-1", b"a \x96 b", "a – b"),
        ("ascii", b"a \x96 b", "a – b"),
        ("iso-8859-9", b"\x93\xfd", "“ı"),
        ("iso-8859-8-i", b"\xe0", "א"),
        ("ks_c_5601-1987", "똠방각하".encode("cp949"), "똠방각하"),
        ("big5", "香港嘅".encode("big5hkscs"), "香港嘅"),
        ("euc-jp", "日本①".encode("euc_jis_2004"), "日本①"),
        ("macintosh", b"\x8e", "é"),
        ("x-mac-cyrillic", b"\x80", "А"),
        ("koi8-u", b"\xa4", "є"),
        ("UTF8", "ü".encode(), "ü"),
    ],
)
def test_labels(label: str, body: bytes, text: str) -> None:
    for page, content_type in (
        (body, f"text/html; charset={label}"),
        (b"<meta charset=" + label.encode() + b">" + body, HTML),
    ):
        assert page.decode(codec(page, content_type)).endswith(text)


def test_every_label_of_the_standard_is_readable_or_refused() -> None:
    for label in webencodings.LABELS:
        answer = sniff(b"<p>plain", f"text/html; charset={label}")
        if isinstance(answer, Refused):
            assert answer.reason is Reason.CHARSET_UNSUPPORTED, label
        else:
            assert b"<p>plain".decode(answer.codec) == "<p>plain", label


@pytest.mark.parametrize("page", [1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258])
def test_unassigned_bytes_of_windows_code_pages_are_controls(page: int) -> None:
    body = bytes(range(0x80, 0xA0))
    text = body.decode(codec(body, f"text/html; charset=windows-{page}"))
    assert len(text) == len(body)
    assert all(character == chr(byte) for byte, character in zip(body, text, strict=True) if character < "\xa0")


@pytest.mark.parametrize("label", ["utf8mb4", "klingon", "none", "utf-8,gzip"])
def test_an_unknown_label_counts_as_none(label: str) -> None:
    assert codec(b"<meta charset=koi8-r>\xc4", f"text/html; charset={label}") == "koi8-r"
    assert codec(b"<p>\xc3\xbc", f"text/html; charset={label}") == "utf-8"
    assert codec(b"<meta charset=" + label.encode() + b"><p>\xc3\xbc") == "utf-8"


# --- refusals


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe<\0p\0>\0",
        b"\xfe\xff\0<\0p\0>",
        "<!doctype html><p>ü".encode("utf-16-le"),
        "<!doctype html><p>hello".encode("utf-16-be"),
        "<p>日本語".encode("iso2022_jp"),
        b"<meta charset=iso-2022-jp><p>plain",
        b"<meta charset=hz-gb-2312><p>plain",
        b"<meta charset=utf-7><p>+ADw-b+AD4-",
    ],
)
def test_encodings_whose_tags_are_not_ascii_are_refused(body: bytes) -> None:
    assert reason(body) is Reason.CHARSET_UNSUPPORTED


@pytest.mark.parametrize(
    "label", ["utf-16", "UTF-16LE", "iso-2022-jp", "iso-2022-kr", "utf-7", "utf-32", "x-user-defined"]
)
def test_the_same_by_the_header(label: str) -> None:
    assert reason(b"<p>plain", f"text/html; charset={label}") is Reason.CHARSET_UNSUPPORTED


def test_a_declaration_that_can_be_read_is_not_utf_16() -> None:
    assert codec(b"<meta charset=utf-16><p>\xc3\xbc") == "utf-8"
    assert codec(b"<meta charset=x-user-defined><p>\xfc") == "cp1252"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<p>caf\xe9 <b>end</b></p>", "text/html; charset=utf-8"),
        (b"\xef\xbb\xbf<p>caf\xe9", HTML),
        (b"<meta charset=euc-jp><p>\xff\xff", HTML),
        (b"<p>\x81", "text/html; charset=shift_jis"),
        (b"<html>\xe9</html>", XHTML),
    ],
)
def test_bytes_that_do_not_fit_are_refused(body: bytes, content_type: str) -> None:
    assert reason(body, content_type) is Reason.UNDECODABLE


# --- what a page declares


@pytest.mark.parametrize(
    "body",
    [
        b"<script>t='<meta charset=koi8-r>'</script><p>\xc3\xbcber</p>",
        b"<!-- <meta charset=koi8-r> --><p>\xc3\xbcber</p>",
        b"<title><meta charset=koi8-r></title><p>\xc3\xbcber</p>",
        b"<p title='<meta charset=koi8-r>'>\xc3\xbcber</p>",
        b"</meta charset=koi8-r><p>\xc3\xbcber</p>",
        b"<meta content='text/html; charset=koi8-r'><p>\xc3\xbcber</p>",
        b"<meta name=x charset><p>\xc3\xbcber</p>",
    ],
)
def test_what_only_looks_like_a_declaration(body: bytes) -> None:
    assert sniff(body, HTML) == Charset("utf-8", "valid_utf8")


def test_after_a_script_the_declaration_counts() -> None:
    assert codec(b"<script>a('<meta charset=koi8-r>')</script><meta charset=windows-1251>\xcf") == "cp1251"


def test_a_declaration_in_a_script_counts_only_for_bytes_that_are_not_utf_8() -> None:
    assert codec(b"<script>'<meta charset=koi8-r>'</script>\xc4") == "koi8-r"
    assert codec(b"<script>'<meta charset=koi8-r>'</script>\xc3\xbc") == "utf-8"


def test_a_late_declaration_is_heeded_for_bytes_that_are_not_utf_8() -> None:
    late = b"<head>" + b"<link rel=x>" * 400 + b"<meta charset=windows-1251></head><p>"
    assert sniff(late + b"\xcf", HTML) == Charset("cp1251", "meta")
    assert sniff(late + "Я".encode(), HTML) == Charset("utf-8", "valid_utf8")


def test_the_first_attribute_of_a_name_counts() -> None:
    assert declared(b"<meta charset=koi8-r charset=utf-8>", in_scripts=False) == "koi8-r"
    assert declared(b"<META CHARSET = 'KOI8-R' />", in_scripts=False) == "koi8-r"
    assert declared(b"<meta http-equiv=content-type content='a; charset = \"koi8-r\"'>", in_scripts=False) == "koi8-r"


# --- the cases of the html5lib project


def html5lib_cases() -> Iterator[tuple[str, bytes, str]]:
    folder = SHARED / "html5lib-tests" / "encoding" if SHARED else Path("absent")
    for path in sorted(folder.glob("*.dat")):
        pieces = re.split(rb"(?m)^#data\n", path.read_bytes())[1:]
        for number, piece in enumerate(pieces):
            data, expected = piece.split(b"\n#encoding\n")
            yield f"{path.stem}-{number}", data, expected.decode().strip()


@needs_shared
def test_html5lib_encoding_cases() -> None:
    cases = list(html5lib_cases())
    assert len(cases) == 82
    wrong = {}
    for name, data, expected in cases:
        answer = "utf-8" if data.startswith(b"\xef\xbb\xbf") else declared(data, in_scripts=True) or "windows-1252"
        if webencodings.lookup(answer).name != webencodings.lookup(expected).name:
            wrong[name] = (answer, expected)
    assert not wrong


# --- robustness and speed


@given(st.binary(max_size=400))
def test_any_bytes_get_an_answer(body: bytes) -> None:
    for content_type in (HTML, XHTML, "text/html; charset=shift_jis"):
        answer = sniff(body, content_type)
        if isinstance(answer, Charset):
            body.decode(answer.codec)


@given(st.text(alphabet="<>!-/?= \"'metachrsXML;&\xe9", max_size=300))
def test_any_markup_gets_an_answer(text: str) -> None:
    declared(text.encode(), in_scripts=False)


@pytest.mark.parametrize(
    "piece", [b"<a ", b"<!--", b"<script>", b"<meta charset='", b"<a b=", b"</", b"<?xml ", b"<a/"]
)
def test_hostile_heads_take_no_time(piece: bytes) -> None:
    body = piece * (1_000_000 // len(piece)) + b"\xff"
    started = time.perf_counter()
    sniff(body, HTML)
    assert time.perf_counter() - started < 0.5


def test_utf_8_costs_one_decode() -> None:
    body = b"<!doctype html>" + b"<p>Some words of a paragraph.</p>" * 3000
    started = time.perf_counter()
    for _ in range(100):
        sniff(body, "text/html; charset=utf-8")
    assert time.perf_counter() - started < 0.5
