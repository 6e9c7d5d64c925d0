"""The packages of real pages: they are whole, and serving a page unchanged loses nothing of its gold text."""

from __future__ import annotations

from pathlib import Path

import pytest

from crunchpy.evaluation.extract import Setup
from crunchpy.evaluation.method_overlay import write_methods
from crunchpy.evaluation.methods import Method
from crunchpy.evaluation.package import read_package
from crunchpy.evaluation.package_check import faults
from crunchpy.evaluation.work import Worker
from tests.shared import SHARED, needs_shared

PACKAGES = sorted((SHARED / "packages").iterdir()) if SHARED else []
# Small, whole packages whose gold texts people made of the page itself.
OF_THE_PAGE = ("canola", "chinese-wced", "magic-html-article")
PAGES = 12
PLAIN = Method("plain", "chain")


@needs_shared
@pytest.mark.parametrize("folder", [folder for folder in PACKAGES if folder.name in OF_THE_PAGE], ids=lambda p: p.name)
def test_package_is_whole(folder: Path) -> None:
    assert faults(folder) == []


@needs_shared
@pytest.mark.parametrize("folder", [folder for folder in PACKAGES if folder.name in OF_THE_PAGE], ids=lambda p: p.name)
def test_a_page_served_unchanged_keeps_its_gold_text(folder: Path, tmp_path: Path) -> None:
    # The paper's self-test: recall below 1 is a fault of the normalising, or of a gold text that is not of the page.
    write_methods(tmp_path, [PLAIN], [])
    worker, package = Worker(Setup((tmp_path,)), "spaced"), read_package(folder)
    rows = [worker.measured(folder, name, PLAIN) for name in package.ids[:: len(package.ids) // PAGES]]
    assert [row.error for row in rows if row.error] == []
    recalls = sorted(row.values["vec_r"] for row in rows if row.gold_words)
    assert recalls[len(recalls) // 2] >= 0.97
    assert all(row.values["useful"] >= 0.75 for row in rows if row.gold_words)
