"""An HTTPS origin that speaks HTTP/2 only, with the same answer to everything."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import Event, RequestReceived, StreamEnded

from tests.origin import Authority, accept_over_tls

type Fields = Sequence[tuple[str, str]]


@dataclass
class H2Origin:
    """What it answers, and the header fields of every request that it has read."""

    fields: Fields
    body: bytes
    trailers: Fields = ()
    port: int = 0
    requests: list[dict[bytes, bytes]] = field(default_factory=list)

    def url(self, path: str) -> str:
        """The address of a path on this server."""
        return f"https://localhost:{self.port}{path}"

    def converse(self, connection: ssl.SSLSocket) -> None:
        """Answer every request of a connection. Bodies are small enough for the first window of 64 kB."""
        link = H2Connection(H2Configuration(client_side=False, header_encoding=None))
        link.initiate_connection()
        connection.sendall(link.data_to_send())
        while received := connection.recv(65536):
            for event in link.receive_data(received):
                self.react(link, event)
            connection.sendall(link.data_to_send())

    def react(self, link: H2Connection, event: Event) -> None:
        if isinstance(event, RequestReceived):
            self.requests.append(dict(event.headers))
        elif isinstance(event, StreamEnded):
            link.send_headers(event.stream_id, [(":status", "200"), *self.fields])
            for start in range(0, len(self.body), 16_000):
                link.send_data(event.stream_id, self.body[start : start + 16_000])
            if self.trailers:
                link.send_headers(event.stream_id, list(self.trailers), end_stream=True)
            else:
                link.end_stream(event.stream_id)


@contextlib.contextmanager
def running_h2_origin(authority: Authority, origin: H2Origin) -> Iterator[H2Origin]:
    """Serve on a free loopback port until the end of the block."""
    context = authority.server_context(alpn=("h2",))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        origin.port = listener.getsockname()[1]
        threading.Thread(target=accept_over_tls, args=(listener, context, origin.converse), daemon=True).start()
        yield origin
