"""Groups of like sites, for the administrator: Crunch's greedy rule, and agglomerative clustering as the alternative.

Crunch's rule (spec: single link, depth-limited): take all pairs, nearest first. Where neither site is placed, the
pair founds a cluster, both at depth 0. Where one is placed at depth 0 or 1, the other joins it one deeper. Else
nothing. Clusters never merge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

MAX_DEPTH = 2
Distances = npt.NDArray[np.floating]


@dataclass(slots=True)
class Clusters:
    """Which sites belong together. Grows by `consider`; a site never changes its cluster.

    placed: site to (cluster number from 1, depth).
    """

    max_distance: float
    placed: dict[str, tuple[int, int]] = field(default_factory=dict)
    count: int = 0

    def consider(self, a: str, b: str) -> None:
        """Apply the rule to one pair; pairs must come nearest first."""
        at_a, at_b = self.placed.get(a), self.placed.get(b)
        if at_a is None and at_b is None:
            self.count += 1
            self.placed[a] = self.placed[b] = (self.count, 0)
        elif at_a is None and at_b is not None:
            self._join(a, at_b)
        elif at_b is None and at_a is not None:
            self._join(b, at_a)

    def _join(self, site: str, other: tuple[int, int]) -> None:
        cluster, depth = other
        if depth < MAX_DEPTH:
            self.placed[site] = (cluster, depth + 1)

    def add(self, site: str, neighbours: Iterable[tuple[float, str]]) -> int | None:
        """Let a new site join without a rebuild: its pairs with the known sites, nearest first.

        Returns:
            Its cluster, None where no site is near enough.
        """
        for distance, other in sorted(neighbours):
            if distance > self.max_distance or site in self.placed:
                break
            self.consider(site, other)
        place = self.placed.get(site)
        return place[0] if place else None

    def members(self) -> dict[int, list[str]]:
        """The sites of each cluster, sorted by depth and name."""
        found: dict[int, list[str]] = {}
        for site, (cluster, _) in sorted(self.placed.items(), key=lambda item: (item[1], item[0])):
            found.setdefault(cluster, []).append(site)
        return found


def greedy_clusters(sites: Sequence[str], distances: Distances, max_distance: float) -> Clusters:
    """Crunch's clusters of these sites.

    Pairs beyond `max_distance` are ignored, equal distances go by the sites' order.
    """
    clusters = Clusters(max_distance)
    rows, columns = np.triu_indices(len(sites), k=1)
    values = distances[rows, columns]
    near = np.flatnonzero(values <= max_distance)
    for pair in near[np.argsort(values[near], kind="stable")]:
        clusters.consider(sites[rows[pair]], sites[columns[pair]])
    return clusters


def agglomerative_clusters(sites: Sequence[str], distances: Distances, max_distance: float) -> dict[int, list[str]]:
    """The alternative: average-link clusters whose mean distance stays within `max_distance`, largest first."""
    from sklearn.cluster import AgglomerativeClustering

    finite = np.where(np.isfinite(distances), distances, 2 * max_distance + 2)
    fitted = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=max_distance
    ).fit(finite)
    groups: dict[int, list[str]] = {}
    for site, label in zip(sites, fitted.labels_, strict=True):
        groups.setdefault(int(label), []).append(site)
    ordered = sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))
    return dict(enumerate(ordered, 1))


def strongest_words(
    members: Sequence[Mapping[str, float]], everywhere: Mapping[str, float], how_many: int = 6
) -> list[str]:
    """The words that a cluster's sites have more of than all sites have: what the cluster may be called.

    `members` and `everywhere` are shares of words (sum 1); a word counts by how much its mean share exceeds the share
    everywhere.
    """
    mean: Counter[str] = Counter()
    for shares in members:
        for word, share in shares.items():
            mean[word] += share / len(members)  # type: ignore[assignment]  # Counter adds floats as well
    excess = {word: share - everywhere.get(word, 0.0) for word, share in mean.items()}
    return sorted(excess, key=lambda word: (-excess[word], word))[:how_many]
