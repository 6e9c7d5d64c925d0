"""Content codings: decoded to the last byte within limits, or refused with the right reason."""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crunchpy import codings
from crunchpy.codings import CodingLimits, Decoded, Refused, acceptable, codings_of, decode, encode
from crunchpy.reasons import Reason

PAGE = b"<!doctype html><title>T</title>" + b"".join(b"<p>Line %d of it.</p>" % n for n in range(900))
ONE = [("gzip",), ("deflate",), ("br",), ("zstd",)]
STACKED = [("gzip", "br"), ("gzip", "gzip"), ("br", "zstd"), ("deflate", "gzip", "br")]


def raw_deflate(body: bytes) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(body) + stream.flush()


@pytest.mark.parametrize("applied", [(), *ONE, *STACKED])
def test_what_was_encoded_is_decoded(applied: tuple[str, ...]) -> None:
    assert decode(encode(PAGE, applied), ", ".join(applied)) == Decoded(PAGE, applied)


@given(st.binary(max_size=3000), st.sampled_from([*ONE, *STACKED]))
@settings(max_examples=150, deadline=None)
def test_any_bytes_survive_the_way_there_and_back(body: bytes, applied: tuple[str, ...]) -> None:
    assert decode(encode(body, applied), ",".join(applied)) == Decoded(body, applied)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ()),
        ("identity", ()),
        ("GZIP", ("gzip",)),
        ("x-gzip", ("gzip",)),
        ("gzip, br", ("gzip", "br")),
        (" gzip ,, identity ", ("gzip",)),
        ("bzip2", None),
        ("utf-8", None),
        ("none", None),
        ("gzip, bzip2", None),
        ("gzip, gzip, gzip, gzip", None),
    ],
)
def test_header_values(value: str, expected: tuple[str, ...] | None) -> None:
    assert codings_of(value) == expected


def test_bare_deflate_stream_is_read_and_goes_out_in_the_standard_format() -> None:
    decoded = decode(raw_deflate(PAGE), "deflate")
    assert decoded == Decoded(PAGE, ("deflate",))
    assert zlib.decompress(encode(PAGE, ("deflate",))) == PAGE


def test_several_members_in_a_row_are_one_body() -> None:
    half = len(PAGE) // 2
    for coding in ("gzip", "zstd"):
        body = encode(PAGE[:half], (coding,)) + encode(PAGE[half:], (coding,))
        assert decode(body, coding) == Decoded(PAGE, (coding,)), coding


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9, 0.999])
def test_a_cut_off_body_is_refused_at_any_place(coding: str, share: float) -> None:
    coded = encode(PAGE, (coding,))
    cut = max(1, min(len(coded) - 1, int(len(coded) * share)))
    answer = decode(coded[:cut], coding)
    assert isinstance(answer, Refused)
    assert answer.reason in (Reason.TRUNCATED, Reason.BAD_CODING)


