"""What the proxy has learnt of sites: their words, their genre, who decided it. Kept over restarts, shared by
processes.

A file of SQLite by default (`store_sqlite.py`), a server's database by its URL, for several machines
(`store_server.py`). A store that cannot be used never stands in a page's way: `open_store` says why, and the caller
goes on without.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

STORE_VERSION = 1


class StoreError(ValueError):
    """The store cannot be used; the message names it and says why. Nothing in it was changed."""


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """What is known of one site.

    genre: "" while unknown. decided_by: pages, snippets, hand. page_words and snippet_words: counts of key words.
    pages: how many pages were counted. asked_at: when snippets were last asked for (seconds since 1970), None for
    never.
    """

    site: str
    genre: str = ""
    decided_by: str = ""
    nearest: str = ""
    distance: float | None = None
    pages: int = 0
    page_words: Mapping[str, int] = field(default_factory=dict)
    snippet_words: Mapping[str, int] = field(default_factory=dict)
    asked_at: float | None = None
    changed_at: float = 0.0


COLUMNS = tuple(column.name for column in fields(SiteRecord))
_WORDS = ("page_words", "snippet_words")

Change = Callable[[SiteRecord], SiteRecord | None]


class Store(Protocol):
    """The table of sites. Made by `open_store`; one for each process, never carried over a fork."""

    def get(self, site: str) -> SiteRecord | None:
        """What is known of a site; None for one never seen."""

    def change(self, site: str, change: Change) -> SiteRecord | None:
        """Read a site, change it, write it, as one step that no other process comes between.

        Args:
            site: the site's domain.
            change: gets the record (a blank one for a new site), gives the new one, or None to leave all as it is.

        Returns:
            What was written, None where nothing was.
        """

    def sites(self) -> list[SiteRecord]:
        """All sites by name, for the administrator."""

    def forget(self, site: str) -> bool:
        """Drop what is known of a site; whether there was anything."""

    def spend(self, source: str, day: str, most: int) -> bool:
        """Take one request from a source's budget of the day; False where it is used up. Counted over all processes."""

    def close(self) -> None:
        """Give the connections back."""


def open_store(place: str | Path) -> Store:
    """Open the store, making it where there is none.

    Args:
        place: a file for SQLite, or a SQLAlchemy URL ("postgresql+psycopg://user@host/name").

    Raises:
        StoreError: it cannot be reached, is no store, or is of another version.
    """
    if "://" not in str(place):
        from crunchpy.genre.store_sqlite import SqliteStore

        return SqliteStore.open(Path(place))
    # Only here: SQLAlchemy costs a third of a second and 14 MB, which a proxy with a file must not pay.
    from crunchpy.genre.store_server import ServerStore

    return ServerStore.open(str(place))


def to_row(record: SiteRecord) -> dict[str, Any]:
    """A record as the columns of its row."""
    values = {column: getattr(record, column) for column in COLUMNS}
    for column in _WORDS:
        values[column] = json.dumps(dict(values[column]), ensure_ascii=False, separators=(",", ":"))
    return values


def from_row(row: Mapping[str, Any]) -> SiteRecord:
    """The record of a row."""
    return SiteRecord(**{column: json.loads(row[column]) if column in _WORDS else row[column] for column in COLUMNS})


def check_version(name: str, version: str | None) -> None:
    """Refuse a store that another version wrote. Raises StoreError."""
    if version != str(STORE_VERSION):
        raise StoreError(f"{name}: is of version {version}, this program uses version {STORE_VERSION}; move it away")
