"""`Blocklist`: may this request be made, and which elements of this page are to be hidden?

The interface is ours; the matching is the `adblock` package's (adblock-rust) plus two parts beside it (rules.py says
which and why). Another engine can take its place by filling `compiled.Compiled`.
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import adblock

from crunchpy.adverts.compiled import Compiled, Source, compile_lists, compile_lists_once
from crunchpy.adverts.rules import CATEGORIES, Category

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from crunchpy.adverts.page_rules import PageRules
    from crunchpy.page import Element, Page

logger = logging.getLogger(__name__)

Kind = Literal[
    "document", "subdocument", "script", "stylesheet", "image", "media", "font", "object", "xmlhttprequest", "ping",
    "websocket", "other",
]  # fmt: skip

ADVERTS: tuple[Category, ...] = ("ads", "trackers")
# As browsers read it: a backslash ends the host like a slash, and what is before an @ is no part of it.
_ADDRESS = re.compile(r"(?:https?|wss?)://(?:[^/\\?#]*@)?(\[[^\]/]*\]|[^/\\?#:\[\]]+)", re.IGNORECASE)
EMBEDDED = Path(__file__).with_name("builtin.txt")


@dataclass(frozen=True, slots=True)
class Match:
    """Why something is blocked: the rule as its list has it, the list's name and category.

    `important` rules allow no exception.
    """

    rule: str
    list_name: str
    category: Category
    important: bool = False


class Blocklist:
    """Filter lists ready to be asked. Immutable: changed lists make a new Blocklist."""

    def __init__(self, compiled: Sequence[Compiled]) -> None:
        """Of lists made ready by compiled.py; `load`, `embedded` and `installed` are the usual ways here."""
        self._compiled = tuple(compiled)
        self._third_party = _third_party_engine()
        self._page_rules = _page_rules(self._compiled)
        each_literals = [each.literals for each in self._compiled]
        found = [each for each in each_literals if each is not None]
        self._literals = sum(found, ()) if len(found) == len(each_literals) else None
        # The requests of a page go to a few hosts, and many pages have the same.
        self._is_listed = lru_cache(maxsize=1024)(self._names_host)

    @classmethod
    def load(cls, paths: Sequence[Path], *, keep_in: Path | None = None, cosmetic: bool = True) -> Blocklist:
        """The lists in these files; none means the embedded list. OSError where one cannot be read.

        `keep_in` is a folder for the compiled form. Without `cosmetic` only `blocks` answers, in a tenth of the memory
        that a whole engine takes.
        """
        paths = paths or [EMBEDDED]
        if keep_in is None:
            return cls(compile_lists([Source.read(path) for path in paths], cosmetic=cosmetic))
        return cls(compile_lists_once(paths, keep_in, cosmetic=cosmetic))

    @classmethod
    def embedded(cls) -> Blocklist:
        """The small list that comes with crunchpy."""
        return cls.load([])

    @classmethod
    def installed(cls, folder: Path | None = None, *, cosmetic: bool = True) -> Blocklist:
        """The lists that `crunchpy lists update` put into `folder` (default: `lists_folder`), else the embedded one.

        Lists that cannot be read are said in the log, and the embedded one is in force.
        """
        folder = folder or lists_folder()
        try:
            paths = sorted(folder.glob("*.txt"))
            # The embedded list is compiled in 5 ms: not worth a file, nor a folder where nobody asked for one.
            return cls.load(paths, keep_in=folder if paths else None, cosmetic=cosmetic)
        except OSError as error:
            logger.warning("the embedded ad list is in force, since the fetched lists cannot be read: %s", error)
            return cls.load([], cosmetic=cosmetic)

    @property
    def lists(self) -> tuple[tuple[str, Category, int], ...]:
        """Name, category and number of rules of each list."""
        return tuple((each.name, each.category, each.rules_count) for each in self._compiled)

    def blocks(self, url: str, *, page_url: str, kind: str, categories: Collection[Category] = ADVERTS) -> Match | None:
        """The rule that forbids the page at `page_url` to load `url` as a `kind` (see Kind), or None.

        An empty `page_url` counts as another site. A top-level document is never blocked: somebody asked for it.
        Anything but absolute http, https, ws and wss addresses is let through.
        """
        if kind == "document":
            return None
        host = host_of(url)
        if not host:
            return None
        is_listed = self._is_listed(host)
        if not is_listed and not _may_match(self._literals, url):
            return None
        page_host = _page_host(page_url)
        for each in self._compiled:
            if each.category not in categories:
                continue
            rule = self._host_rule(each, (url, host, page_host, kind)) if is_listed else None
            if rule is None and not _may_match(each.literals, url):
                continue
            # By place, as the binding wants it: the site's relation is for it to find; whether a rule has matched
            # already, so that only `important` rules and exceptions are left to look at; exceptions are not forced.
            answer = each.network.check_network_urls_with_hostnames_subset(
                url, host, page_host, kind, None, rule is not None, False
            )
            if answer.matched:
                return Match(answer.filter or rule or "", each.name, each.category, answer.important)
        return None

    def hides(self, page: Page, *, categories: Collection[Category] = ADVERTS) -> Iterator[tuple[Element, Match]]:
        """The elements of `page` that element rules hide, outermost only, in document order, each with its rule.

        Never an element that holds the h1, the main part or most of the words of the page.
        """
        from crunchpy.adverts.page_rules import hidden

        yield from hidden(page, [each for each in self._page_rules if each.category in categories])

    def _names_host(self, host: str) -> bool:
        return any(each.hosts.find(host) or each.third_party_hosts.find(host) for each in self._compiled)

    def _host_rule(self, each: Compiled, request: tuple[str, str, str, str]) -> str | None:
        """The plain rule for the host of a request: (url, host, page_host, kind)."""
        host = request[1]
        if listed := each.hosts.find(host):
            return f"||{listed}^"
        listed = each.third_party_hosts.find(host)
        # Asked last, since it is seldom needed and has to know where registered domains begin.
        if listed and self._third_party.check_network_urls_with_hostnames(*request, None).matched:
            return f"||{listed}^$third-party"
        return None


def _may_match(literals: tuple[str, ...] | None, url: str) -> bool:
    if literals is None or not url.isascii():
        return True
    lowered = url.lower()
    for literal in literals:  # noqa: SIM110  a generator takes as long as the search
        if literal in lowered:
            return True
    return False


def host_of(url: str) -> str:
    """The lower-case ASCII host of an absolute http(s) or ws(s) address, or an empty text."""
    found = _ADDRESS.match(url)
    if not found:
        return ""
    host = found[1].lower().rstrip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


@lru_cache(maxsize=64)
def _page_host(page_url: str) -> str:
    """`host_of`, remembered: a page asks about a hundred addresses."""
    return host_of(page_url)


def lists_folder() -> Path:
    """Where fetched lists are: CRUNCHPY_CACHE, else XDG_CACHE_HOME/crunchpy, else ~/.cache/crunchpy, then `lists`."""
    if own := os.environ.get("CRUNCHPY_CACHE"):
        return Path(own) / "lists"
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "crunchpy" / "lists"


def _page_rules(compiled: Sequence[Compiled]) -> list[PageRules]:
    with_rules = [(each, each.cosmetic) for each in compiled if each.cosmetic is not None]
    if not with_rules:
        return []
    # The proxy's own process asks about requests only, and would load lxml and cssselect for nothing.
    from crunchpy.adverts.page_rules import PageRules

    return [PageRules(each, engine) for each, engine in with_rules]


def _third_party_engine() -> adblock.Engine:
    """An engine whose one rule is "another site's": so that `third-party` means to us what it means to the engine."""
    filters = adblock.FilterSet()
    filters.add_filters(["|http$third-party", "|ws$third-party"])
    return adblock.Engine(filters)


assert set(ADVERTS) < set(CATEGORIES)
