"""Search results about a site, from sources behind one protocol. Off unless `genres.yaml` names a source.

What is asked is the registrable domain alone. Every way in which a source can fail is a `SourceFault`; none of them
reaches a reader.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from crunchpy.genre.options import SnippetOptions, SourceOptions

MAX_ANSWER_BYTES = 2_000_000
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
_ENVIRONMENT = re.compile(r"\$\{(\w+)\}")


class SourceFault(Exception):  # noqa: N818 - the word of this project for what a source does wrong
    """A source gave no usable answer. retry_after_s: what it asked for, None where it said nothing."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Snippet:
    """One search result: its title and the text below it; url only tells equal results of several sources."""

    title: str
    text: str
    url: str = ""


class SnippetSource(Protocol):
    """Answers what the web says of a site. Blocking; called in a thread."""

    name: str
    max_a_day: int

    def ask(self, site: str) -> list[Snippet]:
        """The results for a registrable domain. Raises SourceFault."""


class SearxngSource:
    """A SearXNG (or searx) server with JSON switched on: `search: formats: [html, json]` in its settings."""

    def __init__(self, url: str, *, timeout_s: float, max_results: int, max_a_day: int) -> None:
        self.name = f"searxng {urllib.parse.urlsplit(url).netloc}"
        self._url, self._timeout_s = url.rstrip("/"), timeout_s
        self._max_results, self.max_a_day = max_results, max_a_day

    def ask(self, site: str) -> list[Snippet]:
        """See `SnippetSource`."""
        query = urllib.parse.urlencode({"q": site, "format": "json"})
        answer = fetch_json(f"{self._url}/search?{query}", {}, self._timeout_s)
        found = _snippets(answer.get("results"), "content", self._max_results)
        silent = answer.get("unresponsive_engines")
        if not found and silent:
            raise SourceFault(f"no engine behind it answered: {silent!r:.200}")
        return found


class BraveSource:
    """The Brave Search API; needs a key."""

    name = "brave"

    def __init__(self, key: str, *, timeout_s: float, max_results: int, max_a_day: int, url: str = BRAVE_URL) -> None:
        self._key, self._timeout_s, self._max_results = key, timeout_s, max_results
        self._url, self.max_a_day = url, max_a_day

    def ask(self, site: str) -> list[Snippet]:
        """See `SnippetSource`."""
        query = urllib.parse.urlencode({"q": site, "count": min(self._max_results, 20)})
        answer = fetch_json(f"{self._url}?{query}", {"X-Subscription-Token": self._key}, self._timeout_s)
        web = answer.get("web") or {}
        return _snippets(web.get("results") if isinstance(web, dict) else None, "description", self._max_results)


class RecordedSource:
    """A file of answers, one JSON object a line: {"site": ..., "results": [{"title": ..., "text".

    ..., "url": ...}]}.
    """

    def __init__(self, path: Path, *, max_results: int, max_a_day: int) -> None:
        self.name, self._path, self._max_results, self.max_a_day = f"recorded {path.name}", path, max_results, max_a_day

    def ask(self, site: str) -> list[Snippet]:
        """See `SnippetSource`."""
        try:
            with self._path.open(encoding="utf-8") as lines:
                for line in lines:
                    answer = json.loads(line)
                    if answer["site"] == site:
                        return _snippets(answer["results"], "text", self._max_results)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SourceFault(f"cannot be read: {error!r}") from error
        return []


def make_sources(options: SnippetOptions) -> tuple[list[SnippetSource], list[str]]:
    """The sources that the options name, and what is wrong with them."""
    sources: list[SnippetSource] = []
    problems = []
    for number, source in enumerate(options.sources, 1):
        try:
            sources.append(_make(source, options))
        except ValueError as error:
            problems.append(f"classifier.snippets, source {number} ({source.kind}): {error}")
    return sources, problems


