"""CUTER from XML to XML, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from lxml import etree
from typer.testing import CliRunner, Result

from crunchpy.extraction.cuter_command import cuter_command

PROSE = "The ferry crossed the sound in the early morning, and nobody on board had slept."
HTML = (
    "<ul><li><a href=/news>News</a></li></ul><div><a href=https://ads.example/x>Buy this now</a></div>"
    f"<p>{PROSE} <picture><source srcset=f.webp><img src=/ferry.jpg alt='The ferry'></picture></p>"
    "<figure><video src=film.mp4></video></figure>"
    f"<p>{PROSE} &amp; more, \u00fcber alles \x01</p><p>Short</p><p><img src=/logo.png></p>"
)


def run(tmp_path: Path, xml: str | bytes, *options: object) -> Result:
    path = tmp_path / "pages.xml"
    path.write_bytes(xml.encode() if isinstance(xml, str) else xml)
    app = typer.Typer()
    app.command()(cuter_command)
    return CliRunner().invoke(app, [str(path), *map(str, options)])


def pages(*htmls: str, url: str = "https://news.example/a/") -> bytes:
    root = etree.Element("pages")
    for html in htmls:
        page = etree.SubElement(root, "page", url=url)
        etree.SubElement(page, "title").text = "Ferry"
        etree.SubElement(page, "html").text = etree.CDATA(html)
    return etree.tostring(root)


def test_text_and_multimedia_of_an_article(tmp_path: Path) -> None:
    result = run(tmp_path, pages(HTML.replace("\x01", "")))
    assert result.exit_code == 0
    [article] = etree.fromstring(result.stdout_bytes)
    assert (article.get("url"), article.findtext("title")) == ("https://news.example/a/", "Ferry")
    assert [p.text for p in article.iterfind("text/p")] == [PROSE, f"{PROSE} & more, über alles"]
    media = [(medium.tag, medium.get("src"), medium.get("description")) for medium in article.find("multimedia")]
    assert media == [
        ("image", "https://news.example/ferry.jpg", "The ferry"),
        ("video", "https://news.example/a/film.mp4", ""),
    ]
    assert article.find("nodes") is None


def test_nodes_have_their_class(tmp_path: Path) -> None:
    result = run(tmp_path, pages(HTML.replace("\x01", "")), "--nodes")
    nodes = etree.fromstring(result.stdout_bytes).iterfind("article/nodes/node")
    classes = [(node.get("id"), node.get("class")) for node in nodes]
    assert classes == [
        ("1", "navigation"), ("2", "advertisement"), ("3", "information"), ("4", "information"), ("5", "omitted")
    ]  # fmt: skip


def test_a_page_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    to = tmp_path / "articles.xml"
    result = run(tmp_path, pages(" ", "<frameset><frame></frameset>", f"<p>{PROSE}</p>"), "--out", to)
    assert (result.exit_code, result.stdout) == (0, "")
    articles = etree.parse(to).getroot()
    assert [article.findtext("error") is not None for article in articles] == [True, True, False]
    assert articles[2].findtext("text/p") == PROSE


def test_the_group_of_the_largest_block(tmp_path: Path) -> None:
    html = f"<p>{PROSE}</p><p>x</p><p>y</p><p>z</p><p>{PROSE} {PROSE}</p>"
    texts = []
    for options in ((), ("--seed",)):
        root = etree.fromstring(run(tmp_path, pages(html), *options).stdout_bytes)
        texts.append([p.text for p in root.iterfind("article/text/p")])
    assert texts == [[PROSE], [f"{PROSE} {PROSE}"]]


@pytest.mark.parametrize(
    ("xml", "said"),
    [
        ("<pages>", "is not XML"),
        ("", "is not XML"),
        ("<rss/>", "the root element is <rss>, allowed is <pages>"),
        ("<pages><page><title>t</title></page></pages>", "element 1: must be <page> with <html>"),
        ("<pages><item><html>x</html></item></pages>", "element 1: must be <page>"),
    ],
)
def test_what_is_not_such_xml_is_said(tmp_path: Path, xml: str, said: str) -> None:
    result = run(tmp_path, xml)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{tmp_path / 'pages.xml'}: ")
    assert said in result.stderr


def test_no_file_of_the_machine_gets_into_the_output(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret " * 20)
    entity = f'<!DOCTYPE pages [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    result = run(tmp_path, f"{entity}<pages><page><html>&lt;p>{PROSE} &x; {PROSE}&lt;/p></html></page></pages>")
    assert "secret" not in result.stdout


def test_characters_that_no_xml_may_hold_are_left_out(tmp_path: Path) -> None:
    result = run(tmp_path, pages(f"<p>{PROSE} a&#1;b&#xFFFE;c</p>"))
    assert result.exit_code == 0
    assert etree.fromstring(result.stdout_bytes).findtext("article/text/p").startswith(PROSE)
