from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from crunchpy.evaluation.package import Document, PackageError, read_package
from crunchpy.evaluation.package_check import faults


def make(folder: Path, files: dict[str, bytes | str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


GOOD = {
    "package.yaml": "name: A package\nnotes: two pages\ndocuments: ['1', b]\n",
    "1.html": "<p>menu<p>The article",
    "1.txt": "The article\n",
    "1.meta": "url: http://site.test/1\nlanguage: en\nfragmented: false\npage_type: article\n",
    "b.html.gz": gzip.compress(b"<p>Second"),
    "b.txt": "\ufeffSecond",
}


def test_a_package_is_read(tmp_path: Path) -> None:
    package = read_package(make(tmp_path / "pkg", GOOD))
    assert (package.name, package.ids) == ("pkg", ("1", "b"))
    first, second = (package.document(name) for name in package.ids)
    assert (first.url, first.gold, first.text) == ("http://site.test/1", "The article\n", "menu The article")
    assert first.meta["page_type"] == "article"
    assert (second.body, second.gold, dict(second.meta)) == (b"<p>Second", "Second", {})
    assert second.url.endswith("/b.html")
    assert faults(package.folder) == []


def test_phrases_stand_in_for_a_gold_text(tmp_path: Path) -> None:
    files = {"package.yaml": "name: p\ndocuments: [a]", "a.html": "x", "a.meta": "keep: [x]\ndrop: [menu]"}
    document = read_package(make(tmp_path / "pkg", files)).document("a")
    assert (document.gold, document.keep, document.drop) == (None, ("x",), ("menu",))
    assert faults(tmp_path / "pkg") == []


def test_declared_content_type_says_the_encoding(tmp_path: Path) -> None:
    files = GOOD | {"1.html": "<p>\u0434\u0430".encode("koi8-r"), "1.meta": "content_type: text/html; charset=KOI8-R"}
    assert read_package(make(tmp_path / "pkg", files)).document("1").text == "\u0434\u0430"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<meta charset=gb2312><p>中文".encode(), "text/html; charset=utf-8"),
        ("<meta charset=gb2312><p>中文".encode("gbk"), "text/html"),
        (b"<meta charset=gb2312><p>ascii", "text/html"),
    ],
)
def test_pages_that_were_saved_as_utf8_are_read_so(body: bytes, content_type: str) -> None:
    document = Document("pkg", "1", body)
    assert document.content_type == content_type
    assert document.text in ("中文", "ascii")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"1.html": None}, "package pkg, document 1: 1.html is missing"),
        ({"1.txt": None}, "package pkg, document 1: 1.txt is missing"),
        ({"1.txt": "f\u00fcr".encode("latin-1")}, "package pkg, document 1: 1.txt is not UTF-8 (byte 1)"),
        ({"1.meta": "url: [broken"}, "package pkg, document 1: 1.meta cannot be read"),
        ({"1.meta": "keep: one phrase"}, "package pkg, document 1: 1.meta keep is 'one phrase', must be a list"),
        ({"1.meta": "fragmented: 3"}, "package pkg, document 1: 1.meta fragmented is 3, must be true or false"),
        ({"1.meta": "just text"}, "package pkg, document 1: 1.meta must be a list of keys"),
        ({"b.html.gz": b"no gzip"}, "package pkg, document b: b.html.gz cannot be unpacked"),
        ({"b.html.gz": gzip.compress(b"x" * 999)[:-9]}, "package pkg, document b: b.html.gz cannot be unpacked"),
    ],
)
def test_a_broken_document_is_named_and_the_other_is_read(
    tmp_path: Path, changed: dict[str, bytes | str | None], said: str
) -> None:
    files = {name: content for name, content in (GOOD | changed).items() if content is not None}
    package = read_package(make(tmp_path / "pkg", files))
    broken = said.split("document ")[1][0]
    with pytest.raises(PackageError) as caught:
        package.document(broken)
    assert said in str(caught.value)
    assert package.document("b" if broken == "1" else "1").body
    assert any(said in fault for fault in faults(package.folder))


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ("name: p\ndocuments: [1]", "documents, number 1: 1 must be a text (in quotes)"),
        ("documents: [a]", "name: Field required"),
        ("name: p\ndocumnets: [a]", "documnets is not known; known are name, documents"),
        ("name: p\ndocuments: [../a]", "'../a' is no file name"),
        ("- a\n- b", "must be a list of keys"),
        ("name: [", "cannot be read"),
    ],
)
def test_a_broken_description_is_named(tmp_path: Path, description: str, said: str) -> None:
    folder = make(tmp_path / "pkg", {"package.yaml": description})
    with pytest.raises(PackageError) as caught:
        read_package(folder)
    assert str(caught.value).startswith("package pkg")
    assert "package.yaml" in str(caught.value)
    assert said in str(caught.value)
    assert faults(folder) == str(caught.value).splitlines()


def test_no_description(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"package\.yaml is missing"):
        read_package(tmp_path)


def test_check_finds_everything_in_one_go(tmp_path: Path) -> None:
    files = GOOD | {
        "package.yaml": "name: p\ndocuments: ['1', b, gone, '1']",
        "stray.html": "x",
        "1.html.gz": gzip.compress(b"x"),
        "b.html.gz": gzip.compress(b" "),
    }
    said = "\n".join(faults(make(tmp_path / "pkg", files)))
    for fault in (
        "document 1: stands 2 times",
        "document stray: stray.html is not in the list",
        "document gone: gone.html is missing",
        "document gone: gone.txt is missing",
        "1.html and 1.html.gz are both there",
        "document b: b.html is empty",
    ):
        assert fault in said
