"""Distances between sites, and the nearest of many.

Manhattan: D1 = sum |a[i] - b[i]|. For counts, which are never negative, |a - b| = a + b - 2 min(a, b), so only the
key words that
the asked site has need looking at: about a tenth of the work, and the same number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
Counts = Mapping[int, int]
"""Place of a key word to count, as `key_words.identifier` makes it."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known site and how far it is: 0 for equal, 2 (normalised) for no word in common."""

    site: str
    distance: float


class Neighbours:
    """Sites by their counts on the key words; answers which are nearest. Immutable."""

    def __init__(
        self, sites: Sequence[str], counts: Sequence[Counts], key_word_count: int, *, normalised: bool = True
    ) -> None:
        assert len(sites) == len(counts)
        self.sites = tuple(sites)
        self.normalised = normalised
        self.key_word_count = key_word_count
        # One row a key word, one column a site: a query reads whole rows, and skips the key words that it lacks.
        self._columns = np.zeros((key_word_count, len(sites)), dtype=np.float32)
        for column, site_counts in enumerate(counts):
            places, values = as_arrays(site_counts, normalised=normalised)
            self._columns[places, column] = values
        self._sums = self._columns.sum(axis=0)

    def distances(self, counts: Counts) -> Vector:
        """The Manhattan distance to each site, in the order of `sites`; infinite to and from an empty histogram."""
        places, values = as_arrays(counts, normalised=self.normalised)
        if not len(places):
            return np.full(len(self.sites), np.inf, dtype=np.float32)
        shared = np.minimum(self._columns[places], values[:, None]).sum(axis=0)
        found: Vector = np.where(self._sums > 0, np.maximum(self._sums + values.sum() - 2 * shared, 0), np.inf)
        return found.astype(np.float32, copy=False)

    def nearest(self, counts: Counts, how_many: int = 5) -> tuple[Neighbour, ...]:
        """The nearest sites, nearest first; equal distances in the order of the names; none for an empty histogram."""
        distances = self.distances(counts)
        near = np.flatnonzero(np.isfinite(distances))
        if len(near) > how_many:
            limit = np.partition(distances[near], how_many - 1)[how_many - 1]
            near = near[distances[near] <= limit]  # all that tie with the last, so that names can decide
        ranked = sorted((float(distances[i]), self.sites[i]) for i in near)
        return tuple(Neighbour(site, distance) for distance, site in ranked[:how_many])


def as_arrays(counts: Counts, *, normalised: bool) -> tuple[npt.NDArray[np.int64], Vector]:
    """Places and values of a histogram; normalised to sum 1 where wanted."""
    places = np.fromiter(counts.keys(), dtype=np.int64, count=len(counts))
    values = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
    total = values.sum()
    return places, (values / total if normalised and total > 0 else values)


def manhattan(a: Counts, b: Counts, *, normalised: bool = True) -> float:
    """The distance of two sites, for showing; `Neighbours` does the same for many at once."""
    shares_a, shares_b = (dict(zip(*as_arrays(x, normalised=normalised), strict=True)) for x in (a, b))
    return float(sum(abs(shares_a.get(i, 0.0) - shares_b.get(i, 0.0)) for i in shares_a.keys() | shares_b.keys()))
