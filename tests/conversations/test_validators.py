"""A reader who comes back: 304 while the settings are the same, the new view as soon as they are not."""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conversations.wire import GOES, WINDOW, Message, answer, ask, cut, page
from tests.conversations.world import OVERLAY, World, running_world

HTML = "Content-Type: text/html\r\n"
OTHER = b'<p class="other">Another thing that may go.</p>'


class Site:
    """An origin with one page, which answers 304 to its own ETag."""

    def __init__(self, world: World, scheme: str) -> None:
        self.world = world
        self.origin = world.origins[scheme]
        self.body = page(OTHER)
        world.answers["/again"] = self.answer

    def answer(self, connection: socket.socket) -> None:
        tags = ask_header(self.origin.requests[-1], b"if-none-match")
        if tags == b'"v1"':
            connection.sendall(b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nX: y\r\nConnection: close\r\n\r\n')
        else:
            connection.sendall(answer(self.body, HTML + 'ETag: "v1"\r\nConnection: close\r\n'))

    def read(self, etag: bytes = b"") -> Message:
        """Ask as a browser does that has a copy with this ETag."""
        lines = WINDOW + (f"If-None-Match: {etag.decode()}\r\n" if etag else "")
        return ask(self.world.proxy, self.origin, "/again", lines)

    def asked_with(self) -> bytes:
        """The validator that the origin saw last."""
        return ask_header(self.origin.requests[-1], b"if-none-match")


def ask_header(head: bytes, name: bytes) -> bytes:
    """The value of a header in a raw head, empty if it has none."""
    found = re.search(rb"\r\n" + name + rb": *([^\r]*)", head, re.IGNORECASE)
    return found[1] if found else b""


@pytest.fixture
def own_world(tmp_path: Path) -> Iterator[tuple[World, Path]]:
    """A proxy whose overlay the test may change."""
    overlay = tmp_path / "overlay"
    shutil.copytree(OVERLAY, overlay, ignore=shutil.ignore_patterns("__pycache__"))
    with running_world(tmp_path, overlay) as world:
        yield world, overlay


def test_a_copy_is_good_until_the_settings_change(own_world: tuple[World, Path]) -> None:
    world, overlay = own_world
    site = Site(world, "http")
    first = site.read()
    assert first.body == cut(site.body)
    etag = ask_header(first.head, b"etag")
    assert etag.startswith(b'W/"crunchpy.')

    again = site.read(etag)
    assert site.asked_with() == b'"v1"'
    assert again.head.startswith(b"HTTP/1.1 304")
    assert ask_header(again.head, b"etag") == etag

    plugin = overlay / "plugins" / "marked.py"
    plugin.write_text(plugin.read_text().replace('".goes"', '".other"'))
    world.proxy.wait_for_log("reload complete")

    changed = site.read(etag)
    assert site.asked_with() == b""
    assert changed.head.startswith(b"HTTP/1.1 200")
    assert changed.body == site.body.replace(OTHER, b"")
    assert GOES in changed.body
    assert ask_header(changed.head, b"etag") not in (b"", etag)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_copy_from_before_the_proxy_is_not_good(world: World, scheme: str) -> None:
    site = Site(world, scheme)
    answer_to_foreign = site.read(b'"v1"')
    assert answer_to_foreign.head.startswith(b"HTTP/1.1 200")
    assert answer_to_foreign.body == cut(site.body)
