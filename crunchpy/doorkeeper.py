"""The proxy's door: who may come in, where a connection may go, and which ones pass through undecrypted.

A mitmproxy addon beside `crunchpy/addon.py`; the decisions themselves are in `crunchpy/guard.py`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import socket
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from mitmproxy import connection, ctx, exceptions, http, tls
from mitmproxy.addonmanager import Loader
from mitmproxy.proxy import mode_specs, server_hooks

from crunchpy import guard, holding
from crunchpy.flow_notes import notes
from crunchpy.modes import parse_modes
from crunchpy.overlay import overlays

log = logging.getLogger(__name__)

type AddressInfo = tuple[Any, ...]

# The addresses that were checked for the connection that the current task is about to open. The connection uses
# these and asks no second time: a name server that answers differently a moment later gains nothing.
CHECKED: ContextVar[dict[tuple[str, int], list[AddressInfo]] | None] = ContextVar("CHECKED", default=None)

# The options that decide on what is opened to the network.
RELEVANT = frozenset(
    {"listen_host", "listen_port", "mode", "proxyauth", "ssl_insecure", "emudhra", "emudhra_old"}
    | {"crunchpy_allow", "crunchpy_allow_upstream", "crunchpy_overlay"}
)

# Modes whose port anybody who reaches it can use. WireGuard has keys of its own; local and tun open no port.
OPEN_MODES = frozenset({"regular", "upstream", "reverse", "socks5", "transparent", "dns"})


class Doorkeeper:
    """Refuses clients and destinations that are not allowed; tunnels what must not be decrypted."""

    name = "crunchpy_doorkeeper"

    def __init__(self) -> None:
        self.clients: tuple[guard.Network, ...] = ()
        self.upstream = guard.UpstreamGuard()
        self.named_upstreams: frozenset[tuple[str, int]] = frozenset()
        self.never_decrypt = guard.HostList(frozenset())
        self.refusals = guard.Refusals()

    def load(self, loader: Loader) -> None:
        """Declare the options of this addon."""
        lists = (
            ("crunchpy_allow", "Client networks that may use the proxy, beside this machine; 192.168.1.0/24."),
            ("crunchpy_allow_upstream", "Private networks that the proxy may connect to; 192.168.1.0/24."),
        )
        for option, text in lists:
            loader.add_option(option, Sequence[str], [], text)

    def configure(self, updated: set[str]) -> None:
        """Check the whole configuration; a configuration that opens too much stops the start."""
        if updated.isdisjoint(RELEVANT):
            return
        options = ctx.options
        try:
            modes = parse_modes(options.mode)
            self.clients = guard.parse_networks(options.crunchpy_allow, "--allow")
            allowed = guard.parse_networks(options.crunchpy_allow_upstream, "--allow-upstream")
            self.load_hosts()
        except ValueError as problem:
            raise refusal(str(problem)) from problem
        self.upstream = guard.UpstreamGuard(allowed)
        self.named_upstreams = frozenset(
            mode.address[:2] for mode in modes if isinstance(mode, mode_specs.UpstreamMode | mode_specs.ReverseMode)
        )
        problems = exposure(options, modes).problems()
        if problems:
            raise refusal("\n".join(problems))

    def load_hosts(self) -> None:
        """Read the never-decrypt lists of all overlays. Raises GuardError with file and line."""
        named = [Path(folder) for folder in ctx.options.crunchpy_overlay]
        self.never_decrypt = guard.HostList.load(*guard.never_decrypt_files(overlays(*named)))

    def running(self) -> None:
        """Know the own ports, and make connections use the addresses that were checked."""
        server = ctx.master.addons.get("proxyserver")  # type: ignore[no-untyped-call]
        ports = frozenset(address[1] for address in server.listen_addrs())
        self.upstream = dataclasses.replace(self.upstream, own_ports=ports)
        pin_checked_addresses(asyncio.get_running_loop())

    def client_connected(self, client: connection.Client) -> None:
        """Refuse clients outside the networks that the administrator named."""
        if not self.clients:
            return
        address = guard.parse_address(client.peername[0])
        if address and not address.is_loopback and not guard.is_inside(address, self.clients):
            client.error = "not in a network named by --allow"
            log.warning("client %s refused: not in a network named by --allow", address)

    async def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Resolve the destination, refuse private addresses, and hold the connection to what was resolved."""
        if data.server.error or not data.server.address:
            return
        host, port = data.server.address[:2]
        named = (host, port) in self.named_upstreams
        if named and port not in self.upstream.own_ports:
            return
        try:
            found = await addresses_of(host, port)
        except OSError as error:
            data.server.error = f"{host} has no address: {error.strerror or error}"
            return
        refusals = [self.upstream.refusal(info[4][0], port, named=named) for info in found]
        allowed = [info for info, refusal in zip(found, refusals, strict=True) if refusal is None]
        if not allowed:
            data.server.error = f"{host} refused: {next(filter(None, refusals), 'it has no address')}"
            log.warning("connection to port %d refused: %s", port, data.server.error)
            return
        CHECKED.set({(host, port): allowed})

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """The same for the destinations of tunnels and requests that another proxy is to connect to."""
        self.refuse_written_address(flow)

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """See `http_connect`; and a reverse proxy asks its server as a server, whatever the client takes it for."""
        if isinstance(flow.client_conn.proxy_mode, mode_specs.ReverseMode) and not flow.request.is_http2:
            flow.request.authority = ""
        self.refuse_written_address(flow)

    def refuse_written_address(self, flow: http.HTTPFlow) -> None:
        """Refuse private addresses that are written as such; names are resolved and judged by the other proxy."""
        if flow.response or not isinstance(flow.client_conn.proxy_mode, mode_specs.UpstreamMode):
            return
        host, port = flow.request.host, flow.request.port
        address = guard.written_address(host)
        problem = address and self.upstream.refusal(address, port)
        if problem:
            log.warning("connection to port %d refused: %s refused: %s", port, host, problem)
            flow.request.stream = False
            notes(flow)[holding.OWN_ANSWER] = True
            flow.response = http.Response.make(502, f"{host} refused: {problem}\n", {"content-type": "text/plain"})

    def tls_clienthello(self, data: tls.ClientHelloData) -> None:
        """Let hosts that must not be decrypted pass through as a tunnel; connect to none that is not to be asked."""
        if data.context.server.timestamp_start is None:
            data.establish_server_tls_first = False
        host = destination(data.context.server, data.client_hello.sni)
        entry = self.never_decrypt.match(host)
        if entry:
            log.info("tunnel: %s is not decrypted (never-decrypt list, %s)", host, entry)
        elif not self.refusals.is_tunnelled(data.context.client.peername[0], host):
            return
        data.ignore_connection = True

    def tls_failed_client(self, data: tls.TlsData) -> None:
        """Count a client's refusal of our certificate; after some of them its connections are tunnelled."""
        client, host = data.context.client.peername[0], destination(data.context.server, data.conn.sni)
        if self.refusals.note(client, host):
            hours = self.refusals.tunnel_seconds / 3600
            log.warning("tunnel: %s refuses our certificate for %s; not decrypted for %g hours", client, host, hours)


