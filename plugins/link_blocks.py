"""Blocks that are mostly links go, whatever they are made of, unless they are most of the page or its list of entries.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, section 3.3: link lists, and the link/text ratio remover of table cells.
Differs: any block counts, not table cells alone. The share of words in links decides, and the kind of page: where
half of the words are prose, lists of links are not what the reader came for; elsewhere only menus outside the main part
go, short links without pictures or headings. One of three like siblings is an entry and stays with its list.
Known to fail: a list of links inside an article that belongs to it, such as a reading list without words between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, Remove, RemoveText
from crunchpy.page import Counts, Element, Page
from crunchpy.plugin import PluginSettings

BLOCKS = frozenset(("center", "div", "dl", "menu", "nav", "ol", "section", "table", "td", "ul"))
LISTS = frozenset(("dl", "menu", "ol", "table", "ul"))
# A block of so many links is a list whatever its tag.
LIST_LINKS = 15
LIKE_SIBLINGS = 3


class Settings(PluginSettings):
    min_link_ratio: float = Field(0.6, gt=0, le=1, description="share of its words in links that makes a block go")
    min_links: int = Field(3, ge=2, le=100, description="links that a block must have")
    max_words_ratio: float = Field(0.3, gt=0, le=1, description="share of the page's words; a larger list is the page")
    max_own_prose_ratio: float = Field(0.3, ge=0, le=1, description="share of the block's own words that are prose")
    min_page_prose_ratio: float = Field(
        0.5, ge=0, le=1, description="share of the page's words that are prose, from which on it is a page to read"
    )
    min_page_prose_ratio_in_main: float = Field(
        0.7, ge=0, le=1, description="the same, for lists inside `main` and `article` to go"
    )
    min_page_prose_words: int = Field(150, ge=0, le=10_000, description="words of prose that a page to read has")
    max_words_per_link: float = Field(
        4, gt=0, le=100, description="words in a link of a menu, on average; longer ones are entries of a list"
    )


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    total = page.total
    prose_ratio = total.prose_words / max(1, total.words)
    prose_ratio *= total.prose_words >= settings.min_page_prose_words  # a page of few words is no page to read
    likes: dict[Element, Counter[tuple[str, str | None]]] = {}
    waiting = [(page.root, False)]
    while waiting:
        element, in_main = waiting.pop()
        counts = page.counts(element)
        if counts.links < settings.min_links or _is_data(element):
            continue  # so has everything below it: most of the page is never looked at
        in_main = in_main or element.tag in ("article", "main") or element.get("role") == "main"
        if element.tag in BLOCKS and _is_mostly_links(counts, settings):
            if counts.words > settings.max_words_ratio * total.words:
                if element.tag in LISTS or counts.links >= LIST_LINKS:
                    continue  # the list is the page
            elif not _is_entry(element, likes):
                entries = _has_entries(element, counts, settings)
                least = settings.min_page_prose_ratio_in_main if in_main else settings.min_page_prose_ratio
                if prose_ratio >= least or not (in_main or entries):
                    yield from _removed(element)
                    continue
                if entries:
                    continue
        waiting += [(child, in_main) for child in element.iterchildren("*", reversed=True)]


def _is_entry(element: Element, likes: dict[Element, Counter[tuple[str, str | None]]]) -> bool:
    """Whether it is one of several siblings that are made alike; counted once for all of them."""
    parent = element.getparent()
    if element.tag == "td" or parent is None:
        return False
    if parent not in likes:
        likes[parent] = Counter((child.tag, child.get("class")) for child in parent.iterchildren("*"))
    return likes[parent][element.tag, element.get("class")] >= LIKE_SIBLINGS


def _is_mostly_links(counts: Counts, settings: Settings) -> bool:
    if counts.words == 0 or counts.link_ratio < settings.min_link_ratio:
        return False
    return counts.prose_words <= settings.max_own_prose_ratio * counts.words


def _has_entries(element: Element, counts: Counts, settings: Settings) -> bool:
    """Whether the links are entries of a list, with pictures, headings or long names, rather than those of a menu."""
    if counts.link_words > settings.max_words_per_link * counts.links:
        return True
    pictures = sum(1 for _ in element.iter("img"))
    headings = sum(1 for _ in element.iter("h2", "h3", "h4", "h5", "h6"))
    return 2 * pictures >= counts.links or 3 * headings >= counts.links


def _is_data(element: Element) -> bool:
    """A table with headings of its own is data, with its links; those of a table inside it do not count."""
    if element.tag != "table":
        return False
    return any(next(cell.iterancestors("table"), None) is element for cell in element.iter("caption", "th"))


def _removed(element: Element) -> Iterator[Edit]:
    if element.tag != "td":
        yield Remove(element, "mostly links")
        return
    if (element.text or "").strip():  # the row keeps its cells, so a cell is emptied
        yield RemoveText(element, "text", "mostly links")
    for child in element.iterchildren("*"):
        yield Remove(child, "mostly links")
        if (child.tail or "").strip():
            yield RemoveText(child, "tail", "mostly links")
