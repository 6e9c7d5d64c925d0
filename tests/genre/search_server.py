"""A search server that does as the test says, to the byte: whole answers, and every way to fail."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def http(status: str, body: bytes, headers: str = "Content-Type: application/json") -> bytes:
    """A whole HTTP/1.0 answer."""
    return f"HTTP/1.0 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n\r\n".encode() + body


def results(*titles: str, **more: Any) -> bytes:
    """A searx answer with these titles."""
    found = [
        {"title": title, "content": f"about {title}", "url": f"https://{n}.org/"} for n, title in enumerate(titles)
    ]
    return http("200 OK", json.dumps({"query": "q", "results": found} | more).encode())


class SearchServer:
    """Answers each connection with `answer`; `requests` keeps what came."""

    def __init__(self) -> None:
        self.answer = results("first")
        self.pause_s = 0.0  # before each piece of ten bytes where it is set
        self.requests: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.requests.append(connection.recv(65536).decode())
                self._send(connection)

    def _send(self, connection: socket.socket) -> None:
        size = 10 if self.pause_s else max(len(self.answer), 1)
        try:
            for start in range(0, len(self.answer), size):
                time.sleep(self.pause_s)
                connection.sendall(self.answer[start : start + size])
        except OSError:
            return  # the client had enough

    def close(self) -> None:
        """Stop listening."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)


@contextmanager
def search_server() -> Iterator[SearchServer]:
    """A server for one test."""
    server = SearchServer()
    try:
        yield server
    finally:
        server.close()
