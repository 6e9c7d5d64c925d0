"""One proxy and its origins for all conversations: starting one takes longer than a hundred conversations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("tests.conversations.world")

from tests.conversations.world import World, running_world  # noqa: E402 - after the line that has its asserts explained


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running_world(tmp_path_factory.mktemp("authority")) as running:
        yield running
