"""Which ids a page's own scripts take for granted.

A script that goes on with what it found without a look stops with an error where there is nothing, and what comes
behind it is not done. One that looks first must find nothing, or it would work on the empty anchor that stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# By the word that each begins with: a search for plain words is fast, and most scripts are long and have none.
_LOOK_UPS = {
    "getElementById": re.compile(r"""getElementById\(\s*["']([^"'\s]{1,100})["']\s*\)"""),
    "querySelector(": re.compile(r"""querySelector\(\s*["']#([\w-]{1,100})["']\s*\)"""),
}
_GOES_ON = re.compile(r"\s*\.(?!\.)")
_KEPT_AS = re.compile(r"([A-Za-z_$][\w$]{0,60})\s*=\s*(?:window\.)?document\.$")
# How far a name is looked for before a look-up, and its use behind it.
_BEFORE_CHARS = 100
_BEHIND_CHARS = 1000
# Real pages have a few; a page made to cost time gets no more.
_MAX_LOOK_UPS = 200


def ids_taken_for_granted(script: str) -> list[str]:
    """The ids, in the order of the look-ups by kind; of two look-ups of one id both are in the list."""
    found: list[str] = []
    for count, look_up in enumerate(_look_ups(script)):
        if count >= _MAX_LOOK_UPS:
            break
        if _GOES_ON.match(script, look_up.end()) or _is_used_unseen(script, look_up):
            found.append(look_up[1])
    return found


def _look_ups(script: str) -> Iterator[re.Match[str]]:
    for word, pattern in _LOOK_UPS.items():
        place = script.find(word)
        while place >= 0:
            if look_up := pattern.match(script, place):
                yield look_up
            place = script.find(word, place + 1)


def _is_used_unseen(script: str, look_up: re.Match[str]) -> bool:
    """Whether the result gets a name, and the script soon goes on with that name and does not ask if it is there."""
    kept = _KEPT_AS.search(script[max(0, look_up.start() - _BEFORE_CHARS) : look_up.start()])
    behind = script[look_up.end() : look_up.end() + _BEHIND_CHARS]
    if kept is None or not behind.lstrip(" \t").startswith((";", ",", "\n", "\r")):
        return False
    name = re.escape(kept[1])
    asks = rf"[(!]\s*{name}\s*[)&|=!]|(?<![\w$.]){name}\s*(?:\?|&&|\|\||[!=]=)|[&|]\s*!?\s*{name}\b(?!\s*\.)"
    return bool(re.search(rf"(?<![\w$.]){name}\s*\.\s*\w", behind)) and not re.search(asks, behind)
