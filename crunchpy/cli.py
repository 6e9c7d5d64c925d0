"""The commands."""

from __future__ import annotations

import typer

from crunchpy.serve import serve_command

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.command("serve")(serve_command)


@app.callback()
def about() -> None:
    """A web proxy that filters clutter out of pages."""


def main() -> None:
    """Entry point of the `crunchpy` command."""
    app()
