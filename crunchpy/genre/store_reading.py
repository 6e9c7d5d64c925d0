"""What a proxy remembers of sites, for commands that look and change nothing.

A change is worked out, as the proxy would make it, and not kept. Nothing is waited for: where the store cannot be read,
it is as if it were empty, and `problem` says why.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from crunchpy.genre.store import Change, SiteRecord, StoreError, check_version, from_row


class ReadingStore:
    """See `store.Store`. place: the file, or the kind of server. problem: why it cannot be read, empty where it can."""

    def __init__(self, place: str, connection: sqlite3.Connection | None, problem: str = "") -> None:
        self.place, self.problem = place, problem
        self._connection = connection

    @classmethod
    def open(cls, place: str) -> ReadingStore:
        """Open the store at this place if it can be read; never raises, and makes no file."""
        if "://" in place:
            return cls(place.partition("://")[0], None, "it is a server's database, which only the proxy asks")
        path, connection = Path(place).expanduser(), None
        try:
            if not path.exists():
                return cls(str(path), None, f"there is no file {path}")
            connection = sqlite3.connect(_address(path), uri=True, timeout=0, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            row = connection.execute("SELECT value FROM about WHERE key = 'version'").fetchone()
            check_version(str(path), row and row[0])
        except (sqlite3.Error, OSError, StoreError) as error:
            if connection is not None:
                connection.close()
            said = str(error) if isinstance(error, StoreError) else f"{path} cannot be read: {error}"
            return cls(str(path), None, said)
        return cls(str(path), connection)

    def get(self, site: str) -> SiteRecord | None:
        """See `store.Store`."""
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT * FROM sites WHERE site = ?", (site,)).fetchone()
        except sqlite3.Error as error:
            self.problem = f"{self.place} cannot be read: {error}"
            self.close()
            return None
        return None if row is None else from_row(row)

    def change(self, site: str, change: Change) -> SiteRecord | None:
        """What the change would make of the site; nothing is written."""
        return change(self.get(site) or SiteRecord(site))

    def sites(self) -> list[SiteRecord]:
        """See `store.Store`; none, nobody asks here."""
        return []

    def forget(self, site: str) -> bool:
        """See `store.Store`; nothing is forgotten."""
        del site
        return False

    def spend(self, source: str, day: str, most: int) -> bool:
        """See `store.Store`; nothing may be asked for."""
        del source, day, most
        return False

    def close(self) -> None:
        """See `store.Store`."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _address(path: Path) -> str:
    """The file's address for reading.

    SQLite makes two files beside one that nobody has open, and a reader cannot take them away again; made by another
    user than the proxy's they would lock the proxy out. So such a file is read as one that does not change.
    """
    in_use = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if in_use else '&immutable=1'}"
