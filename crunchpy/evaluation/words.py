"""Text to words, in the two ways that the field counts them.

`spaced` is Gottron's: what stands between blanks, with its case and its punctuation. Languages that write without
blanks would make one "word" of a paragraph, and no measure on words would mean anything, so each character of
Chinese, Japanese, Thai, Lao, Khmer and Burmese is a word of its own. Korean is written with blanks.

`plain` is what the makers of newer test sets count: runs of letters and digits, in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana and the iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uff66-\uff9f"  # half-width kana
)
_SPACED_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_PLAIN_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")

Words = Callable[[str], list[str]]


def spaced(text: str) -> list[str]:
    """Return what stands between blanks; each character of a script without blanks by itself."""
    if not _HAS_UNSPACED.search(text):
        return text.split()
    return _SPACED_WORD.findall(text)


def plain(text: str) -> list[str]:
    """Return the runs of letters and digits in lower case; each character of a script without blanks by itself."""
    return _PLAIN_WORD.findall(text.lower())


#: The ways by the name that the command line and the tables give them.
WAYS: Mapping[str, Words] = {"spaced": spaced, "plain": plain}
