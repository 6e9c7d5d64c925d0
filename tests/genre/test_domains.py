"""Which site a host belongs to, and which names may be told to others."""

from __future__ import annotations

import pytest

from crunchpy.genre.domains import public_site, site_of


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("www.example.com", "example.com"),
        ("a.b.bbc.co.uk", "bbc.co.uk"),
        ("Someone.Blogspot.com.", "someone.blogspot.com"),
        ("blogspot.com", "blogspot.com"),
        ("intranet", "intranet"),
        ("192.168.1.7", "192.168.1.7"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_site_of(host: str, site: str) -> None:
    assert site_of(host) == site


@pytest.mark.parametrize("host", ["www.example.com", "news.bbc.co.uk", "someone.github.io"])
def test_public_names_may_be_told_but_only_as_their_domain(host: str) -> None:
    assert public_site(host) in {"example.com", "bbc.co.uk", "someone.github.io"}


@pytest.mark.parametrize(
    "host",
    [
        "", "localhost", "printer", "printer.local", "wiki.corp", "nas.home.arpa",
        "host.internal", "router.lan", "a.test",
        "x.onion",        "10.0.0.1", "127.1", "2130706433", "[fe80::1]", "::1",
        "co.uk", "bücher.local", "no-such-ending.zzzz",
    ],
)  # fmt: skip
def test_private_names_are_never_told(host: str) -> None:
    assert public_site(host) is None
