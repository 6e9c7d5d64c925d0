"""Chooses the settings for a page from `genres.yaml`: hosts and patterns that an administrator named by hand.

default: default            # the settings of a site that no entry names
presets:
  harsh: crunch_02          # a second name of a settings file, for `--settings harsh` and for the entries below
genres:
  news:
    settings: news          # a settings file's name, or a preset's
    hosts: [example.org]    # the host and all below it
    patterns: ["https?://[^/]+/news/"]   # regular expressions, searched in the URL
classifier:
  max_distance: 1.65        # how the sites that no entry names get their genre: crunchpy/genre/options.py
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crunchpy.genre.options import ClassifierOptions, read_options
from crunchpy.settings import SettingsError, read_yaml

_TOP_KEYS = ("default", "presets", "genres", "classifier")
_KEYS = ("settings", "hosts", "patterns", "note")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which settings a page gets: their name, the genre, and in words why."""

    settings: str
    genre: str
    why: str

    def as_dict(self) -> dict[str, Any]:
        """The reasons of the choice, for the trace and for JSON."""
        return {"why": self.why}


@dataclass(frozen=True, slots=True)
class ByHand:
    """The choices of one `genres.yaml`. `presets` are second names of settings files."""

    default: str
    hosts: dict[str, tuple[str, str]]
    patterns: tuple[tuple[re.Pattern[str], str, str], ...]
    genres: dict[str, str]
    presets: dict[str, str] = field(default_factory=dict)
    classifier: ClassifierOptions = field(default_factory=ClassifierOptions)

    def choose(self, url: str) -> Choice:
        """The settings for a URL: a pattern before a host, the longest host before a shorter one."""
        for pattern, settings, genre in self.patterns:
            if pattern.search(url):
                return Choice(settings, genre, f"the URL matches {pattern.pattern}")
        labels = (urlsplit(url).hostname or "").split(".")
        for place in range(len(labels)):
            host = ".".join(labels[place:])
            if host in self.hosts:
                settings, genre = self.hosts[host]
                return Choice(settings, genre, f"the host {host} is listed")
        return Choice(self.default, "unknown", "no entry names the site")


def load_genres(path: Path | None, settings: Collection[str]) -> ByHand:
    """Read `genres.yaml`.

    Args:
        path: the file; None for an empty one.
        settings: the names that entries may use.

    Raises:
        SettingsError: with every problem of the file.
    """
    content = read_yaml(path) if path else {}
    if not isinstance(content, dict):
        raise SettingsError([f"{path}: allowed is a mapping with the keys {', '.join(_TOP_KEYS)}"])
    reader = _Reader(path, settings)
    reader.check_keys(str(path), content, _TOP_KEYS)
    presets = reader.presets(content.get("presets") or {})
    default = reader.settings_name(f"{path}, default", content.get("default", "default"), presets)
    for genre, entry in reader.mapping("genres", content.get("genres")).items():
        reader.genre(genre, entry, presets)
    options, problems = read_options(content.get("classifier"), str(path))
    if reader.problems or problems:
        raise SettingsError([*reader.problems, *problems])
    return ByHand(default, reader.hosts, tuple(reader.patterns), reader.genres, presets, options)


class _Reader:
    """Reads the parts of one file and gathers what is wrong with them."""

    def __init__(self, path: Path | None, settings: Collection[str]) -> None:
        self.path, self.settings = path, settings
        self.problems: list[str] = []
        self.hosts: dict[str, tuple[str, str]] = {}
        self.patterns: list[tuple[re.Pattern[str], str, str]] = []
        self.genres: dict[str, str] = {}

    def check_keys(self, place: str, content: dict[Any, Any], allowed: tuple[str, ...]) -> None:
        self.problems += [
            f"{place}: unknown key {key!r}; allowed are {', '.join(allowed)}" for key in content if key not in allowed
        ]

    def mapping(self, name: str, content: Any) -> dict[Any, Any]:
        if content is None or isinstance(content, dict):
            return content or {}
        self.problems.append(f"{self.path}, {name}: is {content!r}, allowed is a mapping")
        return {}

    def presets(self, content: Any) -> dict[str, str]:
        presets = self.mapping("presets", content)
        for name in presets:
            if not isinstance(name, str) or name in self.settings:
                self.problems.append(f"{self.path}, presets: {name!r} is the name of a settings file, or no name")
        return {
            str(name): self.settings_name(f"{self.path}, preset {name}", settings, {})
            for name, settings in presets.items()
        }

    def settings_name(self, place: str, name: Any, presets: dict[str, str]) -> str:
        found = presets.get(name, name) if isinstance(name, str) else str(name)
        if found not in self.settings:
            known = ", ".join(sorted({*self.settings, *presets}))
            self.problems.append(f"{place}: there is no settings file {name!r}; there are {known}")
        return found

    def genre(self, genre: str, entry: Any, presets: dict[str, str]) -> None:
        place = f"{self.path}, genre {genre}"
        if not isinstance(entry, dict) or not isinstance(entry.get("settings"), str):
            self.problems.append(f"{place}: allowed is a mapping with settings, hosts, patterns")
            return
        self.check_keys(place, entry, _KEYS)
        name = self.genres[genre] = self.settings_name(place, entry["settings"], presets)
        _add_hosts(self.hosts, entry.get("hosts") or [], (name, genre), place, self.problems)
        self.patterns += _patterns(entry.get("patterns") or [], (name, genre), place, self.problems)


def _add_hosts(
    hosts: dict[str, tuple[str, str]], named: Any, entry: tuple[str, str], place: str, problems: list[str]
) -> None:
    for host in named if isinstance(named, list) else [named]:
        if not isinstance(host, str) or not re.fullmatch(r"[a-z0-9.-]+", host):
            problems.append(f"{place}, hosts: {host!r} is no host name in lower case")
        elif host in hosts:
            problems.append(f"{place}, hosts: {host} is listed under genre {hosts[host][1]} already")
        else:
            hosts[host] = entry


def _patterns(
    named: Any, entry: tuple[str, str], place: str, problems: list[str]
) -> list[tuple[re.Pattern[str], str, str]]:
    found = []
    for pattern in named if isinstance(named, list) else [named]:
        try:
            found.append((re.compile(pattern), *entry))
        except (re.error, TypeError) as error:
            problems.append(f"{place}, patterns: {pattern!r} is no regular expression: {error}")
    return found
