"""Who may use the proxy, where it may connect to, and what it must not decrypt. Pure decisions, no sockets kept.

Nothing here knows mitmproxy: `crunchpy/doorkeeper.py` asks these questions at the right moments.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address
type Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Addresses in these networks carry an IPv4 address in their last 32 bits: what counts is the address inside.
TRANSLATED = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))

NEVER_DECRYPT_FILE = "never_decrypt.txt"


class GuardError(ValueError):
    """An address, a network or a file in the configuration is wrong; the message says which and what is allowed."""


def parse_networks(values: Iterable[str], option: str) -> tuple[Network, ...]:
    """The networks that an administrator wrote down, `10.0.0.0/8` or a single address.

    Raises GuardError that names `option` and every value that is neither.
    """
    networks: list[Network] = []
    wrong: list[str] = []
    for value in values:
        try:
            networks.append(ipaddress.ip_network(value.strip(), strict=False))
        except ValueError:
            wrong.append(value)
    if wrong:
        listed = ", ".join(repr(value) for value in wrong)
        raise GuardError(f"{option}: {listed} is not a network; write it like 192.168.1.0/24 or fd00::/8")
    return tuple(networks)


def parse_address(text: str) -> Address | None:
    """The IP address written in `text`, with IPv4 unwrapped from the IPv6 forms that carry it; None for a name."""
    try:
        address: Address = ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and any(address in network for network in TRANSLATED):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return inner or address
    return address


def is_inside(address: Address, networks: Iterable[Network]) -> bool:
    """True if one of the networks holds the address."""
    return any(address.version == network.version and address in network for network in networks)


def is_loopback(host: str) -> bool:
    """True for an address or name that only this machine can reach; the empty host means every interface."""
    address = parse_address(host)
    return address.is_loopback if address else host.lower() == "localhost"


def written_address(host: str) -> str | None:
    """The address that a host's spelling says by itself, as every resolver reads it (`127.1`, `0x7f000001`); else None.

    Nobody is asked. `localhost` is one of them.
    """
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return None
    return str(found[0][4][0])


def is_own_address(address: Address) -> bool:
    """True if the address belongs to this machine: only then can a socket be bound to it."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True


@dataclass(frozen=True)
class UpstreamGuard:
    """Which addresses the proxy may connect to: public ones, and those that the administrator allowed."""

    allowed: tuple[Network, ...] = ()
    own_ports: frozenset[int] = frozenset()

    def refusal(self, address: str, port: int, *, named: bool = False) -> str | None:
        """Why a connection to this resolved address is refused, or None where it is allowed.

        named: the administrator named this very destination, so that it may be a private one.
        """
        parsed = parse_address(address)
        if parsed is None:
            return f"{address} is not an address"
        if port in self.own_ports and (parsed.is_loopback or parsed.is_unspecified or is_own_address(parsed)):
            return "the proxy does not connect to itself"
        if named or is_inside(parsed, self.allowed):
            return None
        if not parsed.is_global or parsed.is_multicast:
            return f"{parsed} is a private, loopback, link-local or reserved address (see --allow-upstream)"
        return None


@dataclass(frozen=True)
class HostList:
    """Hosts whose connections are tunnelled unread; an entry covers the host and everything below it."""

    entries: frozenset[str]

    @classmethod
    def load(cls, *files: Path) -> HostList:
        """Read one host per line; `#` starts a comment. Raises GuardError with file and line for anything else."""
        entries: set[str] = set()
        problems: list[str] = []
        for file in files:
            try:
                lines = file.read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                problems.append(f"{file}: cannot be read as text in UTF-8: {error}")
                continue
            for number, line in enumerate(lines, 1):
                host = line.partition("#")[0].strip().lower().strip(".")
                if not host:
                    continue
                if not all(label.replace("-", "").isalnum() for label in host.split(".")):
                    problems.append(f"{file}, line {number}: {host!r} is not a host name")
                entries.add(host)
        if problems:
            raise GuardError("\n".join(problems))
        return cls(frozenset(entries))

    def match(self, host: str) -> str | None:
        """The entry that covers `host`, or None."""
        labels = host.lower().strip(".").split(".")
        for start in range(len(labels)):
            candidate = ".".join(labels[start:])
            if candidate in self.entries:
                return candidate
        return None


def never_decrypt_files(folders: Iterable[Path]) -> list[Path]:
    """The built-in list and those of the overlays that have one: lists add up, nothing is taken away."""
    own = Path(__file__).parent / NEVER_DECRYPT_FILE
    return [own, *(file for folder in folders if (file := folder / NEVER_DECRYPT_FILE).is_file() and file != own)]


@dataclass
class Refusals:
    """Counts TLS handshakes that a client broke off, per client and host.

    An app that trusts one certificate only ("pinning") refuses ours for ever. After `limit` refusals within
    `window_seconds` its connections to that host are tunnelled for `tunnel_seconds`, so the app works again.
    Per client, so that one device's refusals leave the filtering of others as it was.
    """

    limit: int = 3
    window_seconds: float = 600.0
    tunnel_seconds: float = 86_400.0
    max_entries: int = 10_000
    counted: OrderedDict[tuple[str, str], list[float]] = field(default_factory=OrderedDict)
    tunnelled: OrderedDict[tuple[str, str], float] = field(default_factory=OrderedDict)

    def note(self, client: str, host: str, now: float | None = None) -> bool:
        """Count one refusal; True when this one makes the host a tunnel for this client."""
        moment = time.monotonic() if now is None else now
        key = (client, host)
        recent = [then for then in self.counted.pop(key, []) if moment - then < self.window_seconds]
        recent.append(moment)
        if len(recent) < self.limit:
            remember(self.counted, key, recent, self.max_entries)
            return False
        remember(self.tunnelled, key, moment + self.tunnel_seconds, self.max_entries)
        return True

    def is_tunnelled(self, client: str, host: str, now: float | None = None) -> bool:
        """True while this client's connections to the host go through unread."""
        moment = time.monotonic() if now is None else now
        until = self.tunnelled.get((client, host))
        if until is None:
            return False
        if until < moment:
            del self.tunnelled[client, host]
            return False
        return True


def remember[Key, Value](memory: OrderedDict[Key, Value], key: Key, value: Value, max_entries: int) -> None:
    """Put the newest entry last and forget the oldest above the limit: a hostile client must not fill the memory."""
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > max_entries:
        memory.popitem(last=False)


@dataclass(frozen=True)
class Exposure:
    """What the configuration opens to the network, as far as it matters for security."""

    listen_hosts: tuple[str, ...]
    has_login: bool
    has_client_list: bool
    is_insecure_upstream: bool
    uses_published_key: bool = False

    def problems(self) -> list[str]:
        """Every reason for not starting with this configuration, each with what to do; empty means go."""
        found: list[str] = []
        open_hosts = [host or "every interface" for host in self.listen_hosts if not is_loopback(host)]
        if open_hosts and not (self.has_login or self.has_client_list):
            found.append(
                f"Listening on {', '.join(open_hosts)} lets anybody on the network use this proxy. "
                "Add --allow with the network of your devices, for instance --allow 192.168.1.0/24, "
                "or a login with --set proxyauth=NAME:PASSWORD, or listen on 127.0.0.1."
            )
        if open_hosts and self.is_insecure_upstream:
            found.append(
                f"ssl_insecure accepts any certificate, and listening on {', '.join(open_hosts)} would pass that "
                "on to other devices. Leave ssl_insecure off, or listen on 127.0.0.1."
            )
        if self.uses_published_key:
            found.append("emudhra signs with a key that anybody can download. Leave this option off.")
        return found
