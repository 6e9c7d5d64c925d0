"""`crunchpy explain`: what the proxy would do to a page, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from crunchpy.commands.choice import Asked, filter_asked
from crunchpy.commands.options import MethodName, Overlay, Place, Settings, Step, Url
from crunchpy.commands.printing import write_whole
from crunchpy.commands.verdict_table import explained


def explain_command(  # noqa: PLR0913 - a command has as many arguments as it has options
    page: Place,
    *,
    url: Url = "",
    settings: Settings = "",
    step: Step = None,
    method: MethodName = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the same as JSON, with every cut.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, metavar="FILE", help="Write a page that shows the original with each removed part marked."
        ),
    ] = None,
    overlay: Overlay = None,
) -> None:
    """Say what filtering does to a page, and why.

    Which settings it gets and why those, which plugin took what for which reason, and what was left alone.
    """
    result = filter_asked(Asked(page, url, settings, step, method, tuple(overlay or ())))
    trace = result.filtered.trace
    if html is not None:
        from crunchpy.explain_page import explain_page

        shown = explain_page(result.page.body, trace, place=result.page.place, content_type=result.page.content_type)
        write_whole(html, shown)
    if as_json:
        typer.echo(json.dumps(trace.as_dict(with_cuts=True), indent=2, ensure_ascii=False))
    else:
        typer.echo(explained(trace, result.page.place))
    if html is not None:
        typer.echo(f"Written: {html}", err=True)
