"""What a plugin may ask for. `plan.py` decides what of it can be done and does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crunchpy.tree import Element


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an element with all that is in it.

    Protected parts stay, what lies beside them goes; ids that are pointed at leave an empty anchor. `controls_go` is
    for consent banners alone, whose buttons and boxes mean nothing without them.
    """

    element: Element
    why: str
    controls_go: bool = False


@dataclass(frozen=True, slots=True)
class Unwrap:
    """Take an element's tags and keep what is in it."""

    element: Element
    why: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Put HTML in an element's place. The HTML is balanced; other letters than ASCII become references."""

    element: Element
    html: str
    why: str


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """Give an attribute a value; None takes the attribute away."""

    element: Element
    name: str
    value: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Insert:
    """Put HTML before or after an element, or as the first or last thing in it."""

    element: Element
    where: Literal["before", "after", "first", "last"]
    html: str
    why: str


@dataclass(frozen=True, slots=True)
class RemoveText:
    """Take one stretch of text: lxml's `text` or `tail` of the element."""

    element: Element
    where: Literal["text", "tail"]
    why: str


Edit = Remove | Unwrap | Replace | SetAttribute | Insert | RemoveText
