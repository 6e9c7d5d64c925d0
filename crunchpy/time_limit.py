"""Stops Python code that takes too long, from inside the same process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """The time is up. No `Exception`, so that a plugin's own `except Exception` cannot swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let the block run for at most `seconds`.

    Works by a timer signal, so only in the main thread of a process on Unix; elsewhere the block runs without limit.
    Code that stays inside one call of a C library is stopped when that call returns; the worker's own deadline covers
    that.

    Raises:
        OutOfTime: inside the block, when the time is up.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    is_over = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if not is_over:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), 0.05)  # again, should a plugin catch even this
    try:
        try:
            yield
        finally:
            is_over = True  # or a late signal would leave the timer running
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
