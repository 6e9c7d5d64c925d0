"""Writes a page that shows another page as it came, with each part that a plugin removed labelled and outlined.

The shown page stands in a sandboxed frame, as escaped text in one attribute: none of it runs, loads or leads anywhere.
The labels are text in the shown page itself, before and behind each part, so that they are read where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from crunchpy.commands.verdict_table import HEADS, OUTCOMES, facts, row
from crunchpy.cut_labels import Label, labels
from crunchpy.dom import words
from crunchpy.page import Page, Unfit
from crunchpy.splice import Splice, apply
from crunchpy.trace import Trace

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
# As many words of a removed part are shown in the list above the page.
SHOWN_WORDS = 12

STYLE = """
body { font: 1rem/1.5 sans-serif; color: #111; background: #fff; margin: 0 auto; max-width: 75rem; padding: 1rem; }
table { border-collapse: collapse; } caption { text-align: left; font-weight: bold; }
th[scope=row] { white-space: nowrap; }
th, td { border: 1px solid #767676; padding: .2rem .5rem; text-align: left; vertical-align: top; }
.scrolls { overflow-x: auto; }
iframe { width: 100%; height: 85vh; border: 2px solid #111; }
"""
# In the shown page. Its own rules may be anything, so ours are important.
SHOWN_STYLE = """
[data-crunchpy-label] { all: initial !important; display: block !important; width: fit-content !important;
  font: bold 16px/1.4 sans-serif !important; color: #000 !important; background: #ffe8a3 !important;
  border: 2px solid #000 !important; padding: 2px 6px !important; margin: 4px 0 !important; }
[data-crunchpy-cut] { outline: 3px dashed #b3261e !important; outline-offset: -3px !important; }
"""


class Part(NamedTuple):
    """One removed part, for the list."""

    number: int
    plugin: str
    why: str
    words: str


def explain_page(body: bytes, trace: Trace, *, place: str, content_type: str = "text/html") -> bytes:
    """The explanation as an HTML document in UTF-8.

    Args:
        body: the page as received.
        trace: what was done to it.
        place: what the page is called: its file or address.
        content_type: with which it came.
    """
    page = Page.parse(body, url=trace.url, content_type=content_type)
    if isinstance(page, Unfit):
        shown, parts = escape(body.decode("latin-1").replace("\0", "\ufffd")), []
        frame = "<p>The page cannot be parsed, so only its bytes are shown.</p><pre>" + shown + "</pre>"
    else:
        found = labels(page, trace)
        parts = [_part(page, label) for label in found]
        frame = _frame(marked(page, found))
    title = f"What crunchpy removes: {escape(place)}"
    pieces = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy"'
        f' content="{POLICY}">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>",
        *(f"<p>{escape(fact)}</p>" for fact in facts(trace, place)),
        *_verdict_table(trace),
        *_part_table(parts),
        f"<h2>The page as it came, with the removed parts marked</h2>\n{frame}\n</main></body></html>\n",
    ]
    return "\n".join(pieces).encode()


def marked(page: Page, found: list[Label]) -> str:
    """The shown page: the bytes as received with labels in them, as text."""
    splices = [splice for label in found for splice in label.splices]
    # Behind a doctype, so that it keeps its meaning; a style before everything else opens the head by itself.
    text = apply(page.body, _in_one_place(splices)).decode(page.charset, "replace").lstrip("\ufeff")
    return f"<style>{SHOWN_STYLE}</style>{text}"


def _in_one_place(splices: list[Splice]) -> list[Splice]:
    """Insertions at the same byte joined in their order."""
    joined: dict[int, bytes] = {}
    for splice in splices:
        joined[splice.start] = joined.get(splice.start, b"") + splice.text
    return [Splice(start, start, text) for start, text in sorted(joined.items())]


def _frame(html: str) -> str:
    document = escape(html)
    return f'<iframe sandbox title="The page as it came, with the removed parts marked" srcdoc="{document}"></iframe>'


def _part(page: Page, label: Label) -> Part:
    text = label.text(page)
    found = text.split()
    beginning = " ".join(found[:SHOWN_WORDS]) + (" ..." if len(found) > SHOWN_WORDS else "")
    shown = f"{words(text):,}: {beginning}" if found else "no text"
    return Part(label.number, label.plugin, label.why, shown)


def _verdict_table(trace: Trace) -> Iterator[str]:
    if not trace.verdicts:
        return
    yield from _table("steps", "The steps, in order", HEADS, [row(verdict) for verdict in trace.verdicts])
    meant = {verdict.outcome for verdict in trace.verdicts}
    yield from (f"<p>{name}: {meaning}.</p>" for name, meaning in OUTCOMES.items() if name in meant)


def _part_table(parts: list[Part]) -> Iterator[str]:
    if not parts:
        yield "<p>Nothing was removed.</p>"
        return
    rows = [(f"Part {part.number}", *part[1:]) for part in parts]
    heads = ("part", "plugin", "reason", "words")
    yield from _table("parts", "The removed parts, in the order of the page", heads, rows)


def _table(name: str, caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table whose first column names the row; where the window is narrow it scrolls, by keyboard too."""
    yield f'<div class="scrolls" tabindex="0" role="region" aria-labelledby="{name}">'
    yield f'<table><caption id="{name}">{caption}</caption>'
    yield "<thead><tr>" + "".join(f'<th scope="col">{escape(head)}</th>' for head in heads) + "</tr></thead><tbody>"
    for first, *others in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"
