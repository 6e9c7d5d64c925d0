"""Chooses the settings for a page from `genres.yaml`: hosts and patterns that an administrator named by hand.

default: default            # the settings of a site that no entry names
genres:
  news:
    settings: news          # a settings file's name
    hosts: [example.org]    # the host and all below it
    patterns: ["https?://[^/]+/news/"]   # regular expressions, searched in the URL
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crunchpy.settings import SettingsError, read_yaml

_KEYS = ("settings", "hosts", "patterns", "note")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which settings a page gets: their name, the genre, and in words why."""

    settings: str
    genre: str
    why: str


@dataclass(frozen=True, slots=True)
class ByHand:
    """The choices of one `genres.yaml`."""

    default: str
    hosts: dict[str, tuple[str, str]]
    patterns: tuple[tuple[re.Pattern[str], str, str], ...]
    genres: dict[str, str]

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
        raise SettingsError([f"{path}: allowed is a mapping with the keys default, genres"])
    problems = [
        f"{path}: unknown key {key!r}; allowed are default, genres"
        for key in content
        if key not in ("default", "genres")
    ]
    default = content.get("default", "default")
    if default not in settings:
        problems.append(
            f"{path}, default: there is no settings file {default!r}; there are {', '.join(sorted(settings))}"
        )
    hosts: dict[str, tuple[str, str]] = {}
    patterns: list[tuple[re.Pattern[str], str, str]] = []
    names: dict[str, str] = {}
    for genre, entry in (content.get("genres") or {}).items():
        place = f"{path}, genre {genre}"
        if not isinstance(entry, dict) or not isinstance(entry.get("settings"), str):
            problems.append(f"{place}: allowed is a mapping with settings, hosts, patterns")
            continue
        problems += [
            f"{place}: unknown key {key!r}; allowed are {', '.join(_KEYS)}" for key in entry if key not in _KEYS
        ]
        name = names[genre] = entry["settings"]
        if name not in settings:
            problems.append(f"{place}: there is no settings file {name!r}; there are {', '.join(sorted(settings))}")
        problems += _add_hosts(hosts, entry.get("hosts") or [], (name, genre), place)
        patterns += _patterns(entry.get("patterns") or [], name, genre, place, problems)
    if problems:
        raise SettingsError(problems)
    return ByHand(default, hosts, tuple(patterns), names)


def _add_hosts(hosts: dict[str, tuple[str, str]], named: Any, entry: tuple[str, str], place: str) -> list[str]:
    problems = []
    for host in named if isinstance(named, list) else [named]:
        if not isinstance(host, str) or not re.fullmatch(r"[a-z0-9.-]+", host):
            problems.append(f"{place}, hosts: {host!r} is no host name in lower case")
        elif host in hosts:
            problems.append(f"{place}, hosts: {host} is listed under genre {hosts[host][1]} already")
        else:
            hosts[host] = entry
    return problems


def _patterns(
    named: Any, settings: str, genre: str, place: str, problems: list[str]
) -> list[tuple[re.Pattern[str], str, str]]:
    found = []
    for pattern in named if isinstance(named, list) else [named]:
        try:
            found.append((re.compile(pattern), settings, genre))
        except (re.error, TypeError) as error:
            problems.append(f"{place}, patterns: {pattern!r} is no regular expression: {error}")
    return found
