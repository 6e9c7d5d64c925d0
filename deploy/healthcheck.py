"""Asks the proxy for a page that the proxy itself serves; exits 0 where it answers, else 1 with the reason.

Usage: healthcheck.py [HOST:PORT], 127.0.0.1:8080 where nothing is said. Needs the standard library only.
"""

from __future__ import annotations

import http.client
import sys

CERTIFICATE_PAGE = "http://mitm.it/"  # answered inside the proxy: no name is looked up, no other server asked
LOGIN_WANTED = 407  # a proxy with a login is well when it asks for it
TIMEOUT_S = 4


def problem(address: str) -> str | None:
    """What is wrong with the proxy at `host:port`, or None."""
    host, _, port = address.rpartition(":")
    try:
        connection = http.client.HTTPConnection(host, int(port), timeout=TIMEOUT_S)
        connection.request("GET", CERTIFICATE_PAGE)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, ValueError, http.client.HTTPException) as error:
        return f"no answer from {address}: {error!r}"
    if answer.status == LOGIN_WANTED:
        return None
    if answer.status != http.client.OK or b"certificate" not in body.lower():
        return f"{address} answered {answer.status} with {len(body)} bytes, not its certificate page"
    return None


if __name__ == "__main__":
    sys.exit(problem(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8080"))
