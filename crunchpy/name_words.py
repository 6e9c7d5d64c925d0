"""Splits the values of classes and ids into words."""

from __future__ import annotations

import re
from functools import lru_cache

_PUNCTUATION_TO_BLANK = {code: " " for code in range(128) if not chr(code).isalnum()}
_TOKEN = re.compile(r"[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[^\W_a-zA-Z0-9]+")


@lru_cache(maxsize=8192)
def split_names(names: str) -> frozenset[str]:
    """The words of the value of a class or id, in lower case: `site-footer` and `siteFooter` give site and footer.

    "shadow", "advice" and "download" stay whole, so that no name is found inside another.
    """
    if names.isascii() and names.islower():  # most are, and need no search for capitals
        return frozenset(names.translate(_PUNCTUATION_TO_BLANK).split())
    return frozenset(token.lower() for token in _TOKEN.findall(names))
