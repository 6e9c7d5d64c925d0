"""Certificates: an origin's faults reach the reader, and an app that trusts one certificate only gets its tunnel."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conversations.wire import answer, ask, cut, open_to, page, request_bytes
from tests.conversations.world import World, running_world
from tests.origin import Authority, context_of, running_origin, sign

PAGE = answer(page(b"<p>secret</p>"))

type Faulty = Callable[[World, Path], ssl.SSLContext]


def of_another_host(world: World, folder: Path) -> ssl.SSLContext:
    return world.authority.server_context("other.example")


def expired(world: World, folder: Path) -> ssl.SSLContext:
    return world.authority.server_context(days=-1)


def of_an_unknown_authority(world: World, folder: Path) -> ssl.SSLContext:
    return Authority.make(folder).server_context()


def self_signed(world: World, folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    return context_of(folder, sign(name, name, key, key, host="localhost"), key)


def of_the_proxys_own_authority(world: World, folder: Path) -> ssl.SSLContext:
    pem = (world.proxy.confdir / "mitmproxy-ca.pem").read_bytes()
    signer = serialization.load_pem_private_key(pem, None)
    issuer = x509.load_pem_x509_certificate(world.proxy.ca_file.read_bytes()).subject
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    return context_of(folder, sign(name, issuer, key, signer, host="localhost"), key)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "fault", [of_another_host, expired, of_an_unknown_authority, self_signed, of_the_proxys_own_authority]
)
def test_a_bad_certificate_is_shown_and_nothing_is_asked(world: World, tmp_path: Path, fault: Faulty) -> None:
    with running_origin({"/": PAGE}, tls=fault(world, tmp_path)) as origin:
        message = ask(world.proxy, origin, "/")
        assert message.head.startswith(b"HTTP/1.1 502 ")
        assert b"ertificate" in message.body
        assert b"secret" not in message.body
        assert origin.requests == []


def test_an_app_that_trusts_one_certificate_gets_a_tunnel(tmp_path: Path) -> None:
    with running_world(tmp_path) as world:
        origin = world.origins["https"]
        world.answers["/pinned"] = PAGE
        assert ask(world.proxy, origin, "/pinned").body == cut(page(b"<p>secret</p>"))
        for _ in range(3):
            with contextlib.suppress(ssl.SSLError), open_to(world.proxy, origin, trusts(world.authority)):
                pass
        world.proxy.wait_for_log("tunnel: 127.0.0.1 refuses our certificate for localhost")
        with open_to(world.proxy, origin, trusts(world.authority)) as connection:
            connection.sendall(request_bytes(origin, "/pinned", "Connection: close\r\n"))
            received = b""
            while not received.endswith(b"</html>\n"):
                received += connection.recv(65536)
        assert received == PAGE


def trusts(authority: Authority) -> ssl.SSLContext:
    """A client that trusts the origin's authority, and so not the proxy's."""
    context = ssl.create_default_context(cafile=str(authority.ca_file))
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # the test authority's certificate has only what it needs
    return context
