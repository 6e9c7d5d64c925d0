"""Holds a page back until it is whole, and lets it go unread where it is too large, too slow or cut off.

mitmproxy either buffers a body without an end or streams it from the first byte, and streaming sends the headers
before anybody can know whether the page will change. `PageStream` adds the third way: it buffers within a limit of
bytes and seconds, and past either it sends the origin's own headers and what has come so far, then streams the rest.
Decision and alternatives: docs/decisions/0006-hold-pages-within-limits.md.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mitmproxy.proxy import commands, events
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import http as http_layers
from mitmproxy.proxy.layers.http import HttpStream
from mitmproxy.proxy.layers.http._events import (
    RequestData,
    RequestProtocolError,
    ResponseData,
    ResponseEndOfMessage,
    ResponseHeaders,
    ResponseProtocolError,
)

from crunchpy.flow_notes import notes
from crunchpy.held_bytes import HeldBytes, Share
from crunchpy.reasons import Reason

if TYPE_CHECKING:
    from mitmproxy.http import HTTPFlow
    from mitmproxy.proxy.layer import CommandGenerator

HOLD = "hold"

# Marks requests that the proxy answers itself.
OWN_ANSWER = "crunchpy_own_answer"

# Marks a CONNECT to a host whose requests are answered here.
NOT_TO_BE_ASKED = "crunchpy_not_to_be_asked"

SWITCHING_PROTOCOLS = 101

# How often a page that is still arriving is looked at. A finished page's timer keeps its memory alive this long.
POLL_SECONDS = 0.25


@dataclass
class Hold:
    """How long and how large a body may be held; `released` is the code of the reason why it was let go.

    share: what it holds of all that may be held at the same time.
    """

    max_bytes: int
    until: float
    share: Share
    released: str = ""

    @classmethod
    def within(cls, *, max_bytes: int, seconds: float, all_pages: HeldBytes) -> Hold:
        """A hold that begins now."""
        return cls(max_bytes, time.monotonic() + seconds, Share(all_pages))

    def attach(self, flow: HTTPFlow) -> None:
        """Have the flow's response held."""
        notes(flow)[HOLD] = self

    @classmethod
    def of(cls, flow: HTTPFlow) -> Hold | None:
        """The flow's hold, if it has one."""
        hold = notes(flow).get(HOLD)
        return hold if isinstance(hold, Hold) else None


class PageStream(HttpStream):
    """mitmproxy's own stream, with a hold on the responses that have one; all others are as before."""

    @property
    def hold(self) -> Hold | None:
        """The hold of a response whose body is arriving; None at any other time."""
        if self.server_state != self.state_consume_response_body:
            return None
        return Hold.of(self.flow)

    def _handle_event(self, event: events.Event) -> CommandGenerator[None]:
        if isinstance(event, events.Wakeup):
            yield from self.look_at_clock()
        else:
            yield from super()._handle_event(event)

    def handle_connect_regular(self) -> CommandGenerator[None]:
        """As in mitmproxy, but a host that is not to be asked is not connected to before a request asks for it."""
        if notes(self.flow).get(NOT_TO_BE_ASKED) and not self.flow.response:
            self.child_layer = NextLayer(self.context)
            yield from self.handle_connect_finish()  # type: ignore[no-untyped-call]
        else:
            yield from super().handle_connect_regular()  # type: ignore[no-untyped-call]

    def state_consume_request_body(self, event: events.Event) -> CommandGenerator[None]:
        """As in mitmproxy, which collects this body; where the answer is known already nobody will read it."""
        if not (isinstance(event, RequestData) and (self.flow.response or notes(self.flow).get(OWN_ANSWER))):
            yield from super().state_consume_request_body(event)

    def state_wait_for_response_headers(self, event: ResponseHeaders) -> CommandGenerator[None]:
        """As in mitmproxy; then start the clock of a held response, unless all of it has come already."""
        yield from super().state_wait_for_response_headers(event)
        is_whole = event.end_stream or any(
            isinstance(later, ResponseEndOfMessage) for later in self._paused_event_queue
        )
        if self.hold and not is_whole:
            yield commands.RequestWakeup(POLL_SECONDS)

    def state_consume_response_body(self, event: events.Event) -> CommandGenerator[None]:
        """As in mitmproxy; then let the response go if it, or all of them together, have become too large."""
        yield from super().state_consume_response_body(event)
        hold = self.hold
        if hold is None or not isinstance(event, ResponseData):
            return
        hold.share.add(len(event.data))
        if len(self.response_body_buf) > hold.max_bytes:
            yield from self.let_go(hold, Reason.TOO_LARGE)
        elif hold.share.all_pages.is_full:
            yield from self.let_go(hold, Reason.MEMORY_LIMIT)

    def look_at_clock(self) -> CommandGenerator[None]:
        """Let the response go if its seconds are over, else look again later."""
        hold = self.hold
        if hold is None:
            return
        remaining_seconds = hold.until - time.monotonic()
        if remaining_seconds <= 0:
            yield from self.let_go(hold, Reason.TOO_SLOW)
        else:
            yield commands.RequestWakeup(min(POLL_SECONDS, remaining_seconds))

    def let_go(self, hold: Hold, reason: str) -> CommandGenerator[None]:
        """Send the headers as the origin sent them and what has arrived; the rest follows as it comes."""
        assert self.flow.response
        hold.released = reason
        self.flow.response.stream = True
        held = bytes(self.response_body_buf)
        self.response_body_buf.clear()  # type: ignore[no-untyped-call]
        hold.share.give_back()
        yield from self.start_response_stream()
        if held:
            yield from self.state_stream_response_body(ResponseData(self.stream_id, held))

    def flow_done(self) -> CommandGenerator[None]:
        """As in mitmproxy; then let go of the page.

        A stream is part of reference cycles, so that it would keep the bodies of its page until the next full garbage
        collection. A connection that changes its protocol (101) goes on with its flow.
        """
        assert self.flow.response
        goes_on = self.flow.response.status_code == SWITCHING_PROTOCOLS
        yield from super().flow_done()
        if not goes_on:
            del self.flow

    def handle_protocol_error(self, event: RequestProtocolError | ResponseProtocolError) -> CommandGenerator[None]:
        """A body that breaks off goes to the reader as far as it came, and ends the way the origin ended."""
        if not hasattr(self, "flow") and self.client_state == self.state_done:
            return  # All has been sent: nothing is left to break off.
        hold = self.hold
        if hold and isinstance(event, ResponseProtocolError):
            yield from self.let_go(hold, Reason.TRUNCATED)
        elif hold:  # The reader went away.
            self.response_body_buf.clear()  # type: ignore[no-untyped-call]
            hold.share.give_back()
        yield from super().handle_protocol_error(event)


def install() -> None:
    """Make mitmproxy build `PageStream`s: its HTTP layer looks this name up whenever a request begins."""
    http_layers.HttpStream = PageStream  # type: ignore[misc]
