"""Takes the text of a filter list apart: what the engine matches, and what is kept beside it.

Five of six request rules of the public lists are `||host^`, with or without `$third-party`. The engine spends about
400 bytes on each; a sorted array of 64-bit hashes spends 8 (hosts.py). So these are kept apart: EasyList and
EasyPrivacy together then cost a process 13 MB instead of 52. A second, small group are element rules with `:has()`,
which came into the lists after the engine's release: it drops them, and page_rules.py matches them itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Category = Literal["ads", "trackers", "cookies"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

_HOST_RULE = re.compile(r"\|\|([a-z0-9-]+(?:\.[a-z0-9-]+)+)\^(\$third-party)?")
_ELEMENT_RULE = re.compile(r"([^\s#]*)#([@?]?)#(.+)")
# Style and script injection of other blockers (`#$#`, `#%#`): we take elements out and inject nothing.
_INJECTION_RULE = re.compile(r"[^\s#]*#@?[$%]\??#")
_CATEGORY_LINE = re.compile(r"!\s*Category:\s*(\w+)\s*", re.IGNORECASE)
_TITLE_LINE = re.compile(r"!\s*Title:\s*(.+?)\s*", re.IGNORECASE)
# What stands in a request rule for itself; `*`, `^` and `|` do not, nor does a rule that is a regular expression.
_LITERAL = re.compile(r"[^*^|]+")
_EXPRESSION = re.compile(r"/.*/")
_LEAST_LITERAL_CHARS = 4
# Pseudo-classes that only ad blockers know. A rule with one of them is left out rather than guessed.
_PROCEDURAL = re.compile(
    r":(?:-abp-(?:contains|properties)|has-text|contains|matches-\w+|upward|remove|style|xpath|nth-ancestor|min-text)"
)


@dataclass(frozen=True, slots=True)
class FilterList:
    """The rules of one category out of one list, sorted by who matches them.

    `hosts` and `third_party_hosts` are host names; `network`, `cosmetic` and `exceptions` are rules as written;
    `has` gives for each named host (or `name.*`) the selectors with `:has()`, each followed by the hosts that it does
    not hold for.
    """

    name: str
    category: Category
    hosts: list[str] = field(default_factory=list)
    third_party_hosts: list[str] = field(default_factory=list)
    network: list[str] = field(default_factory=list)
    cosmetic: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    has: dict[str, list[list[str]]] = field(default_factory=dict)

    @property
    def rules_count(self) -> int:
        """How many rules were understood well enough to be kept."""
        plain = (self.hosts, self.third_party_hosts, self.network, self.cosmetic, self.exceptions)
        return sum(map(len, plain)) + sum(map(len, self.has.values()))


def split_list(text: str, name: str) -> Iterator[FilterList]:
    """Sort the rules of a list's `text`. Yields one FilterList for each category in it.

    A line `! Category: ads|trackers|cookies` starts a section; a list without such lines is of the category that its
    title or its name suggests.
    """
    sections: dict[Category, FilterList] = {}
    category = category_of(text, name)
    withdrawn = _withdrawn(text)
    for raw in text.splitlines():
        line = raw.strip()
        if marked := _CATEGORY_LINE.fullmatch(line):
            category = next((known for known in CATEGORIES if known == marked[1].lower()), category)
        elif line and line[0] not in "![" and line not in withdrawn:
            _sort(line, sections.setdefault(category, FilterList(name, category)))
    yield from sections.values()


def category_of(text: str, name: str) -> Category:
    """The category of a whole list, from its title line or, where it has none, its name."""
    head = text[:4000].splitlines()
    titles = (found[1] for found in map(_TITLE_LINE.fullmatch, (line.strip() for line in head)) if found)
    words = next(titles, name).lower()
    if "cookie" in words or "consent" in words or "gdpr" in words:
        return "cookies"
    return "trackers" if re.search(r"privacy|track|spy|telemetry", words) else "ads"


def all_exceptions(lists: Iterable[FilterList]) -> list[str]:
    """The exceptions of all lists. They count for the rules of every list, as in a browser that merges its lists."""
    return [rule for each in lists for rule in each.exceptions]


def is_element_rule(rule: str) -> bool:
    """Whether `rule` is about elements of a page (`example.com##.ad`), not about requests."""
    return _ELEMENT_RULE.fullmatch(rule) is not None


def literals(rules: Iterable[str]) -> tuple[str, ...] | None:
    """One text of each request rule that an address must hold, in lower case, for the rule to match it.

    None where some rule has none that says much: then each address has to be asked about.
    """
    found = []
    for rule in rules:
        pattern = rule.partition("$")[0].lower()
        longest = max(_LITERAL.findall(pattern), key=len, default="")
        if len(longest) < _LEAST_LITERAL_CHARS or not rule.isascii() or _EXPRESSION.fullmatch(pattern):
            return None
        found.append(longest)
    return tuple(found)


def _withdrawn(text: str) -> set[str]:
    """Rules that another rule takes back with `$badfilter`. The engine sees only its own share, so it is done here."""
    marked = {line.strip() for line in text.splitlines() if "badfilter" in line}
    return marked | {re.sub(r"[$,]badfilter(?=$|,)", "", rule) for rule in marked}


def _sort(rule: str, into: FilterList) -> None:
    if plain := _HOST_RULE.fullmatch(rule):
        (into.third_party_hosts if plain[2] else into.hosts).append(plain[1])
    elif rule.startswith("@@"):
        into.exceptions.append(rule)
    elif element := _ELEMENT_RULE.fullmatch(rule):
        _sort_element_rule(rule, element, into)
    elif not _INJECTION_RULE.match(rule):
        into.network.append(rule)


def _sort_element_rule(rule: str, parts: re.Match[str], into: FilterList) -> None:
    hosts, mark, selector = parts[1], parts[2], parts[3].replace(":-abp-has(", ":has(")
    if mark == "@":
        into.exceptions.append(rule)
    elif _PROCEDURAL.search(selector) or selector.startswith("+js(") or selector.endswith("}"):
        return  # what only blockers know, a script, a style: not an element to take out
    elif ":has(" in selector:
        # Only for named hosts: a general `:has()` rule would be tried on all elements of all pages.
        names = [name for name in hosts.split(",") if name]
        but_not = [name[1:] for name in names if name[0] == "~"]
        for name in names:
            if name[0] != "~":
                into.has.setdefault(name, []).append([selector, *but_not])
    elif mark == "":
        into.cosmetic.append(rule)
