"""Starts the real proxy, as it is served to people, with one method for every page."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from crunchpy.evaluation.method_overlay import write_choice, write_methods
from crunchpy.evaluation.methods import Method
from crunchpy.evaluation.one_shot import Address, ProxyError, fetch_through
from crunchpy.overlay import overlays

START_SECONDS = 60
STOP_SECONDS = 10

_LISTENING = re.compile(r"host (\S+), port (\d+)")
_LAST_LINES = 15
# A page that any proxy can pass on; it warms up what is loaded with the first page, and is not timed.
_WARM_UP = b"<!doctype html><title>Warm up</title><main><h1>Warm up</h1><p>" + b"some words of text " * 40


@contextlib.contextmanager
def method_proxy(method: Method, folders: Sequence[Path], *, workers: int) -> Iterator[Address]:
    """Run the proxy with a method until the block ends, and yield its address once it has filtered a page.

    ``folders`` are overlays besides the built-in one. Raises ProxyError where the proxy does not start, with what it
    printed last.
    """
    with tempfile.TemporaryDirectory(prefix="crunchpy-eval-") as scratch:
        overlay, log = Path(scratch) / "overlay", Path(scratch) / "log"
        write_methods(overlay, [method], overlays(*folders))
        write_choice(overlay, method, overlays(*folders))
        with log.open("wb") as sink:
            process = subprocess.Popen(  # noqa: S603 - our own command
                _command([*folders, overlay], Path(scratch) / "ca", workers),
                stdout=sink,
                stderr=subprocess.STDOUT,
                env=os.environ | _apart(Path(scratch)),
            )
        try:
            address = _listening(process, log)
            for _ in range(2 * workers):
                fetch_through(address, "warm-up", _WARM_UP, "text/html")
            yield address
        finally:
            _stop(process)


def _command(overlays: Sequence[Path], confdir: Path, workers: int) -> list[str]:
    command = [sys.executable, "-m", "crunchpy", "serve", "--listen", "127.0.0.1:0", "--workers", str(workers)]
    for folder in overlays:
        command += ["--overlay", str(folder)]
    # The origins of the pages are on loopback.
    return [*command, "--allow-upstream", "127.0.0.0/8", "--confdir", str(confdir)]


def _apart(scratch: Path) -> dict[str, str]:
    """Return variables that keep the run away from what this machine's own proxy has learned and fetched.

    So the proxy uses the built-in ad list, as the engine does when it measures.
    """
    return {"PYTHONUNBUFFERED": "1", "CRUNCHPY_CACHE": str(scratch), "CRUNCHPY_STORE": str(scratch / "sites.sqlite")}


def _listening(process: subprocess.Popen[bytes], log: Path) -> Address:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := _LISTENING.search(log.read_text(encoding="utf-8", errors="replace")):
            return Address(found[1], int(found[2]))
        time.sleep(0.05)
    last = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:])
    raise ProxyError(f"crunchpy serve did not start:\n{last}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
