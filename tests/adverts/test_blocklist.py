"""`Blocklist.blocks`: rules, exceptions and lists together, and the files of the compiled form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import adblock
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crunchpy.adverts import Blocklist, Match, compiled
from crunchpy.adverts.blocklist import host_of
from crunchpy.adverts.compiled import Source, compile_lists

if TYPE_CHECKING:
    from pathlib import Path

    from crunchpy.adverts.blocklist import Kind

PAGE = "https://news.example/story"


def blocklist(*texts: str) -> Blocklist:
    return Blocklist(compile_lists([Source(f"list{number}", text) for number, text in enumerate(texts)]))


def blocked(rules: str, url: str, page_url: str = PAGE, kind: Kind = "script") -> Match | None:
    return blocklist(rules).blocks(url, page_url=page_url, kind=kind, categories=("ads",))


@pytest.mark.parametrize(
    ("rules", "url", "rule"),
    [
        ("||ads.example^", "https://cdn.ads.example/a.js", "||ads.example^"),
        ("||ads.example^", "wss://ads.example:8443/", "||ads.example^"),
        ("||ads.example^", "https://ADS.example./a.js", "||ads.example^"),
        ("||ads.example^", "https://myads.example/", None),
        ("||ads.example^", "https://safe.example/?u=https://ads.example/", None),
        ("||news.example^$third-party", "https://cdn.news.example/", None),
        ("||ads.example^$third-party", "https://ads.example/", "||ads.example^$third-party"),
        ("||ads.example/x$image", "https://ads.example/x", None),
        ("||ads.example^\n@@||ads.example/ok^", "https://ads.example/ok/", None),
        ("||ads.example^\n@@||ads.example^$image", "https://ads.example/", "||ads.example^"),
        ("||ads.example^\n@@||ads.example^$domain=news.example", "https://ads.example/", None),
        ("||ads.example^\n@@||ads.example^$domain=other.example", "https://ads.example/", "||ads.example^"),
        ("||ads.example^$important\n@@||ads.example^", "https://ads.example/", "||ads.example^$important"),
        ("||xn--bcher-kva.example^", "https://b\u00fccher.example/", "||xn--bcher-kva.example^"),
    ],
)
def test_rules_and_exceptions(rules: str, url: str, rule: str | None) -> None:
    match = blocked(rules, url)
    assert (match.rule if match else None) == rule


def test_a_match_names_rule_list_and_category() -> None:
    lists = blocklist("||ads.example^", "! Category: trackers\n||ads.example^\n||spy.example^$important")
    assert lists.blocks("https://ads.example/", page_url=PAGE, kind="image") == Match("||ads.example^", "list0", "ads")
    spy = Match("||spy.example^$important", "list1", "trackers", important=True)
    assert lists.blocks("https://spy.example/", page_url=PAGE, kind="image") == spy
    only_trackers = lists.blocks("https://ads.example/", page_url=PAGE, kind="image", categories=("trackers",))
    assert only_trackers == Match("||ads.example^", "list1", "trackers")


def test_an_exception_of_one_list_holds_for_the_rules_of_another() -> None:
    lists = blocklist("||ads.example^", "! Title: privacy\n@@||ads.example/ok")
    assert lists.blocks("https://ads.example/ok", page_url=PAGE, kind="script") is None
    assert lists.blocks("https://ads.example/no", page_url=PAGE, kind="script") is not None


def test_a_document_that_somebody_asked_for_is_never_blocked() -> None:
    assert blocked("||ads.example^\n||ads.example^$document", "https://ads.example/", "", "document") is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://A.example:8443/x", "a.example"),
        ("HTTP://a.example.", "a.example"),
        ("https://user:p@ss@a.example?q", "a.example"),
        ("https://a.example\\@b.example/", "a.example"),
        ("https://a.example#@b.example", "a.example"),
        ("http://[::1]:80/", "[::1]"),
        ("http://\u00fc.example/", "xn--tda.example"),
        ("http://\u00fc..example/", ""),
        ("http:///x", ""),
    ],
)
def test_the_host_is_the_one_a_browser_asks(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    "url", ["", "about:blank", "data:text/html,x", "//ads.example/", "http://[::1", "ftp://ads.example/"]
)
def test_what_is_no_web_address_is_let_through(url: str) -> None:
    assert blocked("||ads.example^\n/ads.", url) is None


RULES = "\n".join(
    ["||a.example^", "||b.example^$third-party", "||c.b.example^", "@@||x.a.example^$script", "@@||c.b.example/ok"]
)
HOSTS = st.builds(
    lambda labels, end: ".".join([*labels, end]),
    st.lists(st.sampled_from(["a", "b", "c", "x", "www"]), min_size=1, max_size=3),
    st.sampled_from(["example", "example.net"]),
)


@settings(deadline=None)
@given(
    host=HOSTS,
    page=HOSTS,
    path=st.sampled_from(["", "ok", "ads/1.js"]),
    kind=st.sampled_from(["script", "image", "subdocument", "xmlhttprequest", "other"]),
)
def test_rules_kept_beside_the_engine_mean_what_they_mean_in_it(host: str, page: str, path: str, kind: Kind) -> None:
    whole = adblock.FilterSet()
    whole.add_filters(RULES.splitlines())
    url, page_url = f"https://{host}/{path}", f"https://{page}/"
    expected = adblock.Engine(whole).check_network_urls(url, page_url, kind).matched
    assert (blocked(RULES, url, page_url, kind) is not None) == expected


def test_the_compiled_form_is_kept_and_answers_the_same(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("||ads.example^\n/banner.js\n##.ad\na.example##li:has(.ad)", "utf-8")
    first = Blocklist.load([path], keep_in=tmp_path)
    [kept] = tmp_path.glob("compiled-*")
    written = {file.name: file.stat().st_mtime_ns for file in kept.iterdir()}
    second = Blocklist.load([path], keep_in=tmp_path)
    assert {file.name: file.stat().st_mtime_ns for file in kept.iterdir()} == written
    for lists in (first, second):
        assert lists.lists == (("own", "ads", 4),)
        assert lists.blocks("https://ads.example/", page_url=PAGE, kind="script") is not None
        assert lists.blocks("https://x.example/banner.js", page_url=PAGE, kind="script") is not None


def test_a_changed_list_is_compiled_anew_and_the_old_form_goes(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    for host in ("one.example", "two.example"):
        path.write_text(f"||{host}^", "utf-8")
        lists = Blocklist.load([path], keep_in=tmp_path)
        assert lists.blocks(f"https://{host}/", page_url=PAGE, kind="script") is not None
    assert len(list(tmp_path.glob("compiled-*"))) == 1


def test_large_lists_are_compiled_in_a_process_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.txt"
    path.write_text("||ads.example^", "utf-8")
    monkeypatch.setattr(compiled, "_SMALL_BYTES", 0)
    # Whatever is compiled here is not compiled there.
    monkeypatch.setattr(compiled, "compile_lists", None)
    lists = Blocklist.load([path], keep_in=tmp_path)
    assert lists.blocks("https://ads.example/", page_url=PAGE, kind="script") is not None


def test_a_process_that_fails_leaves_the_lists_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "own.txt"
    path.write_text("||ads.example^", "utf-8")
    monkeypatch.setattr(compiled, "_SMALL_BYTES", 0)
    monkeypatch.setattr("sys.executable", "/bin/false")
    lists = Blocklist.load([path], keep_in=tmp_path)
    assert lists.blocks("https://ads.example/", page_url=PAGE, kind="script") is not None
    assert "not kept compiled" in caplog.text


@pytest.mark.parametrize("name", ["index.json", "0.hosts", "0.network", "0.cosmetic"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, name: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text("||ads.example^\n/banner.js\n##.ad", "utf-8")
    Blocklist.load([path], keep_in=tmp_path)
    [kept] = tmp_path.glob("compiled-*")
    (kept / name).write_bytes(b"not it")
    lists = Blocklist.load([path], keep_in=tmp_path)
    assert lists.blocks("https://ads.example/", page_url=PAGE, kind="script") is not None
    assert (kept / name).read_bytes() != b"not it"


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("", "utf-8")
    path = tmp_path / "own.txt"
    path.write_text("||ads.example^", "utf-8")
    lists = Blocklist.load([path], keep_in=no_folder)
    assert lists.blocks("https://ads.example/x", page_url=PAGE, kind="script") is not None
    assert "not kept compiled" in caplog.text


def test_without_fetched_lists_the_embedded_one_is_in_force(tmp_path: Path) -> None:
    lists = Blocklist.installed(tmp_path)
    assert {name for name, _, _ in lists.lists} == {"builtin"}
    assert {category for _, category, _ in lists.lists} == {"ads", "trackers", "cookies"}
    assert lists.blocks("https://www.google-analytics.com/analytics.js", page_url=PAGE, kind="script") is not None
    assert lists.blocks("https://news.example/app.js", page_url=PAGE, kind="script") is None


def test_lists_that_cannot_be_read_leave_the_embedded_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "own.txt").mkdir()
    assert {name for name, _, _ in Blocklist.installed(tmp_path).lists} == {"builtin"}
    assert "cannot be read" in caplog.text
