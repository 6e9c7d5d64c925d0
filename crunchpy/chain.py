"""Runs the steps; a step that fails or takes too much changes nothing."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from crunchpy.limits import Limits
from crunchpy.page import Page
from crunchpy.plan import Plan, Taken
from crunchpy.plugin import Plugin, PluginSettings
from crunchpy.protect import Protection
from crunchpy.time_limit import OutOfTime, TimeLimit
from crunchpy.trace import Outcome, Verdict


class TooManyEditsError(Exception):
    """A plugin asks for more edits than the limits allow."""


@dataclass(frozen=True, slots=True)
class Step:
    """A plugin with its settings."""

    plugin: Plugin
    settings: PluginSettings


@dataclass(frozen=True, slots=True)
class Chain:
    """The steps of one settings file, in order."""

    name: str
    steps: tuple[Step, ...]
    limits: Limits = field(default_factory=Limits)

    def run(self, page: Page) -> tuple[Verdict, ...]:
        """Run every step on the page; one verdict a step. Never raises for what a plugin does."""
        protection = Protection(page)
        deadline = time.perf_counter() + self.limits.max_page_ms / 1000
        with TimeLimit() as limit:
            return tuple(self._run_step(step, Plan(page, protection), limit, deadline) for step in self.steps)

    def _run_step(self, step: Step, plan: Plan, limit: TimeLimit, deadline: float) -> Verdict:
        page, start = plan.page, time.perf_counter()
        before = page.total.words
        outcome, detail = self._fill(plan, step, limit, min(self.limits.max_step_ms / 1000, deadline - start))
        if outcome == "changed" and (objection := self._objection(page, plan.taken())):
            outcome, detail = "vetoed", objection
        if outcome == "changed":
            plan.carry_out()
        return Verdict(
            plugin=step.plugin.name,
            outcome=outcome,
            edits=len(plan.accepted) if outcome in ("changed", "vetoed") else 0,
            words_before=before,
            words_after=page.total.words,
            elapsed_ms=(time.perf_counter() - start) * 1000,
            reasons=Counter(edit.why for edit in plan.accepted) if plan.accepted else {},
            refusals=Counter(refusal.reason for refusal in plan.refused) if plan.refused else {},
            detail=detail,
            cuts=tuple(plan.cuts) if outcome == "changed" else (),
        )

    def _fill(self, plan: Plan, step: Step, limit: TimeLimit, seconds: float) -> tuple[Outcome, str]:
        """Let the plugin ask; whatever it does, only whole and timely answers count."""
        if seconds <= 0:
            return "out_of_time", f"the page's {self.limits.max_page_ms} ms were used up before"
        try:
            with limit.of(seconds):
                self._take_edits(plan, step, time.perf_counter() + seconds)
        except OutOfTime:
            return "out_of_time", f"took longer than {seconds * 1000:.0f} ms"
        except TooManyEditsError as error:
            return "failed", str(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001  a plugin's fault must cost its own step only
            return "failed", f"{type(error).__name__}: {error}"
        if plan.accepted:
            return "changed", ""
        return ("refused", "") if plan.refused else ("unchanged", "")

    def _take_edits(self, plan: Plan, step: Step, deadline: float) -> None:
        limit = self.limits.max_edits_per_step
        for count, edit in enumerate(step.plugin.apply(plan.page, step.settings)):
            if count >= limit:
                raise TooManyEditsError(f"asked for more than {limit} edits")
            if time.perf_counter() > deadline:  # a plugin that catches everything catches OutOfTime too
                raise OutOfTime
            plan.add(edit)

    def _objection(self, page: Page, taken: Taken) -> str:
        """Why the step takes too much, counted before anything is changed; empty where it does not."""
        limits, total = self.limits, page.total
        whole = page.inventory_between(0, len(page.source.names) - 1)
        checks = (
            ("words", taken.counts.words, total.words, limits.max_words_ratio),
            ("words of prose", taken.counts.prose_words, total.prose_words, limits.max_prose_ratio),
            ("headings", taken.inventory.headings, whole.headings, limits.max_headings_ratio),
            ("landmarks", taken.inventory.landmarks, whole.landmarks, limits.max_landmarks_ratio),
            ("form controls", taken.inventory.controls, whole.controls, limits.max_controls_ratio),
        )
        for what, takes, of, ratio in checks:
            if takes > of * ratio:
                return f"would take {takes} of {of} {what}, allowed {ratio:.0%}"
        return ""
