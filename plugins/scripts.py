"""Scripts go, with what they would have put into the page.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents": SCRIPT
elements are removed.
Differs: nothing. What is inside `noscript` is the business of the plugin of that name.
Known to fail: pages that scripts build stay empty, buttons that scripts serve do nothing, and handlers in attributes
such as `onclick` stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for script in page.elements("script"):
        yield Remove(script, "a script")
