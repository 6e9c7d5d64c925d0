"""What the tests of the methods share: pages from fragments, methods by name, and what a method leaves of a page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from crunchpy.chain import Chain, Step
from crunchpy.dom import text
from crunchpy.evaluation.methods import Method, known_methods
from crunchpy.extraction.markup import Markup, markup
from crunchpy.limits import Limits
from crunchpy.page import Page
from crunchpy.plugin import Plugin, load_plugin

ROOT = Path(__file__).parents[2]
NO_LIMITS = Limits(
    keep_at_least_words=0, keep_at_least_words_ratio=0, keep_at_least_prose_ratio=0, max_words_ratio=1,
    max_prose_ratio=1, max_headings_ratio=1, max_edits_per_step=1_000_000, max_step_ms=60_000, max_page_ms=60_000,
)  # fmt: skip
PLUGINS = (
    "accb addanag bte ccb cetr_2010 cetr_2d cetr_threshold cuter dana danag density dsc fe kfe lqf r2l tccb"
).split()


@cache
def plugin(name: str) -> Plugin:
    return load_plugin(ROOT / "plugins" / f"{name}.py")


@cache
def methods() -> dict[str, Method]:
    return {name: method for name, method in known_methods([ROOT]).items() if method.kind == "chain" and method.chain}


def page_of(html: str | bytes) -> Page:
    page = Page.parse(html.encode() if isinstance(html, str) else html)
    assert isinstance(page, Page), page
    return page


def source_of(html: str | bytes) -> Markup:
    return markup(page_of(html))


def left_of(html: str | bytes, name: str, **settings: Any) -> Page:
    """What a plugin leaves of a page."""
    page, chosen = page_of(html), plugin(name)
    [verdict] = Chain("test", (Step(chosen, chosen.Settings(**settings)),), NO_LIMITS).run(page)
    assert verdict.outcome in ("changed", "unchanged", "refused"), verdict
    return page


def text_left(html: str | bytes, name: str, **settings: Any) -> str:
    return text(left_of(html, name, **settings).root)


def text_by(html: str | bytes, method: str) -> str:
    [step] = methods()[method].chain
    name, settings = (step, {}) if isinstance(step, str) else next(iter(step.items()))
    return text_left(html, name, **settings)
