"""A trace as plain lines and a plain table: no drawn borders, no colours, one row a plugin, read from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crunchpy.reasons import sentence
from crunchpy.trace import Trace, Verdict

HEADS = ("plugin", "outcome", "edits", "words before", "words after", "ms", "reasons")
_TO_THE_RIGHT = range(2, 6)

# What an outcome means, for those that a reader may not know.
OUTCOMES = {
    "vetoed": "the step would have taken more than the settings allow, so nothing of it was done",
    "refused": "all that the plugin asked for is protected or has no certain place in the page, so nothing was done",
    "failed": "the plugin broke, so nothing of its step was done",
    "out_of_time": "the step took too long, so nothing of it was done",
}


def explained(trace: Trace, place: str) -> str:
    """All that a person may want to know of one page's filtering, as lines of text."""
    lines = [*facts(trace, place)]
    if trace.verdicts:
        lines += ["", *table(trace.verdicts)]
        meant = {verdict.outcome for verdict in trace.verdicts}
        lines += [""] * bool(meant & OUTCOMES.keys())
        lines += [f"{outcome}: {meaning}." for outcome, meaning in OUTCOMES.items() if outcome in meant]
    return "\n".join(lines)


def facts(trace: Trace, place: str) -> list[str]:
    """The page, how its settings came about, and what is left of it."""
    lines = [f"Page: {place}" + (f", from {trace.url}" if trace.url not in ("", place) else "")]
    if trace.settings:
        why = trace.choice.get("why", "")
        lines.append(f"Genre: {trace.genre}. Settings: {trace.settings}" + (f", because {why}." if why else "."))
    if memory := trace.choice.get("remembered"):
        lines.append(f"Site: {memory}")
    if nearest := trace.choice.get("nearest"):
        lines.append(f"Nearest known site: {nearest}, at a distance of {trace.choice['distance']:.2f} (0 to 2).")
    if kind := trace.choice.get("kind"):
        lines.append(f"Kind of page: {kind}. Probability of its kind: {trace.choice['kind_probability']:.0%}.")
    if trace.relaxed_from:
        lines.append(f"Relaxed: {', then '.join(trace.relaxed_from)} would have left too little of the page.")
    if trace.untouched is not None:
        lines.append(f"Left as it came: {why_untouched(trace)} Code: {trace.untouched}.")
    if trace.verdicts:
        kept = f", {trace.words_after / trace.words_before:.0%} kept" if trace.words_before else ""
        lines.append(
            f"Words: {trace.words_before:,} before, {trace.words_after:,} after{kept}."
            f" Filtering took {trace.elapsed_ms:.0f} ms."
        )
    return lines


def why_untouched(trace: Trace) -> str:
    """The sentence of the reason, with what was found in this page."""
    said = sentence(trace.untouched or "")
    return f"{said.removesuffix('.')}: {trace.detail.removesuffix('.')}." if trace.detail else said


def table(verdicts: Sequence[Verdict]) -> list[str]:
    """The verdicts in aligned columns, the heads in the first line."""
    rows = [HEADS, *(row(verdict) for verdict in verdicts)]
    widths = [max(len(cells[place]) for cells in rows) for place in range(len(HEADS))]
    return ["  ".join(_aligned(cells, widths)).rstrip() for cells in rows]


def row(verdict: Verdict) -> tuple[str, ...]:
    """The cells of one verdict, under `HEADS`."""
    return (
        verdict.plugin,
        verdict.outcome,
        f"{verdict.edits:,}",
        f"{verdict.words_before:,}",
        f"{verdict.words_after:,}",
        f"{verdict.elapsed_ms:.1f}",
        reasons(verdict),
    )


def reasons(verdict: Verdict) -> str:
    """Why things were changed, why other things were not, and what went wrong, in words."""
    parts = [_counted(verdict.reasons)] if verdict.reasons else []
    if verdict.refusals:
        parts.append(f"not touched: {_counted(verdict.refusals)}")
    if verdict.detail:
        parts.append(verdict.detail)
    return "; ".join(parts)


def _counted(found: Mapping[str, int]) -> str:
    ordered = sorted(found.items(), key=lambda item: -item[1])
    return ", ".join(f"{why} ({count})" if count > 1 else why for why, count in ordered)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if place in _TO_THE_RIGHT else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