def test_a_cut_off_body_is_called_truncated() -> None:
    for coding in ("gzip", "deflate", "br", "zstd"):
        coded = encode(PAGE, (coding,))
        assert decode(coded[: len(coded) // 2], coding) == Refused(Reason.TRUNCATED, coding), coding


def test_a_cut_off_second_member_is_refused() -> None:
    for coding in ("gzip", "zstd"):
        whole = encode(PAGE, (coding,))
        answer = decode(whole + whole[:-5], coding)
        assert isinstance(answer, Refused), coding


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("body", [b"<p>hi</p>", b"\x00" * 40, b"<!doctype html>" + b"x" * 500])
def test_a_lying_label_is_refused(coding: str, body: bytes) -> None:
    answer = decode(body, coding)
    assert isinstance(answer, Refused)
    assert answer.reason in (Reason.BAD_CODING, Reason.TRUNCATED)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_bytes_after_the_end_are_refused(coding: str) -> None:
    answer = decode(encode(PAGE, (coding,)) + b"<p>more</p>", coding)
    assert isinstance(answer, Refused)
    assert answer.reason is Reason.BAD_CODING


def test_a_wrong_checksum_is_refused() -> None:
    coded = bytearray(gzip.compress(PAGE))
    coded[-6] ^= 0xFF
    assert isinstance(decode(bytes(coded), "gzip"), Refused)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_an_empty_coded_body_is_refused(coding: str) -> None:
    assert isinstance(decode(b"", coding), Refused)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_costs_its_limit_and_no_more(coding: str) -> None:
    bomb = encode(b"\0" * 60_000_000, (coding,))
    tracemalloc.start()
    answer = decode(bomb, coding, CodingLimits(max_inflated_bytes=2_000_000))
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(answer, Refused)
    assert answer.reason in (Reason.INFLATED_TOO_LARGE, Reason.RATIO)
    assert peak_bytes < 8_000_000


def test_a_bomb_of_many_small_members_is_refused() -> None:
    answer = decode(gzip.compress(b"\0" * 50_000) * 100, "gzip", CodingLimits(max_inflated_bytes=2_000_000))
    assert isinstance(answer, Refused)
    assert answer.reason is Reason.RATIO


def test_a_body_of_endless_empty_members_is_refused_at_once() -> None:
    for coding in ("gzip", "zstd"):
        started = time.perf_counter()
        answer = decode(encode(b"", (coding,)) * 400_000, coding)
        assert isinstance(answer, Refused), coding
        assert time.perf_counter() - started < 3, coding


def test_a_bomb_in_a_bomb_is_refused() -> None:
    bomb = encode(b"\0" * 30_000_000, ("gzip", "gzip"))
    answer = decode(bomb, "gzip, gzip")
    assert isinstance(answer, Refused)
    assert answer.reason is Reason.RATIO


def test_which_limit_was_passed() -> None:
    body = b"\0" * 100_000
    coded = encode(body, ("gzip",))
    by_bytes = decode(coded, "gzip", CodingLimits(max_inflated_bytes=99_999, max_ratio=1e9))
    by_ratio = decode(coded, "gzip", CodingLimits(max_ratio=2, ratio_from_bytes=50_000))
    plain = decode(body, "", CodingLimits(max_inflated_bytes=99_999))
    assert [refused.reason for refused in (by_bytes, by_ratio, plain) if isinstance(refused, Refused)] == [
        Reason.INFLATED_TOO_LARGE,
        Reason.RATIO,
        Reason.TOO_LARGE,
    ]
    exact = CodingLimits(max_inflated_bytes=100_000, max_ratio=1e9)
    assert decode(coded, "gzip", exact) == Decoded(body, ("gzip",))


def test_a_plain_body_has_no_ratio() -> None:
    body = os.urandom(3000)
    assert decode(body, "", CodingLimits(max_ratio=0.1, ratio_from_bytes=1)) == Decoded(body, ())


def test_equal_pages_give_equal_bytes() -> None:
    for coding in codings._DEFLATE:
        assert encode(PAGE, (coding,)) == encode(PAGE, (coding,)), coding


def test_brotli_at_any_quality_is_read() -> None:
    for quality in (0, 5, 11):
        assert decode(brotli.compress(PAGE, quality=quality), "br") == Decoded(PAGE, ("br",))


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("gzip, deflate, br, zstd", "gzip, deflate, br, zstd"),
        ("gzip, deflate, br, zstd, dcb, dcz", "gzip, deflate, br, zstd"),
        ("br;q=1.0, gzip;q=0.5, *;q=0", "br;q=1.0, gzip;q=0.5"),
        ("*", "identity"),
        ("", "identity"),
        ("compress", "identity"),
        ("GZIP, identity;q=0", "GZIP, identity;q=0"),
    ],
)
def test_only_known_codings_are_asked_for(asked: str, sent: str) -> None:
    assert acceptable(asked) == sent
