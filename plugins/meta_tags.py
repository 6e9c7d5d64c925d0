"""Notes for search engines and social networks go from the page's head.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents": META
elements are removed.
Differs: what the browser itself obeys stays: the charset, everything with `http-equiv` (refresh, content security
policy), the viewport, the colour scheme, the referrer policy, and tokens that protect forms.
Known to fail: scripts that read their settings from a meta tag of another name miss them.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

# WHATWG HTML, 4.2.5.1, the standard names that change how a page is shown or what its links send.
OBEYED_NAMES = frozenset(["color-scheme", "referrer", "viewport"])
TOKEN_NAMES = ("csrf", "xsrf")


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for meta in page.elements("meta"):
        if not _is_obeyed(meta):
            yield Remove(meta, "not for readers")


def _is_obeyed(meta: Element) -> bool:
    name = meta.get("name", "").strip().lower()
    return (
        meta.get("charset") is not None
        or meta.get("http-equiv") is not None
        or name in OBEYED_NAMES
        or any(token in name for token in TOKEN_NAMES)
    )
