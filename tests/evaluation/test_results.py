"""What is made of rows: figures, the HTML report, `docs/results.md`, and the papers' expectations."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer
from lxml import etree
from typer.testing import CliRunner

from crunchpy.evaluation.commands import mount
from crunchpy.evaluation.figures import can_draw, pictures, save
from crunchpy.evaluation.orderings import EXPECTATIONS, checked
from crunchpy.evaluation.package import read_package
from crunchpy.evaluation.report import write_report
from crunchpy.evaluation.results import read_results
from crunchpy.evaluation.rows import NUMBERS, Row, to_table
from crunchpy.evaluation.summary import details

needs_matplotlib = pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed (extra `plots`)")


def rows(package: str, level: float, count: int = 3) -> list[Row]:
    return [
        Row(package, str(n), 2000, dict.fromkeys(NUMBERS, level + n / 100), extract_words=9, gold_words=9)
        for n in range(count)
    ]


RESULTS = {
    "news": {
        "plain": rows("news", 0.4),
        "bte": rows("news", 0.6),
        "crunch_01": rows("news", 0.5),
        "crunch_02": rows("news", 0.55),
    },
    "phrases": {"plain": [Row("phrases", "1", 9, {"kept": 1.0, "dropped": 0.0})]},
}


def test_each_figure_of_the_paper_has_its_numbers_beside_it() -> None:
    found = {picture.name: picture.table for picture in pictures(RESULTS)}
    assert list(found) == ["f1-news", "pr-news", "steady-news", "ladder-news"]
    assert found["f1-news"].header == ("method", "characters", "words in order", "bag of words", "set of words")
    assert found["pr-news"].lines[1] == ("bte", "0.610", "0.610")
    assert found["steady-news"].lines[0] == ("plain", "0.010", "410")
    assert [line[0] for line in found["ladder-news"].lines] == ["crunch_01", "crunch_02"]


@needs_matplotlib
def test_figures_are_grey_named_and_the_same_every_time(tmp_path: Path) -> None:
    for picture in pictures(RESULTS):
        first = save(picture, tmp_path).read_bytes()
        assert save(picture, tmp_path).read_bytes() == first
        drawing = etree.fromstring(first)
        colours = set(re.findall(rb"#([0-9a-f]{6})\b", first))
        assert colours
        assert {colour for colour in colours if not colour[:2] == colour[2:4] == colour[4:]} == set()
        text = " ".join(drawing.itertext())
        assert picture.title in text
        assert "bte" in text or picture.name.startswith("ladder")


def test_report_without_matplotlib_has_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crunchpy.evaluation.report.can_draw", lambda: False)
    report = write_report(RESULTS, [], tmp_path, title="R & D").read_text()
    assert "<h1>R &amp; D</h1>" in report
    assert "<img" not in report
    assert "<td>0.610</td>" in report


@needs_matplotlib
@pytest.mark.slow
@pytest.mark.browser
def test_report_has_no_fault_that_axe_finds(tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    from playwright.sync_api import sync_playwright

    path = write_report(RESULTS, [details(RESULTS, "news")], tmp_path, title="Results")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 400, "height": 700})  # narrow: the wide tables scroll
        page.goto(path.as_uri())
        found = axe.Axe().run(page)
        widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        browser.close()
    assert found.response["violations"] == []
    assert len(found.response["passes"]) > 5
    assert widths[0] <= widths[1], "the page itself must not scroll sideways"


def expected(*values: float, of: int) -> Sequence[str]:
    expectation = EXPECTATIONS[of]
    methods: dict[str, list[Row]] = {}
    for (method, column), value in zip(expectation.of, values, strict=True):
        methods.setdefault(method, []).append(Row("news", "1", 9, {column: value}, 1, 1))
    return next(line for line in checked({"news": methods}).lines if line[0] == expectation.sentence)[2:]


def test_expectations_are_confirmed_contradicted_or_not_measured() -> None:
    place = next(n for n, one in enumerate(EXPECTATIONS) if "AdDANAg) helps" in one.sentence)
    assert expected(0.8, 0.7, of=place) == ("news (0.800 0.700)", "–")
    assert expected(0.6, 0.7, of=place) == ("–", "news (0.600 0.700)")
    assert checked({"news": {}}).lines[place][2:] == ("–", "–")


def command(*arguments: object) -> tuple[int, str]:
    app = typer.Typer()
    mount(app)
    result = CliRunner().invoke(app, ["results", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def run_folder(tmp_path: Path) -> tuple[Path, Path]:
    package = tmp_path / "news"
    package.mkdir()
    (package / "package.yaml").write_text("name: News\nlicence: MIT\ndocuments: ['0', '1', '2']\n")
    (package / "0.meta").write_text("page_type: article\nscript: Latn")
    (package / "1.meta").write_text("page_type: forum\nscript: Latn")
    out = tmp_path / "out"
    for method, level in {"bte": 0.6, "plain": 0.4}.items():
        (out / method).mkdir(parents=True)
        (out / method / "news.tsv").write_text(to_table(rows("news", level)))
        (out / method / "news.json").write_text('{"method": "x", "via": "engine", "python": "3.13.0"}')
    return package, out


def test_results_document(run_folder: tuple[Path, Path], tmp_path: Path) -> None:
    package, out = run_folder
    (tmp_path / "notes.md").write_text("## Notes\n\nSomebody looked.\n")
    target = tmp_path / "results.md"
    code, said = command(package, "--out", out, "--to", target, "--notes", tmp_path / "notes.md")
    assert code == 0, said
    text = target.read_text()
    assert "| news | 3 | 3 | 0 | MIT |" in text
    assert "| python | 3.13.0 |" in text
    assert text.index("Somebody looked.") < text.index("## Bag of words, F1\n")
    assert "| plain | 0.410 | 0.410 |\n| bte | 0.610 | 0.610 |" in text, "in the order of the registry"
    assert "| method | article (1) | forum (1) | unknown (1) |" in text
    assert "news by script" not in text, "one script is no split"
    assert (out / "report.html").exists()
    first = target.read_bytes()
    command(package, "--out", out, "--to", target, "--notes", tmp_path / "notes.md")
    assert target.read_bytes() == first


def test_only_pages_that_all_methods_were_measured_on_are_compared(run_folder: tuple[Path, Path]) -> None:
    package, out = run_folder
    (out / "bte" / "news.tsv").write_text(to_table(rows("news", 0.6)[1:2]))
    found = read_results(out, [read_package(package)], ["plain"])
    assert {name: [row.document for row in rows] for name, rows in found["news"].items()} == {
        "plain": ["1"],
        "bte": ["1"],
    }


def test_results_of_nothing(run_folder: tuple[Path, Path], tmp_path: Path) -> None:
    package, out = run_folder
    assert command(package, "--out", tmp_path / "nowhere", "--to", tmp_path / "r.md")[0] == 1
    (out / "bte" / "news.tsv").write_text("broken")
    code, said = command(package, "--out", out, "--to", tmp_path / "r.md")
    assert (code, "news.tsv: the header is not that of a results file" in said) == (1, True)
    assert not (tmp_path / "r.md").exists()
