"""`crunchpy cuter`, for the command line to mount as `crunchpy.extraction.cuter_command:cuter_command`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def cuter_command(
    source: Annotated[Path, typer.Argument(help="XML file with pages; - is standard input.", show_default=False)],
    *,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="XML file to write instead of standard output.")
    ] = None,
    nodes: Annotated[bool, typer.Option("--nodes", help="Write every text node with its class, too.")] = False,
    seed: Annotated[
        bool, typer.Option("--seed", help="Take the group of the largest block, not the first large one.")
    ] = False,
) -> None:
    """Extract the articles of pages in XML, and write them as XML with text and multimedia.

    In goes `<pages><page url="..."><title>...</title><html>...</html></page>...</pages>`, out comes
    `<articles><article url="..."><title/><text><p/>...</text><multimedia/></article>...</articles>`. A page that cannot
    be read has an `error` instead. Exit 1 where the input is not such XML.
    """
    from crunchpy.extraction.cuter_xml import CuterError, cut, read, written
    from crunchpy.extraction.units import Rules

    rules = Rules(strategy="seed" if seed else "first")
    try:
        xml = sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
        result = written([cut(given, rules) for given in read(xml)], with_nodes=nodes)
        if out is not None:
            out.write_bytes(result)
    except (CuterError, OSError) as error:
        typer.echo(f"{source}: {getattr(error, 'strerror', None) or error}", err=True)
        raise typer.Exit(1) from error
    if out is None:
        sys.stdout.buffer.write(result)
