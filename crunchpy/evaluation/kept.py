"""How much of the content the default settings keep, and how much of the clutter they take.

    python -m crunchpy.evaluation.kept PACKAGE... [--settings NAME] [--sample N] [--without PLUGIN | --ablation]

Two measures, those of the makers of the sets. Of pages with a gold text: precision, recall and F1 of the *bag* of words
(lower case, order does not count), the mean over the pages, beside those of the page as it came. Of pages with phrases:
which share of those that the page has is still there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer

from crunchpy.engine import Engine
from crunchpy.evaluation.package import Document, read_package
from crunchpy.evaluation.text import normal, page_text
from crunchpy.evaluation.words import plain
from crunchpy.trace import Trace

# A page that keeps a smaller share of the gold words that it had is listed.
LISTED_BELOW = 0.5


@dataclass(frozen=True, slots=True)
class Bag:
    """Precision, recall and F1 of a text's bag of words against the gold text's, each 0..1."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, text: str, gold: str) -> Bag:
        """Compare two texts."""
        found, wanted = Counter(plain(text)), Counter(plain(gold))
        common = (found & wanted).total()
        precision = common / found.total() if found else 0.0
        recall = common / wanted.total() if wanted else 0.0
        return cls(precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0)


@dataclass(frozen=True, slots=True)
class Kept:
    """One page: its measures before and after, the phrases (left, had), and what the filter says that it did."""

    id: str
    page_type: str
    before: Bag | None
    after: Bag | None
    keep: tuple[int, int]
    drop: tuple[int, int]
    trace: Trace

    @property
    def lost_most(self) -> bool:
        """Whether fewer than half of the gold words that the page had are left."""
        return bool(self.before and self.after) and self.after.recall < LISTED_BELOW * self.before.recall  # type: ignore[union-attr]


def kept_of(document: Document, engine: Engine, settings: str) -> Kept:
    """Filter one document and compare. Counts of phrases are (those left, those that the page had)."""
    filtered = engine.filter(document.body, url=document.url, content_type=document.content_type, settings=settings)
    before, after = document.text, page_text(filtered.body, encoding=document.encoding)
    has_gold = bool(document.gold and document.gold.strip())
    return Kept(
        id=document.id,
        page_type=str(document.meta.get("page_type", "page")),
        before=Bag.of(before, document.gold or "") if has_gold else None,
        after=Bag.of(after, document.gold or "") if has_gold else None,
        keep=_phrases(document.keep, before, after),
        drop=_phrases(document.drop, before, after),
        trace=filtered.trace,
    )


def _phrases(phrases: Iterable[str], before: str, after: str) -> tuple[int, int]:
    had = [phrase for phrase in map(normal, phrases) if phrase in before]
    return sum(phrase in after for phrase in had), len(had)


def table(pages: Sequence[Kept]) -> Iterator[str]:
    """Lines of a table by page type, all pages last."""
    by_type: dict[str, list[Kept]] = defaultdict(list)
    for page in pages:
        by_type[page.page_type].append(page)
    yield "page type      pages     F1   was  prec.   was  recall   was   kept  keep   drop"
    for name, some in [*sorted(by_type.items()), ("all", list(pages))]:
        yield f"{name:<14} {len(some):>5}  {_gold_columns(some)}  {_phrase_columns(some)}"


def means(pages: Iterable[Kept]) -> tuple[Bag, Bag] | None:
    """The means before and after over the pages with gold; None where there are none."""
    measured = [(page.before, page.after) for page in pages if page.before and page.after]
    if not measured:
        return None
    before, after = zip(*measured, strict=True)
    return _mean(before), _mean(after)


def _mean(bags: Sequence[Bag]) -> Bag:
    return Bag(fmean(bag.precision for bag in bags), fmean(bag.recall for bag in bags), fmean(bag.f1 for bag in bags))


