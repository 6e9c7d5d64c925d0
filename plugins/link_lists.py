"""Table cells that are mostly links lose their links and text; the cells themselves stay.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents", the link list
remover and link/text removal ratio; the details (a word is five letters, which links count, what stays) are those of
the program that Gupta et al., 2005, World Wide Web 8(2) describe.
Differs: nothing but what protection keeps. The letter asks for `td` alone; `link_blocks` looks at other blocks.
Known to fail: a timetable or a result list in a table, each cell one link, loses its cells' text; menus outside tables
stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from lxml import etree
from pydantic import Field

from crunchpy.edit import Edit, Remove, RemoveText
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

# "Characters per word", fixed at 5 in the program, which the 2005 article gives as its default.
CHARS_PER_WORD = 5
WHY = "mostly links"


class Settings(PluginSettings):
    max_links_per_word: float = Field(0.25, ge=0, le=5, description="links per word of plain text in a cell that stays")
    count_text_links: bool = Field(True, description="yes or no: links without a picture count and go")
    count_image_links: bool = Field(True, description="yes or no: links with a picture count and go")
    only_links_and_text: bool = Field(
        True, description="yes or no: other elements in the cell stay; otherwise everything in it goes"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    cells = page.elements("td")
    judged = _judge(page.root, settings) if cells else {}
    for cell in cells:
        # An outer cell is judged before the inner ones and takes what is in them along.
        if judged.get(cell, False) and not any(judged.get(around, False) for around in cell.iterancestors("td")):
            yield from _links_and_text(cell, settings) if settings.only_links_and_text else _everything(cell)


def _judge(root: Element, settings: Settings) -> dict[Element, bool]:
    """For each cell whether it is above the ratio; one walk over the page, since cells nest."""
    judged: dict[Element, bool] = {}
    before: dict[Element, tuple[int, int]] = {}
    links = chars = link_depth = 0
    events: Any = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in events:
        if event == "start":
            if element.tag == "td":
                before[element] = links, chars
            link_depth += _is_link(element)
            links += _links_in(element, settings)
            chars += 0 if link_depth else _chars(element.text)
            continue
        if event == "end":
            link_depth -= _is_link(element)
            if element.tag == "td":
                links_in, chars_in = links - before[element][0], chars - before[element][1]
                # Without a single letter or blank outside links a cell is above every ratio.
                judged[element] = not chars_in or links_in * CHARS_PER_WORD / chars_in > settings.max_links_per_word
        chars += 0 if link_depth else _chars(element.tail)
    return judged


def _chars(text: str | None) -> int:
    return len(text) - text.count("\r\n") if text else 0  # a line's end is one letter, however it is written


def _links_in(element: Element, settings: Settings) -> int:
    """What an element adds to the count: with image links alone, the link and its picture are two."""
    if settings.count_text_links == settings.count_image_links:
        return int(_is_link(element))
    if settings.count_text_links:
        return int(_is_link(element) and not _has_picture(element))
    is_picture = element.tag == "img" and element.getparent() is not None and _is_link(element.getparent())
    return int(is_picture or (_is_link(element) and _has_picture(element)))


def _is_link(element: Element) -> bool:
    return element.tag == "a" and element.get("href") is not None


def _has_picture(link: Element) -> bool:
    return any(child.tag == "img" for child in link)


def _links_and_text(cell: Element, settings: Settings) -> Iterator[Edit]:
    """Each link of the kinds that count; and each text, if both count."""
    both = settings.count_text_links == settings.count_image_links
    for element in cell.iter("*"):
        in_link = any(map(_is_link, element.iterancestors("a")))
        if _is_link(element) and _links_in(element, settings):
            yield Remove(element, WHY)
        elif both and not in_link and element.tag not in {"script", "style"}:
            yield from _text(element, "text")
        if both and not in_link and element is not cell:
            yield from _text(element, "tail")


def _everything(cell: Element) -> Iterator[Edit]:
    yield from _text(cell, "text")
    for child in cell.iterchildren("*"):
        yield Remove(child, WHY)
        yield from _text(child, "tail")


def _text(element: Element, where: Literal["text", "tail"]) -> Iterator[Edit]:
    """One stretch of text, up to the next element; comments do not divide it."""
    texts = [element.text if where == "text" else element.tail]
    sibling = next(iter(element), None) if where == "text" else element.getnext()
    while sibling is not None and not isinstance(sibling.tag, str):
        texts.append(sibling.tail)
        sibling = sibling.getnext()
    if any(text and not text.isspace() for text in texts):
        yield RemoveText(element, where, WHY)
