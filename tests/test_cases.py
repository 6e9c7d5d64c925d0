"""Every plugin on its cases: small pages of which one thing goes, or stays.

A case is `cases/PLUGIN/goes_NAME.html` or `stays_NAME.html` with `NAME.expected.html`, and, where it needs them,
`NAME.yaml` with the keys `settings` (of the plugin), `url`, `reasons`, and `before` (plugins that run first, as in a
chain). `pytest --accept` rewrites the expectations, for you to read in the diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from crunchpy.adverts.blocklist import Blocklist
from crunchpy.chain import Chain, Step
from crunchpy.limits import Limits
from crunchpy.overlay import builtin
from crunchpy.page import Page
from crunchpy.plugin import Plugin, load_plugin
from tests.outline import outline

CASES = Path(__file__).parent / "cases"
PAGES = sorted(page for page in CASES.glob("*/*.html") if not page.name.endswith(".expected.html"))
# A case shows what a plugin asks for, not what a settings file allows it.
NO_LIMITS = Limits(
    keep_at_least_words=0, keep_at_least_words_ratio=0, keep_at_least_prose_ratio=0,
    max_words_ratio=1, max_prose_ratio=1, max_headings_ratio=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def blocklist() -> Blocklist:
    return Blocklist.embedded()


@pytest.mark.parametrize("case", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_case(case: Path, blocklist: Blocklist, request: pytest.FixtureRequest) -> None:
    told = _told(case)
    plugin = load_plugin(builtin() / "plugins" / f"{case.parent.name}.py")
    body = case.read_bytes()
    page = Page.parse(body, url=told.get("url", "https://example.org/"), blocklist=blocklist)
    assert isinstance(page, Page), page
    step = Step(plugin, plugin.Settings.model_validate(told.get("settings", {})))
    before = [load_plugin(builtin() / "plugins" / f"{name}.py") for name in told.get("before", ())]
    steps = (*(Step(earlier, earlier.Settings()) for earlier in before), step)
    *_, verdict = Chain("case", steps, NO_LIMITS).run(page)
    assert verdict.outcome in {"changed", "unchanged", "refused"}, verdict
    result = page.render()
    expected = case.with_suffix(".expected.html")
    if request.config.getoption("--accept"):
        expected.write_bytes(result)
    assert outline(result) == outline(expected.read_bytes())
    if "reasons" in told:
        assert dict(verdict.reasons) == told["reasons"]
    if case.name.startswith("stays_"):
        assert verdict.outcome in {"unchanged", "refused"}


@pytest.mark.parametrize("case", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_plugin_only_asks(case: Path, blocklist: Blocklist) -> None:
    """`apply` reads: afterwards the page is as it was, and asking again gives the same answer."""
    told = _told(case)
    plugin: Plugin = load_plugin(builtin() / "plugins" / f"{case.parent.name}.py")
    page = Page.parse(case.read_bytes(), url=told.get("url", "https://example.org/"), blocklist=blocklist)
    assert isinstance(page, Page)
    settings = plugin.Settings.model_validate(told.get("settings", {}))
    first = list(plugin.apply(page, settings))
    assert page.render() == page.body
    assert list(plugin.apply(page, settings)) == first


def _told(case: Path) -> dict[str, Any]:
    beside = case.with_suffix(".yaml")
    return yaml.safe_load(beside.read_text()) if beside.exists() else {}
