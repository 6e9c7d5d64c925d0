"""Fits the page kinds to labelled pages, offline, with scikit-learn, and writes them as plain numbers.

The pages of one site are never in both the fitted and the asked part: a model that only knows sites by heart would
fail here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from crunchpy.genre.domains import site_of
from crunchpy.genre.page_features import FEATURES, features
from crunchpy.genre.page_kind import KINDS, MODEL_VERSION, Forest, read_forest
from crunchpy.page import Page, Unfit

_FOLDS = 5
# Chosen on the same folds, among forests of three sorts; small steps and small trees, since 76 pages are the smallest
# kind.
_MODEL = {"max_iter": 80, "learning_rate": 0.1, "max_leaf_nodes": 12, "class_weight": "balanced", "random_state": 0}


@dataclass(frozen=True)
class KindSample:
    """Labelled pages as numbers; sites: which site each is from."""

    rows: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.str_]
    sites: npt.NDArray[np.str_]


@dataclass(frozen=True)
class KindFit:
    """What cross-validation by site gave."""

    macro_f1: float
    accuracy: float
    f1: dict[str, float]
    pages: int
    sites: int


def sample(pages: Iterable[tuple[bytes, str, str]]) -> KindSample:
    """The numbers of pages given as (body, url, kind); pages that cannot be read are left out."""
    rows, kinds, sites = [], [], []
    for body, url, kind in pages:
        page = Page.parse(body, url=url)
        if kind not in KINDS or isinstance(page, Unfit):
            continue
        rows.append([round(value, 4) for value in features(page)])
        kinds.append(kind)
        sites.append(site_of(urlsplit(url).hostname or "") or url)
    return KindSample(np.array(rows), np.array(kinds), np.array(sites))


def cross_validate(pages: KindSample) -> KindFit:
    """Five-fold cross-validation, grouped by site."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    folds = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=0)
    model = HistGradientBoostingClassifier(**_MODEL)
    with threadpool_limits(1):  # threads that wait for one another on busy cores take ten times as long
        found = cross_val_predict(model, pages.rows, pages.kinds, groups=pages.sites, cv=folds)
    each = f1_score(pages.kinds, found, average=None, labels=list(KINDS))
    return KindFit(
        float(f1_score(pages.kinds, found, average="macro")),
        float(accuracy_score(pages.kinds, found)),
        {kind: round(float(value), 3) for kind, value in zip(KINDS, each, strict=True)},
        len(pages.kinds),
        len(set(pages.sites)),
    )


def fit(pages: KindSample, validated: KindFit, path: Path) -> Forest:
    """Fit all pages, write the numbers, and read them back."""
    import sklearn
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        model = HistGradientBoostingClassifier(**_MODEL).fit(pages.rows, pages.kinds)
    names = [str(name) for name in model.classes_]
    content = {
        "version": MODEL_VERSION,
        "fit": {
            "macro_f1": round(validated.macro_f1, 3),
            "accuracy": round(validated.accuracy, 3),
            "f1": validated.f1,
            "pages": validated.pages,
            "sites": validated.sites,
            "folds": _FOLDS,
            "scikit-learn": sklearn.__version__,
            "model": _MODEL,
        },
        "features": list(FEATURES),
        "first": {name: round(float(x), 5) for name, x in zip(names, model._baseline_prediction.ravel(), strict=True)},
        "trees": {name: [_nodes(trees[place]) for trees in model._predictors] for place, name in enumerate(names)},
    }
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", "utf-8")
    return read_forest(path)


def _nodes(tree: Any) -> list[list[float]]:
    """[feature, threshold, left, right], or [value] for a leaf, in the model's own order.

    Below a node come later ones.
    """
    return [
        [round(float(node["value"]), 5)]
        if node["is_leaf"]
        else [int(node["feature_idx"]), float(node["num_threshold"]), int(node["left"]), int(node["right"])]
        for node in tree.nodes
    ]
