"""Counts the bytes of all pages that are held at the same time, so that many slow large ones cannot fill the memory.

Each page has limits of its own; this is the limit on all of them together. It knows no proxy.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class HeldBytes:
    """How many bytes may be held over all pages, and how many are. One for the whole proxy."""

    max_bytes: int
    held: int = 0

    @property
    def is_full(self) -> bool:
        """True when a page must go on its way unfiltered so that the others keep their place."""
        return self.held > self.max_bytes


class Share:
    """What one page holds of it. It is given back once; at the latest when nothing refers to the page any more.

    A connection whose handling breaks off with an error never reaches the places that give back. Without the last
    resort of `__del__` each of them would leave less for all pages after it.
    """

    def __init__(self, all_pages: HeldBytes) -> None:
        self.all_pages = all_pages
        self.held = 0

    def add(self, count: int) -> None:
        """Some more bytes of the page have arrived."""
        self.held += count
        self.all_pages.held += count

    def give_back(self) -> None:
        """The page is on its way to its reader, or nobody waits for it. May be called again."""
        self.all_pages.held -= self.held
        self.held = 0

    def __del__(self) -> None:
        self.give_back()
