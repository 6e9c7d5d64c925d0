"""Clusters of points in the plane, for CETR; the cluster nearest the origin is not content.

Source: Weninger and Hsu, 2008, section 4, who used the clusterers of Weka; their density mode is read as Weka's
wrapper that fits a normal distribution to each cluster. scikit-learn is loaded only when it is needed.
"""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np

from crunchpy.extraction.characters import Array

Clustering = Literal["farthest_first", "k_means", "em"]
CLUSTERS = 3
_MAX_ROUNDS = 100
_LEAST_DEVIATION = 1e-6


def farthest_first(points: Array, count: int = CLUSTERS, first: Array | None = None) -> Array:
    """Centres: the point nearest the origin (or `first`), then time and again the one farthest from all so far."""
    start = points[np.argmin((points**2).sum(axis=1))] if first is None else first
    centres = [start]
    distance = ((points - start) ** 2).sum(axis=1)
    while len(centres) < count:
        centres.append(points[int(np.argmax(distance))])
        distance = np.minimum(distance, ((points - centres[-1]) ** 2).sum(axis=1))
    return np.array(centres)


def nearest(points: Array, centres: Array) -> Array:
    """The number of each point's nearest centre."""
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    labels: Array = distances.argmin(axis=1)
    return labels


def labelled(points: Array, clustering: Clustering) -> Array:
    """The cluster of each point; always the same for the same points."""
    centres = farthest_first(points)
    if clustering == "farthest_first":
        return nearest(points, centres)
    means = _k_means(points, centres)
    return nearest(points, means) if clustering == "k_means" else _em(points, means)


def _k_means(points: Array, centres: Array) -> Array:
    from sklearn.cluster import KMeans

    with warnings.catch_warnings():  # fewer different points than clusters is no fault here
        warnings.simplefilter("ignore")
        found: Array = KMeans(len(centres), init=centres, n_init=1, random_state=0).fit(points).cluster_centers_
    return found


def _em(points: Array, means: Array) -> Array:
    from sklearn.mixture import GaussianMixture

    model = GaussianMixture(len(means), covariance_type="diag", means_init=means, random_state=0)
    with warnings.catch_warnings():  # what did not settle in 100 rounds is as good as it gets
        warnings.simplefilter("ignore")
        found: Array = model.fit(points).predict(points)
    return found


def relabelled(points: Array, labels: Array) -> Array:
    """Density mode: fit a normal distribution an axis to each cluster, and give each point to the likeliest."""
    numbers = np.unique(labels)
    overall = np.maximum(points.std(axis=0), _LEAST_DEVIATION)
    scores = []
    for number in numbers:
        members = points[labels == number]
        deviation = members.std(axis=0)
        deviation = np.where(deviation <= _LEAST_DEVIATION, overall, deviation)
        prior = np.log((1 + len(members)) / (len(points) + len(numbers)))
        density = -(((points - members.mean(axis=0)) / deviation) ** 2) / 2 - np.log(deviation)
        scores.append(prior + density.sum(axis=1))
    found: Array = numbers[np.argmax(scores, axis=0)]
    return found


def background(points: Array, labels: Array) -> int:
    """The cluster whose mean is nearest the origin."""
    means = {number: points[labels == number].mean(axis=0) for number in np.unique(labels).tolist()}
    return int(min(means, key=lambda number: float((means[number] ** 2).sum())))


def pinned(points: Array, count: int = CLUSTERS) -> Array:
    """K-means with the first centroid held at the origin; the labels, 0 for that one.

    Source: CETR, 2010; the other two begin where Farthest First finds them from the origin.
    """
    centres = farthest_first(points, count, first=np.zeros(points.shape[1]))
    labels = nearest(points, centres)
    for _ in range(_MAX_ROUNDS):
        for number in range(1, count):
            members = points[labels == number]
            if len(members):
                centres[number] = members.mean(axis=0)
        following = nearest(points, centres)
        if np.array_equal(following, labels):
            break
        labels = following
    return labels
