"""What the papers lead one to expect of the methods, held against what was measured.

Values of the papers cannot be compared, since their pages are not public; who comes before whom can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crunchpy.evaluation.rows import Row, mean
from crunchpy.evaluation.summary import NOT_MEASURED, Results, Table, number

#: Means of one package by method and column; None where something was not measured.
Means = Callable[[str, str], float | None]

_LQF = ("lqf-25", "lqf-50", "lqf-75")
# "Vary surprisingly little" and "in general comparable" (Gottron 2007, section 5.6), as numbers.
_NEARLY_SAME = 0.03
_COMPARABLE = 0.10


@dataclass(frozen=True)
class Expectation:
    """One sentence of a paper, and a test that says whether a package agrees, with the numbers that it looked at.

    ``of`` names the methods and columns that the test reads, in the order of its arguments.
    """

    sentence: str
    source: str
    of: tuple[tuple[str, str], ...]
    holds: Callable[[Sequence[float]], bool]


EXPECTATIONS: tuple[Expectation, ...] = (
    Expectation(
        "Serving the page unchanged has a perfect recall.",
        "Gottron 2007, section 5",
        (("plain", "str_r"),),
        lambda f: f[0] >= 0.99,
    ),
    Expectation(
        "No method keeps more of the content than the unchanged page.",
        "follows",
        (("plain", "vec_r"), ("bte", "vec_r"), ("dsc", "vec_r"), ("accb-40", "vec_r"), ("addanag", "vec_r")),
        lambda f: f[0] >= max(f[1:]) - 0.005,
    ),
    Expectation(
        "The three thresholds of the link quota filter differ little.",
        "Gottron 2007, section 5.6",
        tuple((name, "vec_f1") for name in _LQF),
        lambda f: max(f) - min(f) <= _NEARLY_SAME,
    ),
    Expectation(
        "DSC is ahead of the link quota filter.",
        "Gottron 2007, section 5.6",
        (("dsc", "vec_f1"), *((name, "vec_f1") for name in _LQF)),
        lambda f: f[0] > max(f[1:]),
    ),
    Expectation(
        "DSC is ahead of Crunch.",
        "Gottron 2007, section 5.6",
        (("dsc", "vec_f1"), ("crunch", "vec_f1")),
        lambda f: f[0] > f[1],
    ),
    Expectation(
        "BTE and the link quota filter are comparable.",
        "Gottron 2007, section 5.6",
        (("bte", "vec_f1"), ("lqf-50", "vec_f1")),
        lambda f: abs(f[0] - f[1]) <= _COMPARABLE,
    ),
    Expectation(
        "Any method is better than none.",
        "Gottron 2007, section 5.6 (all but the wiki package)",
        (("plain", "vec_f1"), ("bte", "vec_f1"), ("dsc", "vec_f1"), ("lqf-50", "vec_f1"), ("crunch", "vec_f1")),
        lambda f: f[0] < min(f[1:]),
    ),
    Expectation(
        "Leaving links out of the code (ACCB) helps content code blurring.",
        "Mohammadzadeh et al. 2012, table 3 (mean of all)",
        (("accb-40", "vec_f1"), ("ccb", "vec_f1")),
        lambda f: f[0] >= f[1],
    ),
    Expectation(
        "Evening out links (AdDANAg) helps DANAg.",
        "Mohammadzadeh et al. 2012, table 3 (mean of all)",
        (("addanag", "vec_f1"), ("danag", "vec_f1")),
        lambda f: f[0] >= f[1],
    ),
    Expectation(
        "AdDANAg is ahead of DSC, ACCB, Density and BTE.",
        "Mohammadzadeh et al. 2012, tables 3 and 4",
        tuple((name, "vec_f1") for name in ("addanag", "dsc", "accb-40", "density", "bte")),
        lambda f: f[0] > max(f[1:]),
    ),
    Expectation(
        "Several feature blocks (KFE) are better than one (FE).",
        "Mohammadzadeh et al. 2012, table 4",
        (("kfe", "vec_f1"), ("fe", "vec_f1")),
        lambda f: f[0] > f[1],
    ),
    Expectation(
        "Farthest First in density mode is the most accurate clustering.",
        "Weninger and Hsu 2008, table 2",
        tuple(
            (f"cetr-2d-{name}", "accuracy")
            for name in ("ff-density", "km-density", "em-density", "ff-distance", "km-distance", "em-distance")
        ),
        lambda f: f[0] >= max(f[1:]),
    ),
    Expectation(
        "BTE takes by far the most time (not to be expected of an algorithm in linear time).",
        "Gottron 2007, section 5.6",
        (("bte", "sec_per_kb"), ("dsc", "sec_per_kb")),
        lambda f: f[0] > 3 * f[1],
    ),
)


def checked(results: Results) -> Table:
    """Return each expectation with the packages that agree and that do not."""
    lines = []
    for expectation in EXPECTATIONS:
        agree: list[str] = []
        differ: list[str] = []
        for package, methods in results.items():
            found = _means(methods, expectation.of)
            if found is not None:
                (agree if expectation.holds(found) else differ).append(f"{package} ({_numbers(expectation, found)})")
        cells = (", ".join(agree) or NOT_MEASURED, ", ".join(differ) or NOT_MEASURED)
        lines.append((expectation.sentence, expectation.source, *cells))
    note = (
        "In brackets the means that were compared, in the order of the sentence. A dash: no package, "
        "or a method that was not measured."
    )
    header = ("expected", "source", "confirmed on", "contradicted on")
    return Table("What the papers lead one to expect", header, tuple(lines), note)


def _means(methods: Mapping[str, Sequence[Row]], of: Sequence[tuple[str, str]]) -> list[float] | None:
    found = [mean(methods.get(method, ()), column) for method, column in of]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


def _numbers(expectation: Expectation, found: Sequence[float]) -> str:
    digits = [f"{value * 1e6:.0f} ns/B" if column == "sec_per_kb" else number(value)
              for value, (_, column) in zip(found, expectation.of, strict=True)]  # fmt: skip
    return " ".join(digits)
