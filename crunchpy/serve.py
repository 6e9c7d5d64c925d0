"""The `serve` command: starts the workers, then the proxy, and says where to point a device.

mitmproxy is imported only once the filtering process is on its way, so that both load at the same time.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crunchpy.adverts.blocklist import lists_folder
from crunchpy.guard import GuardError
from crunchpy.nursery import EngineError, PoolLimits
from crunchpy.overlay import OverlayError, overlays
from crunchpy.reload import Watcher
from crunchpy.workers import WorkerPool

if TYPE_CHECKING:
    from crunchpy.master import Host

DEFAULT_LISTEN = "127.0.0.1:8080"
EXIT_REFUSED = 1

# Options of mitmproxy that have one of ours; the two would contradict each other.
OWN_FLAGS = {
    "listen_host": "--listen HOST:PORT",
    "listen_port": "--listen HOST:PORT",
    "mode": "--mode MODE",
    "confdir": "--confdir DIR",
}


@dataclass(frozen=True)
class ServeOptions:
    """What the command line says; see `serve_command` for each."""

    listen: str = DEFAULT_LISTEN
    mode: tuple[str, ...] = ("regular",)
    workers: int = 2
    overlay: tuple[Path, ...] = ()
    set_options: tuple[str, ...] = ()
    upstream: str = ""
    allow: tuple[str, ...] = ()
    allow_upstream: tuple[str, ...] = ()
    confdir: Path = Path("~/.crunchpy")

    def address(self) -> tuple[str, int]:
        """Host and port to listen on. Raises GuardError for anything but HOST:PORT."""
        host, separator, port = self.listen.rpartition(":")
        if not separator or not port.isdigit() or int(port) > 65535:
            raise GuardError(f"--listen is {self.listen!r}; write HOST:PORT, for instance {DEFAULT_LISTEN}")
        return host.strip("[]"), int(port)

    def modes(self) -> tuple[str, ...]:
        """The mitmproxy modes; `--upstream URL` is short for `--mode upstream:URL`."""
        return (f"upstream:{self.upstream}",) if self.upstream else self.mode

    def specifications(self) -> list[str]:
        """Everything as mitmproxy option settings; what is last wins."""
        host, port = self.address()
        for each in self.set_options:
            if flag := OWN_FLAGS.get(each.partition("=")[0]):
                raise GuardError(f"--set {each}: is said with {flag}")
        return [
            *(f"crunchpy_allow={network}" for network in self.allow),
            *(f"crunchpy_allow_upstream={network}" for network in self.allow_upstream),
            *(f"crunchpy_overlay={folder}" for folder in self.overlay),
            f"crunchpy_workers={self.workers}",
            *(["block_global=false"] if self.allow else []),  # The list of client networks takes its place.
            *self.set_options,
            f"listen_host={host}",
            f"listen_port={port}",
            *(f"mode={mode}" for mode in self.modes()),
        ]


def serve(options: ServeOptions) -> int:
    """Run the proxy until it is told to stop; the exit status. Anything wrong is printed, with what to do."""
    log_plainly()
    try:
        return asyncio.run(run(options))
    except (GuardError, EngineError, OverlayError) as problem:
        print(f"The proxy did not start.\n{problem}", file=sys.stderr)  # noqa: T201
        return EXIT_REFUSED


async def run(options: ServeOptions) -> int:
    """Load engine and mitmproxy side by side, check what is opened to the network, and serve."""
    options.address()
    watcher = Watcher([*overlays(*options.overlay), lists_folder()])
    pool = WorkerPool(options.overlay, options.workers, PoolLimits())
    starting = asyncio.get_running_loop().create_task(pool.start())
    try:
        host = await asyncio.to_thread(prepare_host)
        proxy = host(options.confdir.expanduser(), options.specifications(), pool, watcher)
        await starting
        return await proxy.run(announcement)
    finally:
        starting.cancel()
        await asyncio.wait([starting])
        await pool.stop()


def prepare_host() -> type[Host]:
    """Import everything of mitmproxy, which takes half a second; run in a thread beside the engine's start."""
    from crunchpy.master import Host

    return Host


def announcement(places: list[str], settings: dict[str, list[str]]) -> str:
    """What a person needs to know at the start: plain lines, in an order that makes sense when read aloud."""
    lines = [f"Settings {name}: {', '.join(steps) or 'no steps'}." for name, steps in sorted(settings.items())]
    return "\n".join([*places, *lines])


def log_plainly() -> None:
    """Our own lines from INFO on, mitmproxy's from WARNING on: its INFO lines may quote what clients sent."""
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"
    )
    logging.getLogger("crunchpy").setLevel(logging.INFO)


def serve_command(  # noqa: PLR0913, PLR0917 - a command has as many arguments as it has options
    listen: Annotated[str, typer.Option(help="Host and port to listen on.")] = DEFAULT_LISTEN,
    mode: Annotated[list[str] | None, typer.Option(help="mitmproxy mode: regular, socks5, reverse:URL ...")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of filtering processes.")] = min(
        os.cpu_count() or 1, 4
    ),
    overlay: Annotated[
        list[Path] | None, typer.Option(exists=True, file_okay=False, help="A folder with own plugins and settings.")
    ] = None,
    set_option: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any mitmproxy option.")
    ] = None,
    upstream: Annotated[str, typer.Option(metavar="URL", help="Another proxy to send all requests through.")] = "",
    allow: Annotated[
        list[str] | None, typer.Option(metavar="NETWORK", help="A network whose devices may use the proxy.")
    ] = None,
    allow_upstream: Annotated[
        list[str] | None, typer.Option(metavar="NETWORK", help="A private network that pages may come from.")
    ] = None,
    confdir: Annotated[
        Path, typer.Option(envvar="CRUNCHPY_CONFDIR", file_okay=False, help="Where the certificate and its key are.")
    ] = Path("~/.crunchpy"),
) -> None:
    """Run the filtering proxy."""
    if mode and upstream:
        raise typer.BadParameter(f"--upstream {upstream} is short for --mode upstream:{upstream}; give one of the two")
    options = ServeOptions(
        listen=listen,
        mode=tuple(mode or ("regular",)),
        workers=workers,
        overlay=tuple(overlay or ()),
        set_options=tuple(set_option or ()),
        upstream=upstream,
        allow=tuple(allow or ()),
        allow_upstream=tuple(allow_upstream or ()),
        confdir=confdir,
    )
    raise typer.Exit(serve(options))
