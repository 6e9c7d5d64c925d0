"""What was done to a page, by which plugin, why, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from crunchpy.reasons import sentence
from crunchpy.splice import Cut

Outcome = Literal["changed", "unchanged", "vetoed", "refused", "failed", "out_of_time"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one step did.

    reasons: how often each reason to change something was given; refusals: how often each reason not to. detail: for
    vetoed, failed and out_of_time, in words what happened. cuts: what was taken, by its place in the page as received;
    a later step's cut may hold an earlier one's.
    """

    plugin: str
    outcome: Outcome
    edits: int
    words_before: int
    words_after: int
    elapsed_ms: float
    reasons: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, int] = field(default_factory=dict)
    detail: str = ""
    cuts: tuple[Cut, ...] = ()

    def as_dict(self, *, with_cuts: bool = False) -> dict[str, Any]:
        """The verdict for JSON; the cuts only where they are asked for, since every page's trace goes into the log."""
        cuts = {"cuts": [cut._asdict() for cut in self.cuts]} if with_cuts else {}
        return {
            "plugin": self.plugin,
            "outcome": self.outcome,
            "edits": self.edits,
            "words_before": self.words_before,
            "words_after": self.words_after,
            "elapsed_ms": round(self.elapsed_ms, 3),
            "reasons": dict(self.reasons),
            "refusals": dict(self.refusals),
            "detail": self.detail,
            **cuts,
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """The history of one page.

    untouched: a code of `reasons` where the page went out as it came, with `detail`; relaxed_from: the settings that
    were tried before those in `settings` and left too little.
    """

    url: str
    genre: str = ""
    settings: str = ""
    verdicts: tuple[Verdict, ...] = ()
    relaxed_from: tuple[str, ...] = ()
    untouched: str | None = None
    detail: str = ""
    words_before: int = 0
    words_after: int = 0
    elapsed_ms: float = 0.0
    choice: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """One line for the log: no query, no fragment, nothing of the page's content."""
        parts = urlsplit(self.url)
        place = f"{parts.hostname or '-'}{parts.path}"
        if self.untouched is not None:
            detail = f" ({self.detail})" if self.detail else ""
            return f"{place} untouched: {self.untouched}: {sentence(self.untouched)}{detail}"
        relaxed = f" relaxed from {' and '.join(self.relaxed_from)}" if self.relaxed_from else ""
        steps = " ".join(_short(verdict) for verdict in self.verdicts if verdict.outcome != "unchanged")
        return (
            f"{place} {self.settings}{relaxed}: {self.words_before} to {self.words_after} words,"
            f" {self.elapsed_ms:.0f} ms; {steps or 'no step changed anything'}"
        )

    def as_dict(self, *, with_cuts: bool = False) -> dict[str, Any]:
        """The trace for JSON."""
        return {
            "url": self.url,
            "genre": self.genre,
            "settings": self.settings,
            "relaxed_from": list(self.relaxed_from),
            "untouched": self.untouched,
            "detail": self.detail,
            "words_before": self.words_before,
            "words_after": self.words_after,
            "elapsed_ms": round(self.elapsed_ms, 3),
            "choice": dict(self.choice),
            "verdicts": [verdict.as_dict(with_cuts=with_cuts) for verdict in self.verdicts],
        }


def _short(verdict: Verdict) -> str:
    return (
        f"{verdict.plugin}:{verdict.edits}" if verdict.outcome == "changed" else f"{verdict.plugin}:{verdict.outcome}"
    )
