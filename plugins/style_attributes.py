"""Inline styles go, so that text is shown as the reader's device shows text.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: style attributes of all elements or of `div` alone are ignored.
Differs: an element that its own style hides stays hidden, or menus and messages that nobody asked for would be read
aloud. What is in an SVG picture keeps its style, which is part of the drawing.
Known to fail: pages whose layout is made by inline styles lose it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from crunchpy.edit import Edit, SetAttribute
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

HIDES = re.compile(r"(display)\s*:\s*none|(visibility)\s*:\s*hidden", re.I)


class Settings(PluginSettings):
    elements: Literal["all", "div"] = Field(
        "all", description="kind of element: lose the style of all, or of div alone"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.select("div[style]" if settings.elements == "div" else "[style]"):
        style = element.get("style", "")
        if _is_drawing(element):
            continue
        kept = _what_hides(style)
        if kept != style.strip():
            yield SetAttribute(element, "style", kept, "inline style")


def _what_hides(style: str) -> str | None:
    hides = HIDES.search(style)
    if hides is None:
        return None
    return "display: none" if hides[1] else "visibility: hidden"


def _is_drawing(element: Element) -> bool:
    return any(around.tag in {"svg", "math"} for around in (element, *element.iterancestors()))
