"""How long each extraction method takes on one line of HTML of 0.5 to 5 MB, and how that grows.

    python -m bench.methods [--sizes 0.5 1 2.5 5] [--plugins bte dsc ...]

Times are processor seconds of the method itself (reading the page is the same for all and its own row), the faster of
two runs. The page is an article with links and menus, repeated. The last column is the largest growth from one size to
the next, in units of the sizes' own growth: 1 is linear.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from crunchpy.page import Page
from crunchpy.plugin import Plugin, load_plugin

ROOT = Path(__file__).resolve().parent.parent
METHODS = (
    "lqf bte dsc ccb tccb accb density r2l dana danag addanag fe kfe cuter cetr_threshold cetr_2d cetr_2010".split()
)
PROSE = "The river rose by two metres over night, and nobody slept near the harbour. "
MENU = "".join(f'<li class="m"><a href="/{word}">{word}</a></li>' for word in ("home", "news", "sport", "about"))
UNIT = f"<div><h2>Flood</h2><p>{PROSE * 3}<a href='/elsewhere'>more</a> {PROSE}</p><ul>{MENU}</ul></div>"


def page_of(megabytes: float) -> tuple[Page, float]:
    """A page on one line, and the seconds that reading it took."""
    body = (UNIT * int(megabytes * 1_000_000 / len(UNIT))).encode()
    start = time.process_time()
    page = Page.parse(body)
    assert isinstance(page, Page), page
    return page, time.process_time() - start


def seconds(plugin: Plugin, page: Page) -> float:
    """Processor time of the method, the faster of two runs."""
    took = []
    for _ in range(2):
        start = time.process_time()
        for _ in plugin.apply(page, plugin.Settings()):
            pass
        took.append(time.process_time() - start)
    return min(took)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=float, nargs="+", default=[0.5, 1, 2.5, 5], help="megabytes")
    options.add_argument("--plugins", nargs="+", default=METHODS)
    given = options.parse_args()
    pages = [page_of(size) for size in given.sizes]
    print("| method |" + "".join(f" {size:g} MB |" for size in given.sizes) + " growth |")
    print("|---|" + "---|" * (len(given.sizes) + 1))
    _row("reading the page", given.sizes, [took for _, took in pages])
    for name in given.plugins:
        plugin = load_plugin(ROOT / "plugins" / f"{name}.py")
        _row(name, given.sizes, [seconds(plugin, page) for page, _ in pages])


def _row(name: str, sizes: list[float], took: list[float]) -> None:
    growth = [(took[n] / took[n - 1]) / (sizes[n] / sizes[n - 1]) for n in range(1, len(sizes)) if took[n - 1] > 0]
    cells = "".join(f" {second:.2f} s |" for second in took)
    print(f"| {name} |{cells} {max(growth, default=0):.2f} |", flush=True)


if __name__ == "__main__":
    main()
