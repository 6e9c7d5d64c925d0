"""Whole runs on a small package: rows whatever happens, going on where a run stopped, engine and proxy alike."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from crunchpy.evaluation import extract, runner
from crunchpy.evaluation.commands import mount
from crunchpy.evaluation.evaluate import Outcome, Plan, evaluate
from crunchpy.evaluation.extract import Setup
from crunchpy.evaluation.methods import Method, chosen
from crunchpy.evaluation.package import Document, read_package
from crunchpy.evaluation.rows import Row, read_rows
from crunchpy.evaluation.runner import Options, open_files, open_tasks, run
from crunchpy.evaluation.work import Worker
from crunchpy.overlay import builtin

WORDS = "The river rose by two metres over night and everybody left the town for the hills"
PAGE = f"<!doctype html><title>t</title><nav><a href=/>Home</a> <a href=/n>News</a></nav><main><p>{WORDS}</p></main>"

# Plugins with the faults that a method can have.
PLUGINS = {
    "no_nav": 'for element in page.elements("nav"):\n        yield Remove(element, "is a nav")',
    "no_body": 'for element in page.elements("p", "nav"):\n        yield Remove(element, "is anything")',
    "breaks": 'raise RuntimeError("on purpose")\n    yield',
}
PLUGIN = '''"""Made up for a test.

