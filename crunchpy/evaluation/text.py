"""The text of a page, as every measure of this package counts it.

In: the bytes of a page, filtered or not. Out: one line of text, as a reader would get it: the order of the source,
single blanks, no scripts, style sheets or comments. Gottron (2007), section 4.2, asks for exactly this: strip tags,
comments, scripts and styles, resolve entities, reduce white space.

What the paper leaves open, and what is done here:

- The page is read by turbohtml, a parser that follows the HTML standard and that nothing else in the filter relies on
  for its decisions, so a fault of the filter's own reading cannot hide itself in the measure.
- Scripts are on, as in a browser: ``noscript`` is not shown. A page whose filter unwraps ``noscript`` shows its text.
- ``head``, ``template``, ``iframe`` and the fallback of ``video`` and the like are not shown, and do not count.
- Hidden text (``hidden``, ``display: none``) *does* count. Much of it is a script away from being seen (menus, tabs,
  answers of an FAQ), the gold texts of several packages hold it, and most of it hangs on style sheets that nobody
  reads here, so leaving out only the part that is hidden in the markup would measure the author's habits.
- Block elements and ``br`` become a blank, other tags become nothing.
- Unicode is brought into form NFC, since gold texts come from other tools than pages do.
"""

from __future__ import annotations

import unicodedata

import turbohtml

# Never seen by a reader, whatever the style sheet says. ``title``, ``desc`` and ``metadata`` are met in SVG only:
# the page's own title stands in ``head``.
_UNSEEN = (
    "applet audio canvas datalist defs desc embed head iframe metadata noembed noframes noscript object script style "
    "symbol template title video annotation annotation-xml"
)
UNSEEN = frozenset(_UNSEEN.split())

# Elements that begin a line of their own, and controls, whose words never run into the words beside them.
_SPACED = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr img input legend li main menu nav ol "
    "optgroup option p pre search section select summary table tbody td textarea tfoot th thead title tr ul "
    "plaintext listing xmp"
)
SPACED = frozenset(_SPACED.split())


def page_text(body: bytes, *, encoding: str | None = None) -> str:
    """Return the text of a page on one line, empty for a page without any.

    ``encoding`` is a label of the Encoding Standard and outranks what the page says of itself. Pass what
    `page_encoding` said of the original when ``body`` is its filtered form: a filter may cut away the text by which
    an undeclared encoding was recognised.
    """
    page = turbohtml.parse(body, encoding=encoding, detect_encoding=True, scripting=True, positions=False)
    return normal(_joined(page))


def page_encoding(body: bytes) -> str | None:
    """Return the label of the encoding that `page_text` would read these bytes with."""
    page = turbohtml.parse(body, detect_encoding=True, scripting=True, positions=False)
    return page.encoding


def normal(text: str) -> str:
    """Return text in Unicode form NFC with every run of white space (also no-break spaces) as one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _joined(page: turbohtml.Document) -> str:
    """Return the text of all elements that a reader can see, blanks where a block begins or ends.

    A stack instead of recursion: pages nest deeper than Python's limit.
    """
    parts: list[str] = []
    waiting: list[turbohtml.Node | str] = [page]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, turbohtml.Text):
            parts.append(node.data)
        elif isinstance(node, turbohtml.Element):
            if node.tag in UNSEEN:
                continue
            if node.tag in SPACED:
                parts.append(" ")
                waiting.append(" ")
            waiting.extend(reversed(node.children))
            if node.shadow_root is not None:
                waiting.extend(reversed(node.shadow_root.children))
        elif isinstance(node, turbohtml.Document):
            waiting.extend(reversed(node.children))
    return "".join(parts)
