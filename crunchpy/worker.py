"""The processes that filter pages: a nursery loads one Engine and forks workers, each worker answers pages.

Started by `crunchpy/nursery.py` as `python -m crunchpy.worker`, never by hand. A worker owns all CPU work on a page:
decompress, parse, filter, compress. It dies with its parent, and it may not take more memory than its limit.

Forking from a loaded nursery makes a replacement ready in milliseconds, lets workers share the memory of the loaded
lists, and gives every worker of a generation the same engine even if the files have changed since.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from crunchpy import codings, gate
from crunchpy.adverts.blocklist import Blocklist, lists_folder
from crunchpy.engine import Engine
from crunchpy.fingerprint import digest
from crunchpy.messages import HEAD, PID, pack
from crunchpy.overlay import overlays

PR_SET_PDEATHSIG = 1
MIB = 1024 * 1024

# New objects between two looks for cycles. A large page makes some ten thousand, all in use until it is done and none
# in a cycle; the default of 2000 looks through them again and again, for 0.3 ms a page.
PAGE_OBJECTS = 50_000

# Filtered once before the process reports for work, so that no reader pays for first imports and compiled selectors.
WARM_PAGE = (
    b"<!doctype html><html><head><title>Warm</title></head><body><nav><ul><li><a href=/1>one</a></li></ul></nav>"
    b"<h1>Warm</h1><p>A first page.</p><table><tr><td><a href=/2>two</a></td></tr></table></body></html>"
)


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends, however it ends: no orphans."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # It ended before the request was made.
        os._exit(0)


def limit_memory(max_mib: int) -> None:
    """Let allocations beyond `max_mib` mebibytes of data fail with MemoryError instead of eating the machine."""
    resource.setrlimit(resource.RLIMIT_DATA, (max_mib * MIB, max_mib * MIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Worker:
    """Answers page messages with an engine; keeps nothing of one page for the next."""

    def __init__(self, engine: Engine, digest: str, limits: codings.CodingLimits) -> None:
        self.engine = engine
        self.digest = digest
        self.limits = limits

    def answer(self, task: dict[str, Any], body: bytes) -> bytes:
        """The message for one page: its new body, or the reason why it stays as it is."""
        started = time.perf_counter()
        fields, changed = self.filter(task, body)
        fields["id"] = task["id"]
        fields["elapsed_ms"] = round((time.perf_counter() - started) * 1000, 2)
        return pack(fields, changed)

    def filter(self, task: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        """Decode, filter, encode. The fields name a reason where the page stays as it came."""
        decoded = codings.decode(body, task["coding"], self.limits)
        if isinstance(decoded, codings.Refused):
            return {"reason": decoded.reason, "detail": decoded.detail}, b""
        decision = gate.at_body(decoded.body, page_load=task.get("is_page_load", False))
        if decision.reason:
            return {"reason": decision.reason, "detail": decision.detail}, b""
        filtered = self.engine.filter(
            decoded.body, url=task["url"], content_type=task["content_type"], settings=task.get("settings")
        )
        trace = filtered.trace
        fields: dict[str, Any] = {"line": trace.line()}
        if task.get("wants_trace"):
            fields["trace"] = trace.as_dict()
        if trace.untouched is not None:
            return fields | {"reason": trace.untouched, "detail": trace.detail}, b""
        return fields | {"digest": self.digest}, codings.encode(filtered.body, decoded.codings)


def receive(link: socket.socket, count: int) -> bytes:
    """Exactly `count` bytes; EOFError when the parent has closed the link."""
    received = link.recv(count, socket.MSG_WAITALL) if count else b""
    while len(received) < count:  # A signal may cut the waiting short.
        piece = link.recv(count - len(received), socket.MSG_WAITALL)
        if not piece:
            raise EOFError
        received += piece
    return received


def serve(link: socket.socket, worker: Worker) -> None:
    """Answer messages until the parent closes the link."""
    while True:
        try:
            text_bytes, body_bytes = HEAD.unpack(receive(link, HEAD.size))
            task = json.loads(receive(link, text_bytes))
            body = receive(link, body_bytes)
        except EOFError:
            return
        link.sendall(worker.answer(task, body))


def describe(engine: Engine) -> dict[str, Any]:
    """What the proxy needs to know of an engine: the names of the steps of each settings file, and whether to ask."""
    options = engine.genres.classifier
    return {
        "settings": {name: [step.plugin.name for step in file.chain] for name, file in engine.settings.items()},
        "asks_for_snippets": options.on and bool(options.snippets.sources),
    }


def nurse(control: socket.socket, worker: Worker) -> None:
    """Fork a worker for each descriptor that arrives, and answer with its process id; end when the parent does."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # The kernel reaps; the parent notices by the closed link.
    own = os.getpid()
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not request:
            return
        with socket.socket(fileno=descriptors[0]) as link:
            child = os.fork()
            if child == 0:
                control.close()
                work(link, worker, own)
        control.sendall(PID.pack(child))


def work(link: socket.socket, worker: Worker, nursery: int) -> NoReturn:
    """The life of a forked worker."""
    try:
        die_with_parent(nursery)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        gc.set_threshold(PAGE_OBJECTS)
        serve(link, worker)
    finally:
        problem = sys.exc_info()
        if problem[0]:
            sys.excepthook(*problem)
            sys.stderr.flush()
        os._exit(0)  # Never return into the nursery's code, whatever happened.


def main() -> None:
    """`python -m crunchpy.worker FD PARENT MAX_MIB MAX_BODY_BYTES FOLDER...`"""
    descriptor, parent, max_mib, max_body_bytes = (int(argument) for argument in sys.argv[1:5])
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Control-C reaches the whole group; the parent closes us down.
    limit_memory(max_mib)
    folders = [Path(argument) for argument in sys.argv[5:]]
    with socket.socket(fileno=descriptor) as control:
        try:
            engine = Engine.load(*folders, blocklist=Blocklist.installed(), keeps_sites=True)
        except ValueError as problem:
            control.sendall(pack({"ready": False, "problems": str(problem)}))
            return
        name = digest([*overlays(*folders), lists_folder()])
        worker = Worker(engine, name, codings.CodingLimits(max_inflated_bytes=max_body_bytes))
        worker.answer({"id": 0, "url": "", "content_type": "text/html", "coding": ""}, WARM_PAGE)
        gc.collect()
        gc.freeze()  # What is loaded stays: collections in the workers would only unshare its memory.
        control.sendall(pack({"ready": True, "digest": name} | describe(engine)))
        nurse(control, worker)


if __name__ == "__main__":
    main()
