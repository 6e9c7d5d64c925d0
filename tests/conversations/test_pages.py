"""Conversations about what is a page, and what stays untouched."""

from __future__ import annotations

import time

import pytest

from tests.conversations.pages import HOSTILE, TALKS
from tests.conversations.wire import Talk
from tests.conversations.world import World


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.path[1:])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_pages(world: World, scheme: str, talk: Talk) -> None:
    world.play(scheme, talk)


@pytest.mark.parametrize("talk", HOSTILE, ids=lambda talk: talk.path[1:])
def test_hostile_pages_take_no_time(world: World, talk: Talk) -> None:
    started = time.monotonic()
    world.play("http", talk)
    assert time.monotonic() - started < 5  # a second of a worker, on a machine that does other things too
