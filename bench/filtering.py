"""How long filtering takes, as multiples of lxml's own parse and serialise of the same page in the same run.

    python -m bench.filtering [--every N]

Three rows: the page layer alone (scan, parse, tie, one cut, splice and check); the default chain; and each step of
it. Every page is timed three times in turn with lxml and the fastest counts, since whatever slows a run down is not
ours.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable

from lxml import etree

from crunchpy import Engine
from crunchpy.page import Page
from crunchpy.splice import Splice
from tests.shared import documents

PACKAGE = "wcxb"
_PARSER = etree.HTMLParser(encoding="utf-8", huge_tree=True)


def parse_and_serialise(body: bytes) -> None:
    """What any tree-based filter pays at the least."""
    etree.tostring(etree.fromstring(body, _PARSER).getroottree(), encoding="utf-8", method="html")


def page_layer(body: bytes) -> None:
    """Read a page, cut one element out of it, write and check it."""
    page = Page.parse(body)
    if not isinstance(page, Page):
        return
    for element in page.elements("li", "p", "div")[-1:]:
        if page.why_uncuttable(element) is None:
            page.splices.append(Splice(*page.extent(element)))
    page.render()


def fastest(work: Callable[[], object], times: int = 3) -> float:
    """The shortest of some runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--every", type=int, default=10, help="take every n-th page")
    every = options.parse_args().every
    engine = Engine.load()
    layer: list[float] = []
    chain: list[float] = []
    base: list[float] = []
    whole: list[float] = []
    steps: dict[str, list[float]] = defaultdict(list)
    for document in documents(PACKAGE, every=every):
        body, url = document.body, document.meta.get("url", "https://example.org/")
        reference = fastest(lambda body=body: parse_and_serialise(body))
        base.append(reference * 1000)
        layer.append(fastest(lambda body=body: page_layer(body)) / reference)
        whole.append(fastest(lambda body=body, url=url: engine.filter(body, url=url, settings="default")))
        chain.append(whole[-1] / reference)
        for verdict in engine.filter(body, url=url, settings="default").trace.verdicts:
            steps[verdict.plugin].append(verdict.elapsed_ms / 1000 / reference)
    print(f"{len(base)} pages of {PACKAGE}; lxml parse and serialise: median {statistics.median(base):.2f} ms\n")
    print("| what | median | 99th percentile |\n|---|---|---|")
    _row("page layer with one cut", layer)
    _row("default chain, all in all", chain)
    p99_ms = _percentile([seconds * 1000 for seconds in whole], 99)
    print(f"\nDefault chain: median {statistics.median(whole) * 1000:.1f} ms, 99th percentile {p99_ms:.1f} ms.\n")
    print("| step of the default chain | median | 99th percentile |\n|---|---|---|")
    for name, ratios in steps.items():
        _row(name, ratios)


def _row(what: str, ratios: list[float]) -> None:
    print(f"| {what} | {statistics.median(ratios):.2f} | {_percentile(ratios, 99):.2f} |")


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


if __name__ == "__main__":
    main()
