"""Bytes in, bytes and a trace out; it never raises."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from crunchpy.genre.by_hand import ByHand, Choice, load_genres
from crunchpy.genre.chooser import Chooser
from crunchpy.overlay import Files, OverlayError, files, overlays
from crunchpy.page import Counts, Page, Unfit
from crunchpy.plugin import Plugin, PluginError, load_plugin
from crunchpy.reasons import Reason
from crunchpy.settings import SettingsError, SettingsFile, load_settings
from crunchpy.splice import SpliceError
from crunchpy.trace import Trace

if TYPE_CHECKING:
    from crunchpy.adverts.blocklist import Blocklist

logger = logging.getLogger(__name__)

# A page of fewer words whose text comes from scripts; there is nothing to filter and a lot to break.
_SHELL_WORDS = 20
# A page that asks for a password and has fewer words is a log-in page.
_PASSWORD_PAGE_WORDS = 300


@dataclass(frozen=True, slots=True)
class Filtered:
    """A page after filtering: the bytes to send, and what was done."""

    body: bytes
    trace: Trace


@dataclass(frozen=True)
class Engine:
    """Everything that filters pages, immutable: on a change of files a new engine takes its place."""

    plugins: Mapping[str, Plugin]
    settings: Mapping[str, SettingsFile]
    genres: ByHand
    found: Files
    blocklist: Blocklist | None = None
    keeps_sites: bool = False
    reads_sites: bool = False

    @classmethod
    def load(
        cls,
        *folders: Path | str,
        blocklist: Blocklist | None = None,
        keeps_sites: bool = False,
        reads_sites: bool = False,
    ) -> Engine:
        """Load the built-in data and these overlays.

        Args:
            folders: the administrator's folders, later ones win.
            blocklist: what the `adverts` plugin asks; the built-in list where none is given.
            keeps_sites: remember the genre of sites over pages and restarts, as the proxy does; otherwise each page
                of a site that no entry of genres.yaml names is classified by its own words alone.
            reads_sites: choose as the proxy would that remembers sites, without keeping anything.

        Raises:
            SettingsError: with every problem of every file.
        """
        try:
            found = files(overlays(*folders))
        except OverlayError as error:
            raise SettingsError([str(error)]) from error
        problems: list[str] = []
        plugins = _load_plugins(found, problems)
        settings = _load_all_settings(found, plugins, problems)
        try:
            genres = load_genres(found.genres, {path.stem for path in found.settings})
        except SettingsError as error:
            problems += error.problems
        if problems:
            raise SettingsError(problems)
        return cls(plugins, settings, genres, found, blocklist or _embedded_blocklist(), keeps_sites, reads_sites)

    @cached_property
    def chooser(self) -> Chooser:
        """Chooses settings by hand, by the site's words, and by the kind of page. Loaded at the first page."""
        kinds = {name: file.kinds for name, file in self.settings.items() if file.kinds}
        return Chooser.load(
            self.genres, self.settings, kinds, keeps_sites=self.keeps_sites, reads_sites=self.reads_sites
        )

    def filter(
        self,
        body: bytes,
        *,
        url: str = "",
        content_type: str = "text/html",
        settings: str | None = None,
        step: int | None = None,
    ) -> Filtered:
        """Filter one page.

        Args:
            body: the decoded body.
            url: its address; decides the genre, and which addresses are of other parties.
            content_type: the value of the Content-Type header.
            settings: the name of a settings file or of a preset, instead of the genre's.
            step: 1 to 12, a step of Crunch's ladder, instead of the genre's settings.

        Returns:
            The body to send and the trace. When in doubt the body is the one that came in, and `trace.untouched` says
            why.
        """
        start = time.perf_counter()
        try:
            choice = None if settings is None and step is None else self.choose(url, settings, step)
            filtered = self._filter(body, url, content_type, choice)
        except Exception as error:  # a page must come out whatever happens
            logger.warning("filtering failed", exc_info=True)
            filtered = _untouched(body, url, Reason.FILTER_FAILED, f"{type(error).__name__}: {error}")
        elapsed_ms = (time.perf_counter() - start) * 1000
        return Filtered(filtered.body, replace(filtered.trace, elapsed_ms=elapsed_ms))

    def choose(self, url: str, settings: str | None = None, step: int | None = None) -> Choice:
        """Which settings a page gets.

        Raises:
            KeyError: there are no settings of that name.
        """
        if step is not None:
            settings = f"crunch_{step:02d}"
        if settings is None:
            return self.chooser.choose(url)
        settings = self.genres.presets.get(settings, settings)
        return Choice(self.settings[settings].name, self.settings[settings].genre, "named by the caller")

    def _filter(self, body: bytes, url: str, content_type: str, choice: Choice | None) -> Filtered:
        """Filter by a choice; where none is given it is made from the URL and the page."""
        relaxed: list[str] = []
        page = Page.parse(body, url=url, content_type=content_type, blocklist=self.blocklist)
        if isinstance(page, Unfit):
            return _untouched(body, url, page.reason, page.detail)
        if reason := _leave_alone(page):
            return _untouched(body, url, reason)
        choice = choice or self.chooser.choose(url, page)
        for settings in self.ladder(choice.settings):
            if relaxed:  # the page before has been filtered
                page = Page.parse(body, url=url, content_type=content_type, blocklist=self.blocklist)
                assert isinstance(page, Page)
            before = page.total
            verdicts = settings.as_chain().run(page)
            if _leaves_too_little(before, page.total, settings):
                relaxed.append(settings.name)
                continue
            trace = Trace(
                url, choice.genre, settings.name, verdicts, tuple(relaxed),
                words_before=before.words, words_after=page.total.words, choice=choice.as_dict(),
            )  # fmt: skip
            return _rendered(page, trace)
        trace = Trace(
            url, choice.genre, choice.settings, relaxed_from=tuple(relaxed), untouched=Reason.TOO_LITTLE_LEFT,
            choice=choice.as_dict(),
        )  # fmt: skip
        return Filtered(body, trace)

    def ladder(self, name: str) -> Iterator[SettingsFile]:
        """The settings and, one after another, those to relax to."""
        seen: set[str] = set()
        following: str | None = name
        while following is not None and following not in seen:
            seen.add(following)
            settings = self.settings[following]
            yield settings
            following = settings.relax_to


