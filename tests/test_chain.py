"""A plugin that fails, hangs or takes too much costs its own step, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crunchpy.chain import Chain, Step
from crunchpy.edit import Edit, Insert, Remove, SetAttribute, Unwrap
from crunchpy.limits import Limits
from crunchpy.page import Page
from crunchpy.plugin import Plugin, PluginSettings
from crunchpy.trace import Verdict

WORDS = " ".join(["word"] * 40)
BODY = f"""<!doctype html><html><body><h1>Head</h1>
<p id=a>{WORDS}.</p><p id=b>{WORDS}.</p><p id=c>{WORDS}.</p><p id=d>{WORDS}.</p>
<h2>Two</h2><nav><a href=/x>x</a></nav><p><input name=q disabled></p></body></html>""".encode()
QUICK = Limits(max_step_ms=60)


def step(apply: Callable[[Page, PluginSettings], Iterator[Edit]]) -> Step:
    plugin = Plugin(apply.__name__, "For tests.", "none", PluginSettings, apply, Path("test"))
    return Step(plugin, PluginSettings())


def run(
    *applies: Callable[[Page, PluginSettings], Iterator[Edit]], limits: Limits = QUICK
) -> tuple[bytes, list[Verdict]]:
    page = Page.parse(BODY)
    assert isinstance(page, Page)
    verdicts = Chain("test", tuple(map(step, applies)), limits).run(page)
    return page.render(), list(verdicts)


def removes_one(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    yield Remove(page.ids["b"], "one of four")


def raises_at_once(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    raise KeyError("at once")
    yield


def raises_after_three_edits(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    for name in "abc":
        yield Remove(page.ids[name], "too early")
    raise RuntimeError("after three")


def yields_for_ever(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    while True:
        yield SetAttribute(page.ids["a"], "title", "t", "for ever")


def sleeps(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    yield Remove(page.ids["a"], "before sleep")
    time.sleep(30)


def loops(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    yield Remove(page.ids["a"], "before the loop")
    while True:
        pass


def swallows_everything(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    for _ in range(3):
        try:
            time.sleep(30)
        except BaseException:  # noqa: BLE001 - this is the fault
            yield Remove(page.ids["a"], "swallowed")


def yields_no_edit(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    yield "Remove everything"  # type: ignore[misc]


def quits(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    raise SystemExit(3)
    yield


def changes_the_tree(page: Page, settings: PluginSettings) -> Iterator[Edit]:
    page.ids["a"].set("title", "changed behind the plan's back")
    raise ValueError("and then failed")
    yield


@pytest.mark.parametrize(
    ("apply", "outcome", "detail"),
    [
        (raises_at_once, "failed", "KeyError: 'at once'"),
        (raises_after_three_edits, "failed", "RuntimeError: after three"),
        (yields_for_ever, "failed", "asked for more than 20000 edits"),
        (sleeps, "out_of_time", "took longer than 60 ms"),
        (loops, "out_of_time", "took longer than 60 ms"),
        (swallows_everything, "out_of_time", "took longer than 60 ms"),
        (yields_no_edit, "failed", "AttributeError"),
        (quits, "failed", "SystemExit"),
        (changes_the_tree, "failed", "ValueError: and then failed"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_faulty_plugin_leaves_the_bytes_alone(
    apply: Callable[[Page, PluginSettings], Iterator[Edit]], outcome: str, detail: str
) -> None:
    limits = Limits(max_step_ms=5000, max_page_ms=5000) if apply is yields_for_ever else QUICK
    begin = time.perf_counter()
    result, [verdict] = run(apply, limits=limits)
    assert time.perf_counter() - begin < 6
    assert result == BODY
    assert (verdict.outcome, verdict.edits) == (outcome, 0)
    assert verdict.detail.startswith(detail)
    assert verdict.words_before == verdict.words_after


@pytest.mark.parametrize("faulty", [raises_after_three_edits, loops, swallows_everything, quits])
def test_steps_before_and_after_a_fault_count(
    faulty: Callable[[Page, PluginSettings], Iterator[Edit]],
) -> None:
    def removes_another(page: Page, settings: PluginSettings) -> Iterator[Edit]:
        yield Remove(page.ids["d"], "another")

    result, verdicts = run(removes_one, faulty, removes_another)
    assert [verdict.outcome for verdict in verdicts[::2]] == ["changed", "changed"]
    assert b"id=b" not in result
    assert b"id=d" not in result
    assert b"id=a" in result


@pytest.mark.parametrize(
    ("css", "limits", "detail"),
    [
        ("p", {"max_words_ratio": 1.0}, "words of prose, allowed 50%"),
        ("p", {"max_prose_ratio": 1.0, "max_words_ratio": 0.9}, "words, allowed 90%"),
        ("h2", {"max_headings_ratio": 0.4}, "would take 1 of 2 headings, allowed 40%"),
        ("nav", {"max_landmarks_ratio": 0.5}, "would take 1 of 1 landmarks, allowed 50%"),
        ("input", {"max_controls_ratio": 0.0}, "would take 1 of 1 form controls, allowed 0%"),
    ],
)
def test_step_that_takes_too_much_is_vetoed(css: str, limits: dict[str, float], detail: str) -> None:
    def removes(page: Page, settings: PluginSettings) -> Iterator[Edit]:
        for element in page.select(css):
            yield Remove(element, "too much")

    result, [verdict] = run(removes, limits=Limits(**limits))
    assert result == BODY
    assert verdict.outcome == "vetoed"
    assert verdict.detail.endswith(detail)
    assert verdict.reasons["too much"] >= 1


def test_body_cannot_be_removed() -> None:
    def removes_the_body(page: Page, settings: PluginSettings) -> Iterator[Edit]:
        yield Remove(page.root.find("body"), "all of it")
        yield Remove(page.root, "and more")

    result, [verdict] = run(removes_the_body)
    assert b"Head" in result
    assert verdict.outcome in {"refused", "vetoed"}
    assert result == BODY


def test_next_step_reads_what_the_last_one_left() -> None:
    seen: list[list[str]] = []

    def looks(page: Page, settings: PluginSettings) -> Iterator[Edit]:
        seen.append([p.get("id", "") for p in page.elements("p")])
        yield from ()

    run(looks, removes_one, looks)
    assert seen == [["a", "b", "c", "d", ""], ["a", "c", "d", ""]]


def test_page_out_of_time_skips_the_rest() -> None:
    def takes_forty_ms(page: Page, settings: PluginSettings) -> Iterator[Edit]:
        time.sleep(0.04)
        yield from ()

    _, verdicts = run(takes_forty_ms, takes_forty_ms, removes_one, limits=Limits(max_page_ms=60))
    assert [verdict.outcome for verdict in verdicts] == ["unchanged", "out_of_time", "out_of_time"]
    assert verdicts[-1].detail == "the page's 60 ms were used up before"


def test_verdict_counts_reasons_and_refusals() -> None:
    def asks(page: Page, settings: PluginSettings) -> Iterator[Edit]:
        yield Remove(page.ids["a"], "first")
        yield Remove(page.elements("h1")[0], "never")
        yield Unwrap(page.elements("h1")[0], "never")
        yield Insert(page.ids["b"], "after", "<hr>", "line")

    _, [verdict] = run(asks)
    assert (verdict.outcome, verdict.edits) == ("changed", 2)
    assert dict(verdict.reasons) == {"first": 1, "line": 1}
    assert dict(verdict.refusals) == {"is the main heading": 2}
    assert verdict.words_before - verdict.words_after == 40
