"""What the proxy has learnt of sites: their words, their genre, who decided it. Kept over restarts, shared by
processes.

SQLite by default: in WAL mode readers never wait, and each change is one short transaction that takes the one
writer's place first (BEGIN IMMEDIATE), so several processes may change the same site. PostgreSQL by its URL, for
several machines. A store that cannot be used never stands in a page's way: `open_store` says why, and the caller goes
on without.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

STORE_VERSION = 1
BUSY_TIMEOUT_MS = 2000  # a writer waits this long for another; a transaction here takes well under a millisecond

_READS = "crunchpy_reads"  # marks transactions that need not wait for the writer

_metadata = sa.MetaData()
_about = sa.Table("about", _metadata, sa.Column("key", sa.String, primary_key=True), sa.Column("value", sa.String))
_sites = sa.Table(
    "sites",
    _metadata,
    sa.Column("site", sa.String, primary_key=True),
    sa.Column("genre", sa.String, nullable=False),
    sa.Column("decided_by", sa.String, nullable=False),
    sa.Column("nearest", sa.String, nullable=False),
    sa.Column("distance", sa.Float),
    sa.Column("pages", sa.Integer, nullable=False),
    sa.Column("page_words", sa.Text, nullable=False),
    sa.Column("snippet_words", sa.Text, nullable=False),
    sa.Column("asked_at", sa.Float),
    sa.Column("changed_at", sa.Float, nullable=False),
)
_budget = sa.Table(
    "budget",
    _metadata,
    sa.Column("source", sa.String, primary_key=True),
    sa.Column("day", sa.String, primary_key=True),
    sa.Column("asked", sa.Integer, nullable=False),
)


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


class Store:
    """The table of sites. Made by `open_store`; one for each process, never carried over a fork."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(**{_READS: True})

    def get(self, site: str) -> SiteRecord | None:
        """What is known of a site; None for one never seen."""
        with self._reading.connect() as connection:
            row = connection.execute(sa.select(_sites).where(_sites.c.site == site)).mappings().first()
        return None if row is None else _record(row)

    def change(self, site: str, change: Callable[[SiteRecord], SiteRecord | None]) -> SiteRecord | None:
        """Read a site, change it, write it, as one step that no other process comes between.

        Args:
            site: the site's domain.
            change: gets the record (a blank one for a new site), gives the new one, or None to leave all as it is.

        Returns:
            What was written, None where nothing was.
        """
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":  # a row that does not exist yet cannot be locked, its name can
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(site))))
            row = connection.execute(sa.select(_sites).where(_sites.c.site == site)).mappings().first()
            changed = change(SiteRecord(site) if row is None else _record(row))
            if changed is None:
                return None
            changed = replace(changed, site=site, changed_at=time.time())
            values = _values(changed)
            if row is None:
                connection.execute(_sites.insert().values(**values))
            else:
                connection.execute(_sites.update().where(_sites.c.site == site).values(**values))
        return changed

    def sites(self) -> list[SiteRecord]:
        """All sites by name, for the administrator."""
        with self._reading.connect() as connection:
            return [_record(row) for row in connection.execute(sa.select(_sites).order_by(_sites.c.site)).mappings()]

    def forget(self, site: str) -> bool:
        """Drop what is known of a site; whether there was anything."""
        with self._engine.begin() as connection:
            return connection.execute(_sites.delete().where(_sites.c.site == site)).rowcount > 0

    def spend(self, source: str, day: str, most: int) -> bool:
        """Take one request from a source's budget of the day; False where it is used up. Counted over all processes."""
        where = (_budget.c.source == source) & (_budget.c.day == day)
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(f"budget {source}"))))
            asked = connection.execute(sa.select(_budget.c.asked).where(where)).scalar()
            if (asked or 0) >= most:
                return False
            if asked is None:
                connection.execute(_budget.delete().where(_budget.c.source == source))  # of days gone by
                connection.execute(_budget.insert().values(source=source, day=day, asked=1))
            else:
                connection.execute(_budget.update().where(where).values(asked=asked + 1))
        return True

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()


def open_store(place: str | Path) -> Store:
    """Open the store, making it where there is none.

    Args:
        place: a file for SQLite, or a SQLAlchemy URL ("postgresql+psycopg://user@host/name").

    Raises:
        StoreError: it cannot be reached, is no store, or is of another version.
    """
    text = str(place)
    is_url = "://" in text
    name = sa.make_url(text).render_as_string(hide_password=True) if is_url else text
    if is_url and text.startswith("sqlite"):
        raise StoreError(f"{name}: write the file's path instead of a URL")
    engine: sa.Engine | None = None
    try:
        engine = sa.create_engine(text) if is_url else _sqlite(Path(text))
        with engine.begin() as connection:
            _prepare(connection, name)
    except (SQLAlchemyError, OSError, ImportError, StoreError) as error:
        if engine is not None:
            engine.dispose()
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{name}: cannot be used: {str(error).splitlines()[0]}") from error
    return Store(engine)


def _prepare(connection: sa.Connection, name: str) -> None:
    if connection.dialect.name == "postgresql":  # two proxies that start at once must not both make the tables
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext("crunchpy store"))))
    tables = set(sa.inspect(connection).get_table_names())
    if not tables & set(_metadata.tables):
        _metadata.create_all(connection)
        connection.execute(_about.insert().values(key="version", value=str(STORE_VERSION)))
        return
    version = connection.execute(sa.select(_about.c.value).where(_about.c.key == "version")).scalar()
    if version != str(STORE_VERSION):
        raise StoreError(f"{name}: is of version {version}, this program uses version {STORE_VERSION}; move it away")


def _sqlite(path: Path) -> sa.Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000},
    )

    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the transactions are ours (below), not the driver's
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")  # a crash may lose the last guess, never the file
        except BaseException:
            connection.close()  # SQLAlchemy does not know it yet
            raise

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        reads = connection.get_execution_options().get(_READS, False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _record(row: Mapping[Any, Any]) -> SiteRecord:
    values = dict(row)
    for column in ("page_words", "snippet_words"):
        values[column] = json.loads(values[column])
    return SiteRecord(**values)


def _values(record: SiteRecord) -> dict[str, Any]:
    values = {column.name: getattr(record, column.name) for column in _sites.columns}
    for column in ("page_words", "snippet_words"):
        values[column] = json.dumps(dict(values[column]), ensure_ascii=False, separators=(",", ":"))
    return values
