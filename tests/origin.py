"""A web server for tests that sends exactly the bytes it is told to, over HTTP or HTTPS, and keeps what it was sent.

    with running_origin({"/": page(b"<p>Hello</p>")}) as origin:
        httpx.get(origin.url("/"), proxy=...)

An answer is bytes, or a function that writes to the connection itself (to be slow, to break off, to never end).
"""

from __future__ import annotations

import contextlib
import datetime
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

type Answer = bytes | Callable[[socket.socket], None]

# Clients that are strict about certificates ask a CA's for this.
SIGNS_CERTIFICATES = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def answer(
    body: bytes, content_type: str = "text/html; charset=utf-8", *, status: str = "200 OK", headers: str = ""
) -> bytes:
    """A whole HTTP/1.1 answer; `headers` are further lines, each ending in CRLF."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    return head.encode("latin-1") + body


@dataclass
class Origin:
    """A running server: its port, and every request head that it has read, as bytes."""

    port: int
    scheme: str = "http"
    host: str = "127.0.0.1"
    requests: list[bytes] = field(default_factory=list)

    def url(self, path: str = "/") -> str:
        """The address of a path on this server."""
        return f"{self.scheme}://{self.host}:{self.port}{path}"

    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [request.split(b" ", 2)[1].decode() for request in self.requests]


@contextlib.contextmanager
def running_origin(answers: Mapping[str, Answer], *, tls: ssl.SSLContext | None = None) -> Iterator[Origin]:
    """Serve `answers` by path on a free loopback port; every other path is 404."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    origin = Origin(listener.getsockname()[1], "https" if tls else "http", "localhost" if tls else "127.0.0.1")
    stopping = threading.Event()
    threading.Thread(target=accept, args=(listener, origin, answers, tls, stopping), daemon=True).start()
    try:
        yield origin
    finally:
        stopping.set()
        listener.close()


def accept(
    listener: socket.socket,
    origin: Origin,
    answers: Mapping[str, Answer],
    tls: ssl.SSLContext | None,
    stopping: threading.Event,
) -> None:
    """One thread a connection, until the listener is closed."""
    while not stopping.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=converse, args=(connection, origin, answers, tls), daemon=True).start()


def converse(
    connection: socket.socket, origin: Origin, answers: Mapping[str, Answer], tls: ssl.SSLContext | None
) -> None:
    """Answer the requests of one connection; a broken connection ends it quietly."""
    with contextlib.suppress(OSError, ssl.SSLError):
        wrapped = tls.wrap_socket(connection, server_side=True) if tls else connection
        with wrapped:
            while request := read_request(wrapped):
                origin.requests.append(request)
                path = request.split(b" ", 2)[1].decode().partition("?")[0]
                prepared = answers.get(path, NOT_FOUND)
                if callable(prepared):
                    prepared(wrapped)
                    return
                wrapped.sendall(prepared)


def read_request(connection: socket.socket) -> bytes:
    """One request head and its body by Content-Length; empty at the end of the connection."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65536)
        if not piece:
            return b""
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@dataclass(frozen=True)
class Authority:
    """A CA for test origins. `ca_file` is what a client (or the proxy) must trust."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def ca_file(self) -> Path:
        """The CA's certificate, PEM."""
        return self.folder / "ca.pem"

    @classmethod
    def make(cls, folder: Path) -> Authority:
        """A new CA in `folder`."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test origins")])
        certificate = sign(name, name, key, key, is_ca=True)
        authority = cls(folder, key, certificate)
        authority.ca_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return authority

    def server_context(self, host: str = "localhost", *, days: int = 30, alpn: tuple[str, ...] = ()) -> ssl.SSLContext:
        """A server's TLS context with a certificate for `host`; negative `days` make it expired."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        certificate = sign(subject, self.certificate.subject, key, self.key, host=host, days=days)
        return context_of(self.folder, certificate, key, alpn)


def context_of(
    folder: Path, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey, alpn: tuple[str, ...] = ()
) -> ssl.SSLContext:
    """A server's TLS context of a certificate and its key."""
    file = folder / f"{certificate.serial_number}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    if alpn:
        context.set_alpn_protocols(list(alpn))
    return context


def sign(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    *,
    host: str = "",
    days: int = 30,
    is_ca: bool = False,
) -> x509.Certificate:
    """A certificate for `key`, signed with `signer`."""
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=60))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if is_ca:
        builder = builder.add_extension(SIGNS_CERTIFICATES, critical=True)
    if host:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(signer, hashes.SHA256())


def accept_over_tls(
    listener: socket.socket, context: ssl.SSLContext, converse: Callable[[ssl.SSLSocket], None]
) -> None:
    """Converse over TLS with whoever comes, one thread a connection, until the listener is closed."""

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as wrapped:
            converse(wrapped)

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=serve, args=(connection,), daemon=True).start()
