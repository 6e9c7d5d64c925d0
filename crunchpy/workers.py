"""Runs the engine in other processes, within limits of time, memory and waiting, and never raises on a page.

The event loop only moves bytes. A worker that takes too long on a page is killed and replaced by a new fork of the
same generation; that page goes out as it came. Why not a ready-made pool: docs/decisions/0005-own-worker-pool.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from crunchpy.nursery import (
    EngineError,
    FilteredPage,
    Job,
    Nursery,
    Outcome,
    PageTask,
    PoolLimits,
    Untouched,
    WorkerProcess,
)
from crunchpy.reasons import Reason

__all__ = ["EngineError", "FilteredPage", "Outcome", "PageTask", "PoolLimits", "Untouched", "WorkerPool"]

log = logging.getLogger(__name__)

# Failing replacements wait ever longer, so that a machine without memory is not kept busy by our tries.
FIRST_DELAY_SECONDS = 0.25
MAX_DELAY_SECONDS = 30.0


class WorkerPool:
    """`size` worker processes behind one queue. `start` before the first page, `stop` at the end."""

    def __init__(self, folders: Sequence[Path], size: int = 2, limits: PoolLimits | None = None) -> None:
        self.folders = list(folders)
        self.size = size
        self.limits = limits or PoolLimits()
        self.generation = 0
        self.nursery: Nursery | None = None
        self.workers: list[WorkerProcess] = []
        self.waiting: deque[Job] = deque()
        self.tasks: set[asyncio.Task[None]] = set()
        self.turn = asyncio.Lock()
        self.last_identity = 0
        self.is_stopping = False

    @property
    def settings(self) -> dict[str, list[str]]:
        """The names of the steps of each settings file in force."""
        return self.nursery.settings if self.nursery else {}

    @property
    def digest(self) -> str:
        """A short name for everything in force that decides on what a page becomes; letters and digits."""
        return self.nursery.digest if self.nursery else "none"

    @property
    def asks_for_snippets(self) -> bool:
        """Whether genres.yaml names anybody to be asked about sites."""
        return bool(self.nursery and self.nursery.asks_for_snippets)

    async def start(self) -> None:
        """Load the engine and make all workers ready. Raises EngineError with the whole report."""
        await self.reload()

    async def reload(self) -> None:
        """Load the folders anew and switch to them: complete, or EngineError and all stays as it was."""
        async with self.turn:
            nursery = await Nursery.open(self.folders, self.limits)
            fresh = await self.fork_all(nursery)
            old_nursery, old_workers = self.nursery, self.workers
            self.nursery, self.workers = nursery, fresh
            self.generation += 1
        for worker in fresh:
            self.run_in_background(self.listen(worker))
        self.dispatch()
        if old_nursery:
            self.run_in_background(self.retire(old_nursery, old_workers))

    async def stop(self) -> None:
        """End every process; pages that still wait go out as they came."""
        self.is_stopping = True
        for job in self.waiting:
            job.settle(Untouched(Reason.BUSY, "the proxy is stopping"))
        self.waiting.clear()
        for worker in self.workers:
            worker.kill()
        if self.nursery:
            await self.nursery.close()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=2)

    async def filter(self, task: PageTask) -> Outcome:
        """Filter one page; whatever happens the answer is an outcome, and it comes within the limits' seconds."""
        if self.is_stopping or not self.generation:
            return Untouched(Reason.BUSY, "the workers are not running")
        if len(self.waiting) >= self.limits.max_waiting_pages:
            return Untouched(Reason.BUSY, f"{len(self.waiting)} pages wait")
        loop = asyncio.get_running_loop()
        self.last_identity += 1
        job = Job(task, loop.create_future(), self.last_identity)
        self.waiting.append(job)
        self.dispatch()
        patience = loop.call_later(self.limits.max_wait_seconds, self.give_up, job)
        try:
            return await job.outcome
        finally:
            patience.cancel()

    def give_up(self, job: Job) -> None:
        """A page that no worker has taken in time goes out as it came."""
        with contextlib.suppress(ValueError):
            self.waiting.remove(job)
            job.settle(Untouched(Reason.BUSY, "waited too long for a worker"))

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Keep a reference until done: the loop itself holds tasks only weakly."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def dispatch(self) -> None:
        """Send waiting pages to the workers that have least to do."""
        while self.waiting:
            able = [worker for worker in self.workers if worker.can_take()]
            if not able:
                return
            job = self.waiting.popleft()
            if job.outcome.done():  # The reader went away.
                continue
            worker = min(able, key=lambda candidate: len(candidate.jobs))
            worker.send(job)
            if len(worker.jobs) == 1:
                self.set_deadline(worker)

    def set_deadline(self, worker: WorkerProcess) -> None:
        """Allow the page that the worker works on now its seconds; after them the worker is killed."""
        if worker.deadline:
            worker.deadline.cancel()
        worker.deadline = None
        if worker.jobs:
            loop = asyncio.get_running_loop()
            worker.deadline = loop.call_later(self.limits.page_seconds, self.overdue, worker)

    def overdue(self, worker: WorkerProcess) -> None:
        """The worker is stuck on its page."""
        worker.is_overdue = True
        worker.kill()

    async def listen(self, worker: WorkerProcess) -> None:
        """Hand out a worker's answers until it ends; then see to its pages and its replacement."""
        with contextlib.suppress(ConnectionError):
            while not (worker.is_retired and not worker.jobs):
                fields, body = await worker.receive()
                worker.jobs.popleft().settle(read_outcome(fields, body))
                self.set_deadline(worker)
                self.dispatch()
        self.release_pages(worker)
        worker.close()
        if worker in self.workers and not self.is_stopping:
            await self.replace(worker)

    def release_pages(self, worker: WorkerProcess) -> None:
        """A worker has ended: the page it worked on goes out as it came, the one behind it to another worker."""
        worker.is_ended = True
        jobs = list(worker.jobs)
        worker.jobs.clear()
        if not jobs or self.is_stopping:
            for job in jobs:
                job.settle(Untouched(Reason.BUSY, "the proxy is stopping"))
            return
        why = f"took more than {self.limits.page_seconds:g} s" if worker.is_overdue else "ended"
        log.warning("worker %d %s on a page; it is replaced", worker.pid, why)
        jobs[0].settle(Untouched(Reason.FILTER_TIMEOUT if worker.is_overdue else Reason.WORKER_DIED))
        self.waiting.extendleft(reversed(jobs[1:]))
        self.dispatch()

    async def replace(self, worker: WorkerProcess) -> None:
        """Put a fresh worker in a dead one's place."""
        delay = FIRST_DELAY_SECONDS
        while worker in self.workers and not self.is_stopping:
            try:
                fresh = await self.fork()
            except (EngineError, OSError) as problem:
                log.error("a worker cannot be replaced, next try in %g s: %s", delay, problem)  # noqa: TRY400
                await asyncio.sleep(delay)
                delay = min(delay * 2, MAX_DELAY_SECONDS)
                continue
            if worker not in self.workers or self.is_stopping:  # A reload or the end came first.
                fresh.close()
                return
            self.workers[self.workers.index(worker)] = fresh
            self.run_in_background(self.listen(fresh))
            self.dispatch()
            return

    async def fork(self) -> WorkerProcess:
        """A worker from the nursery; should the nursery itself have died, from a new one."""
        async with self.turn:
            assert self.nursery
            try:
                return await self.nursery.worker()
            except OSError:
                await self.nursery.close()
                self.nursery = await Nursery.open(self.folders, self.limits)
                return await self.nursery.worker()

    async def fork_all(self, nursery: Nursery) -> list[WorkerProcess]:
        """All workers of a new generation. Raises EngineError when the nursery has ended meanwhile."""
        try:
            return [await nursery.worker() for _ in range(self.size)]
        except OSError as error:
            await nursery.close()
            raise EngineError(f"the filtering process ended: {error}") from error

    async def retire(self, nursery: Nursery, workers: list[WorkerProcess]) -> None:
        """Let the workers of the last generation finish the pages that they have, then end them."""
        for worker in workers:
            worker.is_retired = True
        while any(worker.jobs for worker in workers):
            await asyncio.sleep(0.05)
        await nursery.close()


def read_outcome(fields: dict[str, Any], body: bytes) -> Outcome:
    """What a worker's message says."""
    common = {"line": fields.get("line", ""), "trace": fields.get("trace"), "elapsed_ms": fields["elapsed_ms"]}
    if fields.get("reason"):
        return Untouched(reason=fields["reason"], detail=fields.get("detail", ""), **common)
    return FilteredPage(body=body, digest=fields["digest"], **common)
