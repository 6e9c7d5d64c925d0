"""A web server for measuring: pages from memory, kept-alive connections, and as little work as Python allows."""

from __future__ import annotations

import asyncio


class Origin(asyncio.Protocol):
    """Answers each request head with the page of its path."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self.answers = answers
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to answer."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that has come whole."""
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            self.transport.write(self.answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))


async def run(answers: dict[bytes, bytes], port: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(lambda: Origin(answers), "127.0.0.1", port)
    await server.serve_forever()


def serve_pages(pages: dict[str, bytes], port: int) -> None:
    """Serve pages by path on a loopback port; never returns."""
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n"
    answers = {path.encode(): head.format(len(body)).encode() + body for path, body in pages.items()}
    asyncio.run(run(answers, port))
