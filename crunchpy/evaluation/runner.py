"""Measures methods on packages with several processes, and writes a row for every document, whatever happens to it."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from dataclasses import dataclass
from pathlib import Path

from pebble import ProcessFuture, ProcessPool
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from crunchpy.evaluation.extract import Setup
from crunchpy.evaluation.methods import Method
from crunchpy.evaluation.package import Package
from crunchpy.evaluation.rows import Row
from crunchpy.evaluation.run_files import MeasuredWith, RunFile
from crunchpy.evaluation.work import Worker

#: Says something to the person at the screen.
Tell = Callable[[str], None]

# Documents that wait at each process: enough to keep it busy, few enough to stop soon.
_WAITING = 8


@dataclass(frozen=True)
class Options:
    """How to measure: where the files go, in how many processes, seconds for one document, which way to count words.

    ``every`` takes each n-th document only, ``again`` measures anew what is there.
    """

    out: Path
    jobs: int = 1
    timeout_seconds: float = 60
    words: str = "spaced"
    every: int = 1
    again: bool = False


@dataclass(frozen=True)
class Task:
    """One document to be measured with one method, and the file for its row."""

    package: Package
    document: str
    method: Method
    file: RunFile


#: The file of each pair of package and method, by their names.
Files = dict[tuple[str, str], RunFile]


def open_files(
    packages: Sequence[Package],
    methods: Sequence[Method],
    options: Options,
    known: Callable[[Method], MeasuredWith],
    tell: Tell,
) -> Files:
    """Open the file of every package and method, with what was measured before and is still true."""
    files: Files = {}
    stale = []
    for method in methods:
        for package in packages:
            file = RunFile(options.out, package.name, method.name)
            if not file.begin(known(method), again=options.again):
                stale.append(file.path)
            files[package.name, method.name] = file
    if stale:
        more = f" and {len(stale) - 1} more" if len(stale) > 1 else ""
        tell(f"{stale[0]}{more}: measured before with something else, such as another version; measured anew")
    return files


def open_tasks(packages: Sequence[Package], methods: Sequence[Method], options: Options, files: Files) -> list[Task]:
    """Return what is still to be measured. All methods of one page come one after the other: it is read once."""
    return [
        Task(package, name, method, files[package.name, method.name])
        for package in packages
        for name in package.ids[:: options.every]
        for method in methods
        if name not in files[package.name, method.name].rows
    ]


def run(tasks: Sequence[Task], setup: Setup, options: Options, tell: Tell) -> None:
    """Measure all tasks and write their rows as they come. An interrupt leaves what was measured in the files."""
    if not tasks:
        return
    with _progress(len(tasks)) as advance, _pool(setup, options) as pool:
        waiting: deque[tuple[Task, ProcessFuture[Row]]] = deque()
        for task in tasks:
            waiting.append((task, _scheduled(pool, task, options)))
            while len(waiting) >= _WAITING * options.jobs:
                advance(_finished(*waiting.popleft(), options, tell))
        while waiting:
            advance(_finished(*waiting.popleft(), options, tell))


def _scheduled(pool: ProcessPool, task: Task, options: Options) -> ProcessFuture[Row]:
    arguments = (task.package.folder, task.document, task.method)
    return pool.schedule(_measured, args=arguments, timeout=options.timeout_seconds)


def _finished(task: Task, future: ProcessFuture[Row], options: Options, tell: Tell) -> Task:
    """Wait for one row, write it, and say so when it failed."""
    try:
        row: Row = future.result()
    except TookTooLong:
        row = Row(task.package.name, task.document, 0, error=f"took more than {options.timeout_seconds:g} seconds")
    except Exception as error:  # noqa: BLE001 - the process died: that costs this document, not the run
        row = Row(task.package.name, task.document, 0, error=f"{type(error).__name__}: {error}")
    task.file.add(row)
    if row.error:
        tell(f"package {row.package}, document {row.document}, method {task.method.name}: {row.error}")
    return task


@contextlib.contextmanager
def _pool(setup: Setup, options: Options) -> Iterator[ProcessPool]:
    pool = ProcessPool(
        max_workers=options.jobs,
        initializer=_start,
        initargs=(setup, options.words),
        context=multiprocessing.get_context("spawn"),
    )
    try:
        yield pool
        pool.close()  # type: ignore[no-untyped-call]
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[Task], None]]:
    """Show a bar on a terminal; a file or a pipe gets none."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, transient=True)
    progress.disable = not progress.console.is_terminal
    bar = progress.add_task("measuring", total=total)
    with progress:
        yield lambda task: progress.update(bar, advance=1, description=f"{task.package.name} {task.method.name}")


# The worker of this process. State of a process is what a pool's initializer is for.
_worker: list[Worker] = []


def _start(setup: Setup, words: str) -> None:
    logging.disable(logging.ERROR)  # extractors complain of pages as they are; what matters is in the rows
    _worker.append(Worker(setup, words))


def _measured(folder: Path, document: str, method: Method) -> Row:
    return _worker[0].measured(folder, document, method)
