"""The table calls the same addons in the same order as mitmproxy's own manager, whatever they do."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mitmproxy import exceptions, hooks
from mitmproxy.addonmanager import AddonManager
from mitmproxy.http import HTTPFlow
from mitmproxy.master import Master
from mitmproxy.options import Options
from mitmproxy.proxy.layers.http._hooks import HttpRequestHook
from mitmproxy.test import tflow

from crunchpy.hook_table import HookTable, TableMaster


class Named:
    """An addon that writes its name down; `hook` is what it does beside that."""

    def __init__(self, name: str, said: list[str], hook: Callable[[], Any] | None = None, *below: Any) -> None:
        self.name, self.said, self.hook, self.addons = name, said, hook, list(below)

    def request(self, flow: HTTPFlow) -> Any:
        """Say the name, then do what is to be done."""
        assert isinstance(flow, HTTPFlow)
        self.said.append(self.name)
        return self.hook() if self.hook else None

    def update(self, flows: list[HTTPFlow]) -> None:
        """Say so."""
        self.said.append(f"{self.name} updated {len(flows)}")


class Deaf:
    """An addon without any hook."""

    name = "deaf"


class NotCallable:
    """An addon with an attribute that is no hook."""

    name = "broken"
    request = 5


def fail() -> None:
    raise KeyError("a fault of this addon")


def halt() -> None:
    raise exceptions.AddonHalt


async def wait() -> None:
    await asyncio.sleep(0)


def addons(said: list[str]) -> list[Any]:
    """One of each kind."""
    return [
        Named("plain", said),
        Deaf(),
        Named("failing", said, fail, Named("below the failing", said)),
        NotCallable(),
        Named("waiting", said, wait, Named("below the waiting", said, None, Named("below that", said))),
        Named("halting", said, halt),
        Named("never asked", said),
    ]


@contextlib.contextmanager
def running[M: Master](make: Callable[[Options], M]) -> Iterator[M]:
    """A master that lets go of the log at the end."""
    master = make(Options())
    try:
        yield master
    finally:
        master._legacy_log_events.uninstall()


async def said_with(manager: type[AddonManager]) -> list[str]:
    """What the addons say to one request."""
    said: list[str] = []
    with running(Master) as master:
        master.addons = manager(master)
        master.addons.add(*addons(said))  # type: ignore[no-untyped-call]
        await master.addons.handle_lifecycle(HttpRequestHook(tflow.tflow()))
    return said


def test_calls_the_same_addons_in_the_same_order_as_mitmproxy(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        expected, said = (asyncio.run(said_with(manager)) for manager in (AddonManager, HookTable))
    assert "below that" in expected
    assert "never asked" not in expected[: expected.index("halting") + 1]
    assert said == expected
    assert sum("a fault of this addon" in record.message for record in caplog.records) == 2
    assert any("not callable" in record.message for record in caplog.records[len(caplog.records) // 2 :])


def test_addons_that_come_and_go_are_noticed() -> None:
    async def come_and_go() -> None:
        with running(TableMaster) as master:
            await come_and_go_in(master)

    asyncio.run(come_and_go())


async def come_and_go_in(master: TableMaster) -> None:
    """Add and remove addons in all the ways of mitmproxy."""
    said: list[str] = []
    first, second = Named("first", said), Named("second", said)

    async def ask() -> list[str]:
        said.clear()
        await master.addons.trigger_event(HttpRequestHook(tflow.tflow(live=False)))
        return list(said)

    assert await ask() == []
    master.addons.add(first)
    assert await ask() == ["first"]
    first.addons.append(second)  # as mitmproxy does when a script is loaded: below an addon, then registered
    master.addons.register(second)
    assert await ask() == ["first", "second"]
    first.addons.remove(second)
    master.options.update(anticache=True)  # type: ignore[no-untyped-call]  # scripts come and go by options
    assert await ask() == ["first"]
    master.addons.remove(first)
    assert await ask() == []


def test_log_lines_reach_an_addon_that_wants_them_and_cost_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # mitmproxy's log handler is quiet outside the test that made it

    async def log_lines() -> None:
        with running(TableMaster) as master:
            await log_lines_with(master, monkeypatch)

    asyncio.run(log_lines())


async def log_lines_with(master: TableMaster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a line while nobody listens and one while somebody does."""
    heard: list[str] = []

    class Listening:
        def add_log(self, entry: Any) -> None:
            heard.append(entry.msg)

    triggered: list[hooks.Hook] = []
    monkeypatch.setattr(master.addons, "trigger", triggered.append)
    logging.getLogger("crunchpy").warning("nobody listens")
    await asyncio.sleep(0)
    assert triggered == []
    monkeypatch.undo()
    master.addons.add(Listening())
    logging.getLogger("crunchpy").warning("somebody listens")
    await asyncio.sleep(0)
    assert [line for line in heard if "somebody" in line]
