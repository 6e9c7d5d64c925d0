"""What a page says to readers without scripts goes; or is shown to all, where scripts have gone.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: NOSCRIPT is removed, or unwrapped where SCRIPT is removed and NOSCRIPT is not.
Differs: with `unwrap`, a noscript that has nothing to read (counting pictures, hidden frames) goes, and one in the head
or with style sheets or redirections in it stays as it is, since those would then act on every reader.
Known to fail: a message such as "please switch on JavaScript" is shown too.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import closest
from crunchpy.edit import Edit, Remove, Unwrap
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

ACTS_ON_THE_PAGE = frozenset(["base", "link", "meta", "script", "style"])


class Settings(PluginSettings):
    unwrap: bool = Field(False, description="yes or no: show the content to all readers; for use after `scripts`")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for noscript in page.elements("noscript"):
        if not settings.unwrap:
            yield Remove(noscript, "for readers without scripts")
        elif closest(noscript, "head") is not None or _acts_on_the_page(noscript):
            continue
        elif _has_something_to_read(noscript):
            yield Unwrap(noscript, "shown in place of scripts")
        else:
            yield Remove(noscript, "nothing to read in it")


def _acts_on_the_page(noscript: Element) -> bool:
    return any(below.tag in ACTS_ON_THE_PAGE for below in noscript.iter("*"))


def _has_something_to_read(noscript: Element) -> bool:
    has_text = any(text.strip() for text in noscript.itertext("*"))
    return has_text or any(picture.get("alt", "").strip() for picture in noscript.iter("img"))
