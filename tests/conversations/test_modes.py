"""The same page through SOCKS5, a reverse proxy and another proxy; and none of them opens the private network."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from crunchpy.serve import ServeOptions, serve
from tests.conversations.wire import WINDOW, Message, answer, ask, cut, page, read_message
from tests.conversations.world import OVERLAY, World
from tests.origin import Authority, Origin
from tests.proxy import LOOPBACK, Proxy, running_proxy

SOCKS_DONE, SOCKS_NOT_REACHED = 0, 4
PRIVATE = ("127.0.0.1", "169.254.169.254", "10.0.0.1", "localhost")
SCHEMES = ("http", "https")


@contextlib.contextmanager
def mode_proxy(
    authority: Authority, *arguments: str, allow_upstream: Sequence[str] = LOOPBACK, **options: str
) -> Iterator[Proxy]:
    """A proxy in some mode that filters with the settings of these tests and trusts their origins."""
    options |= {"ssl_verify_upstream_trusted_ca": str(authority.ca_file)}
    with running_proxy(
        overlays=[OVERLAY], options=options, arguments=arguments, allow_upstream=allow_upstream
    ) as proxy:
        yield proxy


def reader(proxy: Proxy) -> socket.socket:
    return socket.create_connection((proxy.host, proxy.port), timeout=15)


def converse(connection: socket.socket, host: str, target: str = "/") -> Message:
    """Ask for a page on this connection, as from a server."""
    return talk(connection, f"GET {target} HTTP/1.1\r\nHost: {host}\r\n{WINDOW}\r\n")


def talk(connection: socket.socket, request: str) -> Message:
    """Send these bytes, and read the response to its end."""
    connection.sendall(request.encode())
    received = b""
    while not (message := read_message(received, closed=False)):
        piece = connection.recv(65536)
        assert piece, received
        received += piece
    return message


# SOCKS5 -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def socks(world: World) -> Iterator[Proxy]:
    with mode_proxy(world.authority, "--mode", "socks5") as proxy:
        yield proxy


@pytest.fixture(scope="module")
def strict_socks(world: World) -> Iterator[Proxy]:
    with mode_proxy(world.authority, "--mode", "socks5", allow_upstream=()) as proxy:
        yield proxy


def socks_to(proxy: Proxy, host: str, port: int) -> tuple[int, socket.socket]:
    """The proxy's answer to a SOCKS5 client that wants to go there (RFC 1928), and the connection."""
    connection = reader(proxy)
    connection.sendall(b"\x05\x01\x00")
    assert connection.recv(2) == b"\x05\x00"
    connection.sendall(b"\x05\x01\x00\x03" + bytes([len(host)]) + host.encode() + struct.pack(">H", port))
    return connection.recv(64)[1], connection


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_comes_filtered_through_socks5(world: World, socks: Proxy, scheme: str) -> None:
    world.answers["/"] = answer(page())
    origin = world.origins[scheme]
    status, connection = socks_to(socks, origin.host, origin.port)
    assert status == SOCKS_DONE
    if scheme == "https":
        connection = socks.trust().wrap_socket(connection, server_hostname=origin.host)
    with connection:
        assert converse(connection, origin.host).body == cut(page())
    assert socks.log().startswith("Point your browser or device at the SOCKS5 proxy: host 127.0.0.1, port ")


@pytest.mark.parametrize("host", PRIVATE)
def test_socks5_goes_to_no_private_address(world: World, strict_socks: Proxy, host: str) -> None:
    asked = len(world.origins["http"].requests)
    status, connection = socks_to(strict_socks, host, world.origins["http"].port)
    connection.close()
    assert status == SOCKS_NOT_REACHED
    assert len(world.origins["http"].requests) == asked
    strict_socks.wait_for_log(f"{host} refused: .* private")


def test_socks5_does_not_connect_to_itself(socks: Proxy) -> None:
    status, connection = socks_to(socks, "127.0.0.2", socks.port)
    connection.close()
    assert status == SOCKS_NOT_REACHED


# Reverse ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=SCHEMES)
def reverse(request: pytest.FixtureRequest, world: World) -> Iterator[tuple[Proxy, Origin]]:
    origin = world.origins[request.param]
    with mode_proxy(world.authority, "--mode", f"reverse:{origin.url('')}", allow_upstream=()) as proxy:
        yield proxy, origin


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_comes_filtered_through_a_reverse_proxy(
    world: World, reverse: tuple[Proxy, Origin], scheme: str
) -> None:
    """Its target is private, and allowed because the administrator named it; readers come with and without TLS."""
    proxy, origin = reverse
    world.answers["/"] = answer(page())
    connection = reader(proxy)
    if scheme == "https":
        connection = proxy.trust().wrap_socket(connection, server_hostname="localhost")
    with connection:
        assert converse(connection, f"localhost:{proxy.port}").body == cut(page())
    assert f"Host: {origin.host}:{origin.port}\r\n".encode() in origin.requests[-1]
    assert proxy.log().startswith(f"Open this address in your browser, it shows {origin.url('')} filtered: host ")
    assert "mitm.it" not in proxy.log(), "which cannot be reached through it"


