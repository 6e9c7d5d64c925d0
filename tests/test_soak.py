"""Minutes of broken pages: `make soak`. The engine answers each with bytes, and its memory does not grow."""

from __future__ import annotations

import random
import resource

import pytest

from crunchpy import Engine
from tests.shared import documents, needs_shared, packages

PAGES = 3000
# Measured after the first third, when caches are full; the rest may add what fragmentation takes.
MAX_GROWTH_MIB = 40


@pytest.mark.soak
@needs_shared
def test_broken_pages_cost_no_memory() -> None:
    chance = random.Random(1962)
    engine = Engine.load()
    bodies = [document.body for package in packages() for document in documents(package, every=40)]
    settled_mib = 0.0
    for count in range(PAGES):
        body = _broken(chance, chance.choice(bodies))
        filtered = engine.filter(body, url="https://example.org/", settings="default")
        assert len(filtered.body) <= len(body) + 10_000  # anchors for ids are all that is ever added
        if count == PAGES // 3:
            settled_mib = _peak_mib()
    assert _peak_mib() - settled_mib < MAX_GROWTH_MIB


def _broken(chance: random.Random, body: bytes) -> bytes:
    """A page with a piece left out, doubled or overwritten, or cut short."""
    start = chance.randrange(max(1, len(body)))
    end = min(len(body), start + chance.choice((1, 10, 1000)))
    return chance.choice(
        (
            body[:start] + body[end:],
            body[:end] + body[start:],
            body[:start] + chance.randbytes(end - start) + body[end:],
            body[:start],
            body[:start] + chance.choice((b"<", b"</", b"<!--", b"'", b'"', b">", b"<table>", b"</p>")) + body[start:],
        )
    )


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
