"""What a page looks like, in numbers: counts of tags, of telling class words, of prices and dates, and the shape of
its address.

No word of the text and no site's name is among them, so that what is learnt from some sites holds for others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lxml import etree

from crunchpy.genre.site_text import page_text

if TYPE_CHECKING:
    from crunchpy.page import Page

_TAGS = (
    "a", "article", "aside", "blockquote", "button", "code", "dl", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "header", "iframe", "img", "input", "label", "li", "main", "nav", "option", "p", "pre", "section", "select",
    "svg", "table", "td", "textarea", "time", "ul", "video",
)  # fmt: skip
# Counted in class and id names, in the vocabulary of schema.org and in the page's meta data, not in its text.
_MARKS = (
    "accordion", "add-to-cart", "addtocart", "answer", "article-body", "author", "badge", "breadcrumb", "byline",
    "card", "carousel", "cart", "category", "checkout", "cloudflare", "collection", "comment", "compare", "copy",
    "cta", "discourse", "docs", "excerpt", "faq", "feature", "filter", "forum", "grid", "hero", "highlight",
    "listing", "load-more", "member", "offer", "pagination", "permalink", "post-content", "posted", "pricing",
    "product", "quantity", "question", "quote", "rating", "read-more", "related", "reply", "result", "review",
    "share", "shopify", "sidebar", "signature", "sku", "sort", "subscribe", "swatch", "testimonial", "thread", "toc",
    "topic", "user", "variant", "version", "vote", "wishlist", "article:published_time",
     '"@type":"article',
    '"@type":"blogposting', '"@type":"breadcrumblist', '"@type":"collectionpage', '"@type":"discussionforumposting',
    '"@type":"faqpage', '"@type":"itemlist', '"@type":"newsarticle', '"@type":"offer', '"@type":"organization',
    '"@type":"person', '"@type":"product', '"@type":"qapage', '"@type":"service', '"@type":"techarticle',
    '"@type":"webpage', "datemodified", "datepublished",
)  # fmt: skip
_PATH_WORDS = (
    "archive", "article", "best", "blog", "cat", "category", "collections", "doc", "docs", "forum", "guide", "html",
    "item", "learn", "news", "p", "post", "posts", "product", "products", "question", "questions", "reference",
    "services", "shop", "solutions", "story", "t", "tag", "thread", "threads", "topic", "tutorial", "viewtopic",
    "wiki", "latest", "api", "manual", "dp", "c",
)  # fmt: skip
_SPACES_IN_JSON = re.compile(r'"@type"\s*:\s*"')
_PRICE = re.compile(r"[$£€]\s?\d+(?:[.,]\d\d)?|\d[.,]\d\d\s?(?:€|EUR|USD)")
_DATE = re.compile(r"\b(?:19|20)\d\d-[01]\d-[0-3]\d|\b[A-Z][a-z]{2,8}\.? [0-3]?\d, (?:19|20)\d\d")
_STRUCTURE = etree.XPath(
    "//@class | //@id | //@itemtype | //@itemprop | //@rel | //meta/@property | //meta[@property='og:type']/@content"
    " | //script[@type='application/ld+json']/text()",
    smart_strings=False,
)
_NAMING = ("class", "id", "itemtype", "itemprop", "rel")
_LISTED_LINKS = etree.XPath("count(//li//a)")
_MAX_STRUCTURE_CHARS = 60_000  # of a longer page the rest repeats
# "index.html", "default.aspx", "~user"; not "default-mode-network", which Crunch's "begins with default" would take.
_FRONT_NAMES = re.compile(r"(?:index|default)(?:\.\w+)?$|~", re.IGNORECASE)
_WORD_BOUNDARY = re.compile(r"[^a-z0-9]+")

FEATURES = (
    "words", "links", "link_words_ratio", "prose_words", "words_in_longest_p", "mean_p_words", "words_in_h", "headings",
    "list_links_ratio", "images_a_word", "prices", "dates", "body_bytes", "bytes_a_word", "h1_words",
    "path_depth", "path_words_in_last", "path_digits", "path_has_query", "is_front_page", "path_ends_with_slash",
    "has_url", *(f"tag_{tag}" for tag in _TAGS),
    *(f"mark_{mark}" for mark in _MARKS),
    *(f"path_{word}" for word in _PATH_WORDS),
)  # fmt: skip
"""The names, in the order of `features`. A change of this list needs a new fit (`crunchpy genre build`)."""


def features(page: Page) -> list[float]:
    """The numbers of one page; counts as log(1 + count), so that a page of 400 links is not ten times one of 40."""
    total = page.total
    tags = Counter(element.tag for element in page.elements())
    paragraphs = [page.counts(element).words for element in page.elements("p")]
    headings = page.elements("h1", "h2", "h3", "h4")
    text, structure = page_text(page.root), _structure(page)
    shape = [
        _log(total.words),
        _log(total.links),
        total.link_words / max(total.words, 1),
        _log(total.prose_words),
        _log(max(paragraphs, default=0)),
        _log(sum(paragraphs) / max(len(paragraphs), 1)),
        _log(sum(page.counts(element).words for element in headings)),
        _log(len(headings)),
        _listed_links(page) / max(total.links, 1),
        tags["img"] / max(total.words, 1),
        _log(len(_PRICE.findall(text))),
        _log(len(_DATE.findall(text))),
        _log(len(page.body)),
        _log(len(page.body) / max(total.words, 1)),
        _log(sum(page.counts(element).words for element in page.elements("h1")[:1])),
    ]
    path = set(_WORD_BOUNDARY.split(urlsplit(page.url).path.lower()))
    return [
        *shape,
        *_address(page.url),
        *(_log(tags[tag]) for tag in _TAGS),
        *map(_log, mark_counts(structure)),
        *(float(word in path) for word in _PATH_WORDS),
    ]


def _structure(page: Page) -> str:
    """Names and meta data of the page as one lower-case text."""
    pieces = _structure_pieces(page)
    if sum(map(len, pieces)) + len(pieces) > _MAX_STRUCTURE_CHARS:  # only here the order matters, and what is cut off
        found = _STRUCTURE(page.root)
        assert isinstance(found, list)
        pieces = [str(piece) for piece in found]
    text = "\n".join(pieces)[:_MAX_STRUCTURE_CHARS].lower()
    return _SPACES_IN_JSON.sub('"@type":"', text)


def _structure_pieces(page: Page) -> list[str]:
    """What `_STRUCTURE` finds, in another order, from the page's index of attributes: in half the time."""
    pieces = [value for name in _NAMING for _, _, value in page.with_attribute(name)]
    about = [(element, value) for _, element, value in page.with_attribute("property") if element.tag == "meta"]
    pieces += [value for _, value in about]
    pieces += [element.get("content", "") for element, value in about if value == "og:type"]
    scripts = page.elements("script")
    return pieces + [script.text or "" for script in scripts if script.get("type") == "application/ld+json"]


