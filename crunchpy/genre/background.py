"""Asks for snippets about new sites beside the pages, never in their way: a task of the main process's event loop.

lookup = SnippetLookup.of(options, classifier)    # None where no source is named
lookup.start()                                    # in the event loop
lookup.feed(host)                                 # for each filtered page; returns at once
await lookup.stop()
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from crunchpy.genre.domains import public_site
from crunchpy.genre.key_words import own_names
from crunchpy.genre.settling import with_snippets
from crunchpy.genre.snippets import Snippet, SnippetSource, SourceFault, make_sources, merged
from crunchpy.genre.words import telling_words

if TYPE_CHECKING:
    from crunchpy.genre.classifier import Classifier
    from crunchpy.genre.options import ClassifierOptions
    from crunchpy.genre.store import Store

logger = logging.getLogger(__name__)

MAX_WAITING = 500  # sites; when more wait, new ones are dropped: their next page asks again
_FIRST_BACK_OFF_S = 30.0
_LONGEST_BACK_OFF_S = 3600.0
_DAY_S = 86_400.0


class SnippetLookup:
    """See the module. One for all worker processes.

    Args:
        classifier: judges the results.
        open_store: opens the store, in the thread that uses it.
        sources: whom to ask; all of them.
        keep_days: days until a site is asked for again.
    """

    def __init__(
        self,
        classifier: Classifier,
        open_store: Callable[[], Store],
        sources: Sequence[SnippetSource],
        keep_days: float,
    ) -> None:
        self._classifier, self._open_store, self._keep_s = classifier, open_store, keep_days * _DAY_S
        self._sources = tuple(sources)
        self._store: Store | None = None
        self._waiting: asyncio.Queue[str] = asyncio.Queue(MAX_WAITING)
        self._seen: dict[str, float] = {}
        self._back_off: dict[str, tuple[float, float]] = {}  # source name to (not before, seconds waited)
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def load(cls, *folders: Path) -> SnippetLookup | None:
        """The look-up for an administrator's overlays; None where it is off.

        What is wrong there is only logged: the workers, which read the same files, have refused them already.
        """
        from crunchpy.genre.by_hand import load_genres
        from crunchpy.genre.known_sites import KnownSitesError, read_known_sites
        from crunchpy.overlay import OverlayError, files, overlays

        try:
            found = files(overlays(*folders))
            names = {path.stem for path in found.settings}
            by_hand = load_genres(found.genres, names)
            options = by_hand.classifier
            if not options.on or not options.snippets.sources:
                return None
            from crunchpy.genre.classifier import Classifier  # only now: known sites and numpy take 40 MB

            return cls.of(options, Classifier.of(read_known_sites(), by_hand, names, options))
        except (OverlayError, ValueError, KnownSitesError) as error:
            logger.warning("no snippets are asked for: %s", error)
            return None

    @classmethod
    def of(cls, options: ClassifierOptions, classifier: Classifier) -> SnippetLookup | None:
        """The look-up for an administrator's options; None where it is off. Unusable sources are named in the log."""
        from crunchpy.genre.chooser import store_opener

        sources, problems = make_sources(options.snippets)
        for problem in problems:
            logger.warning("%s", problem)
        if not sources or not options.on:
            return None
        return cls(classifier, store_opener(options), sources, options.snippets.keep_days)

    def start(self) -> None:
        """Begin; call it in the event loop."""
        assert self._task is None
        self._task = asyncio.get_running_loop().create_task(self._run(), name="snippet look-up")

    async def stop(self) -> None:
        """End at once; what waits is dropped."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        if self._store:
            await asyncio.to_thread(self._store.close)
            self._store = None

    def feed(self, host: str) -> None:
        """A page of this host was shown. Private names are dropped here and never leave."""
        site = public_site(host)
        if site is None or self._seen.get(site, 0.0) > time.monotonic():
            return
        with contextlib.suppress(asyncio.QueueFull):
            self._waiting.put_nowait(site)
            self._seen[site] = time.monotonic() + min(self._keep_s, _LONGEST_BACK_OFF_S)
            if len(self._seen) > 10 * MAX_WAITING:
                self._seen.pop(next(iter(self._seen)))

    async def join(self) -> None:
        """Wait until all sites fed so far are dealt with."""
        await self._waiting.join()

    async def _run(self) -> None:
        while True:
            site = await self._waiting.get()
            try:
                await asyncio.to_thread(self.look_up, site)
            except Exception:
                logger.warning("the look-up of %s failed", site, exc_info=True)
            finally:
                self._waiting.task_done()

    def look_up(self, site: str) -> bool:
        """Ask all sources about one site and store what they say; whether any of them answered. Blocking."""
        if self._store is None:
            self._store = self._open_store()
        record = self._store.get(site)
        asked_at = record.asked_at if record else None
        if asked_at is not None and time.time() - asked_at < self._keep_s:
            return False
        answers = [answer for source in self._sources if (answer := self._ask(source, site)) is not None]
        if not answers:
            return False
        words = self._words(site, merged(answers))
        self._store.change(site, lambda present: with_snippets(present, words, time.time(), self._classifier))
        return True

    def _ask(self, source: SnippetSource, site: str) -> list[Snippet] | None:
        """One source's answer; None where it failed, waits after a failure, or has no budget left today."""
        not_before, waited_s = self._back_off.get(source.name, (0.0, 0.0))
        assert self._store is not None
        if time.monotonic() < not_before:
            return None
        if not self._store.spend(source.name, datetime.now(UTC).date().isoformat(), source.max_a_day):
            logger.info("%s: the budget of %d requests a day is used up", source.name, source.max_a_day)
            return None
        try:
            answer = source.ask(site)
        except SourceFault as fault:
            wait_s = min(max(waited_s * 2, _FIRST_BACK_OFF_S, fault.retry_after_s or 0), _LONGEST_BACK_OFF_S)
            self._back_off[source.name] = (time.monotonic() + wait_s, wait_s)
            logger.warning("%s: %s; not asked again for %.0f s", source.name, fault, wait_s)
            return None
        self._back_off.pop(source.name, None)
        return answer

    def _words(self, site: str, snippets: Sequence[Snippet]) -> Counter[str]:
        found: Counter[str] = Counter()
        for snippet in snippets:
            found.update(telling_words(f"{snippet.title} {snippet.text}", own_names=own_names(site)))
        return Counter({word: count for word, count in found.items() if word in self._classifier.known.places})
