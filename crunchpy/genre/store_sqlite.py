"""The store in a file of SQLite.

In WAL mode readers never wait, and each change is one short transaction that takes the one writer's place first (BEGIN
IMMEDIATE), so several processes may change the same site.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from crunchpy.genre.store import (
    COLUMNS,
    STORE_VERSION,
    Change,
    SiteRecord,
    StoreError,
    check_version,
    from_row,
    to_row,
)

BUSY_TIMEOUT_MS = 2000  # a writer waits this long for another; a transaction here takes well under a millisecond

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE sites (
    site TEXT PRIMARY KEY, genre TEXT NOT NULL, decided_by TEXT NOT NULL, nearest TEXT NOT NULL, distance REAL,
    pages INTEGER NOT NULL, page_words TEXT NOT NULL, snippet_words TEXT NOT NULL, asked_at REAL, changed_at REAL NOT
    NULL
);
CREATE TABLE budget (source TEXT, day TEXT, asked INTEGER NOT NULL, PRIMARY KEY (source, day));
"""
_WRITE = f"INSERT OR REPLACE INTO sites ({', '.join(COLUMNS)}) VALUES ({', '.join(':' + column for column in COLUMNS)})"  # noqa: S608 - our own names


class SqliteStore:
    """See `store.Store`. May be used from one thread at a time, not always the same one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> SqliteStore:
        """Open or make the file. Raises StoreError."""
        connection = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # which sites people visit is nobody else's business
            connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")  # a crash may lose the last guess, never the file
            store = cls(connection)
            store._prepare(str(path))
        except (sqlite3.Error, OSError) as error:
            if connection is not None:
                connection.close()
            raise StoreError(f"{path}: cannot be used: {error}") from error
        except StoreError:
            assert connection is not None
            connection.close()
            raise
        return store

    def _prepare(self, name: str) -> None:
        with self._writing():
            if not self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'about'").fetchone():
                for statement in _TABLES.split(";"):  # not executescript, which would end the transaction
                    self._connection.execute(statement)
                self._connection.execute("INSERT INTO about VALUES ('version', ?)", (str(STORE_VERSION),))
            row = self._connection.execute("SELECT value FROM about WHERE key = 'version'").fetchone()
            check_version(name, row and row[0])

    def get(self, site: str) -> SiteRecord | None:
        """See `store.Store`."""
        row = self._connection.execute("SELECT * FROM sites WHERE site = ?", (site,)).fetchone()
        return None if row is None else from_row(row)

    def change(self, site: str, change: Change) -> SiteRecord | None:
        """See `store.Store`."""
        with self._writing():
            changed = change(self.get(site) or SiteRecord(site))
            if changed is not None:
                changed = replace(changed, site=site, changed_at=time.time())
                self._connection.execute(_WRITE, to_row(changed))
        return changed

    def sites(self) -> list[SiteRecord]:
        """See `store.Store`."""
        return [from_row(row) for row in self._connection.execute("SELECT * FROM sites ORDER BY site")]

    def forget(self, site: str) -> bool:
        """See `store.Store`."""
        with self._writing():
            return self._connection.execute("DELETE FROM sites WHERE site = ?", (site,)).rowcount > 0

    def spend(self, source: str, day: str, most: int) -> bool:
        """See `store.Store`."""
        with self._writing():
            where = (source, day)
            row = self._connection.execute("SELECT asked FROM budget WHERE source = ? AND day = ?", where).fetchone()
            asked = row[0] if row else 0
            if asked >= most:
                return False
            self._connection.execute("DELETE FROM budget WHERE source = ?", (source,))  # of days gone by too
            self._connection.execute("INSERT INTO budget VALUES (?, ?, ?)", (source, day, asked + 1))
        return True

    def close(self) -> None:
        """See `store.Store`."""
        self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
