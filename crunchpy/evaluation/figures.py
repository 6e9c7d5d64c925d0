"""Draws the figures of Gottron (2007) from rows, and the ladder's curve.

They are readable in grey: bars differ by shade and by hatching, points carry their names. Each figure comes with the
same numbers as a table, for those who do not see pictures. Needs matplotlib (the extra `plots`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crunchpy.evaluation.measures import KINDS
from crunchpy.evaluation.rows import Row, mean, stdev
from crunchpy.evaluation.summary import Results, Table, milliseconds, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Methods = Mapping[str, Sequence[Row]]

# Shade and hatching of the first to fourth bar of a group.
_STYLES = (("#1a1a1a", ""), ("#8c8c8c", "////"), ("#d9d9d9", ""), ("#ffffff", ".."))
_KIND_NAMES = {"str": "characters", "seq": "words in order", "vec": "bag of words", "set": "set of words"}
_LADDER = "crunch_"
# Points of the ladder's curve that are nearer than this share a label.
_SAME_PLACE = 0.004


@dataclass(frozen=True)
class Series:
    """One kind of bar: its name, what it shows of the rows of a method, and how a table writes that."""

    name: str
    value: Callable[[Sequence[Row]], float | None]
    written: Callable[[float | None], str] = number


@dataclass(frozen=True)
class Panel:
    """One diagram of a figure: the label of its axis, its kinds of bars, and whether it ends at 1."""

    label: str
    series: tuple[Series, ...]
    is_share: bool = True


@dataclass(frozen=True)
class Picture:
    """A figure: name of its file without ending, title, what to look for in it, its numbers, and how it is drawn."""

    name: str
    title: str
    caption: str
    table: Table
    draw: Callable[[Figure], None]


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def pictures(results: Results) -> list[Picture]:
    """Return all figures that the results are enough for."""
    found: list[Picture] = []
    for package, methods in results.items():
        if any(mean(rows, "vec_f1") is not None for rows in methods.values()):
            found += [_f1(package, methods), _precision_recall(package, methods), _steadiness(package, methods)]
            if sum(map(_is_step, methods)) > 1:
                found.append(_ladder(package, methods))
    return found


def save(picture: Picture, folder: Path) -> Path:
    """Draw a figure as NAME.svg in a folder, the same bytes for the same numbers, and return its path."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as NewFigure

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{picture.name}.svg"
    with mpl.rc_context({"svg.hashsalt": picture.name, "svg.fonttype": "none", "hatch.linewidth": 0.6}):
        figure = NewFigure(layout="constrained")
        FigureCanvasSVG(figure)
        picture.draw(figure)
        figure.savefig(path, format="svg", metadata={"Date": None})
    return path


def _f1(package: str, methods: Methods) -> Picture:
    """Figure 1 of the paper: the four F1 of each method."""
    series = tuple(Series(_KIND_NAMES[kind], _mean_of(f"{kind}_f1")) for kind in KINDS)
    caption = "Longer bars are better. The stricter the measure, the shorter the bar."
    return _bars(f"f1-{package}", f"F1 by the four measures, {package}", caption, methods, [Panel("F1", series)])


def _precision_recall(package: str, methods: Methods) -> Picture:
    """Figure 2 of the paper: precision and recall of each method."""
    series = (Series("precision", _mean_of("vec_p")), Series("recall", _mean_of("vec_r")))
    caption = "Little recall: content is lost. Little precision: clutter stays. Bag of words."
    panel = Panel("precision and recall", series)
    return _bars(f"pr-{package}", f"Precision and recall, {package}", caption, methods, [panel])


def _steadiness(package: str, methods: Methods) -> Picture:
    """Figure 3 of the paper: deviation of F1, and time."""
    deviation = Series("deviation of F1", lambda rows: stdev(rows, "vec_f1"))
    time = Series("ms a kB", _mean_of("sec_per_kb", 1000), lambda value: milliseconds(value and value / 1000))
    panels = [Panel("deviation of F1", (deviation,)), Panel("milliseconds a kB", (time,), is_share=False)]
    caption = "Shorter bars are better. Left: how unsteady a method is from page to page. Right: how slow."
    return _bars(f"steady-{package}", f"Deviation of F1 and time, {package}", caption, methods, panels)


