"""The proxy, one origin for HTTP and one for HTTPS, and the rules by which a conversation is judged."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conversations.wire import Message, Talk, ask, request_bytes, seen, without_generation
from tests.origin import Answer, Authority, Origin, running_origin
from tests.proxy import LOOPBACK, Proxy, running_proxy

OVERLAY = Path(__file__).parent / "overlay"

# Long enough that no page of these tests is late on a busy machine.
HOLD_SECONDS = 3


@dataclass(frozen=True)
class World:
    """All that a conversation needs."""

    proxy: Proxy
    origins: Mapping[str, Origin]
    answers: dict[str, Answer]
    authority: Authority

    def play(self, scheme: str, talk: Talk) -> None:
        """Hold a conversation and judge what the origin saw, what the reader saw, and what the log says."""
        origin = self.origins[scheme]
        self.answers[talk.path] = talk.prepared()
        message = ask(self.proxy, origin, talk.path, talk.asked, talk.method)
        lines = talk.asked if talk.passed_on is None else talk.passed_on
        expected_request = request_bytes(origin, talk.path, lines, talk.method, to_proxy=False)
        assert [raw for raw in origin.requests if f" {talk.path} ".encode() in raw][-1] == expected_request
        expected = seen(talk.answer if talk.seen is None else talk.seen, headless=talk.method == "HEAD")
        assert Message(without_generation(message.head), message.body, message.end) == expected
        self.check_log(origin, talk)

    def check_log(self, origin: Origin, talk: Talk) -> None:
        """The log says why a page was left alone, or that it was filtered."""
        if talk.because is None:
            return
        outcome = f"untouched: {talk.because}:" if talk.because else "default: .* marked"
        self.proxy.wait_for_log(rf"{re.escape(origin.host + talk.path)} {outcome}")


@contextlib.contextmanager
def running_world(
    folder: Path,
    overlay: Path = OVERLAY,
    *,
    options: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    allow_upstream: Sequence[str] = LOOPBACK,
) -> Iterator[World]:
    """Start everything; `folder` is for the origin's CA, `overlay` has the settings; the rest is for the proxy."""
    authority = Authority.make(folder)
    answers: dict[str, Answer] = {}
    chosen = {
        "ssl_verify_upstream_trusted_ca": str(authority.ca_file),
        "crunchpy_hold_seconds": str(HOLD_SECONDS),
        **(options or {}),
    }
    with (
        running_origin(answers) as plain,
        running_origin(answers, tls=authority.server_context()) as secure,
        running_proxy(
            workers=1, overlays=[overlay], options=chosen, arguments=arguments, allow_upstream=allow_upstream
        ) as proxy,
    ):
        yield World(proxy, {"http": plain, "https": secure}, answers, authority)
