"""Bytes, labels, framing: charsets, codings, chunks, ranges, validators."""

from __future__ import annotations

import gzip
import zlib

from crunchpy.codings import encode
from tests.conversations.wire import BARE, GOES, PROSE, WINDOW, Talk, answer, bare_answer, chunked, cut, page

HTML = "Content-Type: text/html\r\n"


def labelled(label: str) -> str:
    return f"Content-Type: text/html; charset={label}\r\n"


def coded(name: str) -> str:
    return f"Content-Type: text/html\r\nContent-Encoding: {name}\r\n"


def filtered(name: str, body: bytes, lines: str = HTML) -> Talk:
    """Only the marked element and the length change."""
    return Talk(name, answer(body, lines), answer(cut(body), lines))


def filtered_coded(name: str, raw: bytes, header: str, after: bytes) -> Talk:
    return Talk(name, answer(raw, coded(header)), answer(after, coded(header)))


def untouched(name: str, body: bytes, because: str, lines: str = HTML) -> Talk:
    return Talk(name, answer(body, lines), because=because)


CYRILLIC = "<p>Привет, это текст. Привет, это ещё один текст на той же странице.</p>"
JAPANESE = "<p>今日は晴れ。散歩した。明日も晴れるといい。</p>" * 4

CHARSETS = [
    filtered(
        "1 windows-1251 by meta alone", page(CYRILLIC.encode("cp1251"), b"<meta charset=windows-1251><title>T</title>")
    ),
    filtered("1 windows-1251 by header", page(CYRILLIC.encode("cp1251")), labelled("windows-1251")),
    filtered("T9 koi8-r by meta alone", page(CYRILLIC.encode("koi8-r"), b"<meta charset=koi8-r>")),
    filtered(
        "T11 a header in capitals", page(CYRILLIC.encode("cp1251")), "CONTENT-TYPE: TEXT/HTML; Charset=Windows-1251\r\n"
    ),
    filtered("T11 windows-874", page("<p>สวัสดีชาวโลก</p>".encode("cp874")), labelled("windows-874")),
    filtered("T11 a label that nobody knows", page("<p>süß</p>".encode()), labelled("utf8mb4")),
    filtered("T11 iso-8859-1 is windows-1252", page(b"<p>a \x96 b \x81</p>"), labelled("iso-8859-1")),
    filtered("T12 no label at all", page("<p>süß</p>".encode())),
    filtered("3a x-sjis", page(JAPANESE.encode("cp932")), labelled("x-sjis")),
    untouched("3b bytes that are not utf-8", page(b"<p>caf\xe9 <b>end</b></p>"), "undecodable", labelled("utf-8")),
    filtered("3c a meta in a script", page("<p>über</p>".encode(), b"<script>t='<meta charset=koi8-r>'</script>")),
    filtered(
        "4 gb2312 that is gbk", page("<p>镕基，今天天气很好，我们去散步。</p>".encode("gbk"), b"<meta charset=gb2312>")
    ),
    untouched("T10 lone surrogate bytes", page(b"<p>\xed\xa0\x80</p>"), "undecodable", labelled("utf-8")),
    untouched("utf-16 by header", page().decode().encode("utf-16"), "charset_unsupported", labelled("utf-16")),
    untouched("utf-16 by its mark", page().decode().encode("utf-16"), "charset_unsupported"),
    untouched("iso-2022-jp", page(JAPANESE.encode("iso2022_jp"), b"<meta charset=iso-2022-jp>"), "charset_unsupported"),
    filtered("a byte order mark", b"\xef\xbb\xbf" + page("<p>süß</p>".encode())),
]

PLAIN = page(b"<p>More of it, line by line.</p>" * 300)
LESS = cut(PLAIN)
HALF = len(PLAIN) // 2


def raw_deflate(body: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, -15)
    return stream.compress(body) + stream.flush()


CODINGS = [
    *(
        filtered_coded(f"6 {name}", encode(PLAIN, (name,)), name, encode(LESS, (name,)))
        for name in ("gzip", "deflate", "br", "zstd")
    ),
    filtered_coded("6c gzip and br", encode(PLAIN, ("gzip", "br")), "gzip, br", encode(LESS, ("gzip", "br"))),
    filtered_coded("6 gzip twice", encode(PLAIN, ("gzip", "gzip")), "gzip,gzip", encode(LESS, ("gzip", "gzip"))),
    filtered_coded("6 x-gzip", gzip.compress(PLAIN), "x-gzip", encode(LESS, ("gzip",))),
    filtered_coded("6 bare deflate", raw_deflate(PLAIN), "deflate", encode(LESS, ("deflate",))),
    filtered_coded(
        "7 two gzip members", gzip.compress(PLAIN[:HALF]) + gzip.compress(PLAIN[HALF:]), "gzip", encode(LESS, ("gzip",))
    ),
    filtered_coded(
        "7 two zstd frames",
        encode(PLAIN[:HALF], ("zstd",)) + encode(PLAIN[HALF:], ("zstd",)),
        "zstd",
        encode(LESS, ("zstd",)),
    ),
    untouched("6a gzip that is plain", PLAIN, "bad_coding", coded("gzip")),
    untouched("6a br that is plain", PLAIN, "bad_coding", coded("br")),
    untouched("6d bzip2", b"BZh91AY&SY", "unknown_coding", coded("bzip2")),
    untouched("6 utf-8 as a coding", PLAIN, "unknown_coding", coded("utf-8")),
    Talk(
        "6b br although only gzip was asked for",
        answer(encode(PLAIN, ("br",)), coded("br")),
        answer(encode(LESS, ("br",)), coded("br")),
        asked=BARE + "Accept-Encoding: gzip\r\n",
    ),
    *(
        untouched(f"T14 half a {name} body under a true length", encode(PLAIN, (name,))[:-40], "truncated", coded(name))
        for name in ("gzip", "deflate", "br", "zstd")
    ),
    *(
        Talk(
            f"7 {name} cut off in the middle",
            answer(encode(PLAIN, (name,)), coded(name))[:-40],
            closes=True,
            because="truncated",
        )
        for name in ("gzip", "br", "zstd")
    ),
    Talk(
        "7 gzip cut off without a length",
        bare_answer(gzip.compress(PLAIN)[:-40], coded("gzip")),
        closes=True,
        because="truncated",
    ),
    untouched(
        "T15 a bomb", gzip.compress(b"<!doctype html>" + b"\0" * 200_000_000, 9), "inflated_too_large", coded("gzip")
    ),
]

