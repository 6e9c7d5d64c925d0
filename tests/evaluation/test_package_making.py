"""Packages that commands make: `crunchpy package add`, `convert` and `check` on what came of them."""

from __future__ import annotations

import gzip
import http.server
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crunchpy.evaluation.package import read_package
from crunchpy.evaluation.package_commands import app
from crunchpy.evaluation.package_write import stem

PAGE = b"<title>t</title><p>menu</p><p>The article. Its end.</p>"


def run(*arguments: object, exit_code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == exit_code, result.output
    return result.output


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    path = tmp_path / "some page.html"
    path.write_bytes(PAGE)
    return path


def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """An editor that keeps what it was shown in ``seen`` and does ``script`` to the file $1."""
    seen, path = tmp_path / "seen", tmp_path / "editor.sh"
    path.write_text(f'#!/bin/sh\ncp "$1" "{seen}"\n{script}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(path))
    return seen


def test_add_asks_an_editor_for_the_gold_text(tmp_path: Path, page_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = editor(tmp_path, monkeypatch, """sed -i 's/^menu //' "$1"; touch -d '+2 seconds' "$1" """)
    said = run("add", tmp_path / "pkg", page_file, "--url", "http://site.test/a", "--language", "en", "--fragmented")
    assert "added some-page" in said
    assert "menu The article.\nIts end.\n" in seen.read_text()
    document = read_package(tmp_path / "pkg").document("some-page")
    assert document.body == PAGE
    assert document.gold == "The article.\nIts end.\n"
    assert document.meta == {"url": "http://site.test/a", "language": "en", "fragmented": True}
    run("check", tmp_path / "pkg")


def test_an_editor_left_without_saving_adds_nothing(
    tmp_path: Path, page_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, "true")
    assert "nothing was added" in run("add", tmp_path / "pkg", page_file, exit_code=1)
    assert not (tmp_path / "pkg").exists()


def test_add_keeps_what_a_person_wrote_into_the_description(tmp_path: Path, page_file: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("The article.")
    folder = tmp_path / "pkg"
    run("add", folder, page_file, "--gold", gold, "--name", "1")
    description = folder / "package.yaml"
    description.write_text("# mine\n" + description.read_text())
    run("add", folder, page_file, "--gold", gold, "--name", "true")
    assert description.read_text().startswith("# mine\n")
    assert read_package(folder).ids == ("1", "true")


def test_a_list_in_brackets_is_written_anew(tmp_path: Path, page_file: Path) -> None:
    gold, folder = tmp_path / "gold.txt", tmp_path / "pkg"
    gold.write_text("x")
    folder.mkdir()
    (folder / "package.yaml").write_text("documents: []\nname: pkg\n")
    run("add", folder, page_file, "--gold", gold)
    assert read_package(folder).ids == ("some-page",)


def test_a_name_in_use_is_refused(tmp_path: Path, page_file: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("The article.")
    run("add", tmp_path / "pkg", page_file, "--gold", gold)
    assert "exists already" in run("add", tmp_path / "pkg", page_file, "--gold", gold, exit_code=1)
    assert read_package(tmp_path / "pkg").ids == ("some-page",)


@pytest.mark.parametrize("source", ["nowhere.html", "http://127.0.0.1:1/closed"])
def test_a_page_that_cannot_be_had_is_named(tmp_path: Path, source: str) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("x")
    assert source in run("add", tmp_path / "pkg", source, "--gold", gold, exit_code=1)


@pytest.fixture
def site() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=koi8-r")
            self.end_headers()
            self.wfile.write("<p>да".encode("koi8-r"))

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_fetched_page_keeps_its_bytes_address_and_content_type(tmp_path: Path, site: str) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("да", encoding="utf-8")
    run("add", tmp_path / "pkg", f"{site}/news/1.html", "--gold", gold)
    package = read_package(tmp_path / "pkg")
    assert package.ids == ("127.0.0.1-news-1",)
    document = package.document(package.ids[0])
    assert (document.body, document.text) == ("<p>да".encode("koi8-r"), "да")
    assert document.url == f"{site}/news/1.html"


def layout(folder: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize(
    ("form", "files", "gold", "url"),
    [
        ("pairs", {"html/a.html": PAGE, "txt/a.txt": "The article."}, "The article.", ""),
        ("pairs", {"a.html.gz": gzip.compress(PAGE), "a.txt": "für".encode("cp1252")}, "für", ""),
        (
            "cleaneval",
            {
                "orig/a.html": b"<text id='1'>\n" + PAGE + b"\n</text>\n",
                "clean/a.txt": "  URL: http://site.test/\n\n<h>Title\n<p>Text <b>kept",
            },
            "Title\nText <b>kept\n",
            "http://site.test/",
        ),
        ("readability", {"a/source.html": PAGE, "a/expected.html": "<p>The article."}, "The article.", ""),
        (
            "scrapinghub",
            {
                "ground-truth.json": json.dumps({"a": {"articleBody": "The article.", "url": "http://site.test/"}}),
                "html/a.html.gz": gzip.compress(PAGE),
            },
            "The article.",
            "http://site.test/",
        ),
        (
            "webis",
            {
                "ground-truth/news.jsonl": json.dumps({"page_id": "a", "plaintext": "The article."}) + "\n\n",
                "html/news/a.html": PAGE,
            },
            "The article.",
            "",
        ),
    ],
)
def test_convert(tmp_path: Path, form: str, files: dict[str, bytes | str], gold: str, url: str) -> None:
    source = layout(tmp_path / "source", files)
    assert "1 documents written" in run("convert", source, tmp_path / "pkg", "--form", form)
    package = read_package(tmp_path / "pkg")
    document = package.document(package.ids[0])
    assert (document.body, document.gold, document.meta.get("url", "")) == (PAGE, gold, url)
    run("check", tmp_path / "pkg")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("pears", "form 'pears' is not known; known are pairs"),
        ("readability", "no pages of the form readability found"),
        ("scrapinghub", "ground-truth.json: cannot be read"),
    ],
)
def test_convert_says_what_is_missing(tmp_path: Path, form: str, said: str) -> None:
    (tmp_path / "source").mkdir()
    assert said in run("convert", tmp_path / "source", tmp_path / "pkg", "--form", form, exit_code=1)


def test_convert_names_the_broken_line(tmp_path: Path) -> None:
    good = json.dumps({"page_id": "a", "plaintext": "x"})
    source = layout(tmp_path / "source", {"ground-truth/news.jsonl": f"{good}\n{{broken\n", "html/news/a.html": PAGE})
    assert "news.jsonl, line 2: cannot be read" in run(
        "convert", source, tmp_path / "pkg", "--form", "webis", exit_code=1
    )


def test_convert_writes_over_nothing(tmp_path: Path) -> None:
    source = layout(tmp_path / "source", {"a.html": PAGE, "a.txt": "x"})
    assert "not empty" in run("convert", source, source, exit_code=1)


def test_check_exits_with_1(tmp_path: Path) -> None:
    folder = layout(tmp_path / "pkg", {"package.yaml": "name: p\ndocuments: [gone]"})
    said = run("check", folder, exit_code=1)
    assert "gone.html is missing" in said
    assert "gone.txt is missing" in said


@pytest.mark.parametrize(
    ("wish", "expected"),
    [("a/b c?d", "a-b-c-d"), ("../../etc", "etc"), (".hidden", "hidden"), ("", "page"), ("ü", "page")],
)
def test_stems_are_safe_file_names(wish: str, expected: str) -> None:
    assert stem(wish) == expected