def _gold_columns(pages: Sequence[Kept]) -> str:
    found = means(pages)
    if found is None:
        return f"{'-':>5} {'-':>5}  {'-':>5} {'-':>5}  {'-':>6} {'-':>5} {'-':>6}"
    before, after = found
    ratio = after.recall / before.recall if before.recall else 0.0
    return (
        f"{after.f1:5.3f} {before.f1:5.3f}  {after.precision:5.3f} {before.precision:5.3f}"
        f"  {after.recall:6.3f} {before.recall:5.3f} {ratio:6.3f}"
    )


def phrase_shares(pages: Sequence[Kept]) -> tuple[float | None, float | None]:
    """The shares, 0..1, of keep phrases kept and of drop phrases gone; None where there were none."""
    kept, had = (sum(column) for column in zip(*(page.keep for page in pages), strict=True))
    left, were = (sum(column) for column in zip(*(page.drop for page in pages), strict=True))
    return kept / had if had else None, 1 - left / were if were else None


def _phrase_columns(pages: Sequence[Kept]) -> str:
    return "  ".join("-    " if share is None else f"{share:.3f}" for share in phrase_shares(pages))


def losses(pages: Iterable[Kept]) -> Iterator[str]:
    """A line for each page that lost most of its gold words, with what took them."""
    for page in pages:
        if page.lost_most and page.before and page.after:
            yield f"{page.id}: gold recall {page.before.recall:.2f} to {page.after.recall:.2f}; {page.trace.line()}"


def without(engine: Engine, settings: str, plugin: str) -> Engine:
    """The engine with one plugin left out of the settings, for an ablation.

    Raises:
        KeyError: the settings do not use the plugin.
    """
    file = engine.settings[settings]
    chain = tuple(step for step in file.chain if step.plugin.name != plugin)
    if len(chain) == len(file.chain):
        raise KeyError(f"{settings} has no step {plugin}")
    return replace(engine, settings={**engine.settings, settings: replace(file, chain=chain)})


def ablation(documents: Sequence[Document], engine: Engine, settings: str) -> Iterator[str]:
    """Lines of a table: what each plugin adds, from measuring without it."""
    whole = means(kept_of(document, engine, settings) for document in documents)
    yield f"{'left out':<18} {'F1':>6} {'recall':>7} {'prec.':>6}   (below the first line: the change)"
    if whole is None:
        return
    yield f"{'nothing':<18} {whole[1].f1:6.3f} {whole[1].recall:7.3f} {whole[1].precision:6.3f}"
    for name in dict.fromkeys(step.plugin.name for step in engine.settings[settings].chain):
        less = means(kept_of(document, without(engine, settings, name), settings) for document in documents)
        if less is not None:
            f1, recall = less[1].f1 - whole[1].f1, less[1].recall - whole[1].recall
            yield f"{name:<18} {f1:+6.4f} {recall:+7.4f} {less[1].precision - whole[1].precision:+6.4f}"


def main(
    packages: Annotated[list[Path], typer.Argument(help="folders of test packages")],
    settings: Annotated[str, typer.Option(help="name of the settings file")] = "default",
    sample: Annotated[int, typer.Option(help="measure about so many pages of each package, evenly chosen; 0: all")] = 0,
    leave_out: Annotated[str, typer.Option("--without", help="a plugin to leave out")] = "",
    each: Annotated[bool, typer.Option("--ablation", help="leave out each plugin in turn")] = False,
) -> None:
    """Print how much of the content of test packages the settings keep."""
    engine = Engine.load()
    engine = without(engine, settings, leave_out) if leave_out else engine
    for folder in packages:
        package = read_package(folder)
        every = max(1, len(package.ids) // sample) if sample else 1
        documents = (package.document(name) for name in package.ids[::every])
        typer.echo(f"{folder.name}, settings {settings}{f' without {leave_out}' if leave_out else ''}")
        for line in ablation(list(documents), engine, settings) if each else _report(documents, engine, settings):
            typer.echo(line)


def _report(documents: Iterable[Document], engine: Engine, settings: str) -> Iterator[str]:
    pages = [kept_of(document, engine, settings) for document in documents]
    yield from table(pages)
    yield from losses(pages)


if __name__ == "__main__":
    typer.run(main)
