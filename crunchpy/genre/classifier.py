"""Site words in, genre and settings out.

The nearest known sites that have preferred settings decide (Crunch, step 10).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from crunchpy.genre.by_hand import ByHand
from crunchpy.genre.key_words import Histogram, identifier
from crunchpy.genre.known_sites import KnownSites
from crunchpy.genre.nearest import Neighbours
from crunchpy.genre.options import ClassifierOptions
from crunchpy.genre.vote import vote

UNKNOWN = "unknown"
SHOWN_NEIGHBOURS = 5


@dataclass(frozen=True, slots=True)
class Near:
    """A known site near the asked one, with its genre and settings."""

    site: str
    distance: float
    genre: str
    settings: str


@dataclass(frozen=True, slots=True)
class Guess:
    """What the classifier says of a site.

    genre: `UNKNOWN` where it says nothing; then `settings` are the default. nearest: up to five, nearest first.
    distance: to the nearest; None where no site is near. why: in words.
    """

    genre: str
    settings: str
    nearest: tuple[Near, ...]
    distance: float | None
    why: str

    @property
    def is_known(self) -> bool:
        """Whether a genre was found."""
        return self.genre != UNKNOWN


class Classifier:
    """Answers which genre a site has. Immutable; safe to share over a fork.

    Args:
        known: the known sites.
        genres: their genre by site; sites that are not in it take no part.
        settings: the settings' name by genre; sites of other genres have no preferred settings and take no part.
        default: the settings of an unknown site.
        options: how many neighbours vote, and how far they may be.
    """

    def __init__(
        self,
        known: KnownSites,
        genres: Mapping[str, str],
        settings: Mapping[str, str],
        default: str,
        options: ClassifierOptions,
    ) -> None:
        self.known, self.settings, self.default, self.options = known, settings, default, options
        self.genres = {site: genres[site] for site in sorted(known.counts) if genres.get(site) in settings}
        self._neighbours = Neighbours(
            list(self.genres), [known.counts[site] for site in self.genres], len(known.key_words)
        )

    @classmethod
    def of(
        cls, known: KnownSites, by_hand: ByHand, settings: Collection[str], options: ClassifierOptions
    ) -> Classifier:
        """The classifier for a `genres.yaml`.

        What that says of a site or genre goes before what the built file says.
        """
        genres = {
            site: by_hand.hosts[site][1] if site in by_hand.hosts else known.genres[site] for site in known.counts
        }
        names = {genre: genre for genre in set(genres.values()) if genre in settings} | by_hand.genres
        return cls(known, genres, names, by_hand.default, options)

    def guess(self, site: Histogram) -> Guess:
        """The genre of a site by its words.

        An empty or too short histogram and one far from all are unknown; equally near sites go by their names.
        """
        counts = identifier(site, self._places)
        counted = sum(counts.values())
        if counted < self.options.min_key_words:
            return Guess(UNKNOWN, self.default, (), None, f"only {counted} key words are counted")
        how_many = max(SHOWN_NEIGHBOURS, self.options.neighbours)
        found = self._neighbours.nearest(counts, how_many)
        near = tuple(Near(n.site, n.distance, genre := self.genres[n.site], self.settings[genre]) for n in found)
        if not near or near[0].distance > self.options.max_distance:
            return Guess(
                UNKNOWN, self.default, near, near[0].distance if near else None, "no known site is near enough"
            )
        voters = [n for n in near[: self.options.neighbours] if n.distance <= self.options.max_distance]
        genre = vote([(n.genre, n.distance) for n in voters])
        best = next(n for n in near if n.genre == genre)
        return Guess(genre, best.settings, near, best.distance, f"its words are nearest to those of {best.site}")

    def distance_to_genre(self, site: Histogram, genre: str) -> float | None:
        """How far the nearest known site of one genre is; None where there is none."""
        distances = self._neighbours.distances(identifier(site, self._places))
        own = [
            float(d) for d, name in zip(distances, self._neighbours.sites, strict=True) if self.genres[name] == genre
        ]
        return min(own, default=None)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return self.known.places
