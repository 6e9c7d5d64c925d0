"""One proxy and its origins for all conversations: starting one takes longer than a hundred conversations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conversations.world import World, running_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running_world(tmp_path_factory.mktemp("authority")) as running:
        yield running
