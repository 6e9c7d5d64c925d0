"""CUTER as its paper has it: XML with pages in, XML with their articles out. The schema is in docs/methods.md.

Source: Adam, Bouras and Poulopoulos, 2009, section III: input and output are XML, so that a crawler can feed it, and
be followed by whatever works on text. The paper prints no schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urljoin

from lxml import etree

from crunchpy.dom import host_of
from crunchpy.extraction.runs import BLOCKS, runs
from crunchpy.extraction.units import Rules, Unit, article, kinds, reject, units
from crunchpy.page import Element, Page, Unfit

NodeClass = Literal["advertisement", "navigation", "information", "omitted"]
_MEDIA = {
    "img": "image", "video": "video", "audio": "audio", "iframe": "embedded", "embed": "embedded",
    "object": "embedded",
}  # fmt: skip
_ADDRESSES = ("src", "data", "data-src")
# XML 1.0, production 2.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class CuterError(ValueError):
    """The input is not what the schema asks for; the message says where."""


@dataclass(frozen=True, slots=True)
class Given:
    """One page of the input."""

    title: str
    html: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Medium:
    """A picture, film or sound that stands in the article."""

    kind: str
    address: str
    description: str


@dataclass(slots=True)
class Article:
    """One page of the output: what was found in it, or why nothing was."""

    title: str
    url: str
    paragraphs: list[str] = field(default_factory=list)
    media: list[Medium] = field(default_factory=list)
    nodes: list[tuple[NodeClass, Unit]] = field(default_factory=list)
    error: str = ""


def read(xml: bytes) -> Iterator[Given]:
    """The pages of an input.

    Raises:
        CuterError: the input is no XML, or has no pages as the schema has them.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(xml, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise CuterError(f"is not XML: {error}") from error
    if root.tag != "pages":
        raise CuterError(f"the root element is <{root.tag}>, allowed is <pages>")
    for number, page in enumerate(root.iterchildren("*"), 1):
        html = page.findtext("html")
        if page.tag != "page" or html is None:
            raise CuterError(f"element {number}: must be <page> with <html> in it, and may have <title>")
        yield Given(page.findtext("title") or "", html, page.get("url", ""))


def cut(given: Given, rules: Rules) -> Article:
    """The article of one page."""
    found = Article(given.title, given.url)
    page = Page.parse(given.html.encode("utf-8"), url=given.url, content_type="text/html; charset=utf-8")
    if isinstance(page, Unfit):
        found.error = f"{page.reason} {page.detail}".strip()
        return found
    parts = units(runs(page))
    reject(parts, rules.max_link_ratio)
    chosen = article(parts, rules)
    found.paragraphs = [" ".join("".join(run.text for run in unit.runs).split()) for unit in chosen]
    found.media = [_medium(element, given.url) for element in _media_of(page, parts, chosen)]
    outcomes = kinds(parts, chosen)
    found.nodes = [(_class(unit, outcomes[unit.number], given.url), unit) for unit in parts]
    return found


def _media_of(page: Page, parts: Sequence[Unit], chosen: Sequence[Unit]) -> Iterator[Element]:
    """The media in the article's blocks, and in blocks without text between them."""
    if not chosen:
        return
    kept, with_text = {unit.block for unit in chosen}, {unit.block for unit in parts}
    first, last = chosen[0].runs[0].ranges[0][0], chosen[-1].runs[-1].ranges[-1][1]
    for element in page.elements(*_MEDIA):
        if element.getparent().tag in _MEDIA:
            continue  # the fallback of another
        ordinal = page.ordinal(element)
        place = page.source.starts[ordinal] if ordinal is not None else -1
        block = next((around for around in element.iterancestors() if around.tag in BLOCKS), None)
        if block in kept or (block not in with_text and first <= place <= last):
            yield element


def _medium(element: Element, url: str) -> Medium:
    address = next((value for name in _ADDRESSES if (value := element.get(name))), "")
    if not address:
        inner = (
            child.get("src") or child.get("srcset", "").partition(" ")[0] for child in element.iter("img", "source")
        )
        address = next(filter(None, inner), "")
    with suppress(ValueError):  # what cannot be resolved is handed on as it is written
        address = urljoin(url, address) if url else address
    return Medium(_MEDIA[element.tag], address, element.get("alt") or element.get("title") or "")


def _class(unit: Unit, outcome: str, url: str) -> NodeClass:
    """The paper's classes. It does not say how adverts are told from menus; here, by links that lead elsewhere."""
    if outcome != "rejected":
        return "information" if outcome == "article" else "omitted"
    own = {"", host_of(url)}
    links = [around.get("href", "") for run in unit.runs for around in (run.owner, *run.owner.iterancestors("a"))]
    leads_out = [host_of(link) not in own for link in links if link]
    return "advertisement" if leads_out and all(leads_out) else "navigation"


def written(articles: Sequence[Article], *, with_nodes: bool = False) -> bytes:
    """The output as XML; `with_nodes` adds every text node with its class and sizes."""
    root = etree.Element("articles")
    for found in articles:
        element = etree.SubElement(root, "article")
        if found.url:
            element.set("url", _clean(found.url))
        _add(element, "title", found.title)
        if found.error:
            _add(element, "error", found.error)
            continue
        text = etree.SubElement(element, "text")
        for paragraph in found.paragraphs:
            _add(text, "p", paragraph)
        multimedia = etree.SubElement(element, "multimedia")
        for medium in found.media:
            _add(multimedia, medium.kind, "", src=medium.address, description=medium.description)
        if with_nodes:
            _add_nodes(element, found)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)


def _add_nodes(element: Any, found: Article) -> None:
    nodes = etree.SubElement(element, "nodes")
    for kind, unit in found.nodes:
        text = " ".join("".join(run.text for run in unit.runs).split())
        sizes = {"id": str(unit.number), "bytes": str(unit.size), "link-bytes": str(unit.in_links)}
        _add(nodes, "node", text, **{"class": kind, **sizes})


def _add(parent: Any, tag: str, text: str, **attributes: str) -> None:
    child = etree.SubElement(parent, tag, {name: _clean(value) for name, value in attributes.items()})
    child.text = _clean(text) or None


def _clean(text: str) -> str:
    """The text without the characters that no XML may hold."""
    return _NOT_XML.sub("", text)
