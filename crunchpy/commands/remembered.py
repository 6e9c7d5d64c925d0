"""Says what the running proxy remembers of a page's site, where that decides on the page's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crunchpy.genre.chooser import store_place
from crunchpy.genre.classifier import UNKNOWN
from crunchpy.genre.domains import public_site
from crunchpy.genre.store_reading import ReadingStore

if TYPE_CHECKING:
    from crunchpy.engine import Engine
    from crunchpy.genre.store import SiteRecord

DECIDED = {"hand": "the administrator decided", "pages": "its pages decided", "snippets": "search results decided"}


def remembered(engine: Engine, url: str) -> str:
    """One sentence or two; empty where the proxy would not look: no site, or one that an entry of genres.yaml names."""
    host = urlsplit(url).hostname or ""
    if not host or not engine.genres.classifier.on or engine.genres.choose(url).genre != UNKNOWN:
        return ""
    site = public_site(host)
    if site is None:
        return f"{host} is a private site. The proxy remembers nothing of such, and gives them the default settings."
    store = ReadingStore.open(store_place(engine.genres.classifier))
    try:
        record = store.get(site)
        if store.problem:
            return f"What the proxy remembers of {site} was not read, so this page alone was counted: {store.problem}."
        return _said(site, store.place, record)
    finally:
        store.close()


def _said(site: str, place: str, record: SiteRecord | None) -> str:
    if record is None:
        return f"The proxy remembers nothing of {site} in {place}, so this page was counted as the first of its site."
    pages = f"{record.pages} page{'s' * (record.pages != 1)}"
    if record.genre:
        who = DECIDED.get(record.decided_by, record.decided_by)
        return f"The proxy remembers {site} in {place}: {record.genre}, {who}, {pages} counted."
    return f"The proxy remembers {pages} of {site} in {place}, not enough for a genre; this page was added to them."
