"""Adverts go: what loads from an ad host, links that lead to one, and boxes that a filter list marks as adverts.

Source: Gupta, Kaiser, Neistadt, Grimm, 2003, "DOM-based Content Extraction of HTML Documents", the advertisement
remover, which took out every element whose href or src host was in a list of ad hosts.
Differs: the rules are filter lists in EasyList syntax, with exceptions, kinds of request and element rules. A link in
the middle of a text stays, since the text would lose its words.
Known to fail: adverts that scripts put into the page later (their requests are blocked instead) and a site's own
adverts that no list names.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import absolute, closest, host_of
from crunchpy.edit import Edit, Remove
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

# What each element's request is to the lists.
LOADS = {
    **dict.fromkeys(("audio", "source", "track", "video"), "media"),
    **dict.fromkeys(("embed", "object"), "object"),
    **dict.fromkeys(("frame", "iframe"), "subdocument"),
    **dict.fromkeys(("img", "input"), "image"),
    "script": "script",
}
# Where the address is, in this order; in `data-src` where a script loads the picture later.
ADDRESSES = ("src", "data", "data-src", "srcset")
# Only these kinds of `link` load anything. `canonical`, `alternate` and the others say something about the page.
LOADING_RELS = {"dns-prefetch", "modulepreload", "preconnect", "prefetch", "preload", "stylesheet"}
# A link is in the middle of a text if words outside links stand beside it in the innermost of these.
BLOCKS = ("p", "li", "td", "th", "dd", "dt", "figcaption", "blockquote", "div", "section", "aside", "article", "body")
# An element with more than this share of the page's words is the page, whatever its address.
MAX_WORDS_RATIO = 0.5


class Settings(PluginSettings):
    use_network: bool = Field(True, description="yes or no: remove what loads from a blocked address")
    use_links: bool = Field(True, description="yes or no: remove links to an ad host that are not part of a text")
    use_cosmetic: bool = Field(True, description="yes or no: remove what the lists' element rules hide")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    reasons = dict(_found(page, settings))
    for element in page.outermost(reasons):
        if page.counts(element).words <= MAX_WORDS_RATIO * page.total.words:
            yield Remove(element, reasons[element])


def _found(page: Page, settings: Settings) -> Iterator[tuple[Element, str]]:
    if page.blocklist is None:
        return
    bases = [url for element in page.elements("base") if (url := element.get("href"))]
    base = absolute(page.url, bases[0]) if bases else page.url
    if settings.use_links:
        yield from ((link, "leads to an ad host") for link in _ad_links(page, base))
    if settings.use_network:
        loading = ((element, _is_blocked(page, url, kind)) for element, url, kind in _loading(page, base))
        yield from ((element, "loads from an ad host") for element, is_blocked in loading if is_blocked)
    if settings.use_cosmetic:
        yield from ((element, "marked as an advert") for element, _ in page.blocklist.hides(page))


def _loading(page: Page, base: str) -> Iterator[tuple[Element, str, str]]:
    """The elements that load something, its address, and what their request is to the lists."""
    found: dict[int, tuple[Element, str, str]] = {}
    for name in ADDRESSES:
        for ordinal, element, value in page.with_attribute(name):
            if element.tag in LOADS and value.strip():
                found.setdefault(ordinal, (element, value, LOADS[element.tag]))
    for ordinal, link, value in page.with_attribute("href"):
        rels = set(link.get("rel", "").lower().split()) if link.tag == "link" and value.strip() else set()
        if rels & LOADING_RELS:
            found[ordinal] = link, value, "stylesheet" if "stylesheet" in rels else "other"
    for ordinal, (element, value, kind) in found.items():
        if not page.gone[ordinal]:
            # Of the candidates in a srcset the first is enough: they are sizes of one picture.
            yield element, absolute(base, value.split(maxsplit=1)[0]), kind


def _is_blocked(page: Page, url: str, kind: str) -> bool:
    return bool(page.blocklist and page.blocklist.blocks(url, page_url=page.url, kind=kind))


def _links_elsewhere(page: Page, base: str) -> Iterator[tuple[Element, str]]:
    own = {"", host_of(page.url)}
    is_base_elsewhere = host_of(base) not in own
    for ordinal, link, href in page.with_attribute("href"):
        # Most links are relative, and lead to where the page is from.
        if not ("//" in href or is_base_elsewhere) or link.tag not in ("a", "area") or page.gone[ordinal]:
            continue
        if host_of(url := absolute(base, href)) not in own:
            yield link, url


def _ad_links(page: Page, base: str) -> Iterator[Element]:
    # Trackers are companies that people write about, and path rules are about requests: only the host rules of ad
    # lists say that a link leads to an advert. So one look-up a host is enough.
    hosts: dict[str, bool] = {}
    for link, url in _links_elsewhere(page, base):
        host = host_of(url)
        if host not in hosts:
            match = page.blocklist and page.blocklist.blocks(url, page_url=page.url, kind="other", categories=["ads"])
            hosts[host] = bool(match and match.rule.startswith("||"))
        if hosts[host] and not _is_part_of_text(page, link):
            yield link


def _is_part_of_text(page: Page, link: Element) -> bool:
    block = closest(link, *BLOCKS)
    return block is not None and page.counts(link).words > 0 and page.counts(block).plain_words > 0
