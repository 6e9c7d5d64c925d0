from __future__ import annotations

from pathlib import Path

import pytest

from crunchpy.evaluation.method_overlay import write_methods
from crunchpy.evaluation.methods import MethodError, chosen, known_methods, missing
from crunchpy.evaluation.peers import PEERS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "cut_all.py").write_text("")
    (tmp_path / "methods.yaml").write_text("cut: [cut_all]\ncut-9: [{cut_all: {words: 9}}]\nnone: [nowhere]\n")
    return tmp_path


def test_names_of_the_command_line(overlay: Path) -> None:
    methods = known_methods([ROOT, overlay])
    assert {"plain", "crunch", "crunch_01", "crunch_12", "cut", "cut-9", *PEERS} <= set(methods)
    assert (methods["cut-9"].chain, methods["cut-9"].plugins) == (({"cut_all": {"words": 9}},), ("cut_all",))
    assert methods["crunch_07"].step == 7


def test_a_later_overlay_replaces_a_name(overlay: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    later = tmp_path_factory.mktemp("later")
    (later / "methods.yaml").write_text("cut: []")
    assert known_methods([overlay, later])["cut"].chain == ()


def test_the_rest_is_measured_when_a_name_is_wrong(overlay: Path) -> None:
    methods, faults = chosen(["cut", "cut-8", "none", "zzzzzz"], [overlay])
    assert [method.name for method in methods] == ["cut"]
    assert faults[0] == "method 'cut-8' is not known; did you mean cut-9?"
    assert faults[1] == "method none: there is no plugin nowhere"
    assert faults[2].startswith("method 'zzzzzz' is not known; known are cut, ")


def test_groups_take_what_can_be_used(overlay: Path) -> None:
    methods, faults = chosen(["papers", "ladder", "cut"], [overlay])
    assert [method.name for method in methods[:2]] == ["cut", "cut-9"]
    assert len(methods) == 2 + 12
    assert faults == []


def test_a_peer_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch, overlay: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert chosen(["goose3"], [overlay]) == ([], ["method goose3: goose3 is not installed (extra `peers`)"])
    assert chosen(["peers"], [overlay]) == ([], [])


@pytest.mark.parametrize(
    "text", ["- a", "a: b", "a: [1]", "a: [{b: 1}]", "a: [{b: {}, c: {}}]", "a: [", b"\xff".decode("latin-1") + ": ["]
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "methods.yaml").write_text(text)
    with pytest.raises(MethodError, match=r"methods\.yaml"):
        known_methods([tmp_path])


PAPERS = (
    "plain lqf-25 lqf-50 lqf-75 bte dsc ccb tccb-18 tccb-25 accb-40 density r2l dana danag addanag fe kfe cuter "
    "cetr-threshold cetr-2d-ff-density cetr-2d-km-density cetr-2d-em-density cetr-2d-ff-distance cetr-2d-km-distance "
    "cetr-2d-em-distance cetr-2010"
).split()


def test_each_method_of_the_papers_has_its_name() -> None:
    methods = known_methods([ROOT])
    assert [name for name, method in methods.items() if method.kind == "chain"] == PAPERS


def test_each_method_whose_plugin_is_there_has_settings_that_the_plugin_takes(tmp_path: Path) -> None:
    there = [method for method in known_methods([ROOT]).values() if not missing(method, [ROOT])]
    usable, faults = write_methods(tmp_path, there, [ROOT])
    assert faults == []
    assert usable == there
