"""Embedded players of plug-ins go.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: EMBED elements are removed.
Differs: nothing.
Known to fail: a document shown by `embed`, such as a PDF file, goes without a link to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for embed in page.elements("embed"):
        yield Remove(embed, "an embedded player")
