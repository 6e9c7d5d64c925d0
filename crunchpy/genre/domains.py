"""A host's site: the registrable domain by the public suffix list, and whether others may hear of it.

The list comes with the library publicsuffixlist: nothing is ever fetched. (tldextract would load an HTTP client, a
sixth of a second and 12 MB at each start.)
"""

from __future__ import annotations

import functools
import ipaddress

from publicsuffixlist import PublicSuffixList

# The list's private part ("blogspot.com", "github.io") counts: each of their customers is a site of its own.
_LIST = PublicSuffixList(accept_unknown=False)

# Names that are never on the public internet (RFC 2606, 6761, 6762, 7686, 8375 and common intranets).
_PRIVATE_ENDINGS = frozenset(
    "local localhost internal intranet lan home corp private test example invalid onion alt arpa localdomain".split()
)


@functools.lru_cache(maxsize=4096)
def site_of(host: str) -> str:
    """The site that a host belongs to.

    Its registrable domain, or the host itself where it has none (an address, one label).
    """
    host = host.strip().rstrip(".").lower()
    return host if _is_address(host) else _LIST.privatesuffix(host) or host


def public_site(host: str) -> str | None:
    """The registrable domain that may be named to a third party; None for addresses, intranet and reserved names."""
    host = host.strip().rstrip(".").lower()
    if not host or not host.isascii() or _is_address(host) or host.rpartition(".")[2] in _PRIVATE_ENDINGS:
        return None
    return _LIST.privatesuffix(host)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host.replace(".", "").isdigit()  # "127.1", "2130706433": old spellings of addresses
    return True
