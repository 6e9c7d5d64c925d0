"""Counts words in text of any script; `str.split` alone takes a Chinese page for a few words.

A word is what white space divides; in scripts that write without spaces, a fixed number of letters makes one word.
"""

from __future__ import annotations

import re

# Han and kana: about two letters a word (Chinese word lengths average 1.5 to 1.7 in running text, Japanese mixes in
# kana).
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_IDEOGRAPHS_A_WORD = 2
# Thai, Lao, Myanmar, Khmer: about four letters a word.
_SOUTH_EAST_ASIAN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_SOUTH_EAST_ASIAN_A_WORD = 4
# A menu entry or a button is shorter; a line of prose between two tags mostly longer.
PROSE_WORDS = 8
# What stands between entries of a menu, and is no word.
SEPARATORS = frozenset(
    (b"&nbsp;", b"&#160;", b"&#xa0;", b"|", b"&middot;", b"&bull;", b"\xc2\xa0", b"-", b"/", b"&raquo;")
)


def words(text: str) -> int:
    """The number of words in text of any script."""
    if text.isascii():
        return len(text.split())
    ideographs = len(_IDEOGRAPHS.findall(text))
    asian = len(_SOUTH_EAST_ASIAN.findall(text))
    if not ideographs and not asian:
        return len(text.split())
    rest = _SOUTH_EAST_ASIAN.sub(" ", _IDEOGRAPHS.sub(" ", text))
    return (
        len([word for word in rest.split() if any(letter.isalnum() for letter in word)])
        + -(-ideographs // _IDEOGRAPHS_A_WORD)
        + -(-asian // _SOUTH_EAST_ASIAN_A_WORD)
    )


def words_in(text: bytes, codec: str) -> int:
    """The number of words in a stretch of source between two tags; a lone separator (`|`, `&nbsp;`) is no word."""
    if text.isascii():
        count = len(text.split())
        return 0 if count == 1 and text.strip() in SEPARATORS else count
    stripped = text.strip()
    return 0 if stripped in SEPARATORS else words(stripped.decode(codec, "replace"))
