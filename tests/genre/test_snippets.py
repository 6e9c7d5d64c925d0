"""Snippet sources against a server that fails in every way, and the look-up beside the pages."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from mitmproxy.test import tflow

from crunchpy.addon import PageFilter
from crunchpy.genre.background import SnippetLookup
from crunchpy.genre.options import ClassifierOptions, SnippetOptions, SourceOptions
from crunchpy.genre.snippets import (
    BraveSource,
    RecordedSource,
    SearxngSource,
    Snippet,
    SnippetSource,
    SourceFault,
    make_sources,
    merged,
)
from crunchpy.genre.store import SiteRecord, open_store
from crunchpy.nursery import Untouched
from crunchpy.reasons import Reason
from tests.genre.search_server import SearchServer, http, results, search_server
from tests.genre.test_classifier import OPTIONS, classifier


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with search_server() as running:
        yield running


def searxng(server: SearchServer, timeout_s: float = 2.0) -> SearxngSource:
    return SearxngSource(server.url, timeout_s=timeout_s, max_results=2, max_a_day=10)


def test_searxng_is_asked_for_the_domain_alone(server: SearchServer) -> None:
    server.answer = results("Shop cart", "Mall", "Third")
    found = searxng(server).ask("example.com")
    assert found == [
        Snippet("Shop cart", "about Shop cart", "https://0.org/"),
        Snippet("Mall", "about Mall", "https://1.org/"),
    ]
    assert server.requests[0].splitlines()[0] == "GET /search?q=example.com&format=json HTTP/1.1"
    assert "Cookie" not in server.requests[0]
    assert "Referer" not in server.requests[0]


def test_brave_gets_its_key_and_gives_descriptions(server: SearchServer) -> None:
    body = {
        "web": {"results": [{"title": "Shop", "description": "cart", "url": "https://x.org"}, "odd", {"title": None}]}
    }
    server.answer = http("200 OK", json.dumps(body).encode())
    source = BraveSource("the key", timeout_s=2, max_results=50, max_a_day=1, url=server.url)
    assert source.ask("example.com") == [Snippet("Shop", "cart", "https://x.org")]
    assert "x-subscription-token: the key" in server.requests[0].lower()
    assert "count=20" in server.requests[0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(http("403 Forbidden", b""), "is JSON switched on", id="JSON is off"),
        pytest.param(http("500 Oops", b"<h1>"), "status 500", id="error"),
        pytest.param(
            http("302 Found", b"", "Location: http://127.0.0.1:1/"), "status 302", id="redirects are not followed"
        ),
        pytest.param(http("200 OK", b"<!doctype html><p>Search"), "something else than JSON", id="HTML instead"),
        pytest.param(http("200 OK", b"[1]"), "something else than a JSON object", id="JSON of another kind"),
        pytest.param(
            results(unresponsive_engines=[["x", "timeout"]]), "no engine behind it answered", id="silent engines"
        ),
        pytest.param(
            b'HTTP/1.0 200 OK\r\nContent-Length: 900\r\n\r\n{"results"', "something else than JSON", id="cut off"
        ),
        pytest.param(b"", "no answer", id="closed at once"),
        pytest.param(b"\x16\x03\x01 nonsense\r\n\r\n", "no whole answer", id="no HTTP"),
        pytest.param(http("200 OK", b" " * 2_000_100 + b"{}"), "more than 2000000 bytes", id="too much"),
    ],
)
def test_every_failure_is_a_fault(server: SearchServer, answer: bytes, message: str) -> None:
    server.answer = answer
    with pytest.raises(SourceFault, match=message):
        searxng(server).ask("example.com")


def test_too_many_requests_says_when_to_come_back(server: SearchServer) -> None:
    server.answer = http("429 Slow down", b"", "Retry-After: 120")
    with pytest.raises(SourceFault, match="too many requests") as caught:
        searxng(server).ask("example.com")
    assert caught.value.retry_after_s == 120


def test_a_slow_answer_ends_at_the_time_limit_even_if_it_drips(server: SearchServer) -> None:
    server.answer, server.pause_s = results(*"abcdefgh"), 0.05
    with pytest.raises(SourceFault, match=r"too long|timed out"):
        searxng(server, timeout_s=0.3).ask("example.com")


def test_nobody_there() -> None:
    with pytest.raises(SourceFault, match="no answer"):
        SearxngSource("http://127.0.0.1:1", timeout_s=1, max_results=1, max_a_day=1).ask("example.com")


def test_engines_that_partly_answer_are_used(server: SearchServer) -> None:
    server.answer = results("one", unresponsive_engines=[["x", "timeout"]])
    assert len(searxng(server).ask("example.com")) == 1


@pytest.mark.parametrize("body", [{}, {"results": None}, {"results": "x"}, {"results": [None, 3, {}]}])
def test_answers_without_results(server: SearchServer, body: dict[str, object]) -> None:
    server.answer = http("200 OK", json.dumps(body).encode())
    assert searxng(server).ask("example.com") == []


def test_recorded_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"site": "a.com", "results": [{"title": "A", "text": "goal"}]}\n', "utf-8")
    source = RecordedSource(path, max_results=5, max_a_day=5)
    assert source.ask("a.com") == [Snippet("A", "goal")]
    assert source.ask("b.com") == []
    path.write_text("no json\n", "utf-8")
    with pytest.raises(SourceFault, match="cannot be read"):
        source.ask("a.com")


def test_equal_results_of_several_sources_count_once() -> None:
    a, b, c = Snippet("A", "x", "https://a.org/"), Snippet("A!", "y", "https://a.org"), Snippet("A", "x")
    assert merged([[a], [b, c], [c]]) == [a, c]


def test_sources_are_made_from_options_and_bad_ones_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_KEY", "s3cret")
    good = SnippetOptions(
        sources=(
            SourceOptions(kind="searxng", url="http://search.lan:8888/"),
            SourceOptions(kind="brave", key="${SEARCH_KEY}"),
            SourceOptions(kind="recorded", url="answers.jsonl"),
        )
    )
    sources, problems = make_sources(good)
    assert [source.name for source in sources] == ["searxng search.lan:8888", "brave", "recorded answers.jsonl"]
    assert problems == []
    bad = SnippetOptions(
        sources=(
            SourceOptions(kind="searxng", url="file:///etc/passwd"),
            SourceOptions(kind="brave", key="${NO_SUCH_KEY}"),
            SourceOptions(kind="recorded"),
        )
    )
    sources, problems = make_sources(bad)
    assert sources == []
    assert len(problems) == 3
    assert problems[0].startswith("classifier.snippets, source 1 (searxng): url is 'file:///etc/passwd'")


class Scripted(SnippetSource):
    """A source that answers or fails as told."""

    def __init__(self, name: str, *answers: list[Snippet] | SourceFault, max_a_day: int = 100) -> None:
        self.name, self.max_a_day, self.answers = name, max_a_day, list(answers)
        self.asked: list[str] = []

    def ask(self, site: str) -> list[Snippet]:
        self.asked.append(site)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, SourceFault):
            raise answer
        return answer


CLUB = [Snippet("Goal match league", "goal goal league match", "https://x.org")]


def run(
    tmp_path: Path, sources: list[Scripted], *hosts: str, options: ClassifierOptions = OPTIONS
) -> dict[str, SiteRecord]:
    """Feed hosts one after another and give what the store knows then."""

    async def look_up() -> None:
        lookup = SnippetLookup(classifier(options), lambda: open_store(tmp_path / "s.sqlite"), sources, keep_days=1)
        lookup.start()
        for host in hosts:
            lookup.feed(host)
            await asyncio.wait_for(lookup.join(), 10)
        await lookup.stop()

    asyncio.run(look_up())
    store = open_store(tmp_path / "s.sqlite")
    found = {record.site: record for record in store.sites()}
    store.close()
    return found


def test_a_site_is_decided_by_its_snippets_and_asked_for_once(tmp_path: Path) -> None:
    source = Scripted("one", CLUB)
    found = run(tmp_path, [source], "www.club.example.com", "example.com")
    assert source.asked == ["example.com"]
    assert (found["example.com"].genre, found["example.com"].decided_by) == ("sport", "snippets")
    again = Scripted("one", CLUB)
    run(tmp_path, [again], "example.com")
    assert again.asked == [], "the answer is kept over a restart"


def test_private_names_are_never_asked_for(tmp_path: Path) -> None:
    source = Scripted("one", CLUB)
    assert run(tmp_path, [source], "intranet", "10.0.0.1", "wiki.corp", "printer.local", "") == {}
    assert source.asked == []


def test_one_failing_source_does_not_hide_the_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = run(tmp_path, [Scripted("bad", SourceFault("status 429", 5)), Scripted("good", CLUB)], "example.com")
    assert found["example.com"].genre == "sport"
    assert "bad: status 429; not asked again for 30 s" in caplog.text


def test_a_failed_source_rests_and_the_site_stays_unasked(tmp_path: Path) -> None:
    source = Scripted("bad", SourceFault("down"))
    assert run(tmp_path, [source], "example.com", "example.org") == {}
    assert source.asked == ["example.com"], "the second site falls into the rest"


def test_the_daily_budget_holds_over_restarts(tmp_path: Path) -> None:
    source = Scripted("one", CLUB, max_a_day=2)
    run(tmp_path, [source], "a.com", "b.com")
    run(tmp_path, [source], "c.com")
    assert source.asked == ["a.com", "b.com"]


def test_a_store_that_breaks_ends_no_task(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "s.sqlite").mkdir()

    async def look_up() -> None:
        lookup = SnippetLookup(classifier(), lambda: open_store(tmp_path / "s.sqlite"), [Scripted("x", CLUB)], 1)
        lookup.start()
        for host in ("a.com", "b.com"):
            lookup.feed(host)
            await asyncio.wait_for(lookup.join(), 10)
        await lookup.stop()

    with caplog.at_level(logging.WARNING):
        asyncio.run(look_up())
    assert "the look-up of b.com failed" in caplog.text


def test_off_by_default() -> None:
    assert SnippetLookup.of(ClassifierOptions(), classifier()) is None


def test_nothing_but_the_domain_reaches_the_server(server: SearchServer, tmp_path: Path) -> None:
    server.answer = results("Goal league match goal")
    options = OPTIONS.model_copy(
        update={
            "store": str(tmp_path / "s.sqlite"),
            "snippets": SnippetOptions(sources=(SourceOptions(kind="searxng", url=server.url),)),
        }
    )

    async def look_up() -> None:
        lookup = SnippetLookup.of(options, classifier(options))
        assert lookup is not None
        lookup.start()
        lookup.feed(urlsplit("https://user:pass@secret-name.www.example.com/private/path?q=1").hostname or "")
        await asyncio.wait_for(lookup.join(), 10)
        await lookup.stop()

    asyncio.run(look_up())
    assert len(server.requests) == 1
    assert "q=example.com&" in server.requests[0]
    assert "secret" not in server.requests[0]


def test_loaded_from_an_overlay_only_where_a_source_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    genres = tmp_path / "genres.yaml"
    genres.write_text("genres: {}\n")
    assert SnippetLookup.load(tmp_path) is None
    genres.write_text("genres: {}\nclassifier: {snippets: {sources: [{kind: searxng, url: 'http://search.lan'}]}}\n")
    assert SnippetLookup.load(tmp_path) is not None
    genres.write_text("genres: {}\nclassifier: {snippets: {sources: [{kind: searxng, url: 'nowhere'}]}}\n")
    with caplog.at_level(logging.WARNING):
        assert SnippetLookup.load(tmp_path) is None
    assert "genres.yaml, classifier.snippets, source 1 (searxng): url is 'nowhere'" in caplog.text


def test_the_addon_feeds_the_hosts_of_pages() -> None:
    fed: list[str] = []

    async def busy(_: Any) -> Untouched:
        return Untouched(Reason.BUSY, "")

    page_filter = PageFilter(pool=cast(Any, SimpleNamespace(filter=busy)))
    page_filter.lookup = cast(Any, SimpleNamespace(feed=fed.append))
    flow = tflow.tflow(resp=True)
    flow.request.host = "shop.example.com"
    assert flow.response is not None
    asyncio.run(page_filter.filter(flow, flow.response))
    assert fed == [flow.request.pretty_host]
