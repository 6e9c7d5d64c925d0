"""Stops Python code that takes too long, from inside the same process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self


class OutOfTime(BaseException):
    """The time is up. No `Exception`, so that a plugin's own `except Exception` cannot swallow it."""


class TimeLimit:
    """Lets each of several blocks, one after another, run for at most its seconds.

    Works by a timer signal, so only in the main thread of a process on Unix; elsewhere blocks run without limit. Code
    that stays inside one call of a C library is stopped when that call returns; the worker's own deadline covers that.
    The signal's handler is in place between `__enter__` and `__exit__`, which cost more than the blocks of most pages.
    """

    def __init__(self) -> None:
        self._is_able = threading.current_thread() is threading.main_thread()
        self._is_running = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if self._is_able:
            self._before = signal.signal(signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_able:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """Run the block.

        Raises:
            OutOfTime: inside the block, when the time is up.
        """
        if not self._is_able:
            yield
            return
        self._is_running = True
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), 0.05)  # again, should a plugin catch even this
        try:
            try:
                yield
            finally:
                self._is_running = False  # the timer is left: it rings unheard until the next block sets it
        finally:
            self._is_running = False  # it may have rung in the line above

    def _ring(self, _signal: int, _frame: FrameType | None) -> None:
        if self._is_running:
            raise OutOfTime
