"""Chooses a page's settings: the administrator's hand first, then what the site's words say, then the kind of page.

One for each worker process; the known sites' numbers are shared over the fork, the store is opened after it. Whatever
goes wrong here costs a page its genre, never its filtering: it gets the default settings, and the log says why once.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from crunchpy.genre.by_hand import ByHand, Choice
from crunchpy.genre.classifier import UNKNOWN, Classifier
from crunchpy.genre.domains import public_site, site_of
from crunchpy.genre.key_words import own_names
from crunchpy.genre.known_sites import KnownSitesError, read_known_sites
from crunchpy.genre.options import ClassifierOptions
from crunchpy.genre.page_kind import FRONT_PAGE, PageKind, PageKindError, page_kind, shipped_forest
from crunchpy.genre.settling import with_page
from crunchpy.genre.site_text import page_language, page_text
from crunchpy.genre.words import telling_counts

if TYPE_CHECKING:
    from crunchpy.genre.store import SiteRecord, Store
    from crunchpy.page import Page

logger = logging.getLogger(__name__)

DEFAULT_STORE = Path("~/.crunchpy/sites.sqlite")
STORE_VARIABLE = "CRUNCHPY_STORE"  # names another place, where genres.yaml names none
_REMEMBER_S = 30.0  # a decision by hand or by snippets is seen after this long without asking the store for each page
_MOST_REMEMBERED = 2000
_RETRY_STORE_S = 60.0


@dataclass(frozen=True, slots=True)
class GenreChoice(Choice):
    """A choice with its evidence.

    The nearest known site, its distance, and the page's kind, where they were asked for.
    """

    nearest: str = ""
    distance: float | None = None
    kind: PageKind | None = None

    def as_dict(self) -> dict[str, Any]:
        """The evidence too."""
        evidence: dict[str, Any] = {"why": self.why}
        if self.nearest:
            evidence |= {"nearest": self.nearest, "distance": self.distance and round(self.distance, 3)}
        if self.kind:
            evidence |= {"kind": self.kind.settings_key, "kind_probability": round(self.kind.probability, 2)}
        return evidence


class Chooser:
    """See the module.

    Args:
        by_hand: what `genres.yaml` says.
        classifier: None where unknown sites get the default.
        kinds: by the name of settings, the names of others for kinds of pages ("front_page", "listing" ...).
        open_store: opens the store in this process; None where nothing is kept.
    """

    def __init__(
        self,
        by_hand: ByHand,
        classifier: Classifier | None,
        kinds: Mapping[str, Mapping[str, str]],
        open_store: Callable[[], Store] | None,
    ) -> None:
        self.by_hand, self.classifier, self.kinds = by_hand, classifier, kinds
        self._open_store = open_store
        self._store: Store | None = None
        self._store_fails_until = 0.0
        self._remembered: OrderedDict[str, tuple[float, SiteRecord]] = OrderedDict()

    @classmethod
    def load(
        cls,
        by_hand: ByHand,
        settings: Collection[str],
        kinds: Mapping[str, Mapping[str, str]],
        *,
        keeps_sites: bool,
        reads_sites: bool = False,
    ) -> Chooser:
        """The chooser for an administrator's files.

        A broken built file leaves the hand's choices and says so in the log. What is read here is shared over the fork.

        Args:
            by_hand: what `genres.yaml` says.
            settings: the names of all settings.
            kinds: see `Chooser`.
            keeps_sites: what pages say of their sites is remembered.
            reads_sites: what the proxy remembers is read, and nothing is kept.
        """
        options = by_hand.classifier
        try:
            if kinds:
                shipped_forest()
        except PageKindError:
            logger.exception("pages of all kinds get the same settings")
            kinds = {}
        if not options.on:
            return cls(by_hand, None, kinds, None)
        try:
            classifier = Classifier.of(read_known_sites(), by_hand, settings, options)
        except KnownSitesError:
            logger.exception("sites that no entry of genres.yaml names get the default settings")
            return cls(by_hand, None, kinds, None)
        if reads_sites:
            return cls(by_hand, classifier, kinds, reading_opener(options))
        return cls(by_hand, classifier, kinds, store_opener(options) if keeps_sites else None)

    def choose(self, url: str, page: Page | None = None) -> GenreChoice:
        """The settings for a page; without the page only what is known already is asked."""
        found = self.by_hand.choose(url)
        choice = GenreChoice(found.settings, found.genre, found.why)
        if found.genre == UNKNOWN and self.classifier is not None:
            choice = self._of_site(url, page, self.classifier) or choice
        return self._for_kind(choice, url, page)

    def _of_site(self, url: str, page: Page | None, classifier: Classifier) -> GenreChoice | None:
        host = urlsplit(url).hostname or ""
        site = public_site(host) or ""  # of addresses and private names nothing is kept
        if not site and host and self._open_store is not None:
            return None  # page by page such a site would change its genre, and people learn where things are
        record = self._record(site) if site else None
        if page is not None and (record is None or not record.genre or record.pages < classifier.options.max_pages):
            words = page_words(page, site_of(host), classifier)
            counted = self._count(site, words, classifier) if site else None
            if counted is None and record is None:  # no store, or nothing to keep it under: this page's words alone
                guess = classifier.guess(words)
                nearest = next((near.site for near in guess.nearest if near.genre == guess.genre), "")
                return GenreChoice(guess.settings, guess.genre, guess.why, nearest, guess.distance)
            record = counted or record
        if record is None or not record.genre:
            return None
        return _settled(record, classifier)

    def _for_kind(self, choice: GenreChoice, url: str, page: Page | None) -> GenreChoice:
        """The settings that the genre's settings name for this kind of page, if any."""
        by_kind = self.kinds.get(choice.settings)
        if not by_kind or page is None:
            return choice
        kind = page_kind(page)
        name = by_kind.get(kind.settings_key) or (by_kind.get(kind.kind) if kind.is_front_page else None)
        why = f"{choice.why}; the page is a {'front page' if kind.settings_key == FRONT_PAGE else kind.kind}"
        return GenreChoice(
            name or choice.settings, choice.genre, why if name else choice.why, choice.nearest, choice.distance, kind
        )

    # -- the store

    def close(self) -> None:
        """Give the store's connection back."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _record(self, site: str) -> SiteRecord | None:
        kept = self._remembered.get(site)
        if kept and kept[0] > time.monotonic():
            return kept[1]
        found = self._with_store(lambda store: store.get(site))
        return self._remember(found) if found else None

    def _count(self, site: str, words: Mapping[str, int], classifier: Classifier) -> SiteRecord | None:
        changed = self._with_store(
            lambda store: store.change(site, lambda record: with_page(record, words, classifier)[0]) or store.get(site)
        )
        return self._remember(changed) if changed else None

    def _remember(self, record: SiteRecord) -> SiteRecord:
        self._remembered[record.site] = (time.monotonic() + _REMEMBER_S, record)
        self._remembered.move_to_end(record.site)
        while len(self._remembered) > _MOST_REMEMBERED:
            self._remembered.popitem(last=False)
        return record

    def _with_store[T](self, use: Callable[[Store], T]) -> T | None:
        """What the store answers; None where it cannot, which is logged once a minute at most."""
        if self._open_store is None or self._store_fails_until > time.monotonic():
            return None
        try:
            if self._store is None:
                self._store = self._open_store()
            return use(self._store)
        except Exception as error:  # noqa: BLE001 - a page must come out whatever happens to the store
            self._store_fails_until = time.monotonic() + _RETRY_STORE_S
            logger.warning("the store of sites is not used for %.0f s: %s", _RETRY_STORE_S, error)
            return None


def page_words(page: Page, site: str, classifier: Classifier) -> Counter[str]:
    """The key words of a page, counted; other words are not kept anywhere."""
    found = telling_counts(page_text(page.root), language=page_language(page.root), own_names=own_names(site))
    places = classifier.known.places
    return Counter({word: count for word, count in found.items() if word in places})


def store_opener(options: ClassifierOptions) -> Callable[[], Store]:
    """A function that opens the store; the library is loaded here, before the fork, and the file only after it."""
    from crunchpy.genre.store import open_store

    place = store_place(options)
    return lambda: open_store(place)


def reading_opener(options: ClassifierOptions) -> Callable[[], Store]:
    """A function that opens the proxy's store to look into it only."""
    from crunchpy.genre.store_reading import ReadingStore

    return lambda: ReadingStore.open(store_place(options))


def store_place(options: ClassifierOptions) -> str:
    """Where the proxy of this user and these options keeps what it learns."""
    return options.store or os.environ.get(STORE_VARIABLE) or str(DEFAULT_STORE.expanduser())


def check_data() -> list[str]:
    """What is wrong with the built files, for `crunchpy check`."""
    problems = []
    for read in (read_known_sites, shipped_forest):
        try:
            read()
        except (KnownSitesError, PageKindError) as error:
            problems.append(str(error))
    return problems


def _settled(record: SiteRecord, classifier: Classifier) -> GenreChoice | None:
    settings = classifier.settings.get(record.genre)
    if settings is None:
        return None
    if record.decided_by == "hand":
        return GenreChoice(settings, record.genre, "the administrator decided for this site")
    why = f"its words are nearest to those of {record.nearest}"
    return GenreChoice(settings, record.genre, why, record.nearest, record.distance)
