"""Content codings: undo them within limits, and do them again.

Three things that the usual one-call decompressors do not give are needed here:

* an end: half a gzip body decodes to half a page without an error, so each stream must say that it reached its end;
* a cap on the output while it grows: 194 kB of gzip can hold 200 MB;
* all members of a gzip or zstd body: several in a row are allowed, and a reader shows all of them.

`decode` gives the plain body or says why not; `encode` applies the same codings again, so that the
Content-Encoding header stays as the origin wrote it.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import brotli  # type: ignore[import-untyped]

from crunchpy.reasons import Reason

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Each further layer multiplies what a bomb can hold, and nobody stacks more than two in earnest.
MAX_CODINGS = 3

# Each member's rest is copied once, so a body of nothing but empty members would take quadratic time.
MAX_MEMBERS = 200

# Levels by measurement on 60 real pages (mean 222 kB): a step up costs 2 to 4 times the time for 10 % less.
# gzip 1: 1.8 ms and ratio 5.1 for 100 kB (6: 4.0 ms, 6.2); br 1: 0.7 ms, 5.8 (4: 2.6 ms, 6.7); zstd 3: 0.5 ms, 6.4.
GZIP_LEVEL = 1
BROTLI_QUALITY = 1
ZSTD_LEVEL = 3

# Browsers refuse zstd windows over 8 MiB (RFC 9659), so no honest origin sends them.
ZSTD_WINDOW_LOG_MAX = 23

_GZIP_WBITS = 16 + zlib.MAX_WBITS
_ALIASES = {"x-gzip": "gzip", "x-deflate": "deflate"}
_NO_CODING = ("identity", "")


@dataclass(frozen=True, slots=True)
class CodingLimits:
    """What a body may become when it is decompressed.

    max_inflated_bytes: the plain body, and each layer on the way to it.
    max_ratio: plain bytes for each received byte; checked only above `ratio_from_bytes`,
    since a small repetitive page is no danger and may well compress 300 to 1.
    """

    max_inflated_bytes: int = 10_000_000
    max_ratio: float = 200.0
    ratio_from_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Decoded:
    """A plain body and the codings it came in, in the order in which they were applied."""

    body: bytes
    codings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a body cannot be read; `detail` is for the log."""

    reason: Reason
    detail: str = ""


class _StreamError(Exception):
    """A compressed stream is broken or stops early."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def codings_of(content_encoding: str) -> tuple[str, ...] | None:
    """The codings named by a Content-Encoding value, in the order in which they were applied.

    () means that the body is plain; None that a coding is unknown or that there are too many.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    codings = tuple(_ALIASES.get(name, name) for name in names if name not in _NO_CODING)
    known = all(coding in _INFLATE for coding in codings)
    return codings if known and len(codings) <= MAX_CODINGS else None


def decode(body: bytes, content_encoding: str, limits: CodingLimits | None = None) -> Decoded | Refused:
    """Undo all codings of a body, or say why that is not possible.

    A body is refused when a coding is unknown, a stream is broken, stops early or is followed by
    anything else, or when the output would pass a limit. Nothing is repaired and nothing is guessed.
    """
    limits = limits or CodingLimits()
    codings = codings_of(content_encoding)
    if codings is None:
        return Refused(Reason.UNKNOWN_CODING, content_encoding)
    max_bytes, past_limit = _output_cap(len(body), limits) if codings else (limits.max_inflated_bytes, Reason.TOO_LARGE)
    plain = body
    for coding in reversed(codings):
        try:
            plain = _INFLATE[coding](plain, max_bytes)
        except _StreamError as error:
            return Refused(error.reason, error.detail or coding)
        if len(plain) > max_bytes:
            break
    if len(plain) > max_bytes:
        return Refused(past_limit, f"over {max_bytes} bytes from {len(body)}")
    return Decoded(plain, codings)


def encode(body: bytes, codings: tuple[str, ...]) -> bytes:
    """Apply the codings in order, at fast levels; equal input gives equal output."""
    for coding in codings:
        body = _DEFLATE[coding](body)
    return body


def acceptable(accept_encoding: str) -> str:
    """An Accept-Encoding value without the codings that `decode` does not know.

    Asking only for what can be read means that more pages can be filtered; never asks for more than the reader did.
    `identity` where nothing is left, since an empty value and a missing header do not mean the same to every server.
    """
    kept = []
    for item in accept_encoding.split(","):
        name = item.split(";")[0].strip().lower()
        if name == "identity" or _ALIASES.get(name, name) in _INFLATE:
            kept.append(item.strip())
    return ", ".join(kept) or "identity"


