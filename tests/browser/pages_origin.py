"""An HTTPS origin that serves whole pages by path, over HTTP/2 or HTTP/1.1 as the client likes."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, StreamReset, WindowUpdated

from tests.origin import NOT_FOUND, Authority, accept_over_tls, answer, read_request


@dataclass
class PagesOrigin:
    """Pages by path: content type and body. Everything else is 404."""

    pages: Mapping[str, tuple[str, bytes]]
    port: int = 0

    def url(self, path: str) -> str:
        """The address of a path on this server."""
        return f"https://localhost:{self.port}{path}"

    def converse(self, connection: ssl.SSLSocket) -> None:
        """Answer the requests of one connection, in the version that was agreed on."""
        if connection.selected_alpn_protocol() == "h2":
            Http2(self.pages, connection).run()
            return
        while request := read_request(connection):
            content_type, body = self.pages.get(request.split(b" ", 2)[1].decode(), ("", b""))
            connection.sendall(answer(body, content_type) if content_type else NOT_FOUND)


@dataclass
class Http2:
    """One HTTP/2 connection; bodies are sent as far as the client's windows allow, and go on when they open."""

    pages: Mapping[str, tuple[str, bytes]]
    connection: ssl.SSLSocket
    waiting: dict[int, bytes] = field(default_factory=dict)

    def run(self) -> None:
        link = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        link.initiate_connection()
        self.connection.sendall(link.data_to_send())
        while received := self.connection.recv(65536):
            for event in link.receive_data(received):
                if isinstance(event, RequestReceived):
                    self.respond(link, event)
                elif isinstance(event, StreamReset):
                    self.waiting.pop(event.stream_id, None)
                elif isinstance(event, WindowUpdated):
                    for stream in list(self.waiting):
                        self.send_more(link, stream)
            self.connection.sendall(link.data_to_send())

    def respond(self, link: H2Connection, event: RequestReceived) -> None:
        path = dict(event.headers)[":path"]
        content_type, body = self.pages.get(path, ("", b""))
        fields = [(":status", "200" if content_type else "404"), ("content-length", str(len(body)))]
        link.send_headers(event.stream_id, [*fields, ("content-type", content_type or "text/plain")])
        self.waiting[event.stream_id] = body
        self.send_more(link, event.stream_id)

    def send_more(self, link: H2Connection, stream: int) -> None:
        body = self.waiting[stream]
        while body and (size := min(link.local_flow_control_window(stream), link.max_outbound_frame_size)):
            link.send_data(stream, body[:size])
            body = body[size:]
        self.waiting[stream] = body
        if not body:
            link.end_stream(stream)
            del self.waiting[stream]


@contextlib.contextmanager
def running_pages_origin(authority: Authority, pages: Mapping[str, tuple[str, bytes]]) -> Iterator[PagesOrigin]:
    """Serve on a free loopback port until the end of the block; HTTP/2 where the client offers it."""
    origin = PagesOrigin(pages)
    context = authority.server_context(alpn=("h2", "http/1.1"))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        origin.port = listener.getsockname()[1]
        threading.Thread(target=accept_over_tls, args=(listener, context, origin.converse), daemon=True).start()
        yield origin
