"""The proxy's end of the socket to a worker: whole messages out, whole messages in, with few calls and few copies.

asyncio's streams would hand over a page in pieces of the socket's size through a buffer of their own. Here a body
is received into the place where it stays, and head and body leave in one call.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections import deque
from typing import Any

from crunchpy.messages import HEAD

# What is received before it is known how long the message is; most messages without a body fit.
SCRATCH_BYTES = 64 * 1024

# Room in the socket for most pages, so that neither end waits for the other in the middle of one. The system may allow
# less.
SOCKET_BYTES = 1024 * 1024

type Message = tuple[dict[str, Any], bytes]


class Link(asyncio.BufferedProtocol):
    """Messages to and from one worker. Made by `open_link`."""

    def __init__(self) -> None:
        self.scratch = bytearray(SCRATCH_BYTES)
        self.filled = 0
        self.fields: dict[str, Any] = {}
        self.body: bytearray | None = None
        self.arrived: deque[Message] = deque()
        self.waiting: asyncio.Future[None] | None = None
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to send."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where what comes next belongs: into the body, or where heads are read."""
        return memoryview(self.scratch if self.body is None else self.body)[self.filled :]

    def buffer_updated(self, nbytes: int) -> None:
        """Take note of what has come."""
        self.filled += nbytes
        if self.body is None:
            self.read_heads()
        elif self.filled == len(self.body):
            self.deliver(self.fields, bytes(self.body))
            self.body = None
            self.filled = 0

    def read_heads(self) -> None:
        """Read messages from the scratch; of one whose body is not whole, go on with the body in its own place."""
        start = 0
        while self.body is None and self.filled - start >= HEAD.size:
            text_bytes, body_bytes = HEAD.unpack_from(self.scratch, start)
            text_end = start + HEAD.size + text_bytes
            if text_end > self.filled:
                if text_end - start > len(self.scratch):  # A new one, since asyncio holds on to the old one.
                    self.scratch = self.scratch + bytes(text_end - start)
                break
            fields = json.loads(self.scratch[start + HEAD.size : text_end])
            start = min(self.filled, text_end + body_bytes)
            piece = self.scratch[text_end:start]
            if len(piece) == body_bytes:
                self.deliver(fields, bytes(piece))
            else:
                self.fields, self.body, self.filled = fields, bytearray(body_bytes), len(piece)
                self.body[: len(piece)] = piece
        if self.body is None:
            self.scratch[: self.filled - start] = self.scratch[start : self.filled]
            self.filled -= start

    def deliver(self, fields: dict[str, Any], body: bytes) -> None:
        """One message is whole."""
        self.arrived.append((fields, body))
        self.wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """The worker has ended; nothing more will come."""
        self.is_lost = True
        self.wake()

    def wake(self) -> None:
        """Let `receive` look again."""
        if self.waiting and not self.waiting.done():
            self.waiting.set_result(None)

    async def receive(self) -> Message:
        """The next message; ConnectionError when the worker has ended. For one caller at a time."""
        while not self.arrived:
            if self.is_lost:
                raise ConnectionError("the worker has ended")
            self.waiting = asyncio.get_running_loop().create_future()
            await self.waiting
        return self.arrived.popleft()

    def send(self, head: bytes, body: bytes) -> None:
        """Send a message; returns at once. To a worker that has ended nothing is sent, and `receive` will say so."""
        if not self.transport.is_closing():
            self.transport.writelines([part for part in (head, body) if part])  # asyncio spins on an empty part

    def close(self) -> None:
        """Close the socket; what was not sent is dropped."""
        self.transport.abort()


async def open_link(own: socket.socket) -> Link:
    """A link over a connected socket, which it takes over."""
    own.setblocking(False)
    _, link = await asyncio.get_running_loop().create_connection(Link, sock=own)
    return link


def make_roomy(link: socket.socket) -> None:
    """Ask the system for room for a page in the socket."""
    with contextlib.suppress(OSError):
        link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
