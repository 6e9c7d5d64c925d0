"""Who may come in, where the proxy may connect to, what it must not decrypt."""

from __future__ import annotations

from pathlib import Path

import pytest

from crunchpy.guard import (
    Exposure,
    GuardError,
    HostList,
    Refusals,
    UpstreamGuard,
    is_loopback,
    never_decrypt_files,
    parse_address,
    parse_networks,
    written_address,
)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",  # the metadata service of cloud machines
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
    ],
)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert UpstreamGuard().refusal(address, 80) is not None


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_public_addresses_are_allowed(address: str) -> None:
    assert UpstreamGuard().refusal(address, 80) is None


def test_only_the_named_private_network_is_allowed() -> None:
    guard = UpstreamGuard(parse_networks(["192.168.7.0/24"], "--allow-upstream"))
    assert guard.refusal("192.168.7.9", 80) is None
    assert guard.refusal("::ffff:192.168.7.9", 80) is None
    assert guard.refusal("192.168.8.9", 80)


def test_the_proxys_own_port_is_refused_even_where_loopback_is_allowed() -> None:
    guard = UpstreamGuard(parse_networks(["127.0.0.0/8"], "--allow-upstream"), frozenset({8080}))
    assert guard.refusal("127.0.0.1", 8081) is None
    assert "itself" in (guard.refusal("127.0.0.1", 8080) or "")
    assert "itself" in (guard.refusal("127.0.0.2", 8080) or "")


def test_a_named_destination_may_be_private_but_never_the_proxy_itself() -> None:
    guard = UpstreamGuard(own_ports=frozenset({8080}))
    assert guard.refusal("10.0.0.1", 3128, named=True) is None
    assert guard.refusal("10.0.0.1", 8080, named=True) is None
    assert "itself" in (guard.refusal("127.0.0.1", 8080, named=True) or "")


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("[::1]", "::1"),
        ("LOCALHOST", "127.0.0.1"),
        ("a.localhost.", "127.0.0.1"),
        ("example.org", None),
        ("10.example", None),
        ("a" * 300, None),
        ("", None),
    ],
)
def test_an_address_is_known_in_any_spelling(host: str, address: str | None) -> None:
    assert written_address(host) == address


def test_wrong_networks_are_named_all_at_once() -> None:
    with pytest.raises(GuardError, match=r"--allow: 'office', '1\.2\.3' is not a network"):
        parse_networks(["10.0.0.0/8", "office", "1.2.3"], "--allow")


@pytest.mark.parametrize(("host", "expected"), [("localhost", True), ("127.0.0.1", True), ("::1", True), ("", False)])
def test_loopback_is_what_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_a_name_is_not_an_address() -> None:
    assert parse_address("example.org") is None


def test_a_host_list_covers_what_lies_below_an_entry_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "never_decrypt.txt"
    file.write_text("# banks\nBank.example  # ours\n\n", encoding="utf-8")
    hosts = HostList.load(file)
    assert hosts.match("bank.example") == "bank.example"
    assert hosts.match("login.bank.example.") == "bank.example"
    assert hosts.match("notbank.example") is None
    assert hosts.match("example") is None


def test_a_bad_host_list_says_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "never_decrypt.txt"
    file.write_text("bank.example\nhttps://bank.example/\n", encoding="utf-8")
    with pytest.raises(GuardError, match=r"never_decrypt\.txt, line 2: 'https://bank\.example/'"):
        HostList.load(file)


def test_the_lists_of_overlays_add_to_the_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "never_decrypt.txt").write_text("intranet.example\n", encoding="utf-8")
    hosts = HostList.load(*never_decrypt_files([tmp_path]))
    assert hosts.match("www.paypal.com")
    assert hosts.match("vault.bitwarden.com")
    assert hosts.match("intranet.example")
    assert hosts.match("www.example.org") is None


def test_a_host_becomes_a_tunnel_after_repeated_refusals_of_one_client_only() -> None:
    refusals = Refusals(limit=3, window_seconds=60, tunnel_seconds=100)
    assert [refusals.note("phone", "api.example", now=float(second)) for second in (0, 1, 2)] == [False, False, True]
    assert refusals.is_tunnelled("phone", "api.example", now=50)
    assert not refusals.is_tunnelled("tablet", "api.example", now=50)
    assert not refusals.is_tunnelled("phone", "www.example", now=50)
    assert not refusals.is_tunnelled("phone", "api.example", now=103)


def test_refusals_far_apart_do_not_add_up() -> None:
    refusals = Refusals(limit=2, window_seconds=60)
    assert not refusals.note("phone", "api.example", now=0)
    assert not refusals.note("phone", "api.example", now=61)


def test_a_client_that_refuses_everywhere_does_not_fill_the_memory() -> None:
    refusals = Refusals(limit=1, max_entries=10)
    for number in range(1000):
        refusals.note("phone", f"{number}.example", now=0)
    assert len(refusals.tunnelled) == 10


@pytest.mark.parametrize(
    ("exposure", "expected"),
    [
        (Exposure(("127.0.0.1",), has_login=False, has_client_list=False, is_insecure_upstream=True), 0),
        (Exposure(("",), has_login=False, has_client_list=False, is_insecure_upstream=False), 1),
        (Exposure(("192.168.1.2",), has_login=True, has_client_list=False, is_insecure_upstream=False), 0),
        (Exposure(("192.168.1.2",), has_login=False, has_client_list=True, is_insecure_upstream=False), 0),
        (Exposure(("::",), has_login=False, has_client_list=True, is_insecure_upstream=True), 1),
        (Exposure(("",), has_login=False, has_client_list=False, is_insecure_upstream=True), 2),
    ],
)
def test_what_is_opened_to_the_network_needs_a_lock(exposure: Exposure, expected: int) -> None:
    assert len(exposure.problems()) == expected
