"""How often the nearest known sites name the right genre, each site being asked as if unknown (leave one out)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crunchpy.genre.key_words import Histogram, identifier
from crunchpy.genre.vote import vote

Matrix = npt.NDArray[np.float32]
MEASURES = ("manhattan", "euclid", "cosine")
_TINY = 1e-12
_MIN_WORDS = 5  # a site of which less is known has no histogram to speak of


@dataclass(frozen=True)
class Sample:
    """Sites with their genres, what is asked of each, and what is known of each (the same, unless said otherwise)."""

    name: str
    sites: tuple[str, ...]
    genres: tuple[str, ...]
    asked: Matrix
    known: Matrix

    @classmethod
    def of(
        cls,
        name: str,
        genres: Mapping[str, str],
        key_words: Sequence[str],
        asked: Mapping[str, Histogram],
        known: Mapping[str, Histogram] | None = None,
    ) -> Sample:
        """A sample of the sites that have both histograms; those of fewer than five words are left out."""
        known = known or asked
        sites = tuple(
            s for s in sorted(asked) if sum(asked[s].values()) >= _MIN_WORDS and sum(known[s].values()) >= _MIN_WORDS
        )
        places = {word: place for place, word in enumerate(key_words)}
        both = [matrix([source[site] for site in sites], places) for source in (asked, known)]
        return cls(name, sites, tuple(genres[site] for site in sites), both[0], both[1])

    @property
    def largest_genre(self) -> float:
        """The share of the largest genre: what naming it always would get right."""
        return max(Counter(self.genres).values()) / len(self.sites)


@dataclass(frozen=True)
class Outcome:
    """What came out: the share of right genres, who was taken for what, and the distances to the nearest site."""

    accuracy: float
    confusion: Mapping[tuple[str, str], int]
    nearest_distance: npt.NDArray[np.float64]
    is_right: npt.NDArray[np.bool_]


def matrix(histograms: Sequence[Histogram], places: Mapping[str, int]) -> Matrix:
    """One row a site, one column a key word."""
    counts = np.zeros((len(histograms), len(places)), dtype=np.float32)
    for row, histogram in enumerate(histograms):
        for place, count in identifier(histogram, places).items():
            counts[row, place] = count
    return counts


def leave_one_out(
    sample: Sample, *, measure: str = "manhattan", normalised: bool = True, neighbours: int = 3
) -> Outcome:
    """Ask for each site among all others. A site without any key word counts as wrong."""
    asked, known = ((normalise(m) if normalised else m) for m in (sample.asked, sample.known))
    empty = known.sum(axis=1) == 0
    ask = asker(known, measure)
    confusion: Counter[tuple[str, str]] = Counter()
    nearest = np.full(len(sample.sites), np.inf)
    right = np.zeros(len(sample.sites), dtype=bool)
    for row in range(len(sample.sites)):
        distances = ask(asked[row])
        distances[row] = np.inf
        distances[empty] = np.inf
        if not asked[row].any():
            confusion[sample.genres[row], "unknown"] += 1
            continue
        order = np.argsort(distances, kind="stable")[:neighbours]
        found = vote([(sample.genres[i], float(distances[i])) for i in order])
        nearest[row] = distances[order[0]]
        right[row] = found == sample.genres[row]
        confusion[sample.genres[row], found] += 1
    return Outcome(float(right.mean()), confusion, nearest, right)


def normalise(counts: Matrix) -> Matrix:
    """Each row's sum made 1; empty rows stay empty."""
    sums = counts.sum(axis=1, keepdims=True)
    normal: Matrix = np.divide(counts, np.where(sums > 0, sums, 1), dtype=np.float32)
    return normal


def asker(others: Matrix, measure: str) -> Callable[[Matrix], Matrix]:
    """A function from one site's row to its distances from all the others; sums over all rows are made once."""
    if measure == "manhattan":
        sums = others.sum(axis=1)
        columns = np.ascontiguousarray(others.T)

        def manhattan(row: Matrix) -> Matrix:
            places = np.flatnonzero(row)
            return np.asarray(sums + row.sum() - 2 * np.minimum(columns[places], row[places, None]).sum(axis=0))

        return manhattan
    lengths = np.linalg.norm(others, axis=1)
    if measure == "cosine":
        return lambda row: np.asarray(1 - others @ row / np.maximum(lengths * np.linalg.norm(row), _TINY))
    assert measure == "euclid", measure
    return lambda row: np.asarray(np.sqrt(np.maximum(lengths**2 + (row**2).sum() - 2 * others @ row, 0)))


def compare(sample: Sample, neighbours: int) -> dict[tuple[str, bool], float]:
    """The accuracy by (measure, normalised)."""
    return {
        (measure, normalised): leave_one_out(
            sample, measure=measure, normalised=normalised, neighbours=neighbours
        ).accuracy
        for measure in MEASURES
        for normalised in (True, False)
    }


def precision_by_distance(outcome: Outcome, steps: int = 10) -> list[tuple[float, int, float]]:
    """For tenths of the sites by the distance to their nearest: (largest distance, sites, share right).

    Basis of the maximum.
    """
    finite = np.flatnonzero(np.isfinite(outcome.nearest_distance))
    ordered = finite[np.argsort(outcome.nearest_distance[finite], kind="stable")]
    return [
        (float(outcome.nearest_distance[part[-1]]), len(part), float(outcome.is_right[part].mean()))
        for part in np.array_split(ordered, steps)
        if len(part)
    ]
