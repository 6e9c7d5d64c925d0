"""A filtering proxy: what reaches the reader is the content."""

from __future__ import annotations

from .engine import Engine, Filtered
from .trace import Trace, Verdict

__all__ = ["Engine", "Filtered", "Trace", "Verdict"]