def _ladder(package: str, methods: Methods) -> Picture:
    """The twelve steps of the ladder as points, recall against precision."""
    steps = {name: rows for name, rows in methods.items() if _is_step(name)}
    points = {name: (mean(rows, "vec_p"), mean(rows, "vec_r")) for name, rows in sorted(steps.items())}
    known = {name: (p, r) for name, (p, r) in points.items() if p is not None and r is not None}
    lines = tuple((name, number(p), number(r)) for name, (p, r) in known.items())
    title = f"The ladder, {package}"

    def draw(figure: Figure) -> None:
        figure.set_size_inches(6, 5)
        axes = figure.add_subplot()
        axes.plot([p for p, _ in known.values()], [r for _, r in known.values()], "o-", color="#1a1a1a")
        for label, point in _labels(known):
            axes.annotate(label, point, xytext=(6, -12), textcoords="offset points")
        axes.margins(0.12)
        axes.set(xlabel="precision (bag of words)", ylabel="recall (bag of words)", title=title)
        axes.grid(color="#cccccc")

    caption = "Each point is a step of the ladder. Up is more content kept, right is less clutter left."
    table = Table(title, ("step", "precision", "recall"), lines)
    return Picture(f"ladder-{package}", title, caption, table, draw)


def _labels(points: Mapping[str, tuple[float, float]]) -> list[tuple[str, tuple[float, float]]]:
    """Return a label for each place: steps that lie on one another share it, such as "5 to 8"."""
    groups: list[tuple[list[str], tuple[float, float]]] = []
    for name, point in points.items():
        if groups and max(abs(a - b) for a, b in zip(point, groups[-1][1], strict=True)) < _SAME_PLACE:
            groups[-1][0].append(name)
        else:
            groups.append(([name], point))
    numbers = [([name.removeprefix(_LADDER).lstrip("0") for name in names], point) for names, point in groups]
    return [(n[0] if len(n) == 1 else f"{n[0]} to {n[-1]}", point) for n, point in numbers]


def _is_step(method: str) -> bool:
    return method.startswith(_LADDER) and method.removeprefix(_LADDER).isdigit()


def _bars(name: str, title: str, caption: str, methods: Methods, panels: Sequence[Panel]) -> Picture:
    shown = {method: rows for method, rows in methods.items() if mean(rows, "vec_f1") is not None}
    series = [one for panel in panels for one in panel.series]
    lines = tuple((method, *(one.written(one.value(rows)) for one in series)) for method, rows in shown.items())

    def draw(figure: Figure) -> None:
        most = max(len(panel.series) for panel in panels)
        figure.set_size_inches(7 if len(panels) == 1 else 10, 1.4 + len(shown) * (0.12 + 0.13 * most))
        for place, panel in enumerate(panels):
            _draw_panel(figure.add_subplot(1, len(panels), place + 1), shown, panel)
        figure.suptitle(title)

    table = Table(title, ("method", *(one.name for one in series)), lines)
    return Picture(name, title, caption, table, draw)


def _draw_panel(axes: Axes, methods: Methods, panel: Panel) -> None:
    """Draw a group of horizontal bars for each method, the first method on top."""
    height = 0.8 / len(panel.series)
    for place, series in enumerate(panel.series):
        shade, hatch = _STYLES[place % len(_STYLES)]
        values = [series.value(rows) or 0.0 for rows in methods.values()]
        places = [group + (place - (len(panel.series) - 1) / 2) * height for group in range(len(methods))]
        axes.barh(places, values, height, color=shade, hatch=hatch, edgecolor="#1a1a1a", label=series.name)
    axes.set_yticks(range(len(methods)), list(methods))
    axes.set_ylim(len(methods) - 0.4, -0.6)
    axes.set_xlabel(panel.label)
    axes.grid(axis="x", color="#cccccc")
    axes.set_axisbelow(True)
    if panel.is_share and len(panel.series) > 1:
        axes.set_xlim(0, 1)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _mean_of(column: str, times: float = 1) -> Callable[[Sequence[Row]], float | None]:
    def value(rows: Sequence[Row]) -> float | None:
        found = mean(rows, column)
        return None if found is None else found * times

    return value