async def addresses_of(host: str, port: int) -> list[AddressInfo]:
    """Every address of a host, in the form of `getaddrinfo`; OSError where there is none."""
    address = guard.parse_address(host)
    if address:  # No need to ask anybody.
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        return [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (str(address), port))]
    loop = asyncio.get_running_loop()
    return list(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))


def destination(server: connection.Server, name: str | None) -> str:
    """The host that a TLS client wants: the name that it sent, else the address that it asked for."""
    return name or (server.address[0] if server.address else "")


def refusal(message: str) -> exceptions.OptionsError:
    """The error that makes mitmproxy refuse its options."""
    return exceptions.OptionsError(message)  # type: ignore[no-untyped-call]


def exposure(options: Any, modes: list[mode_specs.ProxyMode]) -> guard.Exposure:
    """What these options open to the network."""
    hosts = tuple(mode.listen_host(options.listen_host) for mode in modes if mode.type_name in OPEN_MODES)
    return guard.Exposure(
        listen_hosts=hosts,
        has_login=bool(options.proxyauth),
        has_client_list=bool(options.crunchpy_allow),
        is_insecure_upstream=bool(options.ssl_insecure),
        uses_published_key=any(getattr(options, name, False) for name in ("emudhra", "emudhra_old")),
    )


def pin_checked_addresses(loop: asyncio.AbstractEventLoop) -> None:
    """Have the loop answer a look-up from `CHECKED` where the current task has checked that very destination."""
    resolve = loop.getaddrinfo

    async def resolve_once(host: Any, port: Any, **options: Any) -> list[AddressInfo]:
        checked = (CHECKED.get() or {}).get((host, port))
        return checked if checked is not None else list(await resolve(host, port, **options))

    loop.getaddrinfo = resolve_once  # type: ignore[method-assign]
