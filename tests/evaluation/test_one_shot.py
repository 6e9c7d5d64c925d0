"""Pages that go through real proxies on loopback: a tiny one made here, with its faults, and Privoxy."""

from __future__ import annotations

import gzip
import http.client
import shutil
import socket
import socketserver
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from crunchpy.evaluation.one_shot import Address, ProxyError, fetch_through, one_shot

PAGE = "<p>für".encode("latin-1")
LATIN = "text/html; charset=iso-8859-1"


def get(host: str, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, timeout=5)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def passed_on(line: str) -> bytes:
    """What the origin sends, read to its end."""
    target = urlsplit(line.split()[1])
    with socket.create_connection((target.hostname or "", target.port or 80), timeout=5) as origin:
        origin.sendall(f"GET {target.path} HTTP/1.1\r\nHost: {target.netloc}\r\n\r\n".encode())
        return b"".join(iter(lambda: origin.recv(65536), b""))


@contextmanager
def proxy(answer: Callable[[str], bytes]) -> Iterator[Address]:
    """A proxy that sends what ``answer`` makes of the request line, and hangs up."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            line = self.rfile.readline().decode()
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer(line))

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Address("127.0.0.1", server.server_address[1])
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_page_is_served_once_byte_for_byte() -> None:
    with one_shot("a b", PAGE, LATIN) as origin:
        assert get(origin.host, "/favicon.ico") == (404, b"")
        assert get(origin.host, origin.path) == (200, PAGE)
        sent_at = origin.sent_at
        assert get(origin.host, origin.path)[0] == 404
        assert origin.sent_at == sent_at


def test_each_page_has_a_path_of_its_own() -> None:
    with one_shot("a", PAGE, LATIN) as first, one_shot("a", PAGE, LATIN) as second:
        assert first.path != second.path


def test_a_page_comes_through_with_its_time_and_type() -> None:
    def slowly(line: str) -> bytes:
        whole = passed_on(line)
        time.sleep(0.2)
        return whole

    with proxy(slowly) as address:
        fetched = fetch_through(address, "1", PAGE, LATIN)
    assert (fetched.body, fetched.content_type) == (PAGE, LATIN)
    assert 0.2 <= fetched.seconds < 2


def test_the_time_to_reach_the_origin_is_not_the_proxy_s_work() -> None:
    def late(line: str) -> bytes:
        time.sleep(0.3)
        return passed_on(line)

    with proxy(late) as address:
        assert fetch_through(address, "1", PAGE, LATIN).seconds < 0.2


def test_a_packed_answer_is_unpacked() -> None:
    def packed(line: str) -> bytes:
        body = gzip.compress(passed_on(line).partition(b"\r\n\r\n")[2])
        return b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    with proxy(packed) as address:
        assert fetch_through(address, "1", PAGE, LATIN).body == PAGE


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda line: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", "never asked"),
        (lambda line: b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "answered 502"),
        (lambda line: passed_on(line)[:-2], "IncompleteRead"),
        (lambda line: b"", "RemoteDisconnected"),
        (
            lambda line: passed_on(line).replace(b"\r\nConnection: close", b"\r\nContent-Encoding: gzip"),
            "gzip body is broken",
        ),
    ],
)
def test_a_proxy_that_fails_is_an_error_with_its_reason(answer: Callable[[str], bytes], said: str) -> None:
    with proxy(answer) as address, pytest.raises(ProxyError, match=said):
        fetch_through(address, "1", PAGE, LATIN)


def test_a_proxy_that_never_answers_costs_the_time_out() -> None:
    release = threading.Event()

    def never(line: str) -> bytes:
        release.wait(5)
        return b""

    with proxy(never) as address:
        began = time.perf_counter()
        with pytest.raises(ProxyError, match="TimeoutError"):
            fetch_through(address, "1", PAGE, LATIN, timeout=0.3)
        assert time.perf_counter() - began < 3
        release.set()


def test_a_proxy_that_hangs_up_on_the_origin_is_not_waited_for() -> None:
    def hangs_up(line: str) -> bytes:
        target = urlsplit(line.split()[1])
        with socket.create_connection((target.hostname or "", target.port or 80), timeout=5) as origin:
            origin.sendall(f"GET {target.path} HTTP/1.1\r\nHost: {target.netloc}\r\n\r\n".encode())
            origin.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n"

    with proxy(hangs_up) as address:
        began = time.perf_counter()
        with pytest.raises(ProxyError, match="answered 504"):
            fetch_through(address, "1", b"x" * 20_000_000, LATIN)
        assert time.perf_counter() - began < 10


def test_no_proxy_there() -> None:
    with pytest.raises(ProxyError, match="ConnectionRefusedError"):
        fetch_through(Address("127.0.0.1", 1), "1", PAGE, LATIN)


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:", ":80", "a:b", "a:70000", "a:0"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="HOST:PORT"):
        Address.parse(text)


def test_addresses() -> None:
    assert Address.parse("[::1]:8118") == Address("::1", 8118)
    assert Address.parse("http://127.0.0.1:8080/") == Address("127.0.0.1", 8080)


def test_any_other_proxy_privoxy(tmp_path: Path) -> None:
    program = shutil.which("privoxy", path="/usr/sbin:/usr/bin:/sbin:/bin")
    if program is None:
        pytest.skip("privoxy is not installed (Debian's package privoxy)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = tmp_path / "config"
    config.write_text(f"confdir /etc/privoxy\nlogdir {tmp_path}\nlisten-address 127.0.0.1:{port}\n")
    process = subprocess.Popen([program, "--no-daemon", str(config)], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        fetched = fetch_through(Address("127.0.0.1", port), "1", PAGE, LATIN)
    finally:
        process.terminate()
        process.wait(10)
    assert fetched.body == PAGE
