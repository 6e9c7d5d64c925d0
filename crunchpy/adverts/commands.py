"""`crunchpy lists`: the filter lists on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crunchpy.adverts.blocklist import EMBEDDED, Blocklist, lists_folder
from crunchpy.adverts.lists import PUBLIC_LISTS, cached, import_files, name_for, update

app = typer.Typer(no_args_is_help=True, help="Fetch and show the lists of ad and tracker hosts.")


@app.command("update")
def update_command(
    url: Annotated[
        list[str] | None,
        typer.Option("--url", help="Fetch this list instead of the public ones; may be given several times."),
    ] = None,
    from_files: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Import this file instead of fetching; may be given several times."),
    ] = None,
    files: Annotated[list[Path] | None, typer.Argument(help="Further files for --from.")] = None,
) -> None:
    """Fetch EasyList, EasyPrivacy and EasyList Cookie, or the lists given. Exit code 1 where one failed."""
    if files and not from_files:
        raise typer.BadParameter("files are imported after --from; addresses are given with --url")
    folder = lists_folder()
    urls = {name_for(each): each for each in url} if url else PUBLIC_LISTS
    imported = [*(from_files or []), *(files or [])]
    failed = False
    for outcome in import_files(folder, imported) if imported else update(folder, urls):
        typer.echo(f"{outcome.name}: {outcome.state}, {outcome.detail}", err=outcome.failed)
        failed = failed or outcome.failed
    if cached(folder):
        # Now, so that the next start of the proxy need not.
        Blocklist.installed(folder)
    elif failed:
        typer.echo(
            "In force: the built-in list. Lists from another machine: crunchpy lists update --from FILE", err=True
        )
    raise typer.Exit(code=1 if failed else 0)


@app.command("show")
def show_command() -> None:
    """Say which lists are in force, how old they are, and when they are due again."""
    folder = lists_folder()
    lists = cached(folder)
    if not lists:
        embedded = Blocklist.embedded().lists
        rules_count = sum(count for _, _, count in embedded)
        typer.echo(f"No lists in {folder}. In force: the embedded list, {rules_count} rules ({EMBEDDED.name}).")
        typer.echo("Fetch the public lists with: crunchpy lists update")
        return
    typer.echo(f"Lists in {folder}:")
    for each in lists:
        due = "due now" if each.is_expired else f"due {each.expires:%Y-%m-%d %H:%M} UTC"
        typer.echo(f"{each.name}: {each.category}, {each.rules_count} rules, fetched {each.fetched:%Y-%m-%d}, {due}")
        if each.url:
            typer.echo(f"  from {each.url}")
