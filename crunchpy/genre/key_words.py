"""The key words.

Which words of the known sites tell genres apart, and a site counted on them (Crunch, steps 4 and 5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Histogram = Mapping[str, int]
"""How often each word occurs in what is known of a site."""


@dataclass(frozen=True, slots=True)
class KeyWordRule:
    """When a word of the known sites is a key word.

    more_than: occurrences a word must exceed in at least one site. Five is Crunch's (S1, D05).
    min_sites: sites a word must occur in. Without it the words of single pages crowd the words of genres out: with 15
    there are
        about 3,300 key words instead of 11,800, and leave-one-out accuracy with page text rises (docs/genre.md).
    """

    more_than: int = 5
    min_sites: int = 15


def key_words(histograms: Iterable[Histogram], rule: KeyWordRule | None = None) -> tuple[str, ...]:
    """The key words of these sites, sorted."""
    rule = rule or KeyWordRule()
    most: Counter[str] = Counter()
    sites: Counter[str] = Counter()
    for histogram in histograms:
        sites.update(histogram.keys())
        for word, count in histogram.items():
            if count > rule.more_than and count > most[word]:
                most[word] = count
    return tuple(sorted(word for word in most if sites[word] >= rule.min_sites))


def identifier(histogram: Histogram, places: Mapping[str, int]) -> dict[int, int]:
    """A site counted on the key words only: place of the key word to count, zeros left out.

    `places` gives each key word's place in the list.
    """
    if len(histogram) > len(places):
        return {place: histogram[word] for word, place in places.items() if word in histogram}
    return {places[word]: count for word, count in histogram.items() if word in places}


def own_names(domain: str) -> frozenset[str]:
    """The words of a site's own name, which would make it like itself only.

    Of "spot-on-news.de" spot-on-news, spot, on, news.
    """
    name = domain.split(".", maxsplit=1)[0].lower()
    return frozenset({name, *name.split("-")})
