"""Conversations about what stands around the page."""

from __future__ import annotations

import pytest

from tests.conversations.around import TALKS
from tests.conversations.wire import Talk
from tests.conversations.world import World


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.path[1:])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_around(world: World, scheme: str, talk: Talk) -> None:
    world.play(scheme, talk)
