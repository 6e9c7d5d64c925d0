"""Flash films go; what the page shows where Flash is missing stays.

Source: Gupta, Kaiser, Grimm, Chiang, Starren, 2005, "Automating Content Extraction of HTML Documents", World Wide Web
8(2), the filter settings: OBJECT with the class id of Flash, PARAM whose value ends in .swf, EMBED whose src does.
Differs: no browser plays Flash any more, so an object's content for readers without it is kept, where Crunch dropped
it; an object that only a PARAM or its type tells to be Flash counts too; `.swf?query` counts as `.swf`.
Known to fail: films that a script writes into the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from crunchpy.edit import Edit, Remove, Unwrap
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

FLASH_CLASS_ID = "clsid:d27cdb6e-ae6d-11cf-96b8-444553540000"
FLASH_TYPE = "application/x-shockwave-flash"


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.elements("object", "embed", "param"):
        if element.tag == "object" and _is_flash_object(element):
            yield Unwrap(element, "a Flash film") if _has_other_content(element) else Remove(element, "a Flash film")
        elif element.tag == "embed" and _is_film(element.get("src")):
            yield Remove(element, "a Flash film")
        elif element.tag == "param" and _belongs_to_flash(element):
            yield Remove(element, "a setting of a Flash film")


def _is_flash_object(element: Element) -> bool:
    return (
        element.get("classid", "").strip().lower() == FLASH_CLASS_ID
        or element.get("type", "").strip().lower() == FLASH_TYPE
        or _is_film(element.get("data"))
        or any(child.tag == "param" and _is_film(child.get("value")) for child in element)
    )


def _belongs_to_flash(param: Element) -> bool:
    around = param.getparent()
    return _is_film(param.get("value")) or (around.tag == "object" and _is_flash_object(around))


def _is_film(address: str | None) -> bool:
    try:
        return urlsplit((address or "").strip()).path.lower().endswith(".swf")
    except ValueError:
        return False


def _has_other_content(element: Element) -> bool:
    if any(text.strip() for text in element.itertext("*")):
        return True
    return any(below.tag not in {"object", "param", "embed"} for below in element.iterdescendants("*"))
