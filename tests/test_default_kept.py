"""What the default settings keep and take on a fixed sample of real pages stays above the floors in `floors.json`.

Raising a floor is free; lowering one needs a line in the changelog that says why.
`python -m crunchpy.evaluation.kept` measures all pages.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from crunchpy.engine import Engine
from crunchpy.evaluation.kept import Kept, kept_of, losses, means, phrase_shares
from crunchpy.evaluation.package import read_package
from tests.shared import SHARED, needs_shared

FLOORS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "floors.json").read_text("utf-8"))


@cache
def measured(package: str) -> tuple[Kept, ...]:
    assert SHARED is not None
    found = read_package(SHARED / "packages" / package)
    engine = Engine.load()
    return tuple(kept_of(found.document(name), engine, "default") for name in found.ids[:: FLOORS[package]["every"]])


@needs_shared
def test_words_of_the_gold_text() -> None:
    floors, found = FLOORS["wcxb"], means(measured("wcxb"))
    assert found is not None
    before, after = found
    assert after.f1 >= floors["f1"]
    assert after.recall >= floors["kept_recall_ratio"] * before.recall


@needs_shared
def test_phrases_to_keep_and_to_drop() -> None:
    floors = FLOORS["trafilatura"]
    kept, gone = phrase_shares(measured("trafilatura"))
    assert kept is not None
    assert kept >= floors["kept_phrases_ratio"]
    assert gone is not None
    assert gone >= floors["gone_phrases_ratio"]


@needs_shared
def test_no_page_loses_most_of_its_content_without_a_word() -> None:
    """The known losses are in docs/default.md; the sample has none."""
    assert list(losses(measured("wcxb"))) == []