def mark_counts(structure: str) -> list[int]:
    """How often each mark stands in the text. No mark has a space, so that equal words need only be looked at once."""
    words_by_times: dict[int, list[str]] = {}
    for word, times in Counter(structure.split()).items():
        words_by_times.setdefault(times, []).append(word)
    texts = [(times, "\n".join(words)) for times, words in words_by_times.items()]
    return [sum(times * text.count(mark) for times, text in texts) for mark in _MARKS]


def _listed_links(page: Page) -> float:
    found = _LISTED_LINKS(page.root)
    assert isinstance(found, float)
    return found


def is_front_page(url: str) -> bool:
    """Crunch's rule without asking the server.

    The URL is only a host, or its last part is `index`, `default` or `~user`.
    """
    parts = urlsplit(url)
    if not parts.hostname or parts.query:
        return False
    pieces = [piece for piece in parts.path.split("/") if piece]
    return not pieces or _FRONT_NAMES.match(pieces[-1]) is not None


def _address(url: str) -> list[float]:
    parts = urlsplit(url)
    pieces = [piece for piece in parts.path.split("/") if piece]
    last = pieces[-1] if pieces else ""
    return [
        float(len(pieces)),
        float(len([word for word in _WORD_BOUNDARY.split(last.lower()) if word])),
        _log(sum(letter.isdigit() for letter in parts.path)),
        float(bool(parts.query)),
        float(is_front_page(url)),
        float(parts.path.endswith("/")),
        float(bool(parts.hostname)),
    ]


def _log(value: float) -> float:
    return math.log1p(value)
