"""FE and KFE: a page as blocks, each described by how much it has of text, pictures, links and so on.

Source: Debnath, Mitra, Pal and Giles, 2005, "Automatic Identification of Informative Sections of Web Pages", of which
only the abstract could be read; blocks and features follow recollections of it and the sheets of later papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crunchpy.extraction.characters import Array
from crunchpy.extraction.runs import Run
from crunchpy.page import Element, Page

# The paper's list of tags that divide a page, in its order.
BLOCK_TAGS = frozenset("table tr p hr ul div span".split())
TEXT = 0
_FEATURES = {
    **dict.fromkeys(["img", "picture", "svg"], 1),
    "a": 2,
    **dict.fromkeys(["applet", "object", "embed", "video", "audio", "iframe"], 3),
    "script": 4,
    **dict.fromkeys(["form", "input", "select", "textarea", "button"], 5),
    **dict.fromkeys(["ul", "ol", "dl"], 6),
}
_COUNT = 7
# More blocks than this, and three clusters fit better than two.
_MANY_BLOCKS = 20
_MAX_ROUNDS = 100


@dataclass(slots=True)
class Block:
    """One block: its own features (text in letters, then those of `_FEATURES`), and its own runs of text."""

    features: list[int] = field(default_factory=lambda: [0] * _COUNT)
    runs: list[Run] = field(default_factory=list)


def blocks(page: Page, found: Sequence[Run]) -> list[Block]:
    """The blocks of a page in document order; what a block holds counts for the innermost one around it."""
    by_element: dict[Element, Block] = {page.root: Block()}
    owners: dict[Element, Block] = {page.root: by_element[page.root]}
    for element in page.root.iter("*"):
        parent = element.getparent()
        owner = owners[page.root if parent is None else parent]
        if element.tag in BLOCK_TAGS:
            owner = by_element.setdefault(element, Block())
        owners[element] = owner
        if (feature := _FEATURES.get(element.tag)) is not None:
            owner.features[feature] += 1
    for run in found:
        block = owners[run.owner]
        block.features[TEXT] += run.letters
        block.runs.append(run)
    return list(by_element.values())


def candidates(features: Array) -> list[int]:
    """The blocks (rows) of whose features, each as a share of the page's largest, text is the largest."""
    if not len(features):
        return []
    largest = features.max(axis=0)
    shares = features / np.where(largest > 0, largest, 1)
    chosen = (shares[:, TEXT] >= shares.max(axis=1)) & (shares.sum(axis=1) > 0)
    return list(map(int, np.flatnonzero(chosen if chosen.any() else features[:, TEXT] > 0)))


def winner(features: Array) -> list[int]:
    """FE: of the candidates the block with the most text, the first of equal ones."""
    among = candidates(features)
    return [max(among, key=lambda place: features[place, TEXT])] if among else []


def winners(features: Array, clusters: int = 0) -> list[int]:
    """KFE: the candidates in the cluster with the most text.

    Args:
        features: a row a block.
        clusters: how many clusters; 0 means 2, or 3 on pages of more than 20 blocks.
    """
    among = candidates(features)
    text = features[:, TEXT] / max(1, features[:, TEXT].max(initial=0))
    count = clusters or (3 if len(text) > _MANY_BLOCKS else 2)
    if len(np.unique(text)) < count:
        return winner(features)
    best = _clustered(text, count) == count - 1
    return [place for place in among if best[place]] or winner(features)


def _clustered(values: Array, count: int) -> Array:
    """K-means in one dimension from evenly spread quantiles; labels in the order of the centroids."""
    centroids = np.quantile(values, np.linspace(0, 1, count))
    labels = np.zeros(len(values), int)
    for _ in range(_MAX_ROUNDS):
        order = np.sort(centroids)
        labels = np.searchsorted((order[:-1] + order[1:]) / 2, values, "left")
        sizes = np.bincount(labels, minlength=count)
        sums = np.bincount(labels, values, minlength=count)
        following = np.where(sizes > 0, sums / np.maximum(sizes, 1), order)
        if np.array_equal(following, order):
            break
        centroids = following
    return labels
