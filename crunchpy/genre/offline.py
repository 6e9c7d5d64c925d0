"""The work behind `crunchpy genre build` and `crunchpy genre eval`: from test data to built files and figures."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crunchpy.genre.build import SiteWords, build, histogram, read_site_words
from crunchpy.genre.by_hand import ByHand, load_genres
from crunchpy.genre.evaluate import Outcome, Sample, compare, leave_one_out, precision_by_distance
from crunchpy.genre.known_sites import BUILT_FILE, KnownSites
from crunchpy.genre.page_kind import MODEL_FILE
from crunchpy.overlay import files, overlays
from crunchpy.settings import read_yaml

NEIGHBOURS = (1, 3, 5)


def build_known_sites(inputs: Path, out: Path | None = None) -> str:
    """Make the file of known sites; what was done, in a sentence."""
    genres = {host: genre for host, (_, genre) in _by_hand().hosts.items()}
    known = build(read_site_words(inputs, set(genres)), genres)
    path = out or BUILT_FILE
    known.write(path)
    missing = len(genres) - len(known.counts)
    return (
        f"{path}: {len(known.counts)} sites of {len(set(known.genres.values()))} genres,"
        f" {len(known.key_words)} key words, {path.stat().st_size} bytes;"
        f" of {missing} listed hosts the inputs know nothing"
    )


def build_page_kinds(package: Path, out: Path | None = None) -> str:
    """Fit the kinds of pages; what came out, in a sentence."""
    from crunchpy.genre.fit_page_kind import cross_validate, fit, sample

    pages = sample(_labelled(package))
    validated = cross_validate(pages)
    path = out or MODEL_FILE
    fit(pages, validated, path)
    each = ", ".join(f"{kind} {value:.2f}" for kind, value in validated.f1.items())
    return (
        f"{path}: {validated.pages} pages of {validated.sites} sites; macro F1 {validated.macro_f1:.3f},"
        f" accuracy {validated.accuracy:.3f} by 5-fold cross-validation grouped by site ({each})"
    )


def _labelled(package: Path) -> Iterator[tuple[bytes, str, str]]:
    for meta in sorted(package.glob("*.meta")):
        content = read_yaml(meta) or {}
        body = gzip.decompress((package / f"{meta.stem}.html.gz").read_bytes())
        yield body, str(content.get("url") or ""), str(content.get("page_type") or "").strip()


def evaluate_known_sites(inputs: Path, plot: Path | None = None) -> dict[str, Any]:
    """Leave-one-out figures over the known sites, and a plot of the distances where a file for it is named."""
    genres = {host: genre for host, (_, genre) in _by_hand().hosts.items()}
    words = read_site_words(inputs, set(genres))
    samples = make_samples(words, genres, build(words, genres))
    found = {sample.name: _figures(sample) for sample in samples}
    if plot is not None:
        draw(leave_one_out(samples[-1]), plot)
    return {"samples": found}


def make_samples(words: Mapping[str, SiteWords], genres: Mapping[str, str], known: KnownSites) -> list[Sample]:
    """The questions asked.

    Descriptions only, with page text, the first page alone (what the proxy has), and all sites.
    """
    described = {site: histogram(each, with_pages=False) for site, each in words.items() if each.description}
    everything = {site: histogram(each, with_pages=True) for site, each in words.items()}
    paged = {site: everything[site] for site, each in words.items() if each.pages}
    first = {site: Counter(each.pages[0]) for site, each in words.items() if each.pages}
    keys = known.key_words
    return [
        Sample.of("descriptions", genres, keys, described),
        Sample.of("descriptions and page text", genres, keys, paged),
        Sample.of("first page asked among all", genres, keys, first, {site: everything[site] for site in first}),
        Sample.of("all known sites", genres, keys, everything),
    ]


def _figures(sample: Sample) -> dict[str, Any]:
    default = leave_one_out(sample)
    return {
        "sites": len(sample.sites),
        "largest_genre": round(sample.largest_genre, 3),
        "by_neighbours": {str(n): round(leave_one_out(sample, neighbours=n).accuracy, 3) for n in NEIGHBOURS},
        "by_measure": {
            f"{measure} {'normalised' if normalised else 'raw'}": round(accuracy, 3)
            for (measure, normalised), accuracy in compare(sample, 1).items()
        },
        "by_distance": [
            {"up_to": round(distance, 3), "sites": count, "right": round(right, 3)}
            for distance, count, right in precision_by_distance(default)
        ],
        "confusion": _confusion(default),
    }


def _confusion(outcome: Outcome) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (genre, found), count in sorted(outcome.confusion.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        table.setdefault(genre, {})[found] = count
    return table


def evaluation_lines(found: Mapping[str, Any]) -> list[str]:
    """The same for people."""
    lines = []
    for name, sample in found["samples"].items():
        lines += [f"{name}: {sample['sites']} sites, largest genre {sample['largest_genre']:.3f}"]
        lines += ["  neighbours  " + "  ".join(f"{n}: {value:.3f}" for n, value in sample["by_neighbours"].items())]
        lines += [f"  {measure:<22}{value:.3f}" for measure, value in sample["by_measure"].items()]
    lines.append("taken for what (three neighbours, all known sites):")
    for genre, row in found["samples"]["all known sites"]["confusion"].items():
        total = sum(row.values())
        others = ", ".join(f"{other} {count}" for other, count in row.items() if other != genre)
        lines.append(f"  {genre:<14}{row.get(genre, 0):>4} of {total:<4} {others}")
    return lines


def draw(outcome: Outcome, path: Path) -> None:
    """A histogram of the distances to the nearest site, right and wrong answers apart."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    finite = outcome.nearest_distance < 2
    right, wrong = (outcome.nearest_distance[finite & (outcome.is_right == value)] for value in (True, False))
    axes.hist([right, wrong], bins=30, stacked=True, label=["right genre", "wrong genre"], color=["#1b6ca8", "#d9822b"])
    axes.set_xlabel("Manhattan distance to the nearest known site (normalised, 0 to 2)")
    axes.set_ylabel("sites")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def _by_hand() -> ByHand:
    found = files(overlays())
    return load_genres(found.genres, {path.stem for path in found.settings})