Source: none, made up.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    {body}
'''


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overlay")
    (folder / "plugins").mkdir()
    for name, body in PLUGINS.items():
        (folder / "plugins" / f"{name}.py").write_text(PLUGIN.format(body=body))
    lines = [f"{name.replace('_', '-')}: [{name}]\n" for name in PLUGINS]
    (folder / "methods.yaml").write_text("".join(lines) + "nav: [navigation]\nwrong: [{no_nav: {depth: 3}}]\n")
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "package.yaml").write_text("name: p\ndocuments: [a, b, gone, odd]\n")
    for name in ("a", "b", "odd"):
        (folder / f"{name}.html").write_text(PAGE)
        (folder / f"{name}.txt").write_text(WORDS)
    (folder / "b.meta").write_text("keep: [The river]\ndrop: [News]\n")
    (folder / "odd.txt").write_bytes(b"\xff\xfe")
    return folder


def measured(plan: Plan, out: Path, **options: object) -> tuple[Outcome, list[str]]:
    said: list[str] = []
    outcome = evaluate(plan, Options(out, timeout_seconds=30, **options), said.append)  # type: ignore[arg-type]
    return outcome, said


def by_document(rows: list[Row]) -> dict[str, Row]:
    return {row.document: row for row in rows}


def test_every_document_is_a_row(package: Path, overlay: Path, tmp_path: Path) -> None:
    plan = Plan((package,), ("plain", "no-nav", "no-nov", "wrong"), (overlay,))
    outcome, said = measured(plan, tmp_path / "out")
    rows = {method: by_document(rows) for method, rows in outcome.rows["pkg"].items()}
    assert list(rows) == ["plain", "no-nav"]
    assert list(rows["plain"]) == ["a", "b", "gone", "odd"]

    assert rows["plain"]["a"].values["vec_r"] == rows["plain"]["a"].values["str_r"] == 1.0
    assert rows["plain"]["a"].values["vec_p"] == pytest.approx(16 / 18)
    assert rows["no-nav"]["a"].values["str_f1"] == rows["no-nav"]["a"].values["accuracy"] == 1.0
    assert rows["plain"]["a"].values["useless"] > rows["no-nav"]["a"].values["useless"] == 0.0
    assert (rows["plain"]["b"].values["kept"], rows["plain"]["b"].values["dropped"]) == (1.0, 0.0)
    assert (rows["no-nav"]["b"].values["kept"], rows["no-nav"]["b"].values["dropped"]) == (1.0, 1.0)
    assert rows["no-nav"]["a"].values["sec_per_kb"] > 0

    assert "gone.html is missing" in rows["plain"]["gone"].error or "gone.txt" in rows["plain"]["gone"].error
    assert "odd.txt is not UTF-8" in rows["plain"]["odd"].error
    told = "\n".join(said)
    assert "method 'no-nov' is not known; did you mean no-nav?" in told
    assert "method wrong: chain step 1 (no_nav): there is no setting 'depth'" in told
    assert "package pkg, document odd, method plain: " in told

    lines = (tmp_path / "out" / "no-nav" / "pkg.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["package", *["pkg"] * 4, "#mean", "#stdev"]


def test_a_method_that_empties_the_page_is_measured_by_what_it_says(package: Path, overlay: Path) -> None:
    worker = worker_with(overlay, "no-body")
    row = worker.measured(package, "a", Method("no-body", "chain", ("no_body",)))
    assert (row.values["vec_r"], row.extract_words, row.error) == (0.0, 0, "")


def test_a_method_that_raises_fails_the_document(package: Path, overlay: Path) -> None:
    row = worker_with(overlay, "breaks").measured(package, "a", Method("breaks", "chain", ("breaks",)))
    assert row.error == "FilterFailedError: plugin breaks: RuntimeError: on purpose"
    assert row.values == {}


def test_settings_that_are_not_there_are_no_unchanged_page(package: Path) -> None:
    row = Worker(Setup(), "spaced").measured(package, "a", Method("nowhere", "chain", ("nowhere",)))
    assert "KeyError" in row.error


def worker_with(overlay: Path, name: str) -> Worker:
    from crunchpy.evaluation.method_overlay import write_methods

    methods, _ = chosen([name], [builtin(), overlay])
    write_methods(overlay, methods, [builtin(), overlay])
    return Worker(Setup((overlay,)), "spaced")


def test_a_stopped_run_goes_on_where_it_was(package: Path, tmp_path: Path) -> None:
    plan, out = Plan((package,), ("plain",)), tmp_path / "out"
    measured(plan, out, every=2)
    path = out / "plain" / "pkg.tsv"
    assert [row.document for row in read_rows(path)] == ["a", "gone"]
    path.write_text(path.read_text().replace("\ta\t", "\ta\t", 1).partition("#mean")[0].replace("0.888889", "0.777777"))

    outcome, said = measured(plan, out)
    rows = by_document(outcome.rows["pkg"]["plain"])
    assert list(rows) == ["a", "b", "gone", "odd"]
    assert rows["a"].values["vec_p"] == 0.777777, "what was measured is taken over"
    assert sum("document gone" in line for line in said) == 1, "what failed is tried again"

    outcome, _ = measured(plan, out, again=True)
    assert by_document(outcome.rows["pkg"]["plain"])["a"].values["vec_p"] == pytest.approx(16 / 18)


def test_rows_of_another_version_are_not_mixed_in(package: Path, tmp_path: Path) -> None:
    plan, out = Plan((package,), ("plain",)), tmp_path / "out"
    measured(plan, out)
    known = out / "plain" / "pkg.json"
    known.write_text(json.dumps(json.loads(known.read_text()) | {"words": "plain"}))
    _, said = measured(plan, out)
    assert any("measured before with something else" in line for line in said)
    _, said = measured(plan, out)
    assert not any("measured anew" in line for line in said)


@pytest.mark.slow
def test_a_document_that_takes_too_long_or_kills_its_process_costs_only_itself(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "odd.txt").write_text(WORDS)
    monkeypatch.setattr("crunchpy.evaluation.runner._start", start_evil)
    said: list[str] = []
    options = Options(tmp_path / "out", jobs=1, timeout_seconds=3)
    found, method = read_package(package), Method("evil", "peer")
    files = open_files([found], [method], options, lambda _: {}, said.append)
    run(open_tasks([found], [method], options, files), Setup(), options, said.append)
    errors = {row.document: row.error for row in files["pkg", "evil"].end(found.ids)}
    assert "took more than 3 seconds" in errors["a"]
    assert errors["b"].startswith("ProcessExpired")
    assert errors["odd"] == ""


def start_evil(setup: Setup, words: str) -> None:
    """In a worker process: a peer that sleeps and dies."""
    extract.peer_text = evil_text
    runner._worker.append(Worker(setup, words))


def evil_text(name: str, document: Document) -> str:
    if document.id == "a":
        time.sleep(60)
    if document.id == "b":
        os._exit(3)
    return "x"


def test_settings_by_site_and_kind_are_a_method(package: Path) -> None:
    row = Worker(Setup(), "spaced").measured(package, "a", Method("crunch_auto", "auto"))
    assert (row.error, row.values["str_r"]) == ("", 1.0)


@pytest.mark.slow
def test_through_the_proxy_the_measures_are_those_of_the_engine(package: Path, overlay: Path, tmp_path: Path) -> None:
    names = ("no-nav", "nav", "plain", "crunch_12")  # a plugin of an overlay, a built-in one, none at all, a step
    outcome, said = measured(Plan((package,), names, (overlay,), "proxy"), tmp_path / "out")
    assert not any("did not start" in line for line in said), said
    rows = {method: by_document(rows)["a"] for method, rows in outcome.rows["pkg"].items()}
    assert rows["nav"].error == rows["crunch_12"].error == ""
    assert (rows["no-nav"].values["str_f1"], rows["no-nav"].note) == (1.0, "")
    assert (rows["plain"].values["str_r"], rows["plain"].note) == (1.0, "unchanged")
    assert 0 < rows["no-nav"].values["seconds"] < 10


def run_command(*arguments: object) -> tuple[int, str]:
    app = typer.Typer()
    mount(app)
    result = CliRunner().invoke(app, ["eval", *map(str, arguments)])
    return result.exit_code, result.output


def test_command(package: Path, tmp_path: Path) -> None:
    (package / "b.meta").write_text("page_type: forum\ndrop: [News]")
    code, said = run_command(package, "--methods", "plain", "--split", "page_type", "--out", tmp_path / "out")
    assert code == 0, said
    assert "## Package pkg" in said
    assert "| method | forum (1) | unknown (1) |" in said
    assert "2 rows in" in said


def test_command_exits_with_1_where_nothing_could_be_measured(tmp_path: Path, package: Path) -> None:
    code, said = run_command(tmp_path / "nowhere", "--out", tmp_path / "out")
    assert (code, "package nowhere: package.yaml is missing" in said) == (1, True)
    code, said = run_command(package, "--methods", "nothing", "--out", tmp_path / "out")
    assert (code, "method 'nothing' is not known" in said) == (1, True)


def test_command_refuses_an_address_that_is_none(package: Path) -> None:
    code, said = run_command(package, "--proxy", "privoxy")
    assert code == 2
    assert "HOST:PORT" in said


def test_another_proxy_is_a_method_with_its_name(package: Path, tmp_path: Path) -> None:
    arguments = ("--methods", "", "--proxy", "127.0.0.1:1", "--proxy-name", "closed", "--out", tmp_path / "out")
    code, said = run_command(package, *arguments)
    assert code == 1
    assert "method closed: ProxyError: proxy 127.0.0.1:1: ConnectionRefusedError" in said
