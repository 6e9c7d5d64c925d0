"""What the proxy notes of a flow on its way through.

Not in mitmproxy's own `flow.metadata`: that is written with the flow where somebody saves flows, and takes plain values
only.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from mitmproxy.flow import Flow

_NOTES: WeakKeyDictionary[Flow, dict[str, Any]] = WeakKeyDictionary()


def notes(flow: Flow) -> dict[str, Any]:
    """The notes of a flow, to read and to write; they go when the flow goes."""
    return _NOTES.setdefault(flow, {})
