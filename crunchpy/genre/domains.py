"""A host's site: the registrable domain by the public suffix list, and whether others may hear of it.

The list is tldextract's own snapshot: nothing is ever fetched.
"""

from __future__ import annotations

import functools
import ipaddress

import tldextract

# The list's private part ("blogspot.com", "github.io") counts: each of their customers is a site of its own.
_EXTRACT = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)

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
    return host if _is_address(host) else _EXTRACT(host).top_domain_under_public_suffix or host


def public_site(host: str) -> str | None:
    """The registrable domain that may be named to a third party; None for addresses, intranet and reserved names."""
    host = host.strip().rstrip(".").lower()
    if not host or not host.isascii() or _is_address(host) or host.rpartition(".")[2] in _PRIVATE_ENDINGS:
        return None
    found = _EXTRACT(host)
    return found.top_domain_under_public_suffix or None if found.suffix else None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host.replace(".", "").isdigit()  # "127.1", "2130706433": old spellings of addresses
    return True
