"""Closes connections that mitmproxy leaves open, and knows those that are.

Whoever is to be cut off has mostly just sent something. mitmproxy cancels the task that reads from that connection, and
where the task waits at this moment for its turn to hand the data on, it ends without closing the socket and without
telling the layers above. The other side then waits, and the socket stays, until a garbage collection finds it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from mitmproxy.connection import ConnectionState
from mitmproxy.proxy import events
from mitmproxy.proxy.server import ConnectionHandler

if TYPE_CHECKING:
    from mitmproxy.connection import Connection

# The handlers of all open connections, by the id of the client.
HANDLERS: WeakValueDictionary[str, ConnectionHandler] = WeakValueDictionary()


@functools.cache
def install() -> None:
    """Have every connection closed that mitmproxy has done with; only the first call changes anything."""
    handle_connection = ConnectionHandler.handle_connection

    async def handle_and_close(self: ConnectionHandler, connection: Connection) -> None:
        if connection is self.client:
            HANDLERS[connection.id] = self
        try:
            await handle_connection(self, connection)
        except asyncio.CancelledError:
            if connection in self.transports:
                await end(self, connection)
            raise

    ConnectionHandler.handle_connection = handle_and_close  # type: ignore[method-assign]


async def end(handler: ConnectionHandler, connection: Connection) -> None:
    """What mitmproxy does at the end of a connection that is closed by command."""
    connection.state = ConnectionState.CLOSED
    await handler.server_event(events.ConnectionClosed(connection))
    writer = handler.transports.pop(connection).writer
    if writer is not None:
        with contextlib.suppress(OSError):
            writer.close()
