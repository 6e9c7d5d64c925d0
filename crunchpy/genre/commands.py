"""`crunchpy genre ...`: what the classifier knows and says, and how its files are made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from crunchpy.genre import reports


class _AsksForOthers(TyperGroup):
    """`crunchpy genre example.org` is short for `crunchpy genre show example.org`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in {"--help"}:
            args = ["show", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_AsksForOthers,
    no_args_is_help=True,
    help="The genre of a site: what it is, why, and how the known sites lie. `genre DOMAIN` and `genre FILE` show one.",
)

Overlay = Annotated[
    list[Path] | None,
    typer.Option("--overlay", metavar="DIR", help="An overlay folder; may be repeated, later ones win."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Inputs = Annotated[
    Path,
    typer.Option(
        "--inputs", metavar="DIR", exists=True, file_okay=False, help="Folder with genre/*.tsv and packages/*/."
    ),
]


@app.command()
def show(
    target: Annotated[str, typer.Argument(metavar="DOMAIN|FILE", help="A site's domain, or a saved page.")],
    *,
    url: Annotated[str, typer.Option(help="The address of a saved page.")] = "",
    overlay: Overlay = None,
    as_json: AsJson = False,
) -> None:
    """Show a site's or a page's words, the five nearest known sites, the kind of page, and what will be loaded."""
    _print(reports.describe(target, url, tuple(overlay or ())), reports.description_lines, as_json=as_json)


@app.command("set")
def set_genre(
    domain: Annotated[str, typer.Argument(help="The site.")],
    genre: Annotated[str, typer.Argument(help="Its genre; `-` forgets what is known of the site.")],
    *,
    overlay: Overlay = None,
) -> None:
    """Decide a site's genre by hand, at once and for all proxy processes (within half a minute)."""
    typer.echo(reports.decide(domain, genre, tuple(overlay or ())))


@app.command()
def cluster(
    *,
    max_distance: Annotated[float, typer.Option(help="Pairs farther apart are ignored (0 to 2).", min=0, max=2)] = 1.2,
    agglomerative: Annotated[bool, typer.Option(help="Average-link clusters instead of Crunch's rule.")] = False,
    overlay: Overlay = None,
    as_json: AsJson = False,
) -> None:
    """Print the clusters of the known sites and of those met since, each with its strongest words and its settings."""
    found = reports.clusters(max_distance, agglomerative=agglomerative, overlays=tuple(overlay or ()))
    _print(found, reports.cluster_lines, as_json=as_json)


@app.command()
def build(
    inputs: Inputs,
    *,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write here instead of the built-in file.")] = None,
    page_kinds: Annotated[
        str, typer.Option(metavar="PACKAGE", help="Fit the kinds of pages to this test package, too.")
    ] = "",
) -> None:
    """Make the file of known sites again from descriptions and pages; the same inputs give the same bytes."""
    from crunchpy.genre import offline

    typer.echo(offline.build_known_sites(inputs, out))
    if page_kinds:
        typer.echo(offline.build_page_kinds(inputs / "packages" / page_kinds))


@app.command("eval")
def evaluate(
    inputs: Inputs,
    *,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the distances (needs matplotlib).")] = None,
    as_json: AsJson = False,
) -> None:
    """Print leave-one-out accuracy over the known sites by measure, and who is taken for what."""
    from crunchpy.genre import offline

    found = offline.evaluate_known_sites(inputs, plot)
    _print(found, offline.evaluation_lines, as_json=as_json)


def _print(found: dict[str, Any], lines: Any, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(lines(found)))