def _load_plugins(found: Files, problems: list[str]) -> dict[str, Plugin]:
    plugins = {}
    for path in found.plugins:
        try:
            plugins[path.stem] = load_plugin(path)
        except PluginError as error:
            problems.append(str(error))
    return plugins


def _load_all_settings(found: Files, plugins: Mapping[str, Plugin], problems: list[str]) -> dict[str, SettingsFile]:
    loaded: dict[str, SettingsFile] = {}
    for path in found.settings:
        try:
            loaded[path.stem] = load_settings(path, plugins)
        except SettingsError as error:
            problems += error.problems
    names = {path.stem for path in found.settings}
    for settings in loaded.values():
        if settings.relax_to is not None and settings.relax_to not in names:
            problems.append(f"{settings.path}, relax_to: there is no settings file {settings.relax_to!r}")
        problems += [
            f"{settings.path}, kinds, {kind}: there is no settings file {name!r}"
            for kind, name in settings.kinds.items()
            if name not in names
        ]
    return loaded


def _embedded_blocklist() -> Blocklist:
    from crunchpy.adverts.blocklist import Blocklist  # only here: it is large, and a given one makes it needless

    return Blocklist.embedded()


def _leave_alone(page: Page) -> Reason | None:
    """Pages that filtering can only harm: those that scripts build, and log-in pages."""
    words = page.total.words
    if words < _SHELL_WORDS and len(page.elements("script")) > 0 and page.total.links < _SHELL_WORDS:
        return Reason.NOTHING_TO_FILTER
    if words < _PASSWORD_PAGE_WORDS and page.select("input[type=password i]"):
        return Reason.PASSWORD_PAGE
    return None


def _leaves_too_little(before: Counts, after: Counts, settings: SettingsFile) -> bool:
    limits = settings.limits
    return (
        after.words < min(before.words, limits.keep_at_least_words)
        or after.words < before.words * limits.keep_at_least_words_ratio
        or after.prose_words < before.prose_words * limits.keep_at_least_prose_ratio
    )


def _rendered(page: Page, trace: Trace) -> Filtered:
    try:
        body = page.render()
    except SpliceError as error:
        return Filtered(page.body, replace(trace, untouched=Reason.SPLICE_CHECK, detail=str(error)))
    if body == page.body:
        return Filtered(page.body, replace(trace, untouched=Reason.NOTHING_TO_CHANGE))
    return Filtered(body, trace)


def _untouched(body: bytes, url: str, reason: Reason, detail: str = "") -> Filtered:
    return Filtered(body, Trace(url, untouched=reason, detail=detail))
