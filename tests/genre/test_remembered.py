"""`explain` and `filter` choose as the proxy does, which remembers sites; they read its store and change nothing."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crunchpy import cli
from crunchpy.engine import Engine
from crunchpy.genre.store import SiteRecord
from crunchpy.genre.store_reading import ReadingStore
from crunchpy.genre.store_sqlite import SqliteStore

SITE = "unheard-of-place.org"
URL = f"https://www.{SITE}/a"
PROSE = "The ferry crossed the sound in the early morning, and nobody on board had slept. "
PAGE = f"<!DOCTYPE html><html lang=en><head><title>T</title></head><body><h1>T</h1><p>{PROSE * 12}</p></body></html>"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store" / "sites.sqlite"
    monkeypatch.setenv("CRUNCHPY_STORE", str(path))
    return path


@pytest.fixture
def store(place: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(place)
    yield opened
    opened.close()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


def remember(store: SqliteStore, **values: object) -> None:
    store.change(SITE, lambda record: SiteRecord(**{"site": SITE, "pages": 3, **values}))  # type: ignore[arg-type]


def explained(page: Path, url: str = URL, *options: str) -> dict[str, object]:
    given = ["explain", str(page), "--url", url, "--json", *options]
    result = CliRunner().invoke(cli.application("explain"), given)
    assert (result.exit_code, result.stderr) == (0, "")
    trace = json.loads(result.stdout)
    assert isinstance(trace, dict)
    return {"settings": trace["settings"], **trace["choice"]}


def files_of(place: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in place.parent.glob("*")}


def test_the_genre_that_the_proxy_remembers_is_used_and_named(store: SqliteStore, place: Path, page: Path) -> None:
    remember(store, genre="news", decided_by="pages", nearest="bbc.co.uk", distance=1.2, pages=8)
    found = explained(page)
    assert found["settings"] == "news"
    assert found["remembered"] == f"The proxy remembers {SITE} in {place}: news, its pages decided, 8 pages counted."
    lines = CliRunner().invoke(cli.application("explain"), ["explain", str(page), "--url", URL]).stdout.splitlines()
    assert f"Site: {found['remembered']}" in lines


@pytest.mark.parametrize("seen_before", [0, 1, 8])
def test_the_choice_is_the_proxys_own(place: Path, page: Path, seen_before: int) -> None:
    """The proxy's own engine has seen pages that speak for a genre; the page that is asked for speaks for none."""
    kept = Engine.load(keeps_sites=True)
    shop = PAGE.replace(
        PROSE, "Add this product to your shopping cart, free shipping on every order, prices and sale. "
    )
    for _ in range(seen_before):
        kept.filter(shop.encode(), url=URL)
    found = explained(page)
    by_proxy = kept.filter(PAGE.encode(), url=URL).trace
    kept.chooser.close()
    assert (found["settings"], found["why"]) == (by_proxy.settings, by_proxy.choice["why"])


def test_nothing_is_written_and_no_file_is_left(store: SqliteStore, place: Path, page: Path) -> None:
    remember(store)
    store.close()
    before = files_of(place)
    assert "not enough for a genre; this page was added" in str(explained(page)["remembered"])
    assert files_of(place) == before
    assert list(before) == ["sites.sqlite"]


def test_a_proxy_that_writes_at_this_moment_is_not_waited_for(store: SqliteStore, place: Path) -> None:
    remember(store, genre="news", decided_by="hand")
    writer = sqlite3.connect(place, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("UPDATE sites SET genre = 'shop'")
    began = time.monotonic()
    reading = ReadingStore.open(str(place))
    record = reading.get(SITE)
    assert time.monotonic() - began < 0.5
    reading.close()
    writer.close()
    assert record is not None
    assert (record.genre, reading.problem) == ("news", "")


def test_where_nothing_is_remembered_it_is_said_and_nothing_made(place: Path, page: Path) -> None:
    assert "was not read, so this page alone was counted: there is no file" in str(explained(page)["remembered"])
    assert not place.parent.exists()
    SqliteStore.open(place).close()
    assert "remembers nothing of" in str(explained(page)["remembered"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no database at all, but long enough to be taken for one" * 20, "cannot be read: file is not a database"),
        (b"", "cannot be read: no such table"),
    ],
)
def test_a_store_that_cannot_be_read_costs_the_memory_and_not_the_page(
    place: Path, page: Path, content: bytes, said: str
) -> None:
    place.parent.mkdir()
    place.write_bytes(content)
    found = explained(page)
    assert said in str(found["remembered"])
    assert str(place) in str(found["remembered"])
    assert place.read_bytes() == content


def test_a_store_of_another_version_is_not_read(store: SqliteStore, place: Path) -> None:
    store.close()
    with sqlite3.connect(place) as other:
        other.execute("UPDATE about SET value = '99'")
    other.close()
    assert "is of version 99" in ReadingStore.open(str(place)).problem


def test_a_servers_store_is_not_asked_and_its_password_not_shown() -> None:
    reading = ReadingStore.open("postgresql+psycopg://proxy:secret@db.example/sites")
    assert "only the proxy asks" in reading.problem
    assert "secret" not in reading.place + reading.problem


@pytest.mark.parametrize("url", ["http://192.168.1.1/", "http://printer/", "https://intranet.local/"])
def test_a_private_site_gets_the_default_as_from_the_proxy(store: SqliteStore, page: Path, url: str) -> None:
    found = explained(page, url)
    assert found["settings"] == "default"
    assert "is a private site" in str(found["remembered"])


@pytest.mark.parametrize("options", [("--settings", "news"), ("--step", "3")])
def test_where_the_settings_are_named_no_memory_is_asked(page: Path, options: tuple[str, str]) -> None:
    assert "remembered" not in explained(page, URL, *options)
