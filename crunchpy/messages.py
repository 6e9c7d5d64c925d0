"""The messages between proxy and workers: a head of two lengths, a JSON object, and a body that may be empty."""

from __future__ import annotations

import json
import struct
from typing import Any

HEAD = struct.Struct(">II")
PID = struct.Struct(">I")
ENCODER = json.JSONEncoder(separators=(",", ":"))


def pack(fields: dict[str, Any], body: bytes = b"") -> bytes:
    """One message as bytes."""
    return pack_head(fields, len(body)) + body


def pack_head(fields: dict[str, Any], body_bytes: int) -> bytes:
    """A message up to its body, which is then sent apart, so that a large one is not copied."""
    text = ENCODER.encode(fields).encode()
    return HEAD.pack(len(text), body_bytes) + text
