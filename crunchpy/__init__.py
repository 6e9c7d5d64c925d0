"""A filtering proxy: what reaches the reader is the content."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crunchpy.engine import Engine, Filtered
    from crunchpy.trace import Trace, Verdict

__all__ = ["Engine", "Filtered", "Trace", "Verdict"]

PLACES = {"Engine": "engine", "Filtered": "engine", "Trace": "trace", "Verdict": "trace"}


def __getattr__(name: str) -> Any:
    """Load the engine when somebody asks for it: the proxy's own process never does, and starts without its parsers."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"crunchpy.{PLACES[name]}"), name)
