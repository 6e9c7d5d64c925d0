"""The stack of open elements (HTML standard, 13.2.4.2) and the rules by which tags close them.

Where the standard repairs an error in a way that has no single extent in the bytes (formatting elements that are
reopened, content that is moved out of a table), the elements concerned are noted in `Source.unsure`.
"""

from __future__ import annotations

from crunchpy.reasons import Reason
from crunchpy.source import Source, TooMuchError
from crunchpy.tag_rules import (
    ALWAYS_WATCHED,
    BREAKS_OUT_OF_FOREIGN,
    CLOSES_P,
    DOCUMENT_PARTS,
    FOREIGN_ROOTS,
    FORMATTING,
    HEADINGS,
    IMPLIED_END,
    INTEGRATION_POINTS,
    OWN_RULE,
    RULE_CLOSES_P,
    SCOPE_BOUNDARIES,
    SPECIAL,
    TABLE_CLOSES,
    TABLE_TAGS,
    TRACKED,
)

# Bounds the walks along the stack, which hostile pages could make quadratic; real pages need under 100,000.
_MAX_SEARCHES = 1_000_000
# The deepest of 2,008 real pages had 56 levels; libxml2 stops at 2,048.
MAX_DEPTH = 1000
# A browser opens these by itself where a table lacks them, and then their end tags close what is in them.
_IMPLIED_IN_TABLES = frozenset((b"tbody", b"tr", b"colgroup"))


