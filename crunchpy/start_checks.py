"""What may stop a start, looked at before mitmproxy meets it, and said with option, place, value and what may stand.

mitmproxy would name some of it without the option, some with a traceback, and some only when the first page fails.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import fcntl
import re
import socket
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mitmproxy import certs
from mitmproxy.options import CONF_BASENAME

from crunchpy.guard import GuardError

if TYPE_CHECKING:
    from mitmproxy.proxy.mode_specs import ProxyMode

KEY_BITS = 2048
LOCK = ".lock"

# Options that hold regular expressions, and those that hold files that must be there.
EXPRESSIONS = ("ignore_hosts", "allow_hosts", "tcp_hosts", "udp_hosts")
FILES = ("ssl_verify_upstream_trusted_ca", "ssl_verify_upstream_trusted_confdir", "client_certs")

# What mitmproxy says of a wrong value without saying of which option it is, or what it may be.
HINTS = {
    "Invalid proxyauth": "--set proxyauth: write NAME:PASSWORD, or @FILE for a file made by htpasswd, or any",
    "htpasswd": "--set proxyauth=@FILE: the file must be there and be made by htpasswd",
}


def check_settings(specifications: Iterable[str], known: Collection[str]) -> None:
    """Check `name=value` settings against the names that there are. Raises GuardError with every problem."""
    problems = [problem for each in specifications for problem in setting_problems(each, known)]
    if problems:
        raise GuardError("\n".join(problems))


def setting_problems(specification: str, known: Collection[str]) -> Iterator[str]:
    """What is wrong with one setting, as far as its name and value tell."""
    name, separator, value = specification.partition("=")
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        nearest = f"did you mean {close[0]}?" if close else "docs/proxy.md and `mitmdump --options` list them"
        yield f"--set {name}: there is no such option; {nearest}"
    elif name in EXPRESSIONS:
        try:
            re.compile(value)
        except re.error as error:
            yield f"--set {name}={value}: is no regular expression: {error}"
    elif name in FILES and separator and value and not Path(value).expanduser().exists():
        yield f"--set {name}={value}: there is no such file"


def explained(problem: str) -> str:
    """mitmproxy's words about an option, with those that it leaves out."""
    hint = next((hint for word, hint in HINTS.items() if word in problem), "")
    if required := re.fullmatch(r"Option is required: (\S+)", problem):
        return f"--set {required[1]}: has no value; write {required[1]}=VALUE"
    return f"{problem}\n{hint}" if hint else problem


def check_listening(modes: Iterable[ProxyMode], host: str, port: int) -> None:
    """See whether all modes can listen where they are to. Raises GuardError that says where not, and why."""
    places: dict[tuple[str, int], str] = {}
    for mode in modes:
        place = (mode.listen_host(host), mode.listen_port(port) or 0)
        named = f"--mode {mode.full_spec}" if mode.custom_listen_port or mode.custom_listen_host else "--listen"
        if place[1] and place in places:
            raise GuardError(
                f"--mode {places[place]} and {mode.full_spec}: both listen on {shown(*place)};"
                f" give one of them a port of its own, for instance --mode {mode.full_spec}@127.0.0.1:1080"
            )
        places[place] = mode.full_spec
        if mode.transport_protocol != "udp" and mode.default_port is not None and (why := unable(*place)):
            raise GuardError(f"{named}: cannot listen on {shown(*place)}: {why}")


def shown(host: str, port: int) -> str:
    """An address for people."""
    return f"{host or 'every interface'}, port {port}"


def unable(host: str, port: int) -> str:
    """Why nobody can listen there, and what to do; empty where one can."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return "no address is known for this name; write an address of this machine, for instance 127.0.0.1"
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            return {
                errno.EADDRINUSE: "another program listens there, perhaps another crunchpy;"
                " end it (`ss -ltnp` names it), or choose another port",
                errno.EADDRNOTAVAIL: "this machine has no such address (`ip address` shows those that it has)",
                errno.EACCES: "ports below 1024 are for the system; choose one above, for instance 8080",
            }.get(error.errno or 0, str(error.strerror))
    return ""


def prepare_confdir(folder: Path, key: str, passphrase: str = "") -> None:
    """Make the folder with the CA's key where there is none, and see that the key can be used.

    Proxies that start at the same time with the same new folder must get the same key, or devices would trust that of
    one of them. Raises GuardError.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with only_one(folder / LOCK, may_fail=(folder / key).exists()):
            certs.CertStore.from_store(folder, CONF_BASENAME, KEY_BITS, passphrase.encode() or None)
    except OSError as error:
        place = error.filename or folder
        raise GuardError(f"--confdir {folder}: {place} cannot be used: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:  # TypeError where a passphrase is missing
        raise GuardError(
            f"--confdir {folder}: {folder / key} holds no key and certificate that can be used. Move it away, and a new"
            f" one is made, which devices have to trust anew. ({error})"
        ) from error


@contextlib.contextmanager
def only_one(lock: Path, *, may_fail: bool) -> Iterator[None]:
    """Wait until no other process is here. may_fail: go on where the folder cannot be written to."""
    try:
        file = lock.open("a")
    except OSError:
        if not may_fail:
            raise
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
