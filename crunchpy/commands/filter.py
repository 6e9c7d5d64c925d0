"""`crunchpy filter`: one page through the chain, to standard output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from crunchpy.commands.choice import Asked, Result, filter_asked
from crunchpy.commands.options import MethodName, Overlay, Place, Settings, Step, Url
from crunchpy.commands.printing import write_out, write_whole
from crunchpy.commands.verdict_table import why_untouched


def filter_command(  # noqa: PLR0913 - a command has as many arguments as it has options
    page: Place,
    *,
    url: Url = "",
    settings: Settings = "",
    step: Step = None,
    method: MethodName = "",
    text: Annotated[bool, typer.Option("--text", help="Write the filtered page as plain text.")] = False,
    trace: Annotated[
        Path | None, typer.Option(dir_okay=False, metavar="FILE.json", help="Write what was done, and why, as JSON.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", dir_okay=False, metavar="FILE", help="Write the page there instead; whole or not at all."
        ),
    ] = None,
    overlay: Overlay = None,
) -> None:
    """Filter one page, and write it out.

    It is filtered as the proxy would do it, and goes to standard output. A page that the proxy would leave alone comes
    out as it went in, and a line on standard error says why.
    """
    result = filter_asked(Asked(page, url, settings, step, method, tuple(overlay or ())))
    written = result.filtered.trace
    if written.untouched is not None:
        typer.echo(f"{result.page.place}: left as it came. {why_untouched(written)}", err=True)
    content = _text(result) if text else result.filtered.body
    if trace is not None:
        content_of_trace = json.dumps(written.as_dict(with_cuts=True), indent=2, ensure_ascii=False)
        write_whole(trace, f"{content_of_trace}\n".encode())
    if output is None:
        write_out(content)
    else:
        write_whole(output, content)


def _text(result: Result) -> bytes:
    """The filtered page as plain text; of a page that cannot be parsed, the bytes as they are."""
    from crunchpy.page import Page, Unfit
    from crunchpy.plain_text import plain_text

    page = Page.parse(result.filtered.body, url=result.page.url, content_type=result.page.content_type)
    if isinstance(page, Unfit):
        typer.echo(f"{result.page.place}: cannot be made into text. {page.reason.sentence}", err=True)
        raise typer.Exit(1)
    return plain_text(page).encode()
