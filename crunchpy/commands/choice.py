"""Loads the engine and finds the settings that a command line asks for."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import typer

from crunchpy.adverts.blocklist import Blocklist
from crunchpy.commands.page_input import InputError, PageInput, read_page
from crunchpy.commands.printing import stop
from crunchpy.commands.remembered import remembered
from crunchpy.engine import Engine, Filtered
from crunchpy.overlay import overlays
from crunchpy.settings import SettingsError, SettingsFile, load_settings
from crunchpy.trace import Trace


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line says about the page and how to filter it; at most one of settings, step, method is given."""

    page: str
    url: str = ""
    settings: str = ""
    step: int | None = None
    method: str = ""
    overlay: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A page and what came of it, with the engine that did it."""

    page: PageInput
    filtered: Filtered
    engine: Engine


def filter_asked(asked: Asked) -> Result:
    """Read the page and filter it as the proxy would. Ends the command with status 1 or 2 where that cannot be done."""
    named = [
        name
        for name, value in (("--settings", asked.settings), ("--step", asked.step), ("--method", asked.method))
        if value
    ]
    if len(named) > 1:
        raise typer.BadParameter(f"{' and '.join(named)} exclude each other: each names the whole chain")
    if asked.url and not _is_address(asked.url):
        raise typer.BadParameter(f"--url {asked.url}: write the whole address, for instance https://example.org/page")
    try:
        # The lists that are installed, as in the proxy; the built-in list where none is.
        engine = Engine.load(*asked.overlay, blocklist=Blocklist.installed(), reads_sites=True)
        engine, settings = _with_settings(engine, asked)
        page = read_page(asked.page, asked.url)
    except SettingsError as error:
        stop(error.problems)
    except InputError as error:
        stop(str(error))
    if not page.decision.may_filter:
        trace = Trace(page.url, untouched=page.decision.reason, detail=page.decision.detail)
        return Result(page, Filtered(page.body, trace), engine)
    filtered = engine.filter(
        page.body, url=page.url, content_type=page.content_type, settings=settings, step=asked.step
    )
    if settings is None and asked.step is None and filtered.trace.settings:
        filtered = _with_memory(filtered, engine, page.url)
    return Result(page, filtered, engine)


def _is_address(url: str) -> bool:
    """Whether it is the whole address of a page."""
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that are no IPv6 address
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _with_memory(filtered: Filtered, engine: Engine, url: str) -> Filtered:
    """The same, and in its trace what the proxy remembers of the site."""
    engine.chooser.close()
    memory = remembered(engine, url)
    if not memory:
        return filtered
    trace = replace(filtered.trace, choice={**filtered.trace.choice, "remembered": memory})
    return replace(filtered, trace=trace)


def _with_settings(engine: Engine, asked: Asked) -> tuple[Engine, str | None]:
    """The engine, with the settings in it that were given as a file or a method, and their name."""
    if asked.method:
        return _with_method(engine, asked)
    name = asked.settings
    if not name:
        return engine, None
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        return _with_file(engine, load_settings(Path(name), engine.plugins))
    if name not in engine.settings and name not in engine.genres.presets:
        known = sorted({*engine.settings, *engine.genres.presets})
        raise SettingsError(
            [f"--settings: there are no settings {name!r}{_nearest(name, known)}; there are {', '.join(known)};"
             " a file's name ends in .yaml"]
        )  # fmt: skip
    return engine, name


def _with_file(engine: Engine, loaded: SettingsFile) -> tuple[Engine, str]:
    settings = {**engine.settings, loaded.name: loaded}
    if loaded.relax_to is not None and loaded.relax_to not in settings:
        raise SettingsError([f"{loaded.path}, relax_to: there is no settings file {loaded.relax_to!r}"])
    return replace(engine, settings=settings), loaded.name


def _with_method(engine: Engine, asked: Asked) -> tuple[Engine, str]:
    from crunchpy.evaluation.method_overlay import settings_of, settings_text
    from crunchpy.evaluation.methods import MethodError, chosen

    try:
        found, faults = chosen([asked.method], overlays(*asked.overlay))
    except MethodError as error:
        raise SettingsError([str(error)]) from error
    if faults:
        raise SettingsError([f"--method: {fault}" for fault in faults])
    if len(found) != 1 or found[0].kind in ("auto", "peer", "proxy"):
        raise SettingsError(
            [f"--method {asked.method}: is no chain of plugins; see it with: crunchpy eval --methods {asked.method}"]
        )
    method = found[0]
    if method.kind != "chain":
        return engine, settings_of(method)
    with tempfile.TemporaryDirectory(prefix="crunchpy-") as folder:
        path = Path(folder) / f"{method.settings_name}.yaml"
        path.write_text(settings_text(method), encoding="utf-8")
        return _with_file(engine, load_settings(path, engine.plugins))


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
