"""`crunchpy eval` and `crunchpy package`, for `crunchpy.cli` to mount.

What does the work is imported when a command runs: parsers and measures would slow the start of the proxy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crunchpy.evaluation.package_commands import app as package_app

if TYPE_CHECKING:
    from crunchpy.evaluation.evaluate import Outcome


def mount(app: typer.Typer) -> None:
    """Add the commands of this package to an application."""
    app.add_typer(package_app, name="package")
    app.command("eval")(eval_command)
    app.command("results")(results_command)


def eval_command(  # noqa: PLR0913, PLR0917 - a command has as many arguments as it has options
    packages: Annotated[list[Path], typer.Argument(help="Folders of test packages.", show_default=False)],
    methods: Annotated[
        str,
        typer.Option(
            help="Names with commas between them; all, papers, ladder, peers stand for what can be used here."
        ),
    ] = "plain,crunch",
    via: Annotated[
        Literal["engine", "proxy"],
        typer.Option(help="In this process, or through the proxy as it is served to people."),
    ] = "engine",
    proxy: Annotated[str, typer.Option(metavar="HOST:PORT", help="Measure this other proxy as one method more.")] = "",
    proxy_name: Annotated[str, typer.Option(help="Name of that proxy in the tables.")] = "proxy",
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes that measure at the same time.")] = 1,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="Folder for the results; a stopped run goes on there.")
    ] = Path("results"),
    split: Annotated[str, typer.Option(metavar="KEY", help="Split a table by this key of the meta files.")] = "",
    words: Annotated[
        Literal["spaced", "plain"],
        typer.Option(help="Words as they stand between blanks, or letters and digits in lower case."),
    ] = "spaced",
    every: Annotated[int, typer.Option(min=1, help="Measure each n-th document only.")] = 1,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one document.")] = 60,
    again: Annotated[bool, typer.Option("--again", help="Measure anew what is there already.")] = False,
    overlay: Annotated[list[Path] | None, typer.Option(help="A folder with own plugins, settings and methods.")] = None,
) -> None:
    """Measure how well methods keep the main content of pages, and write a row for every page.

    Exit 1 where nothing at all could be measured.
    """
    from crunchpy.evaluation.evaluate import Plan, evaluate
    from crunchpy.evaluation.one_shot import Address
    from crunchpy.evaluation.runner import Options

    try:
        other = Address.parse(proxy) if proxy else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--proxy") from error
    names = tuple(name.strip() for name in methods.split(",") if name.strip())
    plan = Plan(tuple(packages), names, tuple(overlay or ()), via, other, proxy_name)
    options = Options(out, jobs, timeout, words, every, again)
    outcome = evaluate(plan, options, lambda said: typer.echo(said, err=True))
    _show(outcome, split)
    typer.echo(f"{outcome.measured} rows in {out}")
    if not outcome.measured:
        raise typer.Exit(1)


def _show(outcome: Outcome, split: str) -> None:
    """Print the tables of a run."""
    from crunchpy.evaluation.summary import by_key, details, empty_gold, overview

    for package in outcome.packages:
        if outcome.rows[package.name]:
            typer.echo(details(outcome.rows, package.name).markdown())
            if split:
                title = f"Bag F1 on {package.name} by {split}"
                typer.echo(by_key(outcome.rows, package, split, "vec_f1", title).markdown())
    if len(outcome.packages) > 1:
        typer.echo(overview(outcome.rows, "vec_f1", "Bag F1 by package").markdown())
    if empties := empty_gold(outcome.rows):
        typer.echo(empties.markdown())


def results_command(
    packages: Annotated[list[Path], typer.Argument(help="Folders of the packages that were measured.")],
    *,
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder that `eval` wrote.")] = Path("results"),
    to: Annotated[Path, typer.Option(dir_okay=False, help="Markdown file to write.")] = Path("docs/results.md"),
    notes: Annotated[Path | None, typer.Option(help="Markdown file whose text goes in before the tables.")] = None,
) -> None:
    """Write what was measured as a Markdown document, and as an HTML page with figures into the folder of the run."""
    from crunchpy.evaluation.methods import known_methods
    from crunchpy.evaluation.package import PackageError, read_package
    from crunchpy.evaluation.report import write_report
    from crunchpy.evaluation.results import document, read_results, tables
    from crunchpy.overlay import overlays

    try:
        found = [read_package(folder) for folder in packages]
        results = read_results(out, found, list(known_methods(overlays())))
    except (PackageError, OSError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    if not any(results.values()):
        typer.echo(f"{out} has no rows of {', '.join(package.name for package in found)}", err=True)
        raise typer.Exit(1)
    written = notes.read_text(encoding="utf-8") if notes else ""
    to.write_text(document(results, found, out, written), encoding="utf-8")
    report = write_report(results, tables(results, found), out, title="Results of the evaluation")
    typer.echo(f"written: {to}, {report}")
