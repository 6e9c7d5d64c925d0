"""Writes a page as plain text, for braille displays, small screens and programs that read on.

Crunch (2003, 2005) dropped all tags and most white space, left out SCRIPT and STYLE, let only BR end a line and lost
the text after the last one. Here every block ends a line, headings and list items are marked, and nothing is lost.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from crunchpy.page import Element, Page, Unfit

# Their text is not the page's: it is for scripts, for choosing or for other readers.
_LEFT_OUT = frozenset(
    """audio canvas datalist head iframe math noscript object script select style svg template textarea title
    video""".split()
)
# They begin and end a line; those in `_APART` also stand apart by a blank line.
_BLOCKS = frozenset(
    """address article aside body caption center dd details dialog div dl dt fieldset figcaption footer form header
    hgroup html legend li main menu nav option search section summary tbody tfoot thead tr""".split()
)
_APART = frozenset("blockquote figure h1 h2 h3 h4 h5 h6 hr ol p pre table ul".split())
# Marks between texts; no text is equal to one, since the white space of texts is drawn together.
_BREAK, _LINE, _APART_LINE, _ITEM_END = "\r", "\n", "\n\n", "\n\n\n"
_CELL = " | "
_BARE_ITEM = re.compile(r"\s*(?:-|\d+\.)\s*")
_NOTHING = re.compile(r"[\s|]*|\s*(?:-|\d+\.|#+)\s*")
# Stands for a blank of `pre`, which stays; the parser lets no such letter through.
_KEPT_BLANK = "\0"


def plain_text(page: Page | bytes, *, max_blank_lines: int = 2, line_chars: int = 0) -> str:
    """The text of a page, line by line.

    Args:
        page: the page as it is after its edits, or the bytes of one in UTF-8 or with a charset of its own.
        max_blank_lines: longer runs of blank lines are cut to this (Crunch's default is 2).
        line_chars: longer lines are broken, between words where they have any; 0 leaves them whole.

    Returns:
        The text, ending with one line end; headings as `# Title` with one `#` a level, items of lists with `- ` or
        their number, cells of a row divided by ` | `, pictures as `[ALT text]`. Empty for an empty page.
    """
    if isinstance(page, bytes):
        parsed = Page.parse(page)
        if isinstance(parsed, Unfit):
            return ""
        page = parsed
    lines = _lines(page)
    broken = (part for line in lines for part in _break(line, line_chars))
    text = "\n".join(_limited(broken, max_blank_lines)).strip("\n")
    return f"{text}\n" if text else ""


def _lines(page: Page) -> Iterator[str | None]:
    """The lines of a page; None stands between parts that stand apart."""
    yield " ".join((page.root.findtext(".//title") or "").split()) or None
    yield None
    line = ""
    for piece in _pieces(page):
        if piece not in (_BREAK, _LINE, _APART_LINE, _ITEM_END):
            line += "" if piece == _CELL and not line.strip() else piece
        elif piece == _ITEM_END or not _BARE_ITEM.fullmatch(line):  # `<li><p>` does not part the mark from its text
            is_empty = bool(_NOTHING.fullmatch(line))
            if not is_empty or piece == _BREAK:
                yield "" if is_empty else _tidied(line)
            if piece == _APART_LINE:
                yield None
            line = ""
    yield _tidied(line) or None


def _tidied(line: str) -> str:
    return " ".join(line.split()).replace(_KEPT_BLANK, " ").rstrip(" |")


def _pieces(page: Page) -> Iterator[str]:
    """Texts, and between them the marks for the end of a line or a blank line. No recursion: pages nest deep."""
    waiting: list[Element | str] = [page.root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        if not isinstance(item.tag, str) or item.tag in _LEFT_OUT or _hides_itself(page, item):
            continue
        around = _APART_LINE if item.tag in _APART else _LINE if item.tag in _BLOCKS else ""
        if around:
            yield around
        yield from _start(item)
        if around:
            waiting.append(_ITEM_END if item.tag == "li" else around)
        in_pre = item.tag == "pre" or next(item.iterancestors("pre"), None) is not None
        for child in item.iterchildren(reversed=True):
            waiting += reversed(_parts(child.tail, in_pre=in_pre))
            waiting.append(child)
        waiting += reversed(_parts(item.text, in_pre=in_pre))


def _start(element: Element) -> Iterator[str]:
    """What stands before an element's text."""
    tag = element.tag
    if tag == "br":
        yield _BREAK
    elif tag == "img" and (alt := " ".join(element.get("alt", "").split())):
        yield f"[{alt}]"
    elif tag in {"td", "th"} and any(isinstance(cell.tag, str) for cell in element.itersiblings(preceding=True)):
        yield _CELL
    elif tag == "li":
        yield _item_mark(element)
    elif len(tag) == 2 and tag[0] == "h" and tag[1].isdecimal():
        yield f"{'#' * int(tag[1])} "


def _item_mark(item: Element) -> str:
    parent = item.getparent()
    if parent is None or parent.tag != "ol":
        return "- "
    return f"{sum(1 for _ in item.itersiblings('li', preceding=True)) + 1}. "


def _parts(text: str | None, *, in_pre: bool) -> list[str]:
    """A text with its white space drawn together; that of `pre` as its lines, with all blanks."""
    if not text:
        return []
    if in_pre:
        lines = text.replace("\t", "    ").replace(" ", _KEPT_BLANK).splitlines()
        parts = [part for line in lines for part in (line, _BREAK)]
        return parts if text.endswith("\n") else parts[:-1]
    return [f"{' ' if text[0].isspace() else ''}{' '.join(text.split())}{' ' if text[-1].isspace() else ''}"]


def _hides_itself(page: Page, element: Element) -> bool:
    return page.ordinal(element) in page.reading.hidden


def _break(line: str | None, line_chars: int) -> Sequence[str | None]:
    if not line or not line_chars or len(line) <= line_chars:
        return [line]
    mark = re.match(r"(?:- |\d+\. |\s+)?", line)
    indent = " " * min(mark.end() if mark else 0, line_chars // 2)
    return textwrap.wrap(line, line_chars, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)


def _limited(lines: Iterator[str | None], max_blank_lines: int) -> Iterator[str]:
    """Blank lines that BR asks for, up to the limit; between parts that stand apart one is enough."""
    blank = max_blank_lines
    for line in lines:
        if line:
            blank = 0
            yield line
        elif blank < (max_blank_lines if line is not None else min(max_blank_lines, 1)):
            blank += 1
            yield ""
