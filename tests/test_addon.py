"""The addon and the doorkeeper in a running proxy: what is decrypted, refused, blocked, cached, logged."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate

from tests.faults import make_overlay, page, without_navigation
from tests.origin import Authority, Origin, answer, running_origin
from tests.proxy import Proxy, running_proxy

pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated. Please use:DeprecationWarning")

BODY = page("Hello")
FILTERED = without_navigation(BODY)
ETAGGED = answer(
    BODY, headers="ETag: \"v1\"\r\nContent-Security-Policy: default-src 'self'\r\nAccept-Ranges: bytes\r\n"
)
ANSWERS = {
    "/": answer(BODY),
    "/etag": ETAGGED,
    "/post": answer(BODY),
    "/image.png": answer(b"\x89PNG", "image/png"),
}


def not_modified_or_whole(connection: socket.socket) -> None:
    """Only for requests that the test looks at; see `running_origin`."""
    connection.sendall(b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\n\r\n')


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_overlay(tmp_path_factory.mktemp("overlay"))
    (folder / "never_decrypt.txt").write_text("bank.localhost\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def proxy(overlay: Path, authority: Authority) -> Iterator[Proxy]:
    with running_proxy(
        overlays=[overlay], options={"ssl_verify_upstream_trusted_ca": str(authority.ca_file)}
    ) as running:
        yield running


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    with running_origin({**ANSWERS, "/unchanged": not_modified_or_whole}) as running:
        yield running


@pytest.fixture(scope="module")
def secure(authority: Authority) -> Iterator[Origin]:
    with running_origin(ANSWERS, tls=authority.server_context()) as running:
        yield running


def client_of(proxy: Proxy, **options: Any) -> httpx.Client:
    return httpx.Client(proxy=proxy.url, verify=proxy.trust(), timeout=20, **options)


@contextlib.contextmanager
def tunnel(proxy: Proxy, server_name: str, port: int, context: ssl.SSLContext) -> Iterator[ssl.SSLSocket]:
    """A TLS connection through the proxy to a port of this machine, asking for the certificate of `server_name`."""
    with socket.create_connection((proxy.host, proxy.port), timeout=20) as connection:
        connection.sendall(f"CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        reply = connection.recv(4096)
        assert b" 200 " in reply.split(b"\r\n")[0], reply
        with context.wrap_socket(connection, server_hostname=server_name) as wrapped:
            yield wrapped


def certificate_issuer(proxy: Proxy, server_name: str, port: int) -> str:
    """Who signed the certificate that a client of the proxy gets for a host."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with tunnel(proxy, server_name, port, context) as wrapped:
        der = wrapped.getpeercert(binary_form=True)
    assert der
    return load_pem_x509_certificate(ssl.DER_cert_to_PEM_cert(der).encode()).issuer.rfc4514_string()


# --- what is decrypted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("http2", [False, True])
def test_http_and_https_and_both_versions_give_the_same_page(
    proxy: Proxy, origin: Origin, secure: Origin, http2: bool
) -> None:
    with client_of(proxy, http2=http2) as client:
        assert client.get(origin.url()).content == FILTERED
        assert client.get(secure.url()).content == FILTERED


def test_hosts_of_the_never_decrypt_list_keep_their_own_certificate(proxy: Proxy, secure: Origin) -> None:
    assert "Test origins" in certificate_issuer(proxy, "bank.localhost", secure.port)
    assert "mitmproxy" in certificate_issuer(proxy, "localhost", secure.port)
    proxy.wait_for_log("tunnel: bank.localhost is not decrypted")


def test_an_app_that_refuses_our_certificate_gets_a_tunnel(proxy: Proxy, authority: Authority) -> None:
    pinned = ssl.create_default_context(cafile=str(authority.ca_file))
    with running_origin(ANSWERS, tls=authority.server_context("pinned.localhost")) as origin:
        for _ in range(3):
            with pytest.raises(ssl.SSLCertVerificationError), tunnel(proxy, "pinned.localhost", origin.port, pinned):
                pass
        proxy.wait_for_log("refuses our certificate for pinned.localhost")
        with tunnel(proxy, "pinned.localhost", origin.port, pinned) as app:
            app.sendall(b"GET / HTTP/1.1\r\nHost: pinned.localhost\r\nConnection: close\r\n\r\n")
            assert app.recv(65536) == ANSWERS["/"], "unread and unfiltered"


@pytest.mark.parametrize("fault", ["wrong host", "expired", "unknown authority", "our own authority", "TLS 1.1"])
def test_a_connection_that_cannot_be_trusted_fails_for_the_reader(
    fault: str, proxy: Proxy, authority: Authority, tmp_path: Path
) -> None:
    context = bad_context(fault, proxy, authority, tmp_path)
    with running_origin(ANSWERS, tls=context) as origin, client_of(proxy) as client:
        reply = client.get(origin.url())
        assert reply.status_code == 502
        assert b"NAVIGATION" not in reply.content
        assert origin.requests == []


def bad_context(fault: str, proxy: Proxy, authority: Authority, folder: Path) -> ssl.SSLContext:
    if fault == "wrong host":
        return authority.server_context("other.localhost")
    if fault == "expired":
        return authority.server_context(days=-1)
    if fault == "unknown authority":
        return Authority.make(folder).server_context()
    if fault == "our own authority":
        key_file = (proxy.confdir / "mitmproxy-ca.pem").read_bytes()
        key: Any = load_pem_private_key(key_file, None)
        return Authority(folder, key, load_pem_x509_certificate(key_file)).server_context()
    context = authority.server_context()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = ssl.TLSVersion.TLSv1_1
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


