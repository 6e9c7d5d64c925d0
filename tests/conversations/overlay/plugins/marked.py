"""Elements of class `goes` go, so that a conversation's outcome does not depend on the chains in use.

Source: none, a filter for tests.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.select(".goes"):
        yield Remove(element, "marked")
