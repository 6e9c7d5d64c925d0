"""Writes methods as settings files into an overlay, where the engine and the proxy find them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from crunchpy.evaluation.methods import Method
from crunchpy.plugin import PluginError, load_plugin
from crunchpy.settings import SettingsError, load_settings

# A method is measured by what it says, also where it says that nothing or everything is content: no step is vetoed,
# nothing is relaxed. In a settings file for readers the limits stand guard.
_NO_LIMITS: dict[str, Any] = {
    "keep_at_least_words": 0,
    "keep_at_least_words_ratio": 0.0,
    "keep_at_least_prose_ratio": 0.0,
    "max_words_ratio": 1.0,
    "max_prose_ratio": 1.0,
    "max_headings_ratio": 1.0,
    "max_landmarks_ratio": 1.0,
    "max_controls_ratio": 1.0,
    "max_edits_per_step": 1_000_000,
    "max_step_ms": 60_000,
    "max_page_ms": 60_000,
}


def settings_text(method: Method) -> str:
    """Return the settings file of a chain."""
    written = {"genre": method.name, "limits": _NO_LIMITS, "chain": list(method.chain)}
    return str(yaml.safe_dump(written, sort_keys=False, allow_unicode=True))


def write_methods(overlay: Path, methods: Iterable[Method], folders: Sequence[Path]) -> tuple[list[Method], list[str]]:
    """Write the settings files of those methods that are chains, and return the methods that can be run.

    A chain whose plugin or settings are refused is left out, with a message for each fault. ``folders`` are all that
    plugins may come from, the built-in one among them.
    """
    (overlay / "settings").mkdir(parents=True, exist_ok=True)
    usable: list[Method] = []
    faults: list[str] = []
    for method in methods:
        if method.kind == "chain":
            path = overlay / "settings" / f"{method.settings_name}.yaml"
            path.write_text(settings_text(method), encoding="utf-8")
            if found := _faults(path, method, folders):
                path.unlink()
                faults += [f"method {method.name}: {fault.removeprefix(f'{path}, ')}" for fault in found]
                continue
        usable.append(method)
    return usable, faults


def write_choice(overlay: Path, method: Method, folders: Sequence[Path]) -> None:
    """Make a method's settings those of every page, whatever its site and kind; nothing for the method "auto".

    ``folders`` are all that settings may come from, the built-in one among them.
    """
    if method.kind == "auto":
        return
    settings = settings_of(method)
    if method.kind != "chain":  # other settings for some kinds of pages would be another method
        files = [file for folder in folders if (file := folder / "settings" / f"{settings}.yaml").exists()]
        content = yaml.safe_load(files[-1].read_text(encoding="utf-8"))
        content.pop("kinds", None)
        settings = method.settings_name
        (overlay / "settings").mkdir(parents=True, exist_ok=True)
        (overlay / "settings" / f"{settings}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    everywhere = {"measured": {"settings": settings, "patterns": ["."]}}
    choice = {"default": settings, "classifier": {"on": False}, "genres": everywhere}
    (overlay / "genres.yaml").write_text(yaml.safe_dump(choice), encoding="utf-8")


def settings_of(method: Method) -> str:
    """Return the name of the settings file that a method runs, empty for "auto", which the page decides."""
    if method.kind == "chain":
        return method.settings_name
    if method.kind == "auto":
        return ""
    return "default" if method.step is None else f"crunch_{method.step:02}"


def _faults(path: Path, method: Method, folders: Sequence[Path]) -> Sequence[str]:
    plugins = {}
    for name in method.plugins:
        files = [file for folder in folders if (file := folder / "plugins" / f"{name}.py").exists()]
        if not files:
            return [f"there is no plugin {name}"]
        try:
            plugins[name] = load_plugin(files[-1])
        except PluginError as error:
            return [str(error)]
    try:
        load_settings(path, plugins)
    except SettingsError as error:
        return error.problems
    return ()
