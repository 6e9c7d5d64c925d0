"""Starts the processes of `crunchpy/worker.py` and talks to them: one nursery a generation, forked workers from it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crunchpy.link import Link, Message, make_roomy, open_link
from crunchpy.messages import HEAD, PID, pack_head

# A second page waits in the worker's socket, so that the worker never idles while the event loop is busy.
MAX_IN_FLIGHT = 2


@dataclass(frozen=True)
class PoolLimits:
    """What one page, one worker and the queue may take."""

    page_seconds: float = 5.0
    max_wait_seconds: float = 5.0
    max_waiting_pages: int = 200
    worker_mib: int = 768
    max_body_bytes: int = 16 * 1024 * 1024
    start_seconds: float = 60.0


@dataclass(frozen=True)
class PageTask:
    """One page as it came from the origin: the body still compressed as `coding` (the Content-Encoding) says.

    `is_page_load`: the browser said that a window or frame asked for it. `wants_trace`: the outcome is to say all that
    was done, not only one line; reading and writing that costs as much as two small plugins.
    """

    body: bytes
    url: str = ""
    content_type: str = "text/html"
    coding: str = ""
    settings: str | None = None
    is_page_load: bool = False
    wants_trace: bool = False


@dataclass(frozen=True)
class FilteredPage:
    """A changed page, compressed the way it came.

    `line` is one log line, `trace` what was done (JSON types) where the task wants it, `digest` names what was in force
    (`Nursery.digest`).
    """

    body: bytes
    line: str
    trace: dict[str, Any] | None
    elapsed_ms: float
    digest: str


@dataclass(frozen=True)
class Untouched:
    """The page stays as it came; `reason` is a code of crunchpy/reasons.py."""

    reason: str
    detail: str = ""
    line: str = ""
    trace: dict[str, Any] | None = None
    elapsed_ms: float = 0.0


type Outcome = FilteredPage | Untouched


class EngineError(ValueError):
    """The overlays hold something wrong; the message is the whole report of `Engine.load`."""


@dataclass(eq=False)
class Job:
    """A page on its way through the pool."""

    task: PageTask
    outcome: asyncio.Future[Outcome]
    identity: int

    def head(self) -> bytes:
        """The message to the worker up to the body, which is sent apart so that it is not copied."""
        fields = {
            "id": self.identity,
            "url": self.task.url,
            "content_type": self.task.content_type,
            "coding": self.task.coding,
            "settings": self.task.settings,
            "is_page_load": self.task.is_page_load,
            "wants_trace": self.task.wants_trace,
        }
        return pack_head(fields, len(self.task.body))

    def settle(self, outcome: Outcome) -> None:
        """Hand the outcome to whoever waits, if anybody still does."""
        if not self.outcome.done():
            self.outcome.set_result(outcome)


@dataclass(eq=False)
class WorkerProcess:
    """One forked worker, its link, and the pages that it has been given (it works on the first)."""

    pid: int
    pidfd: int
    link: Link
    jobs: deque[Job] = field(default_factory=deque)
    is_retired: bool = False
    is_ended: bool = False
    is_overdue: bool = False
    deadline: asyncio.TimerHandle | None = None

    async def receive(self) -> Message:
        """The next message; ConnectionError when the process has ended."""
        return await self.link.receive()

    def can_take(self) -> bool:
        """True if another page may be sent."""
        return not self.is_retired and not self.is_ended and len(self.jobs) < MAX_IN_FLIGHT

    def send(self, job: Job) -> None:
        """Give the process a page."""
        self.jobs.append(job)
        self.link.send(job.head(), job.task.body)

    def kill(self) -> None:
        """End the process at once; by its descriptor, so that a process id used again cannot be hit."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Give up the link and the process; nothing is left behind."""
        self.is_ended = True
        if self.deadline:
            self.deadline.cancel()
        self.kill()
        self.link.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1


@dataclass(eq=False)
class Nursery:
    """The process that holds one generation's engine.

    `settings`: names of the steps of each settings file; `digest`: a short name for all that it was loaded from;
    `asks_for_snippets`: whether genres.yaml names anybody to be asked about sites.
    """

    process: asyncio.subprocess.Process
    control: socket.socket
    settings: dict[str, list[str]] = field(default_factory=dict)
    digest: str = ""
    asks_for_snippets: bool = False

    @classmethod
    async def open(cls, folders: Sequence[Path], limits: PoolLimits) -> Nursery:
        """Load an engine from the folders in a new process. Raises EngineError with the whole report."""
        control, theirs = socket.socketpair()
        control.setblocking(False)
        try:
            with theirs:
                nursery = cls(await start_process(theirs.fileno(), folders, limits), control)
        except BaseException:
            control.close()
            raise
        try:
            async with asyncio.timeout(limits.start_seconds):
                await nursery.greeting()
        except (TimeoutError, OSError) as error:
            with contextlib.suppress(TimeoutError):  # Time to print what went wrong.
                await asyncio.wait_for(nursery.process.wait(), 1)
            await nursery.close()
            raise EngineError(f"the filtering process did not start: {str(error) or type(error).__name__}") from error
        except BaseException:  # A report of what is wrong, or we are told to stop.
            await nursery.close()
            raise
        return nursery

    async def greeting(self) -> None:
        """Read the first message: what was loaded, or EngineError with what is wrong."""
        text_bytes, _ = HEAD.unpack(await self.read(HEAD.size))
        fields = json.loads(await self.read(text_bytes))
        if not fields["ready"]:
            raise EngineError(fields["problems"])
        self.settings = fields["settings"]
        self.digest = fields["digest"]
        self.asks_for_snippets = fields["asks_for_snippets"]

    async def read(self, count: int) -> bytes:
        """Exactly `count` bytes from the process; ConnectionError when it has ended."""
        loop = asyncio.get_running_loop()
        received = b""
        while len(received) < count:
            piece = await loop.sock_recv(self.control, count - len(received))
            if not piece:
                raise ConnectionError("it ended early")
            received += piece
        return received

    async def worker(self) -> WorkerProcess:
        """A new worker, ready for pages; asked for one at a time. OSError when the nursery itself has ended."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                make_roomy(ours)
                make_roomy(theirs)
                socket.send_fds(self.control, [b"w"], [theirs.fileno()])
            (pid,) = PID.unpack(await self.read(PID.size))
        except OSError:
            ours.close()
            raise
        link = await open_link(ours)
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:  # It has ended already; the closed link will say so.
            pidfd = -1
        return WorkerProcess(pid, pidfd, link)

    async def close(self) -> None:
        """End the process; workers that it forked end with it."""
        self.control.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


async def start_process(descriptor: int, folders: Sequence[Path], limits: PoolLimits) -> asyncio.subprocess.Process:
    """Start `crunchpy/worker.py`, which talks on `descriptor`."""
    arguments = [str(value) for value in (descriptor, os.getpid(), limits.worker_mib, limits.max_body_bytes)]
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "crunchpy.worker", *arguments, *map(str, folders)),
        pass_fds=[descriptor],
        stdin=asyncio.subprocess.DEVNULL,
        env=worker_environment(),
    )


def worker_environment() -> dict[str, str]:
    """The parent's environment, with this package to be found, and numeric libraries kept to one thread."""
    root = str(Path(__file__).parent.parent)
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")])),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
