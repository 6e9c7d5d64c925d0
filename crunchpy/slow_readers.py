"""Waits until a page has gone out to its reader: one who takes it slowly has it kept in memory here.

mitmproxy hands a held page to the connection at once, and what does not fit into the network waits in this process.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from crunchpy.connection_ends import HANDLERS

if TYPE_CHECKING:
    from mitmproxy.connection import Client

    from crunchpy.held_bytes import Share

# What is smaller is not waited for: the network takes it at once, and most pages are.
LARGE_BYTES = 200_000

# mitmproxy sends only after the hook has returned.
SENT_SECONDS = 0.1


async def give_back_when_sent(client: Client, share: Share) -> None:
    """Give a page's share back when its reader has taken most of it, or is gone."""
    try:
        await asyncio.sleep(SENT_SECONDS)
        handler = HANDLERS.get(client.id)
        transport = handler.transports.get(client) if handler else None
        if transport and transport.writer is not None:
            with contextlib.suppress(OSError):
                await transport.writer.drain()
    finally:
        share.give_back()
