"""The store in a server's database, for several machines: PostgreSQL, through SQLAlchemy.

A change locks the site's name for its transaction, since a row that does not exist yet cannot be locked.
"""

from __future__ import annotations

import time
from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from crunchpy.genre.store import STORE_VERSION, Change, SiteRecord, StoreError, check_version, from_row, to_row

_metadata = sa.MetaData()
_about = sa.Table("about", _metadata, sa.Column("key", sa.String, primary_key=True), sa.Column("value", sa.String))
_sites = sa.Table(
    "sites",
    _metadata,
    sa.Column("site", sa.String, primary_key=True),
    sa.Column("genre", sa.String, nullable=False),
    sa.Column("decided_by", sa.String, nullable=False),
    sa.Column("nearest", sa.String, nullable=False),
    sa.Column("distance", sa.Double),
    sa.Column("pages", sa.Integer, nullable=False),
    sa.Column("page_words", sa.Text, nullable=False),
    sa.Column("snippet_words", sa.Text, nullable=False),
    sa.Column("asked_at", sa.Double),
    sa.Column("changed_at", sa.Double, nullable=False),
)
_budget = sa.Table(
    "budget",
    _metadata,
    sa.Column("source", sa.String, primary_key=True),
    sa.Column("day", sa.String, primary_key=True),
    sa.Column("asked", sa.Integer, nullable=False),
)


class ServerStore:
    """See `store.Store`."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, url: str) -> ServerStore:
        """Connect, and make the tables where there are none. Raises StoreError, which never shows the password."""
        if not url.startswith("postgresql"):
            raise StoreError(f"{_without_password(url)}: write postgresql+psycopg://..., or the path of a file")
        engine = None
        try:
            engine = sa.create_engine(url)
            with engine.begin() as connection:
                version = _prepare(connection)
        except (SQLAlchemyError, OSError, ImportError) as error:
            if engine is not None:
                engine.dispose()
            raise StoreError(f"{_without_password(url)}: cannot be used: {str(error).splitlines()[0]}") from error
        try:
            check_version(_without_password(url), version)
        except StoreError:
            engine.dispose()
            raise
        return cls(engine)

    def get(self, site: str) -> SiteRecord | None:
        """See `store.Store`."""
        with self._engine.connect() as connection:
            return _get(connection, site)

    def change(self, site: str, change: Change) -> SiteRecord | None:
        """See `store.Store`."""
        with self._engine.begin() as connection:
            _lock(connection, f"site {site}")
            present = _get(connection, site)
            changed = change(present or SiteRecord(site))
            if changed is None:
                return None
            changed = replace(changed, site=site, changed_at=time.time())
            write = _sites.insert() if present is None else _sites.update().where(_sites.c.site == site)
            connection.execute(write.values(**to_row(changed)))
        return changed

    def sites(self) -> list[SiteRecord]:
        """See `store.Store`."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(_sites).order_by(_sites.c.site)).mappings()
            return [from_row({str(key): value for key, value in row.items()}) for row in rows]

    def forget(self, site: str) -> bool:
        """See `store.Store`."""
        with self._engine.begin() as connection:
            return connection.execute(_sites.delete().where(_sites.c.site == site)).rowcount > 0

    def spend(self, source: str, day: str, most: int) -> bool:
        """See `store.Store`."""
        with self._engine.begin() as connection:
            _lock(connection, f"budget {source}")
            where = (_budget.c.source == source) & (_budget.c.day == day)
            asked = connection.execute(sa.select(_budget.c.asked).where(where)).scalar() or 0
            if asked >= most:
                return False
            connection.execute(_budget.delete().where(_budget.c.source == source))  # of days gone by too
            connection.execute(_budget.insert().values(source=source, day=day, asked=asked + 1))
        return True

    def close(self) -> None:
        """See `store.Store`."""
        self._engine.dispose()


def _prepare(connection: sa.Connection) -> str | None:
    """Make the tables where there are none; the version of what is there."""
    _lock(connection, "crunchpy store")  # two proxies that start at once must not both make the tables
    if "about" not in sa.inspect(connection).get_table_names():
        _metadata.create_all(connection)
        connection.execute(_about.insert().values(key="version", value=str(STORE_VERSION)))
    return connection.execute(sa.select(_about.c.value).where(_about.c.key == "version")).scalar()


def _lock(connection: sa.Connection, name: str) -> None:
    """Hold a name until the transaction ends."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(name))))


def _get(connection: sa.Connection, site: str) -> SiteRecord | None:
    row = connection.execute(sa.select(_sites).where(_sites.c.site == site)).mappings().first()
    return None if row is None else from_row({str(key): value for key, value in row.items()})


def _without_password(url: str) -> str:
    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return "the store's URL"
