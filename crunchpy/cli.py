"""The commands.

Each stands where its work is done and is imported when it runs: `crunchpy filter` loads no proxy, and the proxy loads
no measures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import typer

# Where each command is: its module, and in it the function or the group of commands. In the order of the help.
COMMANDS = {
    "serve": "crunchpy.serve:serve_command",
    "filter": "crunchpy.commands.filter:filter_command",
    "explain": "crunchpy.commands.explain:explain_command",
    "check": "crunchpy.commands.check:check_command",
    "lists": "crunchpy.adverts.commands:app",
    "genre": "crunchpy.genre.commands:app",
    "eval": "crunchpy.evaluation.commands:eval_command",
    "results": "crunchpy.evaluation.commands:results_command",
    "package": "crunchpy.evaluation.package_commands:app",
    "cuter": "crunchpy.extraction.cuter_command:cuter_command",
}


def application(*names: str) -> typer.Typer:
    """The application with these of its commands, or with all of them."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        epilog="Exit status: 0 done; 1 not done, or problems were found and printed; 2 the command line is wrong.",
    )
    app.callback()(about)
    for name in names or COMMANDS:
        module, _, attribute = COMMANDS[name].partition(":")
        command = getattr(import_module(module), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def about() -> None:
    """A web proxy that filters clutter out of pages, and commands to see what it does and why."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the `crunchpy` command. Imports only the command that is asked for."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    named = given[:1] if given and given[0] in COMMANDS else []
    application(*named)(given)
