"""What kind of page it is: article, forum, product, collection, listing, documentation or service, with a probability.

Boosted trees, fitted with scikit-learn to the labelled pages of a test package (`crunchpy genre build`), shipped as
numbers: no pickle, nothing to execute, and no scikit-learn in the proxy.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crunchpy.genre.page_features import FEATURES, features, is_front_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crunchpy.page import Page

MODEL_VERSION = 1
MODEL_FILE = Path(__file__).parent / "data" / "page_kind.json"
FRONT_PAGE = "front_page"
KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")


class PageKindError(ValueError):
    """The file of numbers cannot be used; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind, how probable it is (0 to 1), and the kind to look settings up by (the front page goes before all)."""

    kind: str
    probability: float
    is_front_page: bool

    @property
    def settings_key(self) -> str:
        """The key of a settings file's `kinds`."""
        return FRONT_PAGE if self.is_front_page else self.kind


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree as parallel lists; node 0 is the root.

    feature: -1 at a leaf. value: at a leaf what it adds to the kind's score, else the most that goes left.
    """

    feature: tuple[int, ...]
    value: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]

    def ask(self, row: Sequence[float]) -> float:
        """What this tree adds."""
        node = 0
        while self.feature[node] >= 0:
            node = self.left[node] if row[self.feature[node]] <= self.value[node] else self.right[node]
        return self.value[node]


@dataclass(frozen=True)
class Forest:
    """Per kind a first score and trees that add to it; the scores' softmax is the probability.

    fit: how well it did, on which pages, with which versions.
    """

    first: dict[str, float]
    trees: dict[str, tuple[Tree, ...]]
    fit: dict[str, Any]

    def ask(self, row: Sequence[float]) -> dict[str, float]:
        """The probability of each kind."""
        scores = {kind: first + sum(tree.ask(row) for tree in self.trees[kind]) for kind, first in self.first.items()}
        most = max(scores.values())
        odds = {kind: math.exp(score - most) for kind, score in scores.items()}
        return {kind: share / sum(odds.values()) for kind, share in odds.items()}


def page_kind(page: Page, forest: Forest | None = None) -> PageKind:
    """The kind of a page; the kind first in the alphabet where two are equally probable."""
    chances = (forest or shipped_forest()).ask(features(page))
    kind = max(sorted(chances), key=lambda name: chances[name])
    return PageKind(kind, chances[kind], is_front_page(page.url))


@cache
def shipped_forest() -> Forest:
    """The built-in numbers."""
    return read_forest(MODEL_FILE)


def read_forest(path: Path) -> Forest:
    """Read a file of numbers.

    Raises:
        PageKindError: it is missing, broken, or made for other features.
    """
    try:
        content = json.loads(path.read_bytes())
        fits = content["version"] == MODEL_VERSION and tuple(content["features"]) == FEATURES
        trees = {kind: tuple(map(_tree, nodes)) for kind, nodes in content["trees"].items()} if fits else {}
        forest = Forest({kind: float(first) for kind, first in content["first"].items()}, trees, content["fit"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise PageKindError(f"{path}: cannot be used ({error!r})") from error
    if set(forest.trees) != set(forest.first):
        raise PageKindError(f"{path}: was fitted for another version; make it again with: crunchpy genre build")
    return forest


def _tree(nodes: Sequence[Sequence[float]]) -> Tree:
    """A tree from its nodes in order: [feature, threshold, left, right], or [value] for a leaf."""
    for place, node in enumerate(nodes):
        is_sound = len(node) == 1 or (
            0 <= node[0] < len(FEATURES) and all(place < below < len(nodes) for below in node[2:])
        )  # below a node come later ones only, so that no walk can go round
        if not is_sound:
            raise ValueError(f"node {place} is {node}")
    padded = [
        (-1, node[0], 0, 0) if len(node) == 1 else (int(node[0]), node[1], int(node[2]), int(node[3])) for node in nodes
    ]
    feature, value, left, right = zip(*padded, strict=True)
    return Tree(feature, tuple(map(float, value)), left, right)
