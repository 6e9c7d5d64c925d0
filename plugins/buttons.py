"""Buttons that do not work go; the others stay and are named in the trace.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: BUTTON elements are removed.
Differs: Crunch removed all of them. A button that works stays with its label, whatever the settings
(docs/decisions/0004-forms-survive.md); asking for it shows in the trace as a refusal.
Known to fail: one that a script would have switched on later goes, if no form owns it.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for control in page.elements("button"):
        yield Remove(control, "serves no form")
