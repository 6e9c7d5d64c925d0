"""The store of sites: one site's life, many processes at once, and files that are none."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crunchpy.genre.store import SiteRecord, Store, StoreError, open_store


def postgres_binaries() -> Path | None:
    """Debian's server programs, newest version first."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), reverse=True)
    return found[0].parent if found else None


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    """A throw-away PostgreSQL server on a socket."""
    binaries = postgres_binaries()
    if binaries is None:
        pytest.skip("Debian's package postgresql is not installed")
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: a socket's path has at most 107 characters
    as_user = []
    if shutil.which("runuser") and Path("/proc/self").stat().st_uid == 0:  # the server refuses to run as root
        shutil.chown(folder, "nobody")
        as_user = ["runuser", "-u", "nobody", "--"]
    make = [
        *as_user,
        str(binaries / "initdb"),
        "-D",
        str(folder / "data"),
        "-A",
        "trust",
        "-U",
        "crunchpy",
        "--no-sync",
    ]
    control = [*as_user, str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-w", "-l", str(folder / "log")]
    try:
        subprocess.run(make, check=True, capture_output=True)
        subprocess.run(
            [*control, "-o", f"-c listen_addresses='' -k {folder}", "start"], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL does not start here: {getattr(error, 'stderr', error)!r:.200}")
    yield f"postgresql+psycopg://crunchpy@/postgres?host={folder}"
    subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store may be: once a file, once a server."""
    if request.param == "sqlite":
        return str(tmp_path / "deep" / "sites.sqlite")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """An empty store."""
    opened = open_store(place)
    for record in opened.sites():
        opened.forget(record.site)
    yield opened
    opened.close()


def test_a_site_comes_back_as_it_was_written(store: Store) -> None:
    assert store.get("shop.example.com") is None
    record = SiteRecord(
        "shop.example.com", "shopping", "pages", "ebay.com", 1.25, 1, {"cart": 2, "新闻": 1}, {"buy": 1}, 7.5
    )
    written = store.change("shop.example.com", lambda _: record)
    assert written is not None
    assert store.get("shop.example.com") == written
    assert replace(written, changed_at=0) == record
    assert [r.site for r in store.sites()] == ["shop.example.com"]


def test_a_change_gets_the_present_record_and_may_leave_it(store: Store) -> None:
    store.change("a.com", lambda record: replace(record, pages=record.pages + 1))
    store.change("a.com", lambda record: replace(record, pages=record.pages + 1))
    assert store.change("a.com", lambda _: None) is None
    found = store.get("a.com")
    assert found is not None
    assert found.pages == 2
    assert store.change("never.com", lambda _: None) is None
    assert store.get("never.com") is None


def test_an_error_in_a_change_leaves_the_record(store: Store) -> None:
    store.change("a.com", lambda record: replace(record, pages=1))
    with pytest.raises(ZeroDivisionError):
        store.change("a.com", lambda record: replace(record, pages=1 // 0))
    found = store.get("a.com")
    assert found is not None
    assert found.pages == 1


def test_forgetting(store: Store) -> None:
    store.change("a.com", lambda record: record)
    assert store.forget("a.com")
    assert not store.forget("a.com")
    assert store.sites() == []


def test_the_budget_of_a_day_is_counted(store: Store) -> None:
    assert [store.spend("searxng", "2026-01-01", 2) for _ in range(3)] == [True, True, False]
    assert store.spend("brave", "2026-01-01", 1)
    assert store.spend("searxng", "2026-01-02", 1), "a new day, a new budget"
    assert not store.spend("searxng", "2026-01-02", 0)


def count_pages(place: str, times: int) -> None:
    """What one of several processes does."""
    opened = open_store(place)
    for _ in range(times):
        opened.change("busy.com", lambda record: replace(record, pages=record.pages + 1))
        assert opened.get("busy.com") is not None
    opened.close()


def test_several_processes_lose_no_change(store: Store, place: str) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=count_pages, args=(place, 25)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    found = store.get("busy.com")
    assert found is not None
    assert found.pages == 100


def test_a_reader_does_not_wait_for_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    opened = open_store(path)
    opened.change("a.com", lambda record: record)
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert opened.get("a.com") is not None
        other.execute("ROLLBACK")
    other.close()
    opened.close()


@pytest.mark.parametrize(
    "content", [b"no database, only text that goes on for a while" * 40, b"SQLite format 3\0" + b"\xff" * 2000]
)
def test_a_broken_file_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "sites.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be used") as caught:
        open_store(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_nobody_else_may_read_which_sites_are_visited(tmp_path: Path) -> None:
    opened = open_store(tmp_path / "sites.sqlite")
    opened.change("a.com", lambda record: record)
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    opened.close()


def test_a_store_of_another_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    open_store(path).close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE about SET value = '99'")
    other.close()
    with pytest.raises(StoreError, match="is of version 99, this program uses version 1"):
        open_store(path)


def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="cannot be used") as caught:
        open_store(f"postgresql+psycopg://someone:secret@/none?host={tmp_path}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["nonsense://x", "sqlite:///x.db"])
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(StoreError):
        open_store(url)
