"""`crunchpy package`: check, add to, and convert test packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Test packages: pages with the text that an expert would keep.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of the package; it holds package.yaml.", show_default=False)]


@app.command("check")
def check_command(
    folders: Annotated[list[Path], typer.Argument(help="Folders of packages.", show_default=False)],
) -> None:
    """Name everything that is wrong with packages; exit 1 where something is."""
    from crunchpy.evaluation.package_check import faults

    found = [fault for folder in folders for fault in faults(folder)]
    for fault in found:
        typer.echo(fault)
    if found:
        raise typer.Exit(1)
    typer.echo(f"{len(folders)} package{'s' * (len(folders) != 1)} without a fault")


@app.command("add")
def add_command(  # noqa: PLR0913 - a command has as many arguments as it has options
    folder: Folder,
    source: Annotated[str, typer.Argument(help="Address or file of the page.", show_default=False)],
    *,
    name: Annotated[str, typer.Option(help="Stem of the document's files; made from the source if not given.")] = "",
    url: Annotated[str, typer.Option(help="Where the page came from, for a file.")] = "",
    language: Annotated[str, typer.Option(help="Language of the page, such as en or zh-TW.")] = "",
    fragmented: Annotated[
        bool | None, typer.Option("--fragmented/--whole", help="Is the content interrupted by other material?")
    ] = None,
    multiple: Annotated[
        bool | None, typer.Option("--multiple/--single", help="Does the page hold several articles?")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="File with the gold text, UTF-8; without it your editor is opened.")
    ] = None,
) -> None:
    """Add a page: its bytes as fetched, and the gold text that you leave over in your editor.

    The editor is the one of the variables VISUAL or EDITOR.
    """
    from crunchpy.evaluation.package import PackageError
    from crunchpy.evaluation.package_add import Wish, add

    wish = Wish(source, name, url, language, fragmented, multiple, gold)
    try:
        document = add(folder, wish, _edited)
    except PackageError as error:
        raise _failed(error) from error
    words = len((document.gold or "").split())
    typer.echo(f"added {document.id} to {folder}: {len(document.body):,} bytes, {words:,} words of gold text")


@app.command("convert")
def convert_command(
    source: Annotated[Path, typer.Argument(help="Folder of the other test set.", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Folder for the package; made, or empty.", show_default=False)],
    *,
    form: Annotated[str, typer.Option(help="How the other set is laid out.")] = "pairs",
) -> None:
    """Turn a test set of other people into a package.

    Forms: pairs (pages and texts of the same names), cleaneval, readability, scrapinghub, webis.
    """
    from crunchpy.evaluation.package import PackageError
    from crunchpy.evaluation.package_convert import convert

    try:
        written, found = convert(source, form, target)
    except (PackageError, OSError, ValueError) as error:
        raise _failed(error) from error
    for fault in found:
        typer.echo(fault, err=True)
    typer.echo(f"{written} documents written to {target}" + (f", {len(found)} left out" if found else ""))


def _edited(text: str) -> str | None:
    import click

    from crunchpy.evaluation.package import PackageError

    try:
        return click.edit(text, extension=".txt", require_save=True)
    except click.ClickException as error:
        raise PackageError(f"no editor: {error.format_message()}; set EDITOR, or give --gold FILE") from error


def _failed(error: Exception) -> typer.Exit:
    typer.echo(str(error), err=True)
    return typer.Exit(1)