def _output_cap(received_bytes: int, limits: CodingLimits) -> tuple[int, Reason]:
    by_ratio = max(limits.ratio_from_bytes, int(received_bytes * limits.max_ratio))
    if by_ratio < limits.max_inflated_bytes:
        return by_ratio, Reason.RATIO
    return limits.max_inflated_bytes, Reason.INFLATED_TOO_LARGE


# The inflaters below give at most `max_bytes` and a little more; being over the cap is the caller's sign to stop.


def _inflate_gzip(body: bytes, max_bytes: int) -> bytes:
    return _members(body, max_bytes, lambda: zlib.decompressobj(_GZIP_WBITS))


def _inflate_zstd(body: bytes, max_bytes: int) -> bytes:
    options = {int(zstd.DecompressionParameter.window_log_max): ZSTD_WINDOW_LOG_MAX}
    return _members(body, max_bytes, lambda: zstd.ZstdDecompressor(options=options))


def _members(body: bytes, max_bytes: int, new_stream: Callable[[], Any]) -> bytes:
    """The output of all streams in a row. zlib's and zstd's objects have the same shape, but no common type."""
    pieces: list[bytes] = []
    room = max_bytes + 1
    rest = body
    for _ in range(MAX_MEMBERS):
        stream = new_stream()
        try:
            piece = stream.decompress(rest, room)
        except (zlib.error, zstd.ZstdError) as error:
            raise _StreamError(Reason.BAD_CODING, str(error)) from error
        pieces.append(piece)
        room -= len(piece)
        if room > 0 and not stream.eof:
            raise _StreamError(Reason.TRUNCATED)
        rest = stream.unused_data
        if room <= 0 or not rest:
            return b"".join(pieces)
    raise _StreamError(Reason.BAD_CODING, f"more than {MAX_MEMBERS} members")


def _inflate_deflate(body: bytes, max_bytes: int) -> bytes:
    """`deflate` means zlib's format, but some servers send the bare stream; readers accept both."""
    try:
        return _single_deflate(body, max_bytes, zlib.MAX_WBITS)
    except _StreamError as as_zlib:
        if as_zlib.reason is Reason.TRUNCATED:
            raise
        return _single_deflate(body, max_bytes, -zlib.MAX_WBITS)


def _single_deflate(body: bytes, max_bytes: int, wbits: int) -> bytes:
    stream = zlib.decompressobj(wbits)
    try:
        plain = stream.decompress(body, max_bytes + 1)
    except zlib.error as error:
        raise _StreamError(Reason.BAD_CODING, str(error)) from error
    if len(plain) > max_bytes:
        return plain
    if not stream.eof:
        raise _StreamError(Reason.TRUNCATED)
    if stream.unused_data:
        raise _StreamError(Reason.BAD_CODING, "data after the end of the stream")
    return plain


def _inflate_brotli(body: bytes, max_bytes: int) -> bytes:
    stream = brotli.Decompressor()
    try:
        plain: bytes = stream.process(body, output_buffer_limit=max_bytes + 1)
    except brotli.error as error:  # also raised for data after the end of the stream
        raise _StreamError(Reason.BAD_CODING, str(error)) from error
    if len(plain) <= max_bytes and not stream.is_finished():
        raise _StreamError(Reason.TRUNCATED)
    return plain


def _deflate_gzip(body: bytes) -> bytes:
    # zlib writes a zero time stamp, so equal pages have equal bytes.
    stream = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP_WBITS)
    return stream.compress(body) + stream.flush()


def _deflate_brotli(body: bytes) -> bytes:
    coded: bytes = brotli.compress(body, quality=BROTLI_QUALITY)
    return coded


def _deflate_zstd(body: bytes) -> bytes:
    coded: bytes = zstd.compress(body, ZSTD_LEVEL)
    return coded


_INFLATE: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _inflate_gzip,
    "deflate": _inflate_deflate,
    "br": _inflate_brotli,
    "zstd": _inflate_zstd,
}
_DEFLATE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _deflate_gzip,
    "deflate": lambda body: zlib.compress(body, GZIP_LEVEL),
    "br": _deflate_brotli,
    "zstd": _deflate_zstd,
}
