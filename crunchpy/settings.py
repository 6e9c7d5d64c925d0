"""Reads settings/*.yaml and complains like a good form: every problem at once, with file, place, value and bounds."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from crunchpy.chain import Chain, Step
from crunchpy.limits import Limits
from crunchpy.plugin import Plugin

_KEYS = ("genre", "limits", "relax_to", "kinds", "chain")

# What crunchpy/genre/page_kind.py can find; the front page goes before the kind.
PAGE_KINDS = (
    "front_page", "article", "collection", "documentation", "forum", "listing", "product", "service",
)  # fmt: skip


class SettingsError(ValueError):
    """What is wrong with the administrator's files; one line a problem in `problems`."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One settings file: what happens to a page, top to bottom.

    name: the file's name without `.yaml`; relax_to: the settings to run instead where these leave too little;
    kinds: the settings to run instead for a kind of page, by the kind (`front_page`, `listing` ...).
    """

    name: str
    genre: str
    limits: Limits
    chain: tuple[Step, ...]
    relax_to: str | None
    path: Path
    kinds: Mapping[str, str] = field(default_factory=dict)

    def as_chain(self) -> Chain:
        """The steps, ready to run."""
        return Chain(self.name, self.chain, self.limits)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file.

    Raises:
        SettingsError: the file cannot be read or is no YAML; with line and column.
    """
    try:
        return yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError([f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"]) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise SettingsError([f"{path}{place}: is not YAML: {problem}"]) from error


def load_settings(path: Path, plugins: Mapping[str, Plugin]) -> SettingsFile:
    """Read one settings file.

    Raises:
        SettingsError: with every problem of the file.
    """
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise SettingsError([f"{path}: is {_kind(content)}, allowed is a mapping with the keys {', '.join(_KEYS)}"])
    problems = [f"{path}: unknown key {key!r}{_nearest(str(key), _KEYS)}" for key in content if key not in _KEYS]
    genre, relax_to = content.get("genre", path.stem), content.get("relax_to")
    if not isinstance(genre, str):
        problems.append(f"{path}, genre: is {genre!r}, allowed is a name")
    if relax_to is not None and not isinstance(relax_to, str):
        problems.append(f"{path}, relax_to: is {relax_to!r}, allowed is the name of a settings file")
    kinds = _kinds(path, content.get("kinds") or {}, problems)
    limits = _limits(path, content.get("limits") or {}, problems)
    chain = _steps(path, content.get("chain"), plugins, problems)
    if problems:
        raise SettingsError(problems)
    return SettingsFile(path.stem, genre, limits, chain, relax_to, path, kinds)


def _kinds(path: Path, content: Any, problems: list[str]) -> Mapping[str, str]:
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content.values()):
        problems.append(f"{path}, kinds: is {content!r}, allowed is a mapping from kinds of pages to settings files")
        return {}
    problems += [
        f"{path}, kinds: unknown kind {kind!r}; allowed are {', '.join(PAGE_KINDS)}"
        for kind in content
        if kind not in PAGE_KINDS
    ]
    return content


def _limits(path: Path, content: Any, problems: list[str]) -> Limits:
    if not isinstance(content, dict):
        problems.append(f"{path}, limits: is {_kind(content)}, allowed is a mapping")
        return Limits()
    return _validated(Limits, content, f"{path}, limits", problems) or Limits()


def _steps(path: Path, content: Any, plugins: Mapping[str, Plugin], problems: list[str]) -> tuple[Step, ...]:
    if not isinstance(content, list):
        problems.append(f"{path}, chain: is {_kind(content)}, allowed is a list of plugins")
        return ()
    steps = []
    for number, entry in enumerate(content, 1):
        step = _step(f"{path}, chain step {number}", entry, plugins, problems)
        if step is not None:
            steps.append(step)
    return tuple(steps)


def _step(place: str, entry: Any, plugins: Mapping[str, Plugin], problems: list[str]) -> Step | None:
    if isinstance(entry, dict) and len(entry) == 1:
        [(name, values)] = entry.items()
    else:
        name, values = entry, {}
    if not isinstance(name, str):
        problems.append(f"{place}: is {entry!r}, allowed is a plugin's name, or its name with settings")
        return None
    plugin = plugins.get(name)
    if plugin is None:
        problems.append(f"{place}: there is no plugin {name!r}{_nearest(name, plugins)}")
        return None
    if not isinstance(values or {}, dict):
        problems.append(f"{place} ({name}): the settings are {_kind(values)}, allowed is a mapping")
        return None
    settings = _validated(plugin.Settings, values or {}, f"{place} ({name})", problems)
    return Step(plugin, settings) if settings is not None else None


def _validated[Model: BaseModel](
    model: type[Model], values: Mapping[Any, Any], place: str, problems: list[str]
) -> Model | None:
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        problems += [f"{place}: {_complaint(model, found)}" for found in error.errors()]
        return None


def _complaint(model: type[BaseModel], found: Mapping[str, Any]) -> str:
    name = str(found["loc"][0]) if found["loc"] else ""
    if found["type"] == "extra_forbidden" or name not in model.model_fields:
        known = list(model.model_fields)
        allowed = f"; allowed are {', '.join(known)}" if known else "; it has no settings"
        return f"there is no setting {name!r}{_nearest(name, known) or allowed}"
    return f"{name} is {found['input']!r}, allowed {_allowed(model, name)}"


def _allowed(model: type[BaseModel], name: str) -> str:
    """What a setting may be, from its declaration: bounds and the description, which begins with the unit."""
    schema = model.model_json_schema()["properties"][name]
    choices = schema.get("enum") or schema.get("items", {}).get("enum")
    if choices:
        return f"one of {', '.join(map(str, choices))} ({schema['description']})"
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    above = "more than " if "exclusiveMinimum" in schema else ""
    if low is not None and high is not None:
        return f"{above}{low} to {high} {schema['description']}"
    kind = {
        "boolean": "true or false",
        "integer": "a whole number",
        "number": "a number",
        "string": "text",
        "array": "a list",
    }
    return f"{kind.get(schema.get('type', ''), 'another value')} ({schema['description']})"


def _kind(value: Any) -> str:
    names = {list: "a list", dict: "a mapping", str: f"the text {value!r}", type(None): "empty"}
    return names.get(type(value), repr(value))


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
