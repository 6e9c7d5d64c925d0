"""The options that `filter` and `explain` share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Place = Annotated[
    str,
    typer.Argument(metavar="FILE|URL|-", help="The page: a file (may be .gz), an address, or - for standard input."),
]
Url = Annotated[str, typer.Option(metavar="URL", help="Where a file came from; the settings are chosen by it.")]
Settings = Annotated[
    str, typer.Option(metavar="NAME|FILE", help="Settings instead of the site's: a name, or a .yaml file.")
]
Step = Annotated[
    int | None, typer.Option(min=1, max=12, help="A step of Crunch's ladder: 1 is harshest, 12 hardly filters.")
]
MethodName = Annotated[str, typer.Option(metavar="NAME", help="An extraction method of methods.yaml instead.")]
Overlay = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True,
        file_okay=False,
        metavar="DIR",
        help="A folder with own plugins and settings; may be given several times.",
    ),
]
