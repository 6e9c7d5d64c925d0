"""Linked pictures and image maps go, or words take their place.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents", the image link
remover with its option to show the ALT text; the form of the words is that of the 2005 article's program: in bold
brackets a link "Image" to the picture, a bar, and in italics a link to the target.
Differs: a `picture` counts as its `img`; of an image map the areas follow as links, which Crunch lost; an address that
is the picture's data, or a script, is not linked to.
Known to fail: pictures that style sheets put behind a link.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pydantic import Field

from crunchpy.edit import Edit, Insert, Remove, Replace
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

NO_ALT = "-Link-"
NEVER_LINKED = ("data:", "javascript:", "vbscript:")
GONE, SHOWN = "an image link", "an image link, shown as words"


class Settings(PluginSettings):
    show_alt: bool = Field(False, description="yes or no: put the ALT text and links in the picture's place")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.elements("a", "img"):
        if element.tag == "a":
            pictures = _pictures(element) if element.get("href") is not None else []
            if pictures and not settings.show_alt:
                yield Remove(element, GONE)
            elif pictures:
                yield from _as_words(element, pictures)
        elif element.get("usemap") and not _is_linked(element):
            words = _map_in_words(page, element)
            yield Replace(element, words, SHOWN) if settings.show_alt else Remove(element, GONE)


def _pictures(link: Element) -> list[Element]:
    """The pictures directly in a link, as `img` or as `picture`."""
    return [child for child in link if child.tag in {"img", "picture"}]


def _as_words(link: Element, pictures: list[Element]) -> Iterator[Edit]:
    words = "".join(_link_in_words(link, _img(picture)) for picture in pictures)
    if _has_more(link, pictures):
        yield Insert(link, "before", words, SHOWN)
        for picture in pictures:
            yield Remove(picture, SHOWN)
    else:
        yield Replace(link, words, SHOWN)


def _has_more(link: Element, pictures: list[Element]) -> bool:
    texts = [link.text, *(child.tail for child in link)]
    return any(text and not text.isspace() for text in texts) or len(list(link.iterchildren("*"))) > len(pictures)


def _img(picture: Element) -> Element:
    return picture if picture.tag == "img" else next(picture.iter("img"), picture)


def _link_in_words(link: Element, img: Element) -> str:
    label = _label(img) or _label(link, "title") or NO_ALT
    target = _linked(link.get("href"), label)
    return f"<b>[{_linked(img.get('src'), 'Image')} | <i>{target}</i>]</b> "


def _map_in_words(page: Page, img: Element) -> str:
    name = img.get("usemap", "").removeprefix("#")
    areas = [area for found in page.elements("map") if found.get("name") == name for area in found.iter("area")]
    links = [_linked(area.get("href"), _label(area) or NO_ALT) for area in areas if area.get("href")]
    return f"<b>[{' | '.join([_linked(img.get('src'), 'Image Map'), *links])}]</b> "


def _label(element: Element, attribute: str = "alt") -> str:
    return " ".join(element.get(attribute, "").split())


def _linked(address: str | None, label: str) -> str:
    address = (address or "").strip()
    if not address or address.lower().startswith(NEVER_LINKED):
        return escape(label)
    return f'<a href="{escape(address)}">{escape(label)}</a>'


def _is_linked(img: Element) -> bool:
    return any(link.get("href") is not None for link in img.iterancestors("a"))
