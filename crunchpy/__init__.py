"""A filtering proxy: what reaches the reader is the content."""

from __future__ import annotations

from crunchpy.engine import Engine, Filtered
from crunchpy.trace import Trace, Verdict

__all__ = ["Engine", "Filtered", "Trace", "Verdict"]
