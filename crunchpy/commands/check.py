"""`crunchpy check`: reads everything that filtering is made of, and names every problem at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer

from crunchpy.commands.options import Overlay
from crunchpy.commands.printing import stop
from crunchpy.engine import Engine
from crunchpy.genre.chooser import check_data
from crunchpy.guard import GuardError, HostList, never_decrypt_files
from crunchpy.overlay import OverlayError, overlays
from crunchpy.settings import SettingsError, SettingsFile


def check_command(overlay: Overlay = None) -> None:
    """Check all plugins, settings and genres.

    Those of all overlays are read, the methods and the hosts that are never decrypted too. Every problem is printed
    with its file, place, value and what is allowed, and the exit status is 1. Without problems the chains of all
    settings are printed.
    """
    folders = tuple(overlay or ())
    problems: list[str] = []
    engine = _engine(folders, problems)
    problems += [*_method_problems(folders), *_host_problems(folders), *check_data()]
    if engine is None or problems:
        count = f"{len(problems)} problem{'s' * (len(problems) != 1)} found."
        stop([*problems, count])
    for line in _report(engine, folders):
        typer.echo(line)


def _engine(folders: tuple[Path, ...], problems: list[str]) -> Engine | None:
    try:
        return Engine.load(*folders)
    except SettingsError as error:
        problems += error.problems
        return None


def _method_problems(folders: tuple[Path, ...]) -> list[str]:
    """What is wrong with the `methods.yaml` files. A chain whose plugin is not there is known, and no problem."""
    from crunchpy.evaluation.methods import MethodError, known_methods

    try:
        known_methods(overlays(*folders))
    except MethodError as error:
        return [str(error)]
    except OverlayError:
        return []  # the engine has said so
    return []


def _host_problems(folders: tuple[Path, ...]) -> list[str]:
    """What is wrong with the lists of hosts that are never decrypted."""
    try:
        HostList.load(*never_decrypt_files(overlays(*folders)))
    except GuardError as error:
        return str(error).splitlines()
    except OverlayError:
        return []  # the engine has said so
    return []


def _report(engine: Engine, folders: tuple[Path, ...]) -> Iterator[str]:
    yield (
        f"No problems: {len(engine.plugins)} plugins, {len(engine.settings)} settings files,"
        f" {len(engine.genres.genres)} genres with {len(engine.genres.hosts)} hosts."
    )
    yield from (f"Overlay: {folder}" for folder in overlays(*folders))
    yield from (f"{new} takes the place of {old}." for new, old in engine.found.replaced)
    yield ""
    yield f"Sites that no genre names get settings {engine.genres.default}."
    yield from (f"Genre {genre}: settings {name}." for genre, name in sorted(engine.genres.genres.items()))
    yield from (f"Preset {preset}: settings {name}." for preset, name in sorted(engine.genres.presets.items()))
    yield ""
    yield from (_chain(settings) for _, settings in sorted(engine.settings.items()))


def _chain(settings: SettingsFile) -> str:
    steps = ", ".join(step.plugin.name for step in settings.chain) or "no steps"
    relax = f" Relaxes to {settings.relax_to}." if settings.relax_to else ""
    return f"Settings {settings.name}: {steps}.{relax}"