CHUNKS = [
    Talk(
        "8 chunks become one length",
        bare_answer(chunked(PLAIN[:7], PLAIN[7:900], PLAIN[900:]), HTML + "Transfer-Encoding: chunked\r\n"),
        bare_answer(LESS, HTML + f"content-length: {len(LESS)}\r\n"),
    ),
    Talk(
        "8 untouched chunks stay chunks",
        bare_answer(chunked(b"Saved", b"!"), HTML + "Transfer-Encoding: chunked\r\n"),
        because="not_a_document",
    ),
    Talk(
        "8 the last chunk is missing",
        bare_answer(chunked(PLAIN)[:-5], HTML + "Transfer-Encoding: chunked\r\n"),
        closes=True,
        because="truncated",
    ),
    Talk(
        "8 the second chunk is no chunk",
        bare_answer(b"4\r\n<p>a\r\nzz\r\n", HTML + "Transfer-Encoding: chunked\r\n"),
        bare_answer(b"4\r\n<p>a\r\n", HTML + "Transfer-Encoding: chunked\r\n"),
        closes=True,
        because="truncated",
    ),
    Talk(
        "8 a body up to the end of the connection",
        bare_answer(PLAIN, HTML),
        bare_answer(LESS, HTML + f"content-length: {len(LESS)}\r\n"),
        closes=True,
    ),
    Talk("8 less than the length", answer(PLAIN, HTML)[:-40], closes=True, because="truncated"),
]

RANGES = [
    Talk(
        "11 a range",
        answer(PLAIN[:100], HTML + 'Content-Range: bytes 0-99/9000\r\nETag: "a"\r\n', "206 Partial Content"),
        asked=WINDOW + 'Range: bytes=0-99\r\nIf-Range: "a"\r\n',
        because="range",
    ),
    Talk(
        "11 a range that the origin ignores",
        answer(PLAIN, HTML),
        asked=WINDOW + "Range: bytes=0-99\r\n",
        because="range",
    ),
    Talk(
        "11 validators and checksums of the old body",
        answer(
            PLAIN,
            HTML
            + 'ETag: "a"\r\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\r\nDigest: SHA-256=X48E=\r\nAccept-Ranges: bytes\r\n'
            "Content-Digest: sha-256=:X48E=:\r\nRepr-Digest: sha-256=:X48E=:\r\nVary: Cookie\r\n"
            "Cache-Control: private, no-store\r\nLast-Modified: Thu, 01 Jan 2026 10:00:00 GMT\r\n",
        ),
        answer(
            LESS,
            HTML + 'ETag: W/"crunchpy.GENERATION.s.a"\r\nVary: Cookie\r\n'
            "Cache-Control: private, no-store\r\nLast-Modified: Thu, 01 Jan 2026 10:00:00 GMT\r\n",
        ),
    ),
    Talk(
        "11 an untouched page keeps its validators",
        answer(b"Saved!", HTML + 'ETag: "a"\r\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\r\nAccept-Ranges: bytes\r\n'),
        because="not_a_document",
    ),
    Talk(
        "11 the validator of an unfiltered copy",
        answer(PLAIN, HTML),
        answer(LESS, HTML),
        asked=WINDOW + 'If-None-Match: "a"\r\nIf-Modified-Since: Thu, 01 Jan 2026 10:00:00 GMT\r\n',
        passed_on=WINDOW,
    ),
    Talk(
        "11 a resource's validators are its own affair",
        answer(b"", 'ETag: "a"\r\n', "304 Not Modified"),
        asked=BARE
        + 'Sec-Fetch-Dest: style\r\nIf-None-Match: "a"\r\nIf-Modified-Since: Thu, 01 Jan 2026 10:00:00 GMT\r\n',
        because=None,
    ),
    Talk(
        "6 only codings that can be read are asked for",
        answer(PLAIN, HTML),
        answer(LESS, HTML),
        asked=BARE + "Accept-Encoding: gzip, br, dcb, dcz\r\nAvailable-Dictionary: :abc=:\r\n",
        passed_on=BARE + "Accept-Encoding: gzip, br\r\n",
    ),
    Talk(
        "6 a resource's codings are its own affair",
        answer(b"body{}", "Content-Type: text/css\r\n"),
        asked=BARE + "Sec-Fetch-Dest: style\r\nAccept-Encoding: gzip, br, dcb, dcz\r\nAvailable-Dictionary: :abc=:\r\n",
        because=None,
    ),
]

TALKS = [*CHARSETS, *CODINGS, *CHUNKS, *RANGES]

assert GOES in PLAIN
assert PROSE in LESS
