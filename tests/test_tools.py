"""What CONTRIBUTING.md tells authors to run does what it says."""

from __future__ import annotations

import ast
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crunchpy.chain import Chain, Step
from crunchpy.limits import Limits
from crunchpy.page import Page
from crunchpy.plugin import load_plugin
from deploy import healthcheck
from tests.outline import outline
from tools import largest, new_plugin

ROOT = Path(__file__).resolve().parent.parent
FIND_PYTHON = ROOT / "tools" / "find_python.sh"


def test_new_plugin_writes_a_plugin_and_both_cases(tmp_path: Path) -> None:
    paths = new_plugin.write(tmp_path, "share_bars")
    assert sorted(paths) == sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert (tmp_path / "tests/cases/share_bars/stays_first.html").is_file()
    source = (tmp_path / "plugins/share_bars.py").read_text(encoding="utf-8")
    assert "Source:" in (ast.get_docstring(ast.parse(source)) or "")


def filtered_by(plugin: Path, page: Path) -> str:
    """The outline of a page after a plugin alone."""
    loaded = load_plugin(plugin)
    limits = Limits(keep_at_least_words=0, keep_at_least_words_ratio=0, max_words_ratio=1)
    parsed = Page.parse(page.read_bytes(), url="https://example.org/")
    assert isinstance(parsed, Page)
    Chain("case", (Step(loaded, loaded.Settings()),), limits).run(parsed)
    return outline(parsed.render())


def test_new_plugin_is_red_at_first_and_green_once_apply_is_right(tmp_path: Path) -> None:
    new_plugin.write(tmp_path, "share_bars")
    plugin, cases = tmp_path / "plugins/share_bars.py", tmp_path / "tests/cases/share_bars"
    goes, stays = (outline((cases / f"{name}_first.expected.html").read_bytes()) for name in ("goes", "stays"))
    assert filtered_by(plugin, cases / "goes_first.html") != goes
    plugin.write_text(plugin.read_text(encoding="utf-8").replace("> settings.max", "<= settings.max"), encoding="utf-8")
    assert filtered_by(plugin, cases / "goes_first.html") == goes
    assert filtered_by(plugin, cases / "stays_first.html") == stays


def test_new_plugin_overwrites_nothing(tmp_path: Path) -> None:
    case = tmp_path / "tests/cases/share_bars/goes_first.html"
    case.parent.mkdir(parents=True)
    case.write_text("written by hand", encoding="utf-8")
    with pytest.raises(FileExistsError, match="goes_first"):
        new_plugin.write(tmp_path, "share_bars")
    assert case.read_text(encoding="utf-8") == "written by hand"
    assert not (tmp_path / "plugins").exists()


@pytest.mark.parametrize("name", ["", "Share", "share-bars", "../share", "share bars", "_share", "1share"])
def test_new_plugin_refuses_a_name_that_is_no_module(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="NAME"):
        new_plugin.write(tmp_path, name)


def test_function_sizes_count_the_signature_once_and_no_docstring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(largest, "ROOT", tmp_path)
    path = tmp_path / "example.py"
    path.write_text(
        'def f(\n    a,\n    b,\n):\n    """One.\n\n    Two.\n    """\n    a += b\n    return a\n\n'
        'def g():\n    """Only words."""\n',
        encoding="utf-8",
    )
    assert [size.lines for size in largest.function_sizes(path)] == [3, 1]


def find_python(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the search with only `folder` and the system's shell tools to look in."""
    variables = {"PATH": str(folder), "HOME": str(folder), "PYENV_ROOT": str(folder)} | environment
    return subprocess.run(["/bin/sh", FIND_PYTHON], env=variables, capture_output=True, text=True, check=False)


def stand_in(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_find_python_passes_over_a_stand_in_that_fails(tmp_path: Path) -> None:
    stand_in(tmp_path / "python3.13", "echo 'version 3.13 is not installed' >&2; exit 127")
    stand_in(tmp_path / "python3", f'exec "{sys.executable}" "$@"')
    found = find_python(tmp_path)
    assert found.returncode == 0
    assert Path(found.stdout.strip()).samefile(sys.executable)


def test_find_python_says_what_to_install_where_all_are_too_old(tmp_path: Path) -> None:
    stand_in(tmp_path / "python3", "exit 1")
    (tmp_path / "cat").symlink_to("/bin/cat")
    found = find_python(tmp_path)
    assert found.returncode == 1
    assert not found.stdout
    assert "apt-get install python3 python3-venv" in found.stderr


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """A server on loopback that gives every request the same answer; its HOST:PORT."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "body", "is_well"),
    [
        (200, b"<h1>Install the Certificate</h1>", True),
        (407, b"", True),
        (200, b"some other page", False),
        (502, b"certificate of the origin is bad", False),
    ],
)
def test_health_check_wants_the_proxy_s_own_page(status: int, body: bytes, is_well: bool) -> None:
    with answering(status, body) as address:
        assert (healthcheck.problem(address) is None) is is_well


def test_health_check_says_when_nobody_answers() -> None:
    assert "no answer" in (healthcheck.problem("127.0.0.1:9") or "")
