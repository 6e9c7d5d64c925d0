"""The attributes of a page's tags, in Python: what `_attributes.pyx` does compiled. Both give the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, overload

_ATTRIBUTE = re.compile(
    rb"[ \t\n\r\f/]*+([^ \t\n\r\f/][^ \t\n\r\f/=]*+)"
    rb"(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"([^\"]*+)\"?|'([^']*+)'?|([^ \t\n\r\f>]*+)))?+"
)
# Without character references, letters of other charsets, and what parsers replace.
_PLAIN_VALUE = re.compile(rb"[\t\n -%'-\x7f]*")


class Attributes:
    """The attributes of the start tags, in the order of the source."""

    def __init__(self, body: bytes, low: bytes, names: list[bytes], starts: list[int], start_ends: list[int]) -> None:
        """Read them from `low`, where their names are as they are asked for, and their values from `body`.

        `names`, `starts` and `start_ends` are those of the tags, as in `Source`.
        """
        self._body = body
        self._found: dict[bytes, list[tuple[int, int, int]]] = {}
        for ordinal, (name, start, end) in enumerate(zip(names, starts, start_ends, strict=True)):
            for attribute in _ATTRIBUTE.finditer(low, start + 1 + len(name), end - 1):
                group = attribute.lastindex or 1
                first, last = attribute.span(group) if group > 1 else (attribute.end(1), attribute.end(1))
                self._found.setdefault(attribute[1], []).append((ordinal, first, last))

    def names(self) -> list[bytes]:
        """The names of all attributes."""
        return list(self._found)

    def ordinals(self, name: bytes) -> list[int]:
        """The ordinals of the tags with this attribute, in order."""
        return list(dict.fromkeys(ordinal for ordinal, _, _ in self._found.get(name, ())))

    @overload
    def of(self, name: bytes) -> list[tuple[int, str | None]]: ...
    @overload
    def of(self, name: bytes, elements: list[Any]) -> list[tuple[int, Any, str]]: ...
    def of(self, name: bytes, elements: list[Any] | None = None) -> list[Any]:
        """The tags with this attribute.

        Args:
            name: in lower case. Of equal names on a tag the first counts, as the standard has it.
            elements: the elements of the tags, by ordinal.

        Returns:
            Ordinals and values, in order; None for a value with character references or letters beyond ASCII. With
            `elements`: ordinals, elements, and the values, which the elements are asked for where they are such.
        """
        found: dict[int, str | None] = {}
        for ordinal, start, end in self._found.get(name, ()):
            if ordinal not in found:
                value = self._body[start:end]
                found[ordinal] = value.decode() if _PLAIN_VALUE.fullmatch(value) else None
        if elements is None:
            return list(found.items())
        own = ((n, elements[n], value) for n, value in found.items())
        asked = name.decode("latin-1")
        return [(n, e, e.get(asked, "") if value is None else value) for n, e, value in own if e is not None]

    def by_value(self, name: bytes, elements: list[Any]) -> dict[str, list[int]]:
        """The ordinals of the elements with this attribute by its value; those of one value not always in order.

        `elements` are those of the tags, by ordinal.
        """
        return grouped(self.of(name, elements))


def grouped(found: Iterable[tuple[int, Any, str]]) -> dict[str, list[int]]:
    """The ordinals by value of what `Attributes.of` gives with elements."""
    groups: dict[str, list[int]] = {}
    for ordinal, _, value in found:
        groups.setdefault(value, []).append(ordinal)
    return groups
