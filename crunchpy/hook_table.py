"""Calls mitmproxy's addons by a table, where mitmproxy asks every addon at every event.

A page is four events and as many updates; of some 35 addons, two or three listen to each. mitmproxy looks through all
of them every time, each in a context manager of its own. Here who listens is looked up once.

The order, the guard against an addon's exception, and `AddonHalt` are as in mitmproxy: tests/test_hook_table.py
compares the two.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any

from mitmproxy import exceptions, hooks, log
from mitmproxy.addonmanager import AddonManager, safecall
from mitmproxy.addons import default_addons
from mitmproxy.addons.errorcheck import ErrorCheck
from mitmproxy.addons.keepserving import KeepServing
from mitmproxy.addons.readfile import ReadFileStdin
from mitmproxy.flow import Flow
from mitmproxy.master import Master
from mitmproxy.options import Options

type Listener = Callable[..., Any]

ANY_LOG_LINE = log.AddLogHook(log.LogEntry("", "info"))  # type: ignore[no-untyped-call]


class HookTable(AddonManager):
    """mitmproxy's addon manager, with a table of listeners by the name of the event.

    The table is made anew whenever an addon comes or goes and after every change of options, which is when scripts are
    loaded. An addon that gets a hook as an attribute at any other time is not noticed.
    """

    def __init__(self, master: Any) -> None:
        super().__init__(master)  # type: ignore[no-untyped-call]
        self.table: dict[str, list[list[Listener]]] = {}

    def clear(self) -> None:
        """As in mitmproxy."""
        super().clear()  # type: ignore[no-untyped-call]
        self.table.clear()

    def register(self, addon: Any) -> Any:
        """As in mitmproxy."""
        self.table.clear()
        return super().register(addon)  # type: ignore[no-untyped-call]

    def add(self, *addons: Any) -> None:
        """As in mitmproxy."""
        for addon in addons:
            super().add(addon)  # type: ignore[no-untyped-call]
            self.table.clear()

    def remove(self, addon: Any) -> None:
        """As in mitmproxy."""
        super().remove(addon)  # type: ignore[no-untyped-call]
        self.table.clear()

    def trigger(self, event: hooks.Hook) -> None:
        """As in mitmproxy, which uses it for options and log lines."""
        is_about_options = isinstance(event, hooks.ConfigureHook)
        if is_about_options or self.listeners(event):
            super().trigger(event)
        if is_about_options:
            self.table.clear()

    async def handle_lifecycle(self, event: hooks.Hook) -> None:
        """As in mitmproxy: the event, then `update` for a flow."""
        message = event.args()[0]
        await self.trigger_event(event)
        if isinstance(message, Flow):
            await self.trigger_event(hooks.UpdateHook([message]))

    async def trigger_event(self, event: hooks.Hook) -> None:
        """Call everybody who listens, in the order of the addons; what one of them raises stays with that one."""
        found = self.listeners(event)
        if not found:
            return
        arguments = event.args()
        for listeners in found:
            try:
                with safecall():
                    for listener in listeners:
                        result = listener(*arguments)
                        if result is not None and inspect.isawaitable(result):
                            await result
            except exceptions.AddonHalt:
                return

    def listeners(self, event: hooks.Hook) -> list[list[Listener]]:
        """Who listens: a list for each addon that does, of its own hook and those of the addons below it."""
        found = self.table.get(event.name)
        if found is None:
            each = [self._listeners_of(addon, event) for addon in self.chain]
            found = self.table[event.name] = [listeners for listeners in each if listeners]
        return found

    def _listeners_of(self, addon: Any, event: hooks.Hook) -> list[Listener]:
        found: list[Listener] = []
        with safecall():  # mitmproxy raises where an attribute with the name of a hook cannot be called
            found.extend(hook for _, hook in self._iter_hooks(addon, event))
        return found


class TableMaster(Master):
    """mitmproxy's master with the addons of `mitmdump` in a `HookTable`, and no work for log lines that none wants."""

    addons: HookTable

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.addons = HookTable(self)
        for addon in default_addons():  # type: ignore[no-untyped-call]
            self.addons.add(addon)
        self.addons.add(KeepServing(), ReadFileStdin(), ErrorCheck())  # type: ignore[no-untyped-call]
        self._legacy_log_events.addFilter(self.is_wanted)

    def is_wanted(self, _: logging.LogRecord) -> bool:
        """Whether any addon listens to log lines, which mitmproxy advises against since its version 9."""
        return bool(self.addons.listeners(ANY_LOG_LINE))
