"""Builds lxml's tree of a body and ties each element to its start tag in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lxml import etree

from crunchpy.loops import same_names
from crunchpy.reasons import Reason
from crunchpy.scanner import scan_html
from crunchpy.source import MARK, Source, TooMuchError
from crunchpy.tag_rules import DOCUMENT_PARTS
from crunchpy.xml_scanner import scan_xml

Element = Any  # lxml.etree._Element; the stubs leave most of its results open

_DOCUMENT_TAGS = {name.decode() for name in DOCUMENT_PARTS}
_XHTML = "{http://www.w3.org/1999/xhtml}"


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why a body is no page that can be filtered: a code of `reasons`, and what was found."""

    reason: Reason
    detail: str = ""


@dataclass(slots=True)
class Tree:
    """A tree and its ties: `elements` by ordinal, None where the tree has no element for the start tag."""

    root: Element
    source: Source
    elements: list[Element | None]


def build(body: bytes, codec: str, *, is_xml: bool) -> Tree | Unfit:
    """Scan and parse a body.

    Args:
        body: the page as received.
        codec: Python's name of its charset; it keeps ASCII as ASCII.
        is_xml: whether the page is to be read as XML (XHTML sent as such).
    """
    try:
        source = scan_xml(body) if is_xml else scan_html(body)
    except TooMuchError as limit:
        return Unfit(Reason(limit.reason), str(limit))
    if b"frameset" in source.names:
        return Unfit(Reason.FRAMESET)
    return _xml_tree(source) if is_xml else _html_tree(source, codec)


def _html_tree(source: Source, codec: str) -> Tree | Unfit:
    root = _parse_html(source.normalised(marked=False), codec)
    if isinstance(root, Unfit):
        return root
    if (elements := _in_order(root, source)) is not None:
        return Tree(root, source, elements)
    root = _parse_html(source.normalised(marked=True), codec)
    return root if isinstance(root, Unfit) else _by_marks(root, source)


def _parse_html(copy: bytes, codec: str) -> Element | Unfit:
    if codec not in ("utf-8", "utf-8-sig", "ascii"):
        copy = copy.decode(codec).encode()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, default_doctype=False, collect_ids=False)  # type: ignore[call-arg]
    try:
        root = etree.fromstring(copy, parser)
    except etree.XMLSyntaxError as error:
        return Unfit(Reason.EMPTY, str(error))
    if root is None:
        return Unfit(Reason.EMPTY)
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" or "xcessive depth" in entry.message for entry in parser.error_log):
        return Unfit(Reason.PARSE_LIMITS, "the parser stopped at its limit")
    return root


def _in_order(root: Element, source: Source) -> list[Element | None] | None:
    """Tie by counting: right where the tree has exactly the source's start tags in the source's order."""
    found = list(root.iter("*"))
    tags = [element.tag for element in found]
    if same_names(source.names, tags):
        return found
    names = b" ".join(source.names).decode("latin-1").split(" ")
    ordinals = [ordinal for ordinal, name in enumerate(names) if name not in _DOCUMENT_TAGS]
    pairs = [(element, tag) for element, tag in zip(found, tags, strict=True) if tag not in _DOCUMENT_TAGS]
    if [names[ordinal] for ordinal in ordinals] != [tag for _, tag in pairs]:
        return None
    elements: list[Element | None] = [None] * len(names)
    for ordinal, (element, _) in zip(ordinals, pairs, strict=True):
        elements[ordinal] = element
    for element, tag in zip(found, tags, strict=True):
        if tag in _DOCUMENT_TAGS and tag in names:
            elements[names.index(tag)] = element
    return elements


def _by_marks(root: Element, source: Source) -> Tree | Unfit:
    """Tie by the marks in a marked copy, then take the marks off, so that nobody mistakes them for the page's own."""
    elements: list[Element | None] = [None] * len(source.names)
    last = -1
    for element in root.iter("*"):
        mark = element.attrib.pop(MARK, None)
        if mark is None or not mark.isdecimal() or int(mark) >= len(elements):
            continue
        if int(mark) <= last:
            return Unfit(Reason.TREE_MISMATCH, f"element {element.tag} is not where its tag is")
        last = int(mark)
        elements[last] = element
    return Tree(root, source, elements)


def _xml_tree(source: Source) -> Tree | Unfit:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(source.body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        return Unfit(Reason.NOT_WELL_FORMED, str(error))
    found = list(root.iter("*"))
    names = [name.decode("latin-1").rpartition(":")[2] for name in source.names]
    if [etree.QName(element).localname.encode().decode("latin-1") for element in found] != names:
        return Unfit(Reason.TREE_MISMATCH, "the tags and the parsed page disagree")
    for element in found:  # the tree is never written out, so XHTML may look like HTML to the plugins
        if element.tag.startswith(_XHTML):
            element.tag = element.tag[len(_XHTML) :]
    return Tree(root, source, found)
