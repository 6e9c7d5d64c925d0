"""Conversations about what stands around the page."""

from __future__ import annotations

import pytest

from crunchpy.codings import encode
from tests.conversations.around import TALKS, TEXT
from tests.conversations.wire import Talk, answer, ask_on, bare_answer, chunked, cut, open_to, page
from tests.conversations.world import World


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.path[1:])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_around(world: World, scheme: str, talk: Talk) -> None:
    world.play(scheme, talk)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_pages_that_follow_each_other_on_one_connection(world: World, scheme: str) -> None:
    origin = world.origins[scheme]
    world.answers["/1"] = bare_answer(chunked(page()), TEXT + "Transfer-Encoding: chunked\r\n")
    world.answers["/2"] = bare_answer(chunked(b"Saved", b"!"), TEXT + "Transfer-Encoding: chunked\r\n")
    world.answers["/3"] = answer(encode(page(), ("br",)), TEXT + "Content-Encoding: br\r\n")
    world.answers["/4"] = answer(page())
    expected = {"/1": cut(page()), "/2": b"Saved!", "/3": encode(cut(page()), ("br",)), "/4": cut(page())}
    with open_to(world.proxy, origin) as connection:
        for path in [*expected, *reversed(expected)]:
            message = ask_on(connection, origin, path)
            assert (message.body, message.end) == (expected[path], "whole"), path
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):  # nothing is left over
            connection.recv(1)
