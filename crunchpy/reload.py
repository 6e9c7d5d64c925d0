"""Puts changed plugins and settings in force while the proxy runs: complete, or refused and the old ones stay."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from watchfiles import Change, awatch

from crunchpy.fingerprint import SUBFOLDERS, fingerprint, is_data, watched_folders

log = logging.getLogger(__name__)

# Editors write several times for one save; wait until this long nothing has come.
SETTLE_MS = 100


class Watcher:
    """Watches overlay folders; what it saw when it was made is what the running engine was loaded from."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = list(folders)
        self.seen = fingerprint(self.folders)
        self.in_force_since = time.strftime("%H:%M:%S")

    async def run(self, reload: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
        """Call `reload` after each change until `stop` is set. `reload` raises ValueError to refuse."""
        while not stop.is_set():
            places = watched_folders(self.folders)
            await self.check(reload)  # What changed before the watch began.
            async for _ in awatch(
                *places, watch_filter=is_of_interest, debounce=SETTLE_MS, stop_event=stop, recursive=False
            ):
                await self.check(reload)
                if watched_folders(self.folders) != places:  # A plugins or settings folder has come or gone.
                    break

    async def check(self, reload: Callable[[], Awaitable[None]]) -> None:
        """Reload if any file differs from what was last looked at; say in the log what is in force now."""
        now = fingerprint(self.folders)
        changed = sorted(path for path in now.keys() | self.seen.keys() if now.get(path) != self.seen.get(path))
        if not changed:
            return
        self.seen = now
        names = ", ".join(changed)
        try:
            await reload()
        except ValueError as problem:
            log.error(  # noqa: TRY400 - the report says all; a traceback would hide it
                "reload refused, what was loaded at %s stays in force; %s: %s", self.in_force_since, names, problem
            )
        else:
            self.in_force_since = time.strftime("%H:%M:%S")
            log.info("reload complete, in force from now on: %s", names)


def is_of_interest(_: Change, path: str) -> bool:
    """True for the files that make an engine, and for their folders coming and going."""
    return is_data(Path(path)) or Path(path).name in SUBFOLDERS
