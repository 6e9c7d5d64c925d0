"""Leaves out work that mitmproxy does for its own debugging, and reads more at a time.

* Every request and response is checked for the types of its fields, by looking the types up one by one.
* Whether a host name is well formed is asked up to ten times for each request.
* A body is read in pieces of 64 KiB, each of which passes all layers; the system hands out 256 KiB at a time.

None of this changes what is sent or refused. The names are mitmproxy's own: tests/test_shortcuts.py fails when they
move.
"""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING

from mitmproxy.http import MessageData
from mitmproxy.net import check
from mitmproxy.net.http import url
from mitmproxy.proxy import mode_servers

if TYPE_CHECKING:
    from mitmproxy.connection import Connection

# As much as asyncio takes from a socket at once.
READ_BYTES = 256 * 1024

# Names of hosts whose form is remembered; each takes about 200 bytes.
MAX_HOST_NAMES = 2000

Handler = mode_servers.ProxyConnectionHandler


class WideReader:
    """A stream to read from, of which each call takes all that has come."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.reader = reader

    async def read(self, _: int) -> bytes:
        """What has come, up to `READ_BYTES`; empty at the end."""
        return await self.reader.read(READ_BYTES)


class WideHandler(Handler):
    """mitmproxy's handler of a client's connections, reading from each as much as there is."""

    async def handle_connection(self, connection: Connection) -> None:
        """As in mitmproxy."""
        transport = self.transports[connection]
        if isinstance(transport.reader, asyncio.StreamReader):  # Datagrams come by another one, each whole.
            transport.reader = WideReader(transport.reader)  # type: ignore[assignment]
        await super().handle_connection(connection)


@functools.cache
def install() -> None:
    """Take the shortcuts; only the first call changes anything."""
    MessageData.__post_init__ = lambda _: None  # type: ignore[method-assign]
    remembering = functools.lru_cache(MAX_HOST_NAMES)(check.is_valid_host)
    for module in (check, url):
        vars(module)["is_valid_host"] = remembering
    mode_servers.ProxyConnectionHandler = WideHandler  # type: ignore[misc]
