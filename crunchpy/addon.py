"""The mitmproxy addon that filters pages: asks the gate, holds the body, hands it to a worker, swaps it, logs it.

    mitmdump -s crunchpy/addon.py --set crunchpy_allow_upstream=192.168.1.0/24

Few files know mitmproxy; ARCHITECTURE.md names them. Nothing is kept between one page and the next.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mitmproxy import ctx, exceptions, http
from mitmproxy.addonmanager import Loader

from crunchpy import connection_ends, gate, head_limits, headers, holding, http1_gaps, shortcuts, slow_readers
from crunchpy.adverts import RequestBlocker, empty_answer, empty_headers, kind_of, page_of
from crunchpy.adverts.blocklist import lists_folder
from crunchpy.doorkeeper import Doorkeeper
from crunchpy.flow_notes import notes
from crunchpy.held_bytes import HeldBytes, Share
from crunchpy.overlay import overlays
from crunchpy.reasons import Reason
from crunchpy.reload import Watcher
from crunchpy.trace import Trace
from crunchpy.workers import FilteredPage, Outcome, PageTask, PoolLimits, Untouched, WorkerPool

if TYPE_CHECKING:
    from crunchpy.genre.background import SnippetLookup

log = logging.getLogger(__name__)

# The gate's decision that a response is no page to filter.
UNTOUCHED = "crunchpy_untouched"

# The gate's decision about the request.
ASKED = "crunchpy_asked"

# The digest that was in force when the origin was asked whether the reader's copy is still good.
ASKED_WITH = "crunchpy_asked_with"

NOT_MODIFIED = 304

OPTIONS: tuple[tuple[str, Any, Any, str], ...] = (
    ("crunchpy_workers", int, 2, "Number of filtering processes."),
    ("crunchpy_overlay", Sequence[str], [], "Folders with own plugins and settings."),
    ("crunchpy_except", Sequence[str], [], "Hosts whose pages are never filtered, each with all hosts below it."),
    ("crunchpy_hold_seconds", int, 5, "A page that takes longer to arrive goes out unfiltered as it comes."),
    ("crunchpy_hold_bytes", int, 8_000_000, "A larger body goes out unfiltered as it comes."),
    ("crunchpy_hold_total_bytes", int, 100_000_000, "While all held pages are larger, pages go out unfiltered."),
    ("crunchpy_page_seconds", int, 5, "A page that takes longer to filter goes out as it came."),
    ("crunchpy_adverts", bool, True, "Answer requests for adverts without asking their hosts."),
)

LEAST = {
    "crunchpy_workers": 1,
    "crunchpy_hold_seconds": 0,
    "crunchpy_hold_bytes": 0,
    "crunchpy_hold_total_bytes": 0,
    "crunchpy_page_seconds": 1,
}


class PageFilter:
    """The hooks of a page's way through the proxy."""

    name = "crunchpy"

    def __init__(self, pool: WorkerPool | None = None, watcher: Watcher | None = None) -> None:
        """`serve` hands over a pool that is warm already; under `mitmdump -s` the addon makes its own."""
        self.pool = pool
        self.watcher = watcher
        self.blocker = RequestBlocker()
        self.excepted_hosts: frozenset[str] = frozenset()
        self.held = HeldBytes(0)
        self.sending: set[asyncio.Task[None]] = set()
        self.stop = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []
        self.lookup: SnippetLookup | None = None

    def load(self, loader: Loader) -> None:
        """Declare the options, and have mitmproxy hold pages within limits."""
        for option, kind, default, text in OPTIONS:
            loader.add_option(option, kind, default, text)
        holding.install()
        http1_gaps.install()
        shortcuts.install()
        head_limits.install()
        connection_ends.install()

    def configure(self, updated: set[str]) -> None:
        """Take over what may change while the proxy runs."""
        for name in updated & LEAST.keys():
            if (value := getattr(ctx.options, name)) < LEAST[name]:
                message = f"{name} is {value}; it must be {LEAST[name]} or more"
                raise exceptions.OptionsError(message)  # type: ignore[no-untyped-call]
        if self.pool and "crunchpy_page_seconds" in updated:
            self.pool.limits = dataclasses.replace(self.pool.limits, page_seconds=ctx.options.crunchpy_page_seconds)
        if "crunchpy_except" in updated:
            self.excepted_hosts = gate.host_names(ctx.options.crunchpy_except)

    async def running(self) -> None:
        """Make sure that workers run and the lists are loaded, and begin to watch the overlays."""
        if hasattr(ctx.options, "flow_detail"):
            ctx.options.flow_detail = 0  # mitmdump would print every address with its query.
        if self.pool is None or self.watcher is None:
            named = [Path(folder) for folder in ctx.options.crunchpy_overlay]
            self.watcher = Watcher([*overlays(*named), lists_folder()])
            limits = PoolLimits(page_seconds=ctx.options.crunchpy_page_seconds)
            self.pool = WorkerPool(named, ctx.options.crunchpy_workers, limits)
            await self.pool.start()
            log.info("ready: %d filtering processes", ctx.options.crunchpy_workers)
        if ctx.options.crunchpy_adverts:
            await self.load_lists()
        await self.start_lookup()
        self.tasks.append(asyncio.get_running_loop().create_task(self.watcher.run(self.reload, self.stop)))

    async def start_lookup(self) -> None:
        """Ask for snippets of new sites beside the pages, where genres.yaml names whom; at a reload, begin anew."""
        if self.lookup:
            await self.lookup.stop()
            self.lookup = None
        if not (self.pool and self.pool.asks_for_snippets):
            return
        from crunchpy.genre.background import SnippetLookup  # only now: numpy, lxml and known sites take 60 MiB

        folders = [Path(folder) for folder in ctx.options.crunchpy_overlay]
        self.lookup = await asyncio.to_thread(SnippetLookup.load, *folders)
        if self.lookup:
            self.lookup.start()

    async def reload(self) -> None:
        """Load plugins, settings and lists anew; ValueError and nothing changed where something is wrong."""
        assert self.pool
        doorkeeper = ctx.master.addons.get(Doorkeeper.name)  # type: ignore[no-untyped-call]
        doorkeeper.load_hosts()
        await self.pool.reload()
        if ctx.options.crunchpy_adverts:
            await self.load_lists()
        await self.start_lookup()

    async def load_lists(self) -> None:
        """Have requests for adverts blocked; a proxy without lists still filters pages, so a failure only warns."""
        try:
            await self.blocker.start()
        except (OSError, ValueError) as problem:
            log.warning("requests for adverts are not blocked: %s", problem)

    async def done(self) -> None:
        """End everything that was started; nothing stays behind."""
        self.stop.set()
        if self.pool:
            await self.pool.stop()
        if self.lookup:
            await self.lookup.stop()
        for task in (*self.tasks, *self.sending):
            task.cancel()

    async def http_connect(self, flow: http.HTTPFlow) -> None:
        """Leave a host that the lists block as a whole unconnected until something is asked that they do not block."""
        url = f"https://{flow.request.host}/"
        notes(flow)[holding.NOT_TO_BE_ASKED] = await self.blocker.verdict(url, "", "script") is not None

    async def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Answer what must not be asked for; trim request headers; let bodies flow through unread."""
        if flow.response or is_own_page(flow):  # Another addon has answered, for instance "log in first".
            notes(flow)[holding.OWN_ANSWER] = True
            return
        if await self.answer_blocked(flow):
            return
        asked = notes(flow)[ASKED] = gate.at_request(flow.request, self.excepted_hosts)
        if asked.may_filter:
            self.ask(flow)
        flow.request.stream = has_body(flow.request)

    def ask(self, flow: http.HTTPFlow) -> None:
        """Ask the origin for a page in a way that a filtered copy in the reader's cache stays true."""
        digest = self.pool.digest if self.pool else "none"
        if headers.ask(flow.request.headers, digest):
            notes(flow)[ASKED_WITH] = digest

    async def answer_blocked(self, flow: http.HTTPFlow) -> bool:
        """Answer a request that the lists forbid; False where they do not."""
        request = flow.request
        url = request.pretty_url
        kind = kind_of(request.headers, url)
        match = await self.blocker.verdict(url, page_of(request.headers, url), kind)
        if match is None:
            return False
        status, _, body = empty_answer(kind)
        own_headers = empty_headers(kind, request.headers.get("origin", ""))
        flow.response = http.Response.make(status, body, own_headers)
        notes(flow)[holding.OWN_ANSWER] = True
        log.info("blocked: %s %s", kind, request.pretty_host)
        return True

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Hold what may be a page; everything else flows through unread."""
        if notes(flow).get(holding.OWN_ANSWER) or not flow.response:
            return
        max_bytes = ctx.options.crunchpy_hold_bytes
        decision = notes(flow).get(ASKED) or gate.at_request(flow.request, self.excepted_hosts)
        if decision.may_filter:
            decision = gate.at_response(flow.response, max_bytes=max_bytes)
        if decision.may_filter:
            seconds = ctx.options.crunchpy_hold_seconds
            self.held.max_bytes = ctx.options.crunchpy_hold_total_bytes
            holding.Hold.within(max_bytes=max_bytes, seconds=seconds, all_pages=self.held).attach(flow)
            return
        notes(flow)[UNTOUCHED] = decision
        flow.response.stream = True
        if flow.response.status_code == NOT_MODIFIED and ASKED_WITH in notes(flow):
            headers.not_modified(flow.response.headers, notes(flow)[ASKED_WITH])

    async def response(self, flow: http.HTTPFlow) -> None:
        """Filter a page that has been held to its end; say in the log what became of it."""
        http1_gaps.drop_trailers_for_http1(flow)
        if notes(flow).get(holding.OWN_ANSWER) or not flow.response:
            return
        hold = holding.Hold.of(flow)
        if hold is None:
            decision = notes(flow)[UNTOUCHED]
            self.report(flow, Untouched(decision.reason, decision.detail))
        elif hold.released:
            self.report(flow, Untouched(hold.released))
        else:
            try:
                self.report(flow, await self.filter(flow, flow.response))
            finally:
                self.give_back(flow, hold.share)

    def give_back(self, flow: http.HTTPFlow, share: Share) -> None:
        """Free what a page held when its reader has it; where it is small, at once."""
        if share.held < slow_readers.LARGE_BYTES:
            share.give_back()
            return
        sending = slow_readers.give_back_when_sent(flow.client_conn, share)
        task = asyncio.get_running_loop().create_task(sending)
        self.sending.add(task)
        task.add_done_callback(self.sending.discard)

    async def filter(self, flow: http.HTTPFlow, response: http.Response) -> Outcome:
        """Have a worker filter the page, and put the result into the response."""
        if self.pool is None or response.raw_content is None:
            return Untouched(Reason.BUSY, "the workers are not running")
        outcome = await self.pool.filter(page_task(flow.request, response))
        if self.lookup:
            self.lookup.feed(flow.request.pretty_host)
        if isinstance(outcome, FilteredPage):
            response.raw_content = outcome.body
            response.trailers = None  # They may hold a checksum of the origin's bytes.
            headers.rewritten(response.headers, len(outcome.body), outcome.digest)
        return outcome

    def error(self, flow: http.HTTPFlow) -> None:
        """A page that broke off has gone out as far as it came."""
        hold = holding.Hold.of(flow)
        if hold and flow.response:
            self.report(flow, Untouched(hold.released or Reason.TRUNCATED))

    def report(self, flow: http.HTTPFlow, outcome: Outcome) -> None:
        """One line for a page; what is no page at all only at level DEBUG."""
        assert flow.response
        level = logging.INFO if "html" in flow.response.headers.get("content-type", "").lower() else logging.DEBUG
        line = outcome.line
        if isinstance(outcome, Untouched) and not line:
            line = Trace(flow.request.pretty_url, untouched=outcome.reason, detail=outcome.detail).line()
        log.log(level, "%s", line)


def page_task(request: http.Request, response: http.Response) -> PageTask:
    """What a worker needs to know of a page."""
    return PageTask(
        body=response.raw_content or b"",
        url=request.pretty_url,
        content_type=response.headers.get("content-type", ""),
        coding=response.headers.get("content-encoding", ""),
        is_page_load=gate.is_page_load(request),
    )


def is_own_page(flow: http.HTTPFlow) -> bool:
    """True for the pages that the proxy serves itself, under a host name that exists only here."""
    return bool(flow.request.pretty_host == ctx.options.onboarding_host)


def has_body(request: http.Request) -> bool:
    """True if the request announces a body; over HTTP/2 one may come unannounced."""
    return (
        request.is_http2 or "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"
    )


addons = [PageFilter(), Doorkeeper()]
