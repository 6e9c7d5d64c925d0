"""A real proxy for tests: `crunchpy serve` as its own process, with a log to read.

    with running_proxy(workers=1, overlays=[folder]) as proxy:
        client = httpx.Client(proxy=proxy.url, verify=proxy.trust())

Private upstream addresses are allowed unless `allow_upstream=()` is given, because test origins are on loopback.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOOPBACK = ("127.0.0.0/8", "::1/128")
START_SECONDS = 60
LISTENING = re.compile(r"^\w.*: host (\S+), port (\d+)\.$", re.MULTILINE)


@functools.cache
def shared_confdir() -> Path:
    """One CA for the whole test run: making a key takes longer than most tests."""
    folder = tempfile.TemporaryDirectory(prefix="crunchpy-ca-")
    KEPT.append(folder)
    return Path(folder.name)


KEPT: list[tempfile.TemporaryDirectory[str]] = []


@dataclass
class Proxy:
    """A running proxy: where it listens, where its CA is, and what it has logged."""

    process: subprocess.Popen[bytes]
    port: int
    confdir: Path
    log_path: Path
    host: str = "127.0.0.1"
    started_seconds: float = field(default=0.0)

    @property
    def url(self) -> str:
        """The address for a client's proxy setting."""
        return f"http://{self.host}:{self.port}"

    @property
    def ca_file(self) -> Path:
        """The certificate that clients must trust, PEM."""
        return self.confdir / "mitmproxy-ca-cert.pem"

    def trust(self) -> ssl.SSLContext:
        """A TLS context that trusts this proxy and nobody else."""
        return ssl.create_default_context(cafile=str(self.ca_file))

    def log(self) -> str:
        """All that the proxy has printed so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def wait_for_log(self, pattern: str, *, seconds: float = 10, count: int = 1) -> str:
        """The log once `pattern` (a regular expression) stands in it `count` times; AssertionError if it never does."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            text = self.log()
            if len(re.findall(pattern, text)) >= count:
                return text
            time.sleep(0.02)
        raise AssertionError(f"not in the log within {seconds} s: {pattern}\n{self.log()}")

    def stop(self, *, seconds: float = 10) -> int:
        """End it as a service manager would; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def serve_command(
    *,
    listen: str = "127.0.0.1:0",
    workers: int = 1,
    overlays: Sequence[Path] = (),
    allow_upstream: Sequence[str] = LOOPBACK,
    options: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> list[str]:
    """The command line of a proxy; `options` are mitmproxy options, `arguments` go in as they are."""
    command = [sys.executable, "-m", "crunchpy", "serve", "--listen", listen, "--workers", str(workers)]
    for folder in overlays:
        command += ["--overlay", str(folder)]
    for network in allow_upstream:
        command += ["--allow-upstream", network]
    for name, value in (options or {}).items():
        command += ["--set", f"{name}={value}"]
    return [*command, *arguments]


@contextlib.contextmanager
def running_proxy(
    *,
    workers: int = 1,
    overlays: Sequence[Path] = (),
    allow_upstream: Sequence[str] = LOOPBACK,
    options: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    confdir: Path | None = None,
) -> Iterator[Proxy]:
    """Start `crunchpy serve` on a free loopback port, yield it once it listens, and stop it at the end."""
    folder = confdir or shared_confdir()
    command = serve_command(
        workers=workers,
        overlays=overlays,
        allow_upstream=allow_upstream,
        options=options,
        arguments=["--confdir", str(folder), *arguments],
    )
    with tempfile.TemporaryDirectory(prefix="crunchpy-log-") as log_folder:
        log_path = Path(log_folder) / "log"
        began = time.monotonic()
        with log_path.open("wb") as sink:
            process = subprocess.Popen(
                command, stdout=sink, stderr=subprocess.STDOUT, cwd=ROOT, env=os.environ | {"PYTHONUNBUFFERED": "1"}
            )
        try:
            proxy = Proxy(process, wait_until_listening(process, log_path), folder, log_path)
            proxy.started_seconds = time.monotonic() - began
            yield proxy
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def wait_until_listening(process: subprocess.Popen[bytes], log_path: Path) -> int:
    """The port that the proxy printed; AssertionError with the log when it ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        text = log_path.read_text(encoding="utf-8", errors="replace")
        if found := LISTENING.search(text):
            return int(found[2])
        if process.poll() is not None:
            raise AssertionError(f"the proxy ended with {process.returncode}:\n{text}")
        time.sleep(0.02)
    raise AssertionError(f"the proxy did not listen within {START_SECONDS} s:\n{log_path.read_text(errors='replace')}")
