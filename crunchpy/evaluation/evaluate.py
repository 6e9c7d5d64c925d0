"""A whole evaluation: packages and methods by name in, a file of rows for each pair out."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from crunchpy.evaluation.extract import Setup
from crunchpy.evaluation.method_overlay import write_methods
from crunchpy.evaluation.methods import Method, MethodError, chosen
from crunchpy.evaluation.one_shot import Address, ProxyError
from crunchpy.evaluation.package import Package, PackageError, read_package
from crunchpy.evaluation.proxies import method_proxy
from crunchpy.evaluation.rows import Row
from crunchpy.evaluation.run_files import measured_with
from crunchpy.evaluation.runner import Options, Task, Tell, open_files, open_tasks, run
from crunchpy.overlay import overlays

Via = Literal["engine", "proxy"]


@dataclass(frozen=True)
class Plan:
    """What to measure: folders of packages, names of methods, overlays, and how pages reach the methods.

    ``via`` is "engine" (in the measuring process) or "proxy" (the real proxy, started anew for each method). Somebody
    else's proxy at ``other_proxy`` is measured as one method more, under the name ``other_name``.
    """

    packages: tuple[Path, ...]
    methods: tuple[str, ...]
    overlays: tuple[Path, ...] = ()
    via: Via = "engine"
    other_proxy: Address | None = None
    other_name: str = "proxy"

    @property
    def all_folders(self) -> tuple[Path, ...]:
        """The built-in folder and all overlays, the last outranks the first."""
        return overlays(*self.overlays)

    def route(self, method: Method) -> str:
        """Return how a method is measured: a peer has no proxy, another proxy no engine."""
        if method.kind == "proxy":
            return f"proxy {self.other_proxy}"
        return "engine" if method.kind == "peer" else self.via


@dataclass
class Outcome:
    """What came of it: the packages, and rows by the names of package and method."""

    packages: list[Package] = field(default_factory=list)
    rows: dict[str, dict[str, list[Row]]] = field(default_factory=dict)

    @property
    def measured(self) -> int:
        """How many documents were measured, all methods together."""
        return sum(not row.error for methods in self.rows.values() for rows in methods.values() for row in rows)


def evaluate(plan: Plan, options: Options, tell: Tell) -> Outcome:
    """Measure, and tell about everything that could not be measured. Nothing is raised for a bad package or method."""
    packages = _packages(plan, tell)
    with tempfile.TemporaryDirectory(prefix="crunchpy-eval-") as scratch:
        methods = _methods(plan, Path(scratch), tell)
        files = open_files(
            packages,
            methods,
            options,
            lambda method: measured_with(method, plan.all_folders, via=plan.route(method), words=options.words),
            tell,
        )
        try:
            _run(plan, open_tasks(packages, methods, options, files), Path(scratch), options, tell)
        finally:
            rows = {
                package.name: {method.name: files[package.name, method.name].end(package.ids) for method in methods}
                for package in packages
            }
    return Outcome(packages, rows)


def _packages(plan: Plan, tell: Tell) -> list[Package]:
    packages = []
    for folder in plan.packages:
        try:
            packages.append(read_package(folder))
        except PackageError as error:
            tell(str(error))
    return packages


def _methods(plan: Plan, scratch: Path, tell: Tell) -> list[Method]:
    """Return the methods that can be measured, their settings files written into an overlay."""
    try:
        methods, faults = chosen(plan.methods, plan.all_folders)
    except MethodError as error:
        methods, faults = [], [str(error)]
    methods, refused = write_methods(scratch, methods, plan.all_folders)
    for fault in (*faults, *refused):
        tell(fault)
    if plan.other_proxy is not None:
        methods.append(Method(plan.other_name, "proxy"))
    return methods


def _run(plan: Plan, tasks: Sequence[Task], scratch: Path, options: Options, tell: Tell) -> None:
    """Run what is measured in this process in one go, and what goes through a proxy method by method."""
    folders = (*plan.overlays, scratch)
    inside = [task for task in tasks if plan.route(task.method) == "engine"]
    run(inside, Setup(folders, timeout_seconds=options.timeout_seconds), options, tell)
    for method in dict.fromkeys(task.method for task in tasks if plan.route(task.method) != "engine"):
        part = [task for task in tasks if task.method == method]
        try:
            with _proxy_of(plan, method, options) as address:
                run(part, Setup(folders, {method.name: address}, options.timeout_seconds), options, tell)
        except ProxyError as error:
            tell(f"method {method.name}: {error}")


@contextlib.contextmanager
def _proxy_of(plan: Plan, method: Method, options: Options) -> Iterator[Address]:
    if method.kind == "proxy":
        assert plan.other_proxy is not None
        yield plan.other_proxy
    else:
        with method_proxy(method, plan.overlays, workers=options.jobs) as address:
            yield address