class OpenElements:
    """The open elements while a body is scanned. `ordinals` and `names` are parallel, the innermost last."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.ordinals: list[int] = []
        self.names: list[bytes] = []
        self.open_p = 0
        self.foreign = 0
        self.forms = 0
        self.watched = ALWAYS_WATCHED
        self.searches = 0

    # -- what a start tag closes

    def make_room(self, name: bytes, start: int) -> None:
        """Close what the standard closes before it opens `name` at the offset `start`."""
        if self.foreign:
            self._leave_foreign(name, start)
            return
        if self.open_p and name in CLOSES_P:
            self._close_in_scope(b"p", start, start, boundaries=SCOPE_BOUNDARIES | {b"button"})
        if name == b"li":
            self._close_item((b"li",), start)
        elif name in (b"dd", b"dt"):
            self._close_item((b"dd", b"dt"), start)
        elif name in TABLE_CLOSES:
            self._close_table_parts(name, start)
        elif name in (b"a", b"nobr", b"button") and name in self.names:
            self._close_same(name, start)
        while self.names and _closes_top(name, self.names[-1]):
            self._close_down_to(len(self.names) - 1, start, start)
        if name == b"form" and self.forms:
            self.source.unsure.add(len(self.source.names))  # the standard drops a form within a form

    def _close_same(self, name: bytes, start: int) -> None:
        if name == b"button":
            self._close_in_scope(name, start, start)
        else:
            self._close_formatting(name, start, start)

    def _close_item(self, names: tuple[bytes, ...], start: int) -> None:
        """13.2.6.4.7, "li", "dd", "dt": the open item ends, unless another special element stands between."""
        for place in self._inwards():
            name = self.names[place]
            if name in names:
                self._close_down_to(place, start, start)
                return
            if name in SPECIAL and name not in (b"address", b"div", b"p"):
                return

    def _close_table_parts(self, name: bytes, start: int) -> None:
        """13.2.6.4.9 to 15: a row ends the open row, a cell the open cell, within the same table."""
        closes = TABLE_CLOSES[name]
        for place in self._inwards():
            if self.names[place] in (b"table", b"template"):
                break
        else:
            self.source.unsure.add(len(self.source.names))  # outside a table the standard drops the tag
            return
        for inner in range(place + 1, len(self.names)):
            if self.names[inner] in closes:
                self._close_down_to(inner, start, start)
                return

    def _leave_foreign(self, name: bytes, start: int) -> None:
        """13.2.6.5: an HTML tag inside a picture ends the picture, except where HTML may stand in it."""
        if name in OWN_RULE and name != b"a":
            self.source.unsure.update(self.ordinals)  # rules of HTML inside a picture: its extent is anybody's guess
        if name not in BREAKS_OUT_OF_FOREIGN:
            return
        self.source.unsure.update(self.ordinals[self._outermost_picture() :])
        for place in self._inwards():
            if self.names[place] in INTEGRATION_POINTS:
                return
            if self.names[place] in FOREIGN_ROOTS:
                self._close_down_to(place, start, start)
                return

    def _outermost_picture(self) -> int:
        return next(place for place, name in enumerate(self.names) if name in FOREIGN_ROOTS)

    # -- what an end tag closes

    def close(self, name: bytes, start: int, end: int) -> None:
        """Close what the end tag `name` at `start` to `end` closes; one that closes nothing is left out of the copy."""
        self._count_search()
        if self.names and self.names[-1] == name:
            self._close_down_to(len(self.names) - 1, start, end)
        elif name in HEADINGS:
            self._close_heading(name, start, end)
        elif name in _IMPLIED_IN_TABLES and name not in self.names and b"table" in self.names:
            self.source.unsure.update(self.ordinals)
            self._drop(start, end)
        elif name in DOCUMENT_PARTS or name not in self.names:
            self._drop(start, end)  # `</body>` as well, so that markup behind it stays in the body
        elif name in FORMATTING:
            self._close_formatting(name, start, end)
        elif name == b"form":
            self._close_form(start, end)
        elif name in TABLE_TAGS or name == b"table":
            self._close_or_drop(name, start, end, frozenset((b"table", b"template")))
        elif name == b"li":
            self._close_or_drop(name, start, end, SCOPE_BOUNDARIES | {b"ul", b"ol"})
        elif name in SPECIAL:
            self._close_or_drop(name, start, end, SCOPE_BOUNDARIES)
        else:
            self._close_or_drop(name, start, end, SPECIAL)

    def _close_or_drop(self, name: bytes, start: int, end: int, boundaries: frozenset[bytes]) -> None:
        if not self._close_in_scope(name, start, end, boundaries=boundaries):
            self._drop(start, end)

    def _close_in_scope(
        self, name: bytes, start: int, end: int, *, boundaries: frozenset[bytes] = SCOPE_BOUNDARIES
    ) -> bool:
        """Close the innermost open `name` unless a boundary hides it; tells whether there was one."""
        for place in self._inwards():
            if self.names[place] == name:
                self._close_down_to(place, start, end)
                return True
            if self.names[place] in boundaries:
                return False
        return False

    def _close_heading(self, name: bytes, start: int, end: int) -> None:
        """`</h2>` ends an open h1 too; then the two tags do not belong together."""
        for place in self._inwards():
            if self.names[place] in HEADINGS:
                if self.names[place] != name:
                    self.source.unsure.add(self.ordinals[place])
                self._close_down_to(place, start, end)
                return
            if self.names[place] in SCOPE_BOUNDARIES:
                break
        self._drop(start, end)

    def _close_form(self, start: int, end: int) -> None:
        """13.2.6.4.7, "form": a form ends here even where its content goes on; then its extent is blurred."""
        place = len(self.names) - 1 - self.names[::-1].index(b"form")
        if any(name not in IMPLIED_END for name in self.names[place + 1 :]):
            self._unnest(place, start, end)
        else:
            self._close_down_to(place, start, end)

    def _close_formatting(self, name: bytes, start: int, end: int) -> None:
        """13.2.6.4.7, the adoption agency: what is misnested with `name` has no extent of its own."""
        for place in self._inwards():
            if self.names[place] == name:
                break
            if self.names[place] in SCOPE_BOUNDARIES:
                self._drop(start, end)
                return
        if any(inner in SPECIAL for inner in self.names[place + 1 :]):
            self._unnest(place, start, end)
        else:
            self.source.unsure.update(self.ordinals[place + 1 :])
            self._close_down_to(place, start, end)

    def _unnest(self, place: int, start: int, end: int) -> None:
        """Take an element off the middle of the stack: its bytes and its descendants are no longer one range."""
        self.source.unsure.update(self.ordinals[place:])
        self._drop(start, end)
        self._leave(self.ordinals.pop(place), self.names.pop(place), start, end)

    # -- bookkeeping

    def close_all(self, end: int) -> None:
        """Close what is still open at the end of the body."""
        self._close_down_to(0, end, end)

    def _close_down_to(self, place: int, start: int, end: int) -> None:
        """Close every element from the innermost out to `place`; only that one can own the end tag."""
        while len(self.names) > place:
            ordinal, name = self.ordinals.pop(), self.names.pop()
            owns_tag = len(self.names) == place and end > start
            if not owns_tag:
                self.source.fixes.append((start, start, b"</" + name + b">"))
                if name in FORMATTING:
                    self.source.unsure.add(ordinal)  # the parser reopens it behind this place
            self._leave(ordinal, name, start, end if owns_tag else start)

    def _leave(self, ordinal: int, name: bytes, content_end: int, end: int) -> None:
        source = self.source
        source.content_ends[ordinal] = content_end
        source.ends[ordinal] = end
        source.lasts[ordinal] = len(source.names) - 1
        if name in TRACKED:
            self.count(name, -1)

    def push(self, ordinal: int, name: bytes) -> None:
        """Open an element."""
        self.ordinals.append(ordinal)
        self.names.append(name)
        if name in TRACKED:
            self.count(name, 1)
        self.check_depth()

    def check_depth(self) -> None:
        """Refuse a page that is nested too deep. Not asked at every tag, for speed: lxml has a limit of its own."""
        if len(self.names) > MAX_DEPTH:
            raise TooMuchError(Reason.TOO_DEEP, f"elements nested more than {MAX_DEPTH:,} deep")

    def count(self, name: bytes, change: int) -> None:
        """Count an element of a kind that rules ask about, and note which start tags have a rule now."""
        if name == b"p":
            self.open_p += change
        elif name == b"form":
            self.forms += change
        else:
            self.foreign += change
        if self.foreign:
            self.watched = ~0
        else:
            self.watched = ALWAYS_WATCHED | (RULE_CLOSES_P if self.open_p else 0)

    def _drop(self, start: int, end: int) -> None:
        if end > start:
            self.source.fixes.append((start, end, b""))

    def _count_search(self) -> None:
        self.searches += len(self.names)
        if self.searches > _MAX_SEARCHES:
            raise TooMuchError(Reason.PARSE_LIMITS, f"more than {_MAX_SEARCHES:,} steps to match end tags")

    def _inwards(self) -> range:
        """Places from the innermost element outwards; counted, so that no page can make the walks quadratic."""
        self._count_search()
        return range(len(self.names) - 1, -1, -1)


def _closes_top(name: bytes, top: bytes) -> bool:
    """Whether `name` ends the innermost open element by a rule that looks at that one only."""
    if name in HEADINGS:
        return top in HEADINGS
    if name in (b"option", b"optgroup"):
        return top == b"option"
    if name in (b"rt", b"rp"):
        return top in (b"rb", b"rp", b"rt")
    return name in (b"rb", b"rtc") and top in (b"rb", b"rp", b"rt", b"rtc")
