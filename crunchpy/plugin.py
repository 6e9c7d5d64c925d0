"""Turns a file into a Plugin, or says which convention it breaks."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ConfigDict

from crunchpy.edit import Edit
from crunchpy.page import Page


class PluginError(ValueError):
    """A plugin file breaks a convention; the message names the file and the convention."""


class PluginSettings(BaseModel):
    """The base of every plugin's `Settings`: strict, immutable, and an unknown key is an error."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


Apply = Callable[[Page, Any], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class Plugin:
    """One filter.

    name: the file's name; summary: the docstring's first line; source: its `Source:` paragraph; Settings: the class of
    its settings; apply: yields the edits it asks for and changes nothing.
    """

    name: str
    summary: str
    source: str
    Settings: type[PluginSettings]
    apply: Apply
    path: Path


def load_plugin(path: Path) -> Plugin:
    """Run a plugin file and check what it must have.

    Raises:
        PluginError: the file cannot be run, or breaks a convention.
    """
    module = _run(path)
    settings, apply = getattr(module, "Settings", None), getattr(module, "apply", None)
    documentation = inspect.getdoc(module) or ""
    source = _paragraph(documentation, "Source:")
    if not documentation:
        raise PluginError(f"{path}: has no docstring; its first line says what the plugin removes")
    if not source:
        raise PluginError(f"{path}: the docstring has no line that starts with 'Source:' (author, year, section)")
    if not (isinstance(settings, type) and issubclass(settings, PluginSettings)):
        raise PluginError(f"{path}: has no class Settings(PluginSettings)")
    if not callable(apply) or list(inspect.signature(apply).parameters) != ["page", "settings"]:
        raise PluginError(f"{path}: has no function apply(page, settings)")
    _check_settings(path, settings)
    return Plugin(path.stem, documentation.splitlines()[0], source, settings, apply, path)


def _paragraph(documentation: str, label: str) -> str:
    """What stands behind a label such as `Source:`, up to the next label or blank line, on one line."""
    found = re.search(rf"^{label}(.*?)(?=^[A-Z][a-z ]+:|^\s*$|\Z)", documentation, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def _run(path: Path) -> ModuleType:
    name = f"crunchpy._plugins.{path.stem}_{abs(hash(str(path))):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pydantic looks annotations up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise PluginError(f"{path}: cannot be run: {type(error).__name__}: {error}") from error
    return module


def _check_settings(path: Path, settings: type[PluginSettings]) -> None:
    for name, field in settings.model_fields.items():
        if field.is_required():
            raise PluginError(f"{path}: setting {name} has no default")
        if not field.description:
            raise PluginError(f"{path}: setting {name} has no description")
