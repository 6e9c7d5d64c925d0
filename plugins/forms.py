"""Forms that nobody can fill in or send go; every other form stays and is named in the trace.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents": FORM
elements are removed, each as one unit.
Differs: Crunch removed search, log-in and order forms alike. A form with a control that works stays, whatever the
settings (docs/decisions/0004-forms-survive.md); asking for it shows in the trace as a refusal.
Known to fail: a form whose controls are put in by a script has none in the source and goes.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for form in page.elements("form"):
        yield Remove(form, "a form without a control that works")
