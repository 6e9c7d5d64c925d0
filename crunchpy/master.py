"""Builds mitmproxy's master with our two addons and runs it: the body of `crunchpy serve`."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import Callable
from pathlib import Path

from mitmproxy import exceptions
from mitmproxy.options import Options

from crunchpy import start_checks
from crunchpy.addon import PageFilter
from crunchpy.doorkeeper import Doorkeeper
from crunchpy.guard import GuardError
from crunchpy.hook_table import TableMaster
from crunchpy.modes import announced, parse_modes
from crunchpy.reload import Watcher
from crunchpy.workers import WorkerPool

log = logging.getLogger(__name__)

# mitmproxy listens on every interface unless told otherwise, and goes back to that when options are refused.
LOOPBACK = "127.0.0.1"

CA_KEY = "mitmproxy-ca.pem"
CA_CERTIFICATE = "mitmproxy-ca-cert.pem"
SECRET_MODE = 0o600

# New objects between two looks for cycles. A page leaves some 40 behind, a few kB; Python's default of 2000 looks every
# 50 pages, and costs 5 % of the work for an exchange.
MAX_NEW_OBJECTS = 20_000

type Announce = Callable[[list[str], dict[str, list[str]]], str]


class Host:
    """One proxy in this process. Construct and run inside a running event loop."""

    def __init__(self, confdir: Path, specifications: list[str], pool: WorkerPool, watcher: Watcher) -> None:
        """`specifications` are mitmproxy option settings, `name=value`. Raises GuardError for any that is wrong."""
        modes = parse_modes(value_of(each) for each in specifications if each.startswith("mode="))
        passphrases = [value_of(each) for each in specifications if each.startswith("cert_passphrase=")]
        start_checks.prepare_confdir(confdir, CA_KEY, "".join(passphrases[-1:]))
        self.confdir = confdir
        self.pool = pool
        self.announce: Announce | None = None
        keep_key_secret(confdir)
        self.master = TableMaster(Options(confdir=str(confdir), listen_host=LOOPBACK))
        # The doorkeeper last: whenever an option is declared, all earlier addons check the options.
        self.master.addons.add(PageFilter(pool, watcher), self, Doorkeeper())
        names = list(self.master.options.keys())  # type: ignore[no-untyped-call]
        start_checks.check_settings(specifications, names)
        try:
            self.master.options.set(*specifications)
        except exceptions.OptionsError as problem:
            raise GuardError(start_checks.explained(str(problem))) from problem
        options = self.master.options
        start_checks.check_listening(modes, options.listen_host, options.listen_port)

    def running(self) -> None:
        """Everything listens: say so."""
        gc.freeze()  # What is loaded stays: each full collection would look through it, for tens of milliseconds.
        gc.set_threshold(MAX_NEW_OBJECTS)
        server = self.master.addons.get("proxyserver")  # type: ignore[no-untyped-call]
        keep_key_secret(self.confdir)
        if self.announce:
            lines = list(announced(server.servers, self.confdir / CA_CERTIFICATE))
            print(self.announce(lines, self.pool.settings), flush=True)  # noqa: T201

    async def run(self, announce: Announce) -> int:
        """Serve until SIGTERM or SIGINT; the exit status."""
        self.announce = announce
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.master.shutdown)
        await self.master.run()
        return 0


def value_of(specification: str) -> str:
    """The value of `name=value`."""
    return specification.partition("=")[2]


def keep_key_secret(confdir: Path) -> None:
    """Make sure that nobody but the owner can read the CA's key: who has it can pose as any site."""
    for key in confdir.glob("mitmproxy-ca*"):
        has_key = key.name == CA_KEY or (key.suffix == ".p12" and "cert" not in key.name)
        if has_key and key.stat().st_mode & 0o077:
            log.warning("%s could be read by others; its mode is now 0600", key)
            key.chmod(SECRET_MODE)
