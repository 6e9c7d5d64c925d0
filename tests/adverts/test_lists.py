"""Fetching and importing lists: what is taken, what is refused, and that a refusal leaves the old list."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from crunchpy.adverts import lists
from crunchpy.adverts.commands import app
from crunchpy.adverts.lists import MIN_FETCHED_RULES, Outcome, cached, import_files, name_for, update

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "[Adblock Plus 2.0]\n! Title: Own\n! Expires: 2 days\n"
GOOD = HEADER + "".join(f"||ads{number}.example^\n" for number in range(MIN_FETCHED_RULES))


@dataclass
class Origin:
    """A list server on loopback: what it answers, and the requests it got."""

    url: str
    body: bytes = GOOD.encode()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"ETag": '"1"'})
    length: int | None = None
    asked: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def origin() -> Iterator[Origin]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here.asked.append(dict(self.headers))
            unchanged = here.status == 200 and self.headers.get("If-None-Match") == here.headers.get("ETag", "none")
            self.send_response(304 if unchanged else here.status)
            for name, value in here.headers.items():
                self.send_header(name, value)
            body = b"" if unchanged else here.body
            self.send_header("Content-Length", str(len(body) if here.length is None else here.length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    here = Origin(f"http://127.0.0.1:{server.server_port}/own.txt")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield here
    server.shutdown()
    server.server_close()


def fetch(folder: Path, origin: Origin) -> Outcome:
    [outcome] = update(folder, {"own": origin.url})
    return outcome


def test_a_list_is_fetched_once_and_then_asked_for_conditionally(tmp_path: Path, origin: Origin) -> None:
    assert fetch(tmp_path, origin).state == "new"
    assert (tmp_path / "own.txt").read_text("utf-8") == GOOD
    assert fetch(tmp_path, origin).state == "unchanged"
    assert "If-None-Match" not in origin.asked[0]
    assert origin.asked[1]["If-None-Match"] == '"1"'
    origin.body, origin.headers = GOOD.replace("ads1.", "other.").encode(), {"ETag": '"2"'}
    assert fetch(tmp_path, origin).state == "changed"


def test_last_modified_serves_where_there_is_no_etag(tmp_path: Path, origin: Origin) -> None:
    origin.headers = {"Last-Modified": "Wed, 12 Aug 2026 05:20:00 GMT"}
    fetch(tmp_path, origin)
    fetch(tmp_path, origin)
    assert origin.asked[1]["If-Modified-Since"] == "Wed, 12 Aug 2026 05:20:00 GMT"


def test_another_address_is_not_asked_with_the_old_ones_validator(tmp_path: Path, origin: Origin) -> None:
    fetch(tmp_path, origin)
    [outcome] = update(tmp_path, {"own": origin.url + "?mirror"})
    assert "If-None-Match" not in origin.asked[1]
    assert outcome.state == "unchanged"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": 503}, "503"),
        ({"body": b"<!DOCTYPE html><title>Sign in</title>"}, "not a filter list"),
        ({"body": GOOD.encode()[: len(GOOD) // 2]}, "fewer than"),
        (
            {"body": GOOD.replace("[Adblock Plus 2.0]\n! Title: Own\n! Expires: 2 days\n", "").encode()},
            "no filter list header",
        ),
        ({"body": GOOD.encode() + b"\xff\xfe"}, "not UTF-8"),
        ({"body": GOOD.encode(), "length": len(GOOD) + 10}, "cut off"),
        ({"body": b""}, "no filter list header"),
    ],
)
def test_what_is_no_whole_list_is_refused_and_the_old_one_stays(
    tmp_path: Path, origin: Origin, change: dict[str, object], reason: str
) -> None:
    fetch(tmp_path, origin)
    origin.headers = {}
    for name, value in change.items():
        setattr(origin, name, value)
    outcome = fetch(tmp_path, origin)
    assert outcome.failed
    assert reason in outcome.detail
    assert "stays in force" in outcome.detail
    assert (tmp_path / "own.txt").read_text("utf-8") == GOOD
    assert not list(tmp_path.glob(".writing-*"))


def test_a_server_that_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/own.txt"
    (outcome,) = lists.update(tmp_path, {"own": address})
    assert outcome.failed
    assert outcome.detail.startswith(f"{address}: Connection refused;")


def test_a_list_without_end_is_given_up(tmp_path: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MAX_LIST_BYTES", 1000)
    outcome = fetch(tmp_path, origin)
    assert outcome.failed
    assert "no list of this name is here" in outcome.detail
    assert not (tmp_path / "own.txt").exists()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/own.txt", "file:///etc/hostname", "gopher://a.example/", "http://[::1/x"]
)
def test_an_address_that_cannot_be_fetched_is_an_outcome_not_an_exception(tmp_path: Path, url: str) -> None:
    [outcome] = update(tmp_path, {"own": url})
    assert outcome.failed
    assert url in outcome.detail


def test_a_full_disk_leaves_the_old_list(tmp_path: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch(tmp_path, origin)
    origin.body, origin.headers = GOOD.replace("ads1.", "other.").encode(), {}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("crunchpy.adverts.lists.tempfile.mkstemp", full)
    assert "No space left" in fetch(tmp_path, origin).detail
    assert (tmp_path / "own.txt").read_text("utf-8") == GOOD


def test_files_are_imported_under_their_own_names(tmp_path: Path) -> None:
    own, page = tmp_path / "mine.list", tmp_path / "page.html"
    own.write_text(HEADER + "||ads.example^", "utf-8")
    page.write_text("<html>", "utf-8")
    folder = tmp_path / "lists"
    outcomes = list(import_files(folder, [own, page, tmp_path / "missing.txt"]))
    assert [(outcome.name, outcome.state) for outcome in outcomes] == [
        ("mine", "new"),
        ("page", "failed"),
        ("missing", "failed"),
    ]
    assert [(each.name, each.rules_count) for each in cached(folder)] == [("mine", 1)]


@pytest.mark.parametrize(
    ("line", "valid"), [("! Expires: 2 days", 48), ("! Expires: 12 hours (update frequency)", 12), ("", 96)]
)
def test_a_list_expires_when_it_says_so(tmp_path: Path, line: str, valid: int) -> None:
    (tmp_path / "own.txt").write_text(f"! Title: Own\n{line}\n||ads.example^", "utf-8")
    list(import_files(tmp_path, [tmp_path / "own.txt"]))
    [own] = cached(tmp_path)
    assert own.expires - own.fetched == timedelta(hours=valid)
    assert not own.is_expired
    assert own.fetched > datetime.now(UTC) - timedelta(minutes=1)


def test_names_for_addresses() -> None:
    assert name_for(lists.PUBLIC_LISTS["easylist-cookie"]) == "easylist-cookie"
    assert name_for("https://a.example/lists/My%20List.txt?x=1") == "my-20list"
    assert name_for("https://a.example/../../etc/passwd.txt") == "passwd"
    assert name_for("https://a.example/") == "a-example"


def test_the_commands_update_and_show(tmp_path: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUNCHPY_CACHE", str(tmp_path))
    run = CliRunner()
    assert "embedded list" in run.invoke(app, ["show"]).output
    updated = run.invoke(app, ["update", "--url", origin.url])
    assert updated.exit_code == 0, updated.output
    assert f"own: new, {MIN_FETCHED_RULES} rules; expires" in updated.output
    shown = run.invoke(app, ["show"]).output
    assert f"own: ads, {MIN_FETCHED_RULES} rules" in shown
    assert origin.url in shown
    assert list((tmp_path / "lists").glob("compiled-*"))


def test_the_update_command_fails_aloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUNCHPY_CACHE", str(tmp_path))
    run = CliRunner()
    failed = run.invoke(app, ["update", "--from", str(tmp_path / "missing.txt")])
    assert failed.exit_code == 1
    assert "missing.txt" in failed.output
    assert run.invoke(app, ["update", "stray.txt"]).exit_code == 2
