"""Share bars go: rows of links and buttons that pass the page on to social networks.

Source: none, own observation; spec of Crunch knows none, they are younger than it.
Known to fail: bars that are named after nothing, or after one network alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

# "facebook" and the like are missing: encyclopedias name texts and links so.
NAMES = frozenset(("addthis", "addtoany", "share", "sharethis", "social", "socials"))
NEVER = frozenset(("article", "body", "h1", "h2", "h3", "h4", "h5", "h6", "html", "main"))


class Settings(PluginSettings):
    max_words: int = Field(60, ge=1, le=1_000, description="words of a bar; it names networks and says little else")
    max_words_ratio: float = Field(0.1, gt=0, le=1, description="share of the page's words; a larger block is content")
    max_prose_ratio: float = Field(0.4, ge=0, le=1, description="share of the bar's own words that are prose")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.named(NAMES):
        if element.tag not in NEVER and _is_bar(page, element, settings):
            yield Remove(element, "is a share bar")


def _is_bar(page: Page, element: Element, settings: Settings) -> bool:
    counts = page.counts(element)
    most = min(settings.max_words, settings.max_words_ratio * page.total.words)
    if counts.words > most or counts.prose_words > settings.max_prose_ratio * counts.words:
        return False
    if counts.words:
        return True
    # Bars of icons have no words. They have links or buttons, and no picture of their own is as large as a photograph.
    return counts.links > 0 and next(element.iter("video", "iframe", "figure"), None) is None
