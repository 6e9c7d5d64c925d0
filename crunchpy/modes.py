"""The ways in which the proxy can be reached (mitmproxy's modes): which of them filter pages, and what to tell people.

Modes that carry no web pages would start, say that all is well, and filter nothing; they are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mitmproxy.proxy import mode_specs

from crunchpy.guard import GuardError

if TYPE_CHECKING:
    from pathlib import Path

    from mitmproxy.proxy.mode_servers import ServerInstance

ALLOWED = "regular, socks5, upstream:URL, reverse:URL, transparent, wireguard, local or tun"
SCHEMES = ("http", "https")


def parse_modes(specifications: Iterable[str]) -> list[mode_specs.ProxyMode]:
    """The modes of a command line. Raises GuardError that names each wrong one, why it is wrong, and what may stand."""
    modes: list[mode_specs.ProxyMode] = []
    problems: list[str] = []
    for specification in specifications:
        try:
            modes.append(parse_mode(specification))
        except ValueError as problem:
            problems.append(f"--mode {specification}: {problem}")
    if problems:
        raise GuardError("\n".join(problems))
    return modes


def parse_mode(specification: str) -> mode_specs.ProxyMode:
    """One mode. Raises ValueError without naming the specification."""
    try:
        mode = mode_specs.ProxyMode.parse(specification)
    except ValueError as problem:
        hint = "; write http://HOST:PORT or https://HOST:PORT" if "server" in str(problem).lower() else ""
        raise ValueError(f"{problem}{hint or f'; there are {ALLOWED}, each may end in @HOST:PORT'}") from problem
    scheme = getattr(mode, "scheme", "http")
    if isinstance(mode, mode_specs.DnsMode) or scheme not in SCHEMES:
        raise ValueError(f"carries no web pages, so nothing would be filtered; there are {ALLOWED}")
    return mode


def announced(servers: Iterable[ServerInstance[mode_specs.ProxyMode]], ca_file: Path) -> Iterator[str]:
    """What to do on a device to reach these servers and to trust them, in lines."""
    offers_certificate = False
    for server in servers:
        yield from how_to_reach(server)
        offers_certificate |= not isinstance(server.mode, mode_specs.ReverseMode)  # which shows one site only
    yield f"Certificate of this proxy, to be trusted once on each device: {ca_file}"
    if offers_certificate:
        yield "On the device, through the proxy, the page http://mitm.it offers it for download."


def how_to_reach(server: ServerInstance[mode_specs.ProxyMode]) -> Iterator[str]:
    """What to do on a device to reach this server, a line for each of its addresses."""
    if isinstance(server.mode, mode_specs.WireGuardMode):
        yield f"Give this to WireGuard on your device:\n{server.to_json().get('wireguard_conf', '')}"
        return
    if not server.listen_addrs:
        yield f"The proxy takes the connections of this machine by itself: {server.mode.description}."
    instruction = how_to_use(server.mode)
    for host, port in dict.fromkeys(address[:2] for address in server.listen_addrs):  # TCP and UDP have the same
        yield f"{instruction}: host {host or 'any address of this machine'}, port {port}."


def how_to_use(mode: mode_specs.ProxyMode) -> str:
    """What to do with the address of a server of this mode; the beginning of a sentence."""
    if isinstance(mode, mode_specs.ReverseMode):
        return f"Open this address in your browser, it shows {mode.data} filtered"
    if isinstance(mode, mode_specs.TransparentMode):
        return "Redirect your devices' connections to ports 80 and 443 to the proxy, by a rule of the firewall"
    return f"Point your browser or device at the {'SOCKS5 ' * isinstance(mode, mode_specs.Socks5Mode)}proxy"