def _make(source: SourceOptions, options: SnippetOptions) -> SnippetSource:
    if source.kind == "brave":
        key = _ENVIRONMENT.sub(lambda name: os.environ.get(name[1], ""), source.key)
        if not key:
            raise ValueError("key is empty; brave needs one, ${NAME} takes it from the environment")
        return BraveSource(
            key, timeout_s=options.timeout_s, max_results=options.max_results, max_a_day=source.max_a_day
        )
    if source.kind == "recorded":
        if not source.url:
            raise ValueError("url is empty; write the path of the recorded file")
        return RecordedSource(Path(source.url), max_results=options.max_results, max_a_day=source.max_a_day)
    if urllib.parse.urlsplit(source.url).scheme not in {"http", "https"}:
        raise ValueError(f"url is {source.url!r}; write http://HOST or https://HOST")
    return SearxngSource(
        source.url, timeout_s=options.timeout_s, max_results=options.max_results, max_a_day=source.max_a_day
    )


def merged(answers: Iterable[Iterable[Snippet]]) -> list[Snippet]:
    """The results of several sources, the same result once."""
    found: dict[str, Snippet] = {}
    for snippet in (snippet for answer in answers for snippet in answer):
        found.setdefault(snippet.url.rstrip("/") or f"{snippet.title}\n{snippet.text}", snippet)
    return list(found.values())


def fetch_json(url: str, headers: Mapping[str, str], timeout_s: float) -> dict[str, Any]:
    """Get a JSON object, within `timeout_s` for the whole answer. Raises SourceFault."""
    deadline = time.monotonic() + timeout_s
    request = urllib.request.Request(url, headers={"Accept": "application/json", **headers})  # noqa: S310 - http(s) only: _make
    try:
        with _OPENER.open(request, timeout=timeout_s) as response:
            body = _read(response, deadline)
    except urllib.error.HTTPError as error:
        with error:
            raise SourceFault(_why(error.code), _retry_after_s(error.headers.get("Retry-After"))) from error
    except (OSError, ValueError) as error:  # OSError: refused, reset, timed out; ValueError: http.client on nonsense
        raise SourceFault(f"no answer: {error}") from error
    except Exception as error:  # http.client has its own classes for half an answer
        raise SourceFault(f"no whole answer: {error!r}") from error
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise SourceFault(f"answered something else than JSON: {body[:60]!r}") from error
    if not isinstance(answer, dict):
        raise SourceFault(f"answered something else than a JSON object: {body[:60]!r}")
    return answer


def _read(response: Any, deadline: float) -> bytes:
    parts = []
    size_bytes = 0
    while part := response.read1(65536):  # read1 gives what has come, so that a slow drip meets the deadline
        size_bytes += len(part)
        parts.append(part)
        if size_bytes > MAX_ANSWER_BYTES:
            raise SourceFault(f"answered more than {MAX_ANSWER_BYTES} bytes")
        if time.monotonic() > deadline:
            raise SourceFault("took too long to answer")
    return b"".join(parts)


def _why(status: int) -> str:
    hints = {
        401: "the key is refused",
        403: "forbidden: is JSON switched on there (search: formats: [html, json])?",
        429: "too many requests",
    }
    return f"status {status}: {hints.get(status, 'no answer')}"


def _retry_after_s(value: str | None) -> float | None:
    return float(value) if value and value.strip().isdigit() else None


def _snippets(results: Any, text_key: str, most: int) -> list[Snippet]:
    """The usable ones of a list of results."""
    if not isinstance(results, list):
        return []
    found = [
        Snippet(str(result.get("title") or ""), str(result.get(text_key) or ""), str(result.get("url") or ""))
        for result in results
        if isinstance(result, dict)
    ]
    return [snippet for snippet in found if snippet.title or snippet.text][:most]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """A question about a site goes where the administrator sent it and nowhere else."""


# Without the environment's proxies: they may name the very proxy that asks.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