@pytest.mark.parametrize("host", ["10.0.0.1", "example.org"])
def test_a_reverse_proxy_goes_nowhere_else(world: World, reverse: tuple[Proxy, Origin], host: str) -> None:
    proxy, origin = reverse
    world.answers["/named"] = answer(b"the named one")
    with reader(proxy) as connection:
        assert converse(connection, host, f"http://{host}/named").body == b"the named one"
    assert f"Host: {origin.host}:{origin.port}\r\n".encode() in origin.requests[-1]
    with reader(proxy) as connection:
        connection.sendall(f"CONNECT {host}:80 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")


# Another proxy ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parent(world: World) -> Iterator[Proxy]:
    """Another proxy that changes nothing: it tunnels what is encrypted, and filters no page of these hosts."""
    with mode_proxy(world.authority, "--set", "crunchpy_except=127.0.0.1", ignore_hosts=".*") as proxy:
        yield proxy


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_comes_filtered_through_another_proxy(world: World, parent: Proxy, scheme: str) -> None:
    world.answers["/"] = answer(page())
    with mode_proxy(world.authority, "--upstream", parent.url) as proxy:
        assert ask(proxy, world.origins[scheme], "/").body == cut(page())
        proxy.wait_for_log(r"/ default: .* marked")
    if scheme == "http":
        parent.wait_for_log(r"/ untouched: excepted_host")


def test_no_private_address_is_asked_of_another_proxy(world: World, parent: Proxy) -> None:
    """That proxy itself is private, and allowed because the administrator named it."""
    origin = world.origins["http"]
    asked = len(origin.requests)
    with mode_proxy(world.authority, "--upstream", parent.url, allow_upstream=()) as proxy:
        for host in (*PRIVATE, "127.1", "2130706433"):
            for request in (
                f"GET http://{host}:{origin.port}/ HTTP/1.1\r\nHost: {host}\r\n\r\n",
                f"POST http://{host}:{origin.port}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\nab",
                f"CONNECT {host}:{origin.port} HTTP/1.1\r\nHost: {host}\r\n\r\n",
            ):
                with reader(proxy) as connection:
                    message = talk(connection, request)
                assert message.head.startswith(b"HTTP/1.1 502 "), request
                assert message.body.startswith(f"{host} refused: ".encode())
        assert "Traceback" not in proxy.log()
    assert len(origin.requests) == asked


def test_a_proxy_named_as_its_own_parent_does_not_ask_itself_for_ever(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    arguments = ("--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.2:{port}")
    with mode_proxy(world.authority, *arguments) as proxy:
        message = ask(proxy, world.origins["http"], "/")
        assert message.head.startswith(b"HTTP/1.1 502 ")
        proxy.wait_for_log("the proxy does not connect to itself")


# What is refused at the start ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("dns", "carries no web pages, so nothing would be filtered"),
        ("reverse:tcp://127.0.0.1:99", "carries no web pages, so nothing would be filtered"),
        ("sideways", "unknown mode; there are regular, socks5, upstream:URL, reverse:URL, transparent"),
        ("reverse:", "write http://HOST:PORT or https://HOST:PORT"),
        ("upstream:ftp://127.0.0.1", "write http://HOST:PORT or https://HOST:PORT"),
        ("socks5@127.0.0.1:http", "invalid port: http"),
    ],
)
def test_a_mode_that_cannot_filter_is_refused_by_name(
    mode: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert serve(ServeOptions(listen="127.0.0.1:0", mode=(mode,), confdir=tmp_path)) == 1
    printed = capsys.readouterr().err
    assert f"--mode {mode}: " in printed
    assert said in printed


@pytest.mark.parametrize("mode", ["socks5", "transparent", "reverse:http://10.0.0.1", "upstream:http://10.0.0.1"])
def test_no_mode_is_open_to_everybody(mode: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert serve(ServeOptions(listen="0.0.0.0:0", mode=(mode,), confdir=tmp_path)) == 1
    assert "lets anybody on the network use this proxy" in capsys.readouterr().err
