"""Runs one method on one page, inside this process or through a proxy, and takes the time of the method alone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from crunchpy.evaluation.method_overlay import settings_of
from crunchpy.evaluation.methods import Method
from crunchpy.evaluation.one_shot import Address, fetch_through
from crunchpy.evaluation.package import Document
from crunchpy.evaluation.peers import peer_text
from crunchpy.evaluation.text import page_text
from crunchpy.reasons import Reason

if TYPE_CHECKING:
    from crunchpy.engine import Engine
    from crunchpy.trace import Trace


@dataclass(frozen=True)
class Extract:
    """What a method kept of a page, the seconds it took, and a note where it did something else than it should."""

    text: str
    seconds: float
    note: str = ""


class Extractor(Protocol):
    """Anything that turns a document into what it keeps of it. Whatever it raises fails that document alone."""

    def extract(self, document: Document) -> Extract:
        """Return what is kept of a document."""
        ...


@dataclass(frozen=True)
class Setup:
    """What a worker process needs to make its extractors.

    ``folders`` are overlays for the engine, among them the one with the settings files of the methods. ``proxies``
    holds where the proxy of a method listens; a method that is in it is measured through that proxy.
    """

    folders: tuple[Path, ...] = ()
    proxies: Mapping[str, Address] = field(default_factory=dict)
    timeout_seconds: float = 60


@dataclass(frozen=True)
class PeerExtractor:
    """Another extractor, in this process."""

    name: str

    def extract(self, document: Document) -> Extract:
        """Return the peer's text."""
        # Found before the clock runs: a real caller has decoded the page already.
        _ = document.encoding
        began = time.perf_counter()
        text = peer_text(self.name, document)
        return Extract(text, time.perf_counter() - began)


class FilterFailedError(Exception):
    """The engine, or a plugin that is measured by itself, failed on a page; the message is that of the trace."""


@dataclass(frozen=True)
class EngineExtractor:
    """The filter's own engine, in this process: the text of the filtered page.

    ``settings`` is the name of a settings file, empty where the page's site and kind decide. ``is_strict``: a step
    that fails fails the document. A method by itself is measured so; in the chains for readers a step that fails costs
    its own work only, and the rest of the chain is what the reader gets.
    """

    engine: Engine
    settings: str
    is_strict: bool = False

    def extract(self, document: Document) -> Extract:
        """Return the text of the page after the chain."""
        began = time.perf_counter()
        filtered = self.engine.filter(
            document.body, url=document.url, content_type=document.content_type, settings=self.settings or None
        )
        seconds = time.perf_counter() - began
        self._check(filtered.trace)
        text = page_text(filtered.body, encoding=document.encoding)
        return Extract(text, seconds, _note(filtered.trace))

    def _check(self, trace: Trace) -> None:
        if trace.untouched == Reason.FILTER_FAILED:
            raise FilterFailedError(trace.detail)
        if self.is_strict:
            for verdict in trace.verdicts:
                if verdict.outcome in ("failed", "out_of_time"):
                    raise FilterFailedError(f"plugin {verdict.plugin}: {verdict.detail}")


@dataclass(frozen=True)
class ProxyExtractor:
    """Whatever a proxy does to a page."""

    address: Address
    timeout_seconds: float

    def extract(self, document: Document) -> Extract:
        """Return the text of the page that came through."""
        fetched = fetch_through(
            self.address, document.id, document.body, document.content_type, timeout=self.timeout_seconds
        )
        _, _, declared = fetched.content_type.lower().partition("charset=")
        encoding = declared.strip("\"' ") or document.encoding
        note = "unchanged" if fetched.body == document.body else ""
        return Extract(page_text(fetched.body, encoding=encoding), fetched.seconds, note)


def _note(trace: Trace) -> str:
    """Return what of the chain did not happen, and why."""
    notes = [f"untouched: {trace.untouched}"] if trace.untouched else []
    notes += [f"relaxed from {name}" for name in trace.relaxed_from]
    lost = (verdict for verdict in trace.verdicts if verdict.outcome in ("failed", "vetoed", "out_of_time"))
    notes += [f"{verdict.plugin} {verdict.outcome}: {verdict.detail}" for verdict in lost]
    return "; ".join(notes)


class Extractors:
    """Makes the extractor of each method when it is first asked for: engines and peers are slow to load."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._engine: Engine | None = None

    def of(self, method: Method) -> Extractor:
        """Return the extractor of a method."""
        if method.name in self._setup.proxies:
            return ProxyExtractor(self._setup.proxies[method.name], self._setup.timeout_seconds)
        if method.kind == "peer":
            return PeerExtractor(method.name)
        return EngineExtractor(self._loaded(), settings_of(method), is_strict=method.kind == "chain")

    def _loaded(self) -> Engine:
        if self._engine is None:
            from crunchpy.engine import Engine

            self._engine = Engine.load(*self._setup.folders)
        return self._engine
