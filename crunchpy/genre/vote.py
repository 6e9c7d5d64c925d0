"""The genre that the nearest known sites agree on."""

from __future__ import annotations

from collections.abc import Iterable

_NO_DISTANCE = 1e-6  # an equal histogram outweighs all others without dividing by zero


def vote(neighbours: Iterable[tuple[str, float]]) -> str:
    """The genre with the largest sum of 1/distance; equal sums go to the genre of the nearer site.

    With one neighbour this is Crunch's rule; three are better by about five points (docs/genre.md).

    Args:
        neighbours: (genre, distance), nearest first; at least one.
    """
    weights: dict[str, float] = {}
    for genre, distance in neighbours:
        weights[genre] = weights.get(genre, 0.0) + 1 / max(distance, _NO_DISTANCE)
    return max(
        weights, key=lambda genre: weights[genre]
    )  # the first of equal ones: dicts keep the order, nearest first
