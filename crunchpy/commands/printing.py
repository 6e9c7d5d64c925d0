"""Says things to the person at the terminal, and writes files whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import typer

PROBLEMS = 1


def stop(problems: Iterable[str] | str) -> NoReturn:
    """Print what is wrong, one problem a line, and end with status 1."""
    for problem in [problems] if isinstance(problems, str) else problems:
        typer.echo(problem, err=True)
    raise typer.Exit(PROBLEMS)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; where it cannot be written, the command ends with status 1."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                _give_usual_rights(file.name, path)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink()
                raise
    except OSError as error:
        stop(f"{path}: cannot be written: {error.strerror or error}")


def _give_usual_rights(name: str, path: Path) -> None:
    """Those of the file that is replaced, else those of any new file: temporary files are private."""
    if path.exists():
        mode = path.stat().st_mode & 0o777
    else:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    Path(name).chmod(mode)


def write_out(content: bytes) -> None:
    """Write bytes to standard output as they are."""
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
