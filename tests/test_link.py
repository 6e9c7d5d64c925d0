"""Messages over a link arrive whole and in order, however the socket cuts them."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Awaitable, Callable

import pytest

from crunchpy.link import SCRATCH_BYTES, Link, Message, make_roomy, open_link
from crunchpy.messages import pack
from crunchpy.worker import receive

MESSAGES: list[Message] = [
    ({"id": 1}, b""),
    ({"id": 2}, b"short"),
    ({"id": 3}, bytes(range(256)) * 2000),
    ({"id": 4, "line": "x" * 3 * SCRATCH_BYTES}, b"behind a long head"),
    ({"id": 5, "line": "ü"}, b"x" * SCRATCH_BYTES),
    ({"id": 6}, b""),
]


@pytest.mark.parametrize("most", [1 << 30, 50_000, 4099])
@pytest.mark.parametrize("seed", range(3))
def test_messages_arrive_whole_however_they_are_cut(most: int, seed: int) -> None:
    randomly = random.Random(seed)
    link = Link()
    rest = memoryview(b"".join(pack(fields, body) for fields, body in MESSAGES))
    while rest:
        room = link.get_buffer(-1)
        count = min(len(rest), len(room), randomly.randint(1, most))
        room[:count] = rest[:count]
        link.buffer_updated(count)  # `room` is still there, as it is when asyncio calls
        rest = rest[count:]
    assert list(link.arrived) == MESSAGES


def with_pair(work: Callable[[Link, socket.socket], Awaitable[None]]) -> None:
    async def run() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            link = await open_link(ours)
            make_roomy(theirs)
            try:
                await asyncio.wait_for(work(link, theirs), 10)
            finally:
                link.close()
                await asyncio.sleep(0)

    asyncio.run(run())


def test_a_page_goes_to_the_other_end_and_back() -> None:
    async def work(link: Link, theirs: socket.socket) -> None:
        fields, body = MESSAGES[2]
        sent = pack(fields, body)
        link.send(sent[: -len(body)], body)
        assert await asyncio.to_thread(receive, theirs, len(sent)) == sent
        answer = asyncio.to_thread(theirs.sendall, sent + pack({"id": 9}))
        received = [asyncio.create_task(link.receive())]
        await answer
        assert await received[0] == (fields, body)
        assert await link.receive() == ({"id": 9}, b"")

    with_pair(work)


def test_a_message_without_a_body_leaves_nothing_to_be_sent() -> None:
    async def work(link: Link, theirs: socket.socket) -> None:
        link.send(pack({"id": 1}), b"")
        assert link.transport.get_write_buffer_size() == 0
        assert await asyncio.to_thread(receive, theirs, 8)
        # asyncio would keep an empty part for ever, and try to send it at each turn of the loop
        assert not link.transport._buffer  # type: ignore[attr-defined]

    with_pair(work)


def test_the_end_of_a_worker_is_noticed_and_what_came_before_it_counts() -> None:
    async def work(link: Link, theirs: socket.socket) -> None:
        theirs.sendall(pack({"id": 1}) + pack({"id": 2}, b"body")[:-1])
        theirs.close()
        assert await link.receive() == ({"id": 1}, b"")
        with pytest.raises(ConnectionError):
            await link.receive()
        link.send(b"head", b"body")
        with pytest.raises(ConnectionError):
            await link.receive()

    with_pair(work)