# --- where it may connect to ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strict_proxy() -> Iterator[Proxy]:
    with running_proxy(allow_upstream=()) as running:
        yield running


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "169.254.169.254"]
)
def test_private_addresses_are_refused(strict_proxy: Proxy, origin: Origin, host: str) -> None:
    asked = len(origin.requests)
    with httpx.Client(proxy=strict_proxy.url, timeout=20) as client:
        reply = client.get(f"http://{host}:{origin.port}/")
        assert reply.status_code in {400, 502}  # mitmproxy itself takes no IPv6 address in brackets.
        with pytest.raises(httpx.ProxyError, match=r"400|502"):
            client.get(f"https://{host}:{origin.port}/")
    assert len(origin.requests) == asked


def test_the_proxy_does_not_connect_to_itself(proxy: Proxy) -> None:
    with httpx.Client(proxy=proxy.url, timeout=20) as client:
        assert client.get(f"http://127.0.0.2:{proxy.port}/").status_code == 502


def test_a_name_that_changes_its_address_after_the_check_gains_nothing() -> None:
    from crunchpy import doorkeeper

    answers = iter(["93.184.216.34", "127.0.0.1"])

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    async def connect() -> str:
        loop = asyncio.get_running_loop()
        loop.getaddrinfo = resolve  # type: ignore[method-assign,assignment]
        doorkeeper.pin_checked_addresses(loop)
        data: Any = SimpleNamespace(server=SimpleNamespace(error=None, address=("rebind.example", 80)))
        await doorkeeper.Doorkeeper().server_connect(data)
        assert data.server.error is None
        found = await loop.getaddrinfo("rebind.example", 80)
        address: str = found[0][4][0]
        return address

    assert asyncio.run(connect()) == "93.184.216.34"


# --- pages, adverts, caches, logs -----------------------------------------------------------------------------------


def test_a_request_for_an_advert_is_answered_without_asking_its_host(proxy: Proxy) -> None:
    with httpx.Client(proxy=proxy.url, timeout=20) as client:
        referer = {"Referer": "http://news.example/", "Sec-Fetch-Dest": "image"}
        reply = client.get("http://ad.doubleclick.net/banner.gif?id=secret", headers=referer)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/gif")
    with client_of(proxy) as secure:
        assert secure.get("https://ad.doubleclick.net/banner.gif?id=secret", headers=referer).content[:3] == b"GIF"
    log = proxy.wait_for_log("blocked: image ad.doubleclick.net", count=2)
    assert "secret" not in log


def test_a_changed_page_has_a_new_length_and_tag_and_its_other_headers(proxy: Proxy, origin: Origin) -> None:
    with client_of(proxy) as client:
        reply = client.get(origin.url("/etag"))
        assert reply.content == FILTERED
        assert reply.headers["content-length"] == str(len(FILTERED))
        assert reply.headers["content-security-policy"] == "default-src 'self'"
        assert "accept-ranges" not in reply.headers
        tag = reply.headers["etag"]
        assert re.fullmatch(r'W/"crunchpy\.[0-9a-f]+\.s\.v1"', tag)
        unchanged = client.get(origin.url("/unchanged"), headers={"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.headers["etag"]) == (304, tag)
        assert b'if-none-match: "v1"' in origin.requests[-1].lower()
        client.get(origin.url("/etag"), headers={"If-None-Match": '"v1"'})
        assert b"if-none-match" not in origin.requests[-1].lower(), "a copy from before may hold anything"


def test_what_is_no_page_load_is_left_alone(proxy: Proxy, origin: Origin) -> None:
    with client_of(proxy) as client:
        assert client.post(origin.url("/post"), content=b"a" * 300_000).content == BODY
        assert origin.requests[-1].endswith(b"a" * 1000)
        assert client.get(origin.url("/"), headers={"HX-Request": "true"}).content == BODY
        assert client.get(origin.url("/image.png")).content == b"\x89PNG"
    proxy.wait_for_log("untouched: not_get")
    proxy.wait_for_log("untouched: fragment")


def test_the_log_has_a_line_for_each_page_and_no_secrets(proxy: Proxy, origin: Origin) -> None:
    with client_of(proxy) as client:
        headers = {"Cookie": "session=SECRET1", "Authorization": "Bearer SECRET2"}
        client.get(origin.url("/?password=SECRET3#SECRET4"), headers=headers)
        client.post(origin.url("/post?token=SECRET5"), content=b"password=SECRET6", headers=headers)
    log = proxy.wait_for_log(r"INFO 127\.0\.0\.1/ default: \d+ to \d+ words")
    assert "SECRET" not in log


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET {url} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST {url} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"GET {url} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
        b"GET {url} HTTP/1.1\r\nHost : a\r\n\r\n",
    ],
    ids=["both lengths", "two lengths", "unknown coding", "space in a name"],
)
def test_a_request_with_two_readings_is_refused_and_never_becomes_two(
    proxy: Proxy, origin: Origin, request_bytes: bytes
) -> None:
    asked = len(origin.requests)
    with socket.create_connection((proxy.host, proxy.port), timeout=20) as connection:
        connection.sendall(request_bytes.replace(b"{url}", origin.url().encode()))
        reply = connection.recv(65536)
    assert b" 400 " in reply.split(b"\r\n")[0]
    assert len(origin.requests) == asked


def test_pages_come_through_another_proxy_too(proxy: Proxy, origin: Origin) -> None:
    with running_proxy(arguments=["--upstream", proxy.url]) as outer, client_of(outer) as client:
        assert client.get(origin.url()).content == FILTERED
