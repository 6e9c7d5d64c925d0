"""The repository's conventions, checked by reading its files; CONTRIBUTING.md gives the reasons for each."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tools import largest

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = sorted(path for path in (ROOT / "plugins").glob("*.py") if not path.name.startswith("_"))
SETTINGS = sorted((ROOT / "settings").glob("*.yaml"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))

MAX_ARCHITECTURE_LINES = 150
MAX_PLUGIN_LINES = 120
MAX_DECISION_LINES = 60
VAGUE_NAMES = {"utils", "helpers", "common", "base", "manager", "core"}

# What a plugin may import of ours: the page and the edits, and the sums of the papers' methods. Another plugin's code
# is never among it.
PLUGIN_IMPORTS = {"crunchpy.page", "crunchpy.dom", "crunchpy.edit", "crunchpy.plugin"}
PLUGIN_IMPORTS |= {f"crunchpy.extraction.{path.stem}" for path in (ROOT / "crunchpy" / "extraction").glob("*.py")}
SOURCE_LINE = re.compile(r"^Source:\s*\S", re.MULTILINE)

# Neither a package index nor a folder of somebody's machine belongs into what everybody gets. Written in two parts
# so that this file does not hold what it looks for.
FORBIDDEN = {
    "a package index's host": re.compile("|".join(("files.python" + "hosted", "pypi" + r"\.org", "index-" + "url"))),
    "a path of one machine": re.compile(r"(?<![\w.])/" + r"(?:work|root|home/\w+|Users/\w+)/\w"),
}
TEXT_SUFFIXES = {
    ".cfg",
    ".css",
    ".html",
    ".json",
    ".md",
    ".py",
    ".sh",
    ".service",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
    "",
}


def tracked_files() -> list[Path]:
    """The project's files; all that is not ignored where it is no git checkout."""
    command = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: what is tracked is not known")
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def as_ids(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", largest.source_files(), ids=relative)
def test_file_and_its_functions_keep_their_budget(path: Path) -> None:
    limit = MAX_PLUGIN_LINES if path in PLUGINS else largest.MAX_FILE_LINES
    assert largest.file_size(path).lines <= limit
    too_long = [size for size in largest.function_sizes(path) if size.lines > largest.MAX_FUNCTION_LINES]
    assert not too_long


@pytest.mark.parametrize("path", sorted((ROOT / "crunchpy").glob("*.pyx")), ids=as_ids)
def test_compiled_file_keeps_its_budget_and_names_its_twin(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    twin = path.with_name(path.name.removeprefix("_")).with_suffix(".py")
    assert len(text.splitlines()) <= largest.MAX_FILE_LINES
    assert twin.is_file()
    assert f"`{twin.name}`" in text


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not [relative(path) for path in largest.source_files() if path.stem in VAGUE_NAMES]


def test_architecture_can_be_read_in_one_sitting() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < MAX_ARCHITECTURE_LINES


def test_architecture_names_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:crunchpy|plugins|settings|tests|docs|tools|bench)/[\w./-]+?)`", text))
    assert named, "ARCHITECTURE.md names no file at all"
    assert not sorted(name for name in named if "NAME" not in name and not (ROOT / name).exists())


def test_each_decision_record_is_in_the_index_and_short() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(([0-9][\w.-]*\.md)\)", index))
    assert linked == {path.name for path in DECISIONS}
    numbers = [path.name[:4] for path in DECISIONS]
    assert len(set(numbers)) == len(numbers), "two records have the same number"
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in DECISIONS}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_DECISION_LINES}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_names(what: str) -> None:
    found = []
    for path in tracked_files():
        # The cases are other people's pages in small, and may well have such a path in a link.
        if path.suffix not in TEXT_SUFFIXES or path.is_relative_to(ROOT / "tests" / "cases"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{relative(path)}: {match.group()}" for match in FORBIDDEN[what].finditer(text)]
    assert not found


def test_pins_are_exact_and_cover_the_declared_dependencies() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert not [line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.+!]+", line)]
    names = [normal(line.split("==")[0]) for line in pins]
    assert len(set(names)) == len(names)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert declared(project) <= set(names)


def declared(project: str) -> set[str]:
    """Every package that pyproject.toml asks for, ours left out."""
    table = tomllib.loads(project)["project"]
    asked = [*table["dependencies"], *(name for extra in table["optional-dependencies"].values() for name in extra)]
    return {normal(re.split(r"[\[<>=!~ ;]", name)[0]) for name in asked} - {"crunchpy"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_make_lists_every_target_that_contributing_names() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    named = {name for line in re.findall(r"`make ([a-z -]+)", text) for name in line.split()}
    assert named <= listed


# Plugins -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PLUGINS, ids=as_ids)
def test_plugin_says_what_it_removes_and_where_the_idea_is_from(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = docstring.split("\n", 1)[0]
    assert first.endswith("."), "line 1 is one sentence: what goes"
    assert SOURCE_LINE.search(docstring), (
        "a line `Source:` names author, year, title, section; or says that there is none"
    )


@pytest.mark.parametrize("path", PLUGINS, ids=as_ids)
def test_plugin_imports_only_the_page_and_libraries(path: Path) -> None:
    ours = {name for name in imported(path) if name.split(".")[0] in {"crunchpy", "plugins", "settings", "tests"}}
    assert ours <= PLUGIN_IMPORTS


def imported(path: Path) -> set[str]:
    """Modules that a file imports, `from crunchpy import page` counted as crunchpy.page."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "crunchpy":
            names |= {f"crunchpy.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", PLUGINS, ids=as_ids)
def test_plugin_has_a_case_that_goes_and_one_that_stays(path: Path) -> None:
    folder = ROOT / "tests" / "cases" / path.stem
    pages = {page.name.removesuffix(".html") for page in folder.glob("*.html") if ".expected." not in page.name}
    goes = {name for name in pages if name.startswith("goes_")}
    stays = {name for name in pages if name.startswith("stays_")}
    assert goes
    assert stays
    assert not sorted(name for name in pages - goes - stays if not name.startswith("issue_"))
    assert not sorted(name for name in pages if not (folder / f"{name}.expected.html").is_file())


@pytest.mark.parametrize("path", PLUGINS, ids=as_ids)
def test_plugin_appears_in_some_settings_file_or_is_a_named_method(path: Path) -> None:
    assert path.stem in method_names() or any(path.stem in chain_names(settings) for settings in SETTINGS)


def method_names() -> set[str]:
    """Names of the steps in the chains of methods.yaml."""
    chains = yaml.safe_load((ROOT / "methods.yaml").read_text(encoding="utf-8")).values()
    return {name for chain in chains for step in chain for name in (step if isinstance(step, dict) else [step])}


def chain_names(settings: Path) -> set[str]:
    """Names of the steps in a settings file's chain."""
    content = yaml.safe_load(settings.read_text(encoding="utf-8"))
    chain = (content.get("chain") or []) if isinstance(content, dict) else []
    return {name for step in chain for name in (step if isinstance(step, dict) else [step])}


def test_each_folder_of_cases_belongs_to_a_plugin_or_a_part() -> None:
    parts = {path.stem for path in (ROOT / "crunchpy").iterdir()}
    known = parts | {path.stem for path in PLUGINS}
    folders = [folder for folder in (ROOT / "tests" / "cases").glob("*") if folder.is_dir() and any(folder.iterdir())]
    assert not sorted(folder.name for folder in folders if folder.name not in known)
