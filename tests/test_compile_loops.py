"""Where the loops cannot be compiled, the package is built without them, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crunchpy import loops
from tools import compile_loops


class App:
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_warning(self, message: str) -> None:
        self.warnings.append(message)


def _run(version: str, root: Path, target: str = "wheel") -> tuple[dict[str, Any], list[str]]:
    app: Any = App()
    build_data: dict[str, Any] = {"force_include": {}, "pure_python": True}
    config: Any = {}
    hook = compile_loops.CompiledLoops(str(root), config, config, config, str(root), target, app)
    hook.initialize(version, build_data)
    return build_data, app.warnings


@pytest.mark.parametrize("problem", [OSError("gcc: not found"), SystemExit("error: command 'gcc' failed")])
def test_without_a_compiler_the_wheel_is_pure(
    problem: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_folder: Path, _target: Path) -> list[Path]:
        raise problem

    monkeypatch.setattr(compile_loops, "compile_all", fail)
    build_data, warnings = _run("standard", tmp_path)
    assert build_data == {"force_include": {}, "pure_python": True}
    assert len(warnings) == 1
    assert "pages will take longer" in warnings[0]
    assert str(problem) in warnings[0]


def test_what_was_compiled_goes_into_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_loops, "compile_all", lambda _folder, target: [target / "_tag_loop.so"])
    build_data, warnings = _run("standard", tmp_path)
    assert list(build_data["force_include"].values()) == ["crunchpy/_tag_loop.so"]
    assert (build_data["pure_python"], build_data["infer_tag"], warnings) == (False, True, [])


def test_in_a_checkout_it_is_compiled_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    targets: list[Path] = []
    monkeypatch.setattr(compile_loops, "compile_all", lambda _folder, target: targets.append(target) or [])
    build_data, _ = _run("editable", tmp_path)
    assert targets == [tmp_path / "crunchpy"]
    assert build_data["pure_python"]


@pytest.mark.parametrize(("value", "target"), [("no", "wheel"), ("yes", "sdist")])
def test_nothing_is_compiled(value: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUNCHPY_COMPILE", value)
    monkeypatch.setattr(compile_loops, "compile_all", lambda *_: pytest.fail("compiled all the same"))
    assert _run("standard", tmp_path, target) == ({"force_include": {}, "pure_python": True}, [])


def test_the_installation_says_what_it_costs_and_what_to_do() -> None:
    assert "no C compiler" in loops.NOT_COMPILED
    assert "sudo apt-get install gcc python3-dev" in loops.NOT_COMPILED
