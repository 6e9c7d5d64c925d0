"""A page as an outline, one element or stretch of text a line: what two pages are compared by."""

from __future__ import annotations

from lxml import etree, html

_DROPPED_COMMENTS = ("goes", "stays", "case:")


def outline(body: bytes) -> str:
    """Elements with sorted attributes and text with its white space collapsed; a case's first comment is left out."""
    root = html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    lines: list[str] = []
    for event, element in etree.iterwalk(root.getroottree(), events=("start", "end", "comment")):
        depth = len(list(element.iterancestors()))
        if event == "comment":
            if not (element.text or "").strip().lower().startswith(_DROPPED_COMMENTS):
                lines.append(f"{'  ' * depth}<!-- {' '.join((element.text or '').split())} -->")
            _add(lines, element.tail, depth)
        elif event == "start":
            attributes = "".join(f' {name}="{value}"' for name, value in sorted(element.attrib.items()))
            lines.append(f"{'  ' * depth}<{element.tag}{attributes}>")
            _add(lines, element.text, depth + 1)
        else:
            _add(lines, element.tail, depth)
    return "\n".join(lines)


def _add(lines: list[str], text: str | None, depth: int) -> None:
    if text and text.strip():
        lines.append(f"{'  ' * depth}{' '.join(text.split())}")
