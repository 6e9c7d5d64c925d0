"""The commands as a person types them: what comes out, what is said, and with which status they end."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
import yaml
from typer.testing import CliRunner, Result

from crunchpy import cli
from crunchpy.commands import page_input
from tests.origin import answer, running_origin

MENU = "".join(f'<li><a href="/{n}">Section number {n}</a></li>' for n in range(20))
STORY = "<p>The ferry crossed the sound in the early morning, and nobody on board had slept.</p>" * 10
HEAD = '<!DOCTYPE html>\n<html lang="en"><head><title>Ferry</title></head>\n<body>'
PAGE = f"{HEAD}<nav><ul>{MENU}</ul></nav>\n<main><h1>Ferry</h1>{STORY}</main></body></html>\n".encode()
FILTERED = f"{HEAD}\n<main><h1>Ferry</h1>{STORY}</main></body></html>\n".encode()


def run(*arguments: object, stdin: bytes = b"") -> Result:
    given = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.application(given[0]), given, input=stdin)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_bytes(PAGE)
    return path


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    folder = tmp_path / "overlay"
    (folder / "settings").mkdir(parents=True)
    (folder / "plugins").mkdir()
    return folder


# What comes in ------------------------------------------------------------------------------------------------------


def test_filter_writes_the_page_without_its_menu_and_otherwise_byte_for_byte(page: Path) -> None:
    result = run("filter", page)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout_bytes == FILTERED


def test_filter_reads_gzip(tmp_path: Path) -> None:
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(PAGE))
    assert run("filter", path).stdout_bytes == FILTERED


def test_filter_reads_standard_input() -> None:
    assert run("filter", "-", stdin=PAGE).stdout_bytes == FILTERED


def test_filter_fetches_an_address_and_follows_where_it_leads() -> None:
    with running_origin({"/page": answer(PAGE)}) as origin:
        moved = f"HTTP/1.1 302 Found\r\nLocation: {origin.url('/page')}\r\nContent-Length: 0\r\n\r\n"
        with running_origin({"/": moved.encode()}) as first:
            assert run("filter", first.url()).stdout_bytes == FILTERED


def test_address_may_have_letters_of_any_script() -> None:
    with running_origin({"/%C3%BC%20b": answer(PAGE)}) as origin:
        assert run("filter", origin.url("/ü b?q=ß#part")).stdout_bytes == FILTERED
        assert origin.requests[0].startswith(b"GET /%C3%BC%20b?q=%C3%9F HTTP/1.1")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the server answered 404 Not Found"),
        (
            b"HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n",
            "the server answered 302",
        ),
        (answer(b"not gzip", headers="Content-Encoding: gzip\r\n"), "cannot be decompressed: The body is not what"),
        (answer(b"x" * 2000), "is larger than 1,000 bytes"),
        (b"nonsense\r\n\r\n", "cannot be fetched"),
    ],
)
def test_address_that_gives_no_page_is_named_with_the_reason(
    response: bytes, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_input, "MAX_BYTES", 1000)
    with running_origin({"/": response}) as origin:
        result = run("filter", origin.url())
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{origin.url()}: ")
    assert said in result.stderr


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (answer(PAGE, headers="Cache-Control: no-transform\r\n"), "no_transform"),
        (answer(b'{"a": 1}', "application/json"), "not_html"),
        (answer(b"<li>one more</li>"), "not_a_document"),
    ],
)
def test_page_that_the_proxy_would_leave_alone_is_left_alone_and_explained(response: bytes, code: str) -> None:
    with running_origin({"/": response}) as origin:
        result, explained = run("filter", origin.url()), run("explain", origin.url())
    assert result.exit_code == 0
    assert result.stdout_bytes == response.partition(b"\r\n\r\n")[2]
    assert "left as it came" in result.stderr
    assert f"Code: {code}." in explained.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.html", "there is no such file"),
        ("www.example.org", "there is no such file; an address begins with http:// or https://"),
        (".", "is a folder"),
        ("http://[::1/", "cannot be fetched: Invalid IPv6 URL"),
        ("http://a b/", "cannot be fetched: "),
        ("http://", "cannot be fetched: no host given"),
    ],
)
def test_file_that_cannot_be_read_is_named(name: str, said: str) -> None:
    result = run("filter", name)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{name}: {said}")


# What comes out -----------------------------------------------------------------------------------------------------


def test_text_is_the_filtered_page_as_lines(page: Path) -> None:
    lines = run("filter", page, "--text").stdout.splitlines()
    assert "# Ferry" in lines
    assert not [line for line in lines if "Section number" in line]


def test_trace_names_every_cut_by_its_bytes(page: Path, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    assert run("filter", page, "--trace", path, "--url", "https://example.org/a").exit_code == 0
    trace = json.loads(path.read_text())
    assert trace["url"] == "https://example.org/a"
    (cut,) = [cut for verdict in trace["verdicts"] for cut in verdict["cuts"]]
    assert PAGE[cut["start"] : cut["end"]].decode() == f"<nav><ul>{MENU}</ul></nav>"
    assert cut["why"]


def test_output_goes_into_a_file_whole(page: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    result = run("filter", page, "-o", path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert path.read_bytes() == FILTERED


def test_failed_write_keeps_the_old_file_and_leaves_nothing_behind(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.html"
    path.write_bytes(b"old")

    def fail(*_: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    result = run("filter", page, "-o", path)
    assert result.exit_code == 1
    assert result.stderr == f"{path}: cannot be written: No space left on device\n"
    assert path.read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.html", "page.html"]


# Which settings -----------------------------------------------------------------------------------------------------


def test_step_of_the_ladder_can_be_named(page: Path) -> None:
    trace = json.loads(run("explain", page, "--step", 7, "--json").stdout)
    assert trace["settings"] == "crunch_07"


def test_preset_can_be_named(page: Path) -> None:
    assert "Settings: crunch_02" in run("explain", page, "--settings", "crunch_news").stdout


def test_settings_can_be_a_file(page: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("chain: [share_bars]\n")
    trace = json.loads(run("explain", page, "--settings", path, "--json").stdout)
    assert (trace["settings"], [verdict["plugin"] for verdict in trace["verdicts"]]) == ("mine", ["share_bars"])


def test_method_can_be_named(page: Path) -> None:
    assert run("filter", page, "--method", "plain").stdout_bytes == PAGE


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--settings", "defualt"], 1, "there are no settings 'defualt'; did you mean 'default'?"),
        (["--settings", "none.yaml"], 1, "none.yaml: cannot be read: No such file or directory\n"),
        (["--method", "plian"], 1, "method 'plian' is not known; did you mean plain?"),
        (["--method", "trafilatura"], 1, "trafilatura"),
        (["--step", "13"], 2, "--step"),
        (["--step", "1", "--settings", "default"], 2, "--settings and --step exclude each other"),
        (["--overlay", "nowhere"], 2, "nowhere"),
        (["--url", "example.org"], 2, "--url example.org: write the whole address"),
        (["--url", "ftp://example.org/"], 2, "--url ftp://example.org/: write the whole address"),
        (["--url", "http://[bad"], 2, "--url http://[bad: write the whole address"),
    ],
)
def test_wrong_choice_is_answered_with_what_there_is(page: Path, options: list[str], status: int, said: str) -> None:
    result = run("filter", page, *options)
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr


def test_settings_file_of_the_guide_is_one(page: Path, tmp_path: Path) -> None:
    guide = (Path(cli.__file__).parent.parent / "docs" / "using.md").read_text("utf-8")
    path = tmp_path / "guide.yaml"
    path.write_text(guide.partition("```yaml\n")[2].partition("```")[0])
    assert "Settings: guide" in run("explain", page, "--settings", path).stdout


# Explaining ---------------------------------------------------------------------------------------------------------


def test_explanation_is_a_table_with_a_row_for_each_plugin(page: Path) -> None:
    lines = run("explain", page).stdout.splitlines()
    assert lines[0] == f"Page: {page}"
    assert re.fullmatch(r"Genre: unknown\. Settings: default, because .+\.", lines[1])
    assert re.fullmatch(r"Words: \d+ before, \d+ after, \d+% kept\. Filtering took \d+ ms\.", lines[2])
    start = next(n for n, line in enumerate(lines) if line.startswith("plugin"))
    rows = {line.split()[0]: line for line in lines[start + 1 :]}
    chain = yaml.safe_load((Path(cli.__file__).parent.parent / "settings" / "default.yaml").read_text())["chain"]
    assert list(rows) == [step if isinstance(step, str) else next(iter(step)) for step in chain]
    assert re.search(r"^navigation\s+changed\s+1\s+\d+\s+\d+\s+[\d.]+\s+is a menu$", rows["navigation"])


def test_explanation_says_what_a_veto_means_and_from_where_was_relaxed(page: Path, overlay: Path) -> None:
    greedy = (
        '"""Removes every paragraph."""\n'.replace('."""', '.\n\nSource: none\n"""')
        + "from crunchpy.edit import Remove\nfrom crunchpy.plugin import PluginSettings\n"
        "class Settings(PluginSettings):\n    pass\n"
        "def apply(page, settings):\n    for element in page.elements('p'):\n        yield Remove(element, 'is text')\n"
    )
    (overlay / "plugins" / "greedy.py").write_text(greedy)
    (overlay / "settings" / "harsh.yaml").write_text(
        "relax_to: soft\nlimits: {max_prose_ratio: 1.0}\nchain: [greedy]\n"
    )
    (overlay / "settings" / "soft.yaml").write_text("chain: [greedy]\n")
    result = run("explain", page, "--overlay", overlay, "--settings", "harsh")
    assert "Relaxed: harsh would have left too little of the page." in result.stdout
    assert "vetoed: the step would have taken more than the settings allow" in result.stdout


def test_name_of_the_page_is_escaped_and_nothing_of_it_can_run(tmp_path: Path) -> None:
    path = tmp_path / "<b>&'.html"
    path.write_bytes(PAGE.replace(b"<nav>", b"<script>alert(1)</script><nav onclick='alert(2)'>"))
    html = tmp_path / "explained.html"
    assert run("explain", path, "--html", html).exit_code == 0
    text = html.read_text()
    assert "<b>" not in text
    assert "<script" not in text
    assert "onclick='" not in text
    assert '<iframe sandbox title="' in text
    assert "default-src 'none'" in text


# Checking -----------------------------------------------------------------------------------------------------------


def test_check_prints_the_chains() -> None:
    result = run("check")
    assert result.exit_code == 0
    assert result.stdout.startswith("No problems: ")
    assert re.search(r"^Settings default: adverts, .+ Relaxes to default_gentle\.$", result.stdout, re.MULTILINE)


def test_check_names_every_problem_of_every_file_at_once(overlay: Path) -> None:
    (overlay / "plugins" / "broken.py").write_text("def apply(:\n")
    (overlay / "settings" / "one.yaml").write_text("chain: [no_such, {navigation: {nothing: 1}}]\nlimit: {}\n")
    (overlay / "settings" / "two.yaml").write_text("chain: [navigation\n")
    (overlay / "genres.yaml").write_text("default: default\ngenres: {news: {settings: nowhere}}\n")
    (overlay / "methods.yaml").write_text("mine: navigation\n")
    result = run("check", "--overlay", overlay)
    assert (result.exit_code, result.stdout) == (1, "")
    for said in (
        f"{overlay}/plugins/broken.py: cannot be run: SyntaxError",
        f"{overlay}/settings/one.yaml: unknown key 'limit'; did you mean 'limits'?",
        "there is no plugin 'no_such'",
        "there is no setting 'nothing'",
        f"{overlay}/settings/two.yaml, line 2, column 1: is not YAML",
        f"{overlay}/genres.yaml, genre news: there is no settings file 'nowhere'",
        f"{overlay}/methods.yaml, mine: must be a list",
        "7 problems found.",
    ):
        assert said in result.stderr


def test_check_says_which_file_takes_the_place_of_which(overlay: Path) -> None:
    (overlay / "settings" / "default.yaml").write_text("chain: [navigation]\n")
    result = run("check", "--overlay", overlay)
    assert re.search(rf"{overlay}/settings/default\.yaml takes the place of .+/settings/default\.yaml\.", result.stdout)


# Starting -----------------------------------------------------------------------------------------------------------


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(cli.application(), ["--help"])
    listed = re.findall(r"^  ([a-z]+) +[A-Z]", result.stdout, re.MULTILINE)
    assert sorted(listed) == sorted(cli.COMMANDS)
    assert "Exit status: 0 done; 1 not done" in result.stdout


def test_filter_loads_neither_the_proxy_nor_the_measures(page: Path) -> None:
    program = (
        "import atexit, sys\n"
        "heavy = {'mitmproxy', 'sklearn', 'matplotlib', 'sqlalchemy', 'turbohtml', 'crunchpy.evaluation'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        f"from crunchpy.cli import main\nmain(['filter', {str(page)!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, FILTERED)
    assert done.stderr.decode().strip() == "[]"


def test_unknown_command_is_refused_with_status_2() -> None:
    result = CliRunner().invoke(cli.application(), ["fliter"])
    assert result.exit_code == 2
    assert "No such command 'fliter'" in result.stderr
