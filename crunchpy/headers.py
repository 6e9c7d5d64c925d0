"""The header fields that change with filtering, and only those.

On the way up, a request for a page asks only for codings that can be read, and its validators are turned into
ones that the origin knows. On the way down, a rewritten body loses every field that described the old bytes
and gets one true length.

The validator: a filtered page's ETag is the origin's, folded together with a *generation* (a short name for the
settings that were in force): `W/"crunchpy.GENERATION.s.ORIGIN"`. When the reader asks again with it, the origin is
asked with its own ETag, but only while the generation is still the same. So readers' caches go on working, and a
change of settings is never answered by an old 304.

Fields that say how a page may be used (CSP, Cache-Control, Vary, cookies, HSTS) are never touched, and Content-Type
and Content-Encoding stay, since the body keeps its charset and codings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from crunchpy.codings import acceptable


class HeaderLines(Protocol):
    """Header fields: names without regard to case, several lines of one name. mitmproxy's `http.Headers` is one."""

    def get_all(self, key: str, /) -> list[str]:
        """The values of all lines of this name, in order."""
        ...

    def set_all(self, key: str, values: list[str], /) -> None:
        """Put these lines in the place of all lines of this name."""
        ...

    def __iter__(self) -> Iterator[str]: ...


# What described the origin's bytes and is false of any others.
STALE = frozenset(
    (
        "accept-ranges",  # a range of the filtered page cannot be had
        "content-digest",
        "content-md5",
        "digest",
        "repr-digest",
        "trailer",  # trailers hold checksums; the addon drops them too
        "transfer-encoding",  # the length is known now
        "use-as-dictionary",  # the origin would compress against bytes that the reader never saw
        "x-goog-hash",
    )
)
STALE_PREFIXES = ("x-amz-checksum-",)

_FOLDED = re.compile(r'(?:W/)?"crunchpy\.([0-9A-Za-z_-]+)\.([sw])\.([^"]*)"')
_ETAG = re.compile(r'(W/)?"([^"]*)"')
_GENERATION = re.compile(r"[0-9A-Za-z_-]+")


def ask(request: HeaderLines, generation: str) -> bool:
    """Change the headers of a request for a page (not of any other) before they go to the origin.

    generation: what the page's filtering depends on, as letters, digits, `_` and `-`; any change of it makes all
    earlier copies out of date. True when the origin may answer 304, which then needs `not_modified`.

    If-Modified-Since goes: a date cannot tell one generation from another. So does an ETag that is not ours: the
    copy it stands for may be from before the last change of settings. A page that is let through untouched is
    therefore always asked for in full.
    """
    asked = request.get_all("accept-encoding")
    if asked:
        _replace(request, "accept-encoding", acceptable(", ".join(asked)))
    for name in ("available-dictionary", "dictionary-id", "if-modified-since"):
        request.set_all(name, [])
    tags = [unfold(tag.group(), generation) for tag in _ETAG.finditer(", ".join(request.get_all("if-none-match")))]
    known = ", ".join(tag for tag in tags if tag)
    _replace(request, "if-none-match", known)
    return bool(known)


def rewritten(response: HeaderLines, length_bytes: int, generation: str) -> None:
    """Make the headers of an answer true of its rewritten body, which is `length_bytes` long as sent (coded)."""
    not_modified(response, generation)
    _replace(response, "content-length", str(length_bytes))


def not_modified(response: HeaderLines, generation: str) -> None:
    """Make the headers of a 304 name the reader's copy, whose stored headers they will update."""
    for name in list(response):
        if name.lower() in STALE or name.lower().startswith(STALE_PREFIXES):
            response.set_all(name, [])
    etags = response.get_all("etag")
    _replace(response, "etag", (fold(etags[0], generation) or "") if len(etags) == 1 else "")


def fold(etag: str, generation: str) -> str | None:
    """Our ETag for a filtered page whose origin's was `etag`; None for what is no ETag.

    Always weak: filtering again may give other bytes that mean the same (another level of compression).
    """
    assert _GENERATION.fullmatch(generation), generation
    found = _ETAG.fullmatch(etag.strip())
    if not found:
        return None
    return f'W/"crunchpy.{generation}.{"w" if found[1] else "s"}.{found[2]}"'


def unfold(etag: str, generation: str) -> str | None:
    """The origin's ETag in one of ours, None when it is not ours or of another generation."""
    found = _FOLDED.fullmatch(etag.strip())
    if not found or found[1] != generation:
        return None
    return f'{"W/" if found[2] == "w" else ""}"{found[3]}"'


def _replace(headers: HeaderLines, name: str, value: str) -> None:
    """One line with this value, in the place and spelling of the first; none for an empty value."""
    headers.set_all(name, [value] if value else [])
