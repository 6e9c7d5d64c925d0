"""Frames that show other pages inside this one go.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents": IFRAME
elements are removed.
Differs: with `show_link`, a link to the framed page stands in its place, so that a film or a map is not lost.
Known to fail: frames that scripts put in later stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pydantic import Field

from crunchpy.edit import Edit, Remove, Replace
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

# Frames of one pixel count visitors; nobody wants a link to them.
MIN_SIDE_PX = 3
FRAME_TEXT = "Frame"


class Settings(PluginSettings):
    show_link: bool = Field(False, description="yes or no: put a link to the framed page in its place")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for frame in page.elements("iframe"):
        address = frame.get("src", "").strip()
        if settings.show_link and address.startswith(("http://", "https://", "/")) and not _is_tiny(frame):
            label = " ".join(frame.get("title", "").split()) or FRAME_TEXT
            yield Replace(frame, f'<a href="{escape(address)}">{escape(label)}</a>', "a frame, linked to")
        else:
            yield Remove(frame, "a frame")


def _is_tiny(frame: Element) -> bool:
    sides = (frame.get("width", "").strip(), frame.get("height", "").strip())
    return any(side.isdecimal() and int(side) < MIN_SIDE_PX for side in sides)
