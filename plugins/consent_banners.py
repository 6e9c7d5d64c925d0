"""Consent banners go, and with them what keeps the page from scrolling while they are open.

Source: none, own observation; users report pages that cannot scroll after the banner alone was taken (EasyList issues
16850, 17389, 22328 and 24363).
Known to fail: banners that scripts put in later, and banners named in other languages that are no dialog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import Field

from crunchpy.dom import closest, text
from crunchpy.edit import Edit, Remove, SetAttribute
from crunchpy.page import Element, Page
from crunchpy.plugin import PluginSettings

# Products that make nothing but consent banners: whatever is named after them is one, however long its text.
MAKERS = frozenset((
    "cmp2", "cmplz", "cookieadmin", "cookiebanner", "cookiebot", "cookieconsent", "cookielaw", "cookieyes",
    "cybotcookiebot", "didomi", "iubenda", "onetrust", "trustarc", "truste", "usercentrics",
))  # fmt: skip
NAMES = frozenset(("ccpa", "consent", "cookie", "cookies", "gdpr"))
DIALOGS = frozenset(("alertdialog", "dialog"))
BACKDROPS = frozenset(("backdrop", "overlay"))
NEVER = frozenset(("a", "article", "body", "button", "h1", "html", "link", "main", "script", "style"))
# What banners of all languages say; the long forms are in the dialogs only.
SAYS = re.compile(r"\bcookies?\b|\bgdpr\b|\bdsgvo\b|\brgpd\b", re.IGNORECASE)
# Class names by which scripts lock the page; whole names, as `open` or `locked` alone say too little.
LOCKS = frozenset((
    "body-lock", "cookie-open", "disable-scroll", "fixed-body", "has-overlay", "is-locked", "lock-scroll", "modal-open",
    "no-scroll", "noscroll", "overflow-hidden", "prevent-scroll", "scroll-lock", "scroll-locked", "stop-scrolling",
))  # fmt: skip
LOCKING_STYLE = re.compile(r"\s*(?:overflow(?:-y)?\s*:\s*hidden|position\s*:\s*fixed)[^;]*;?", re.IGNORECASE)


class Settings(PluginSettings):
    max_maker_words_ratio: float = Field(
        0.9, gt=0, le=1, description="share of the page's words, for a banner named after a maker of banners"
    )
    max_words_ratio: float = Field(0.5, gt=0, le=1, description="share of the page's words, for other banners")
    unlock_scrolling: bool = Field(True, description="yes or no: also take the classes and styles that stop scrolling")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    banners = list(_banners(page, settings))
    for banner in banners:
        yield Remove(banner, "is a consent banner", controls_go=True)
    if not banners:
        return
    for element in page.named(BACKDROPS):
        if element.tag == "div" and len(element) == 0 and not (element.text or "").strip():
            yield Remove(element, "darkens the page behind the banner")
    if settings.unlock_scrolling:
        for element in page.elements("html", "body"):
            yield from _unlocked(element)


def _banners(page: Page, settings: Settings) -> Iterator[Element]:
    total = page.total.words
    for element in page.named(MAKERS):
        is_free = element.tag not in NEVER and element not in page.around_heading
        if is_free and page.counts(element).words <= settings.max_maker_words_ratio * total:
            yield element
    for element in (*page.elements("dialog"), *page.with_role(DIALOGS), *page.named(NAMES)):
        is_free = element.tag not in NEVER and element not in page.around_heading
        if is_free and page.counts(element).words <= settings.max_words_ratio * total and _asks_for_consent(element):
            yield element


def _asks_for_consent(element: Element) -> bool:
    """A banner says what it is about, offers a choice, and is no part of an article about cookies or biscuits."""
    if closest(element, "main", "article") is not None or not SAYS.search(text(element)):
        return False
    return next(element.iter("button", "input", "a"), None) is not None


def _unlocked(element: Element) -> Iterator[Edit]:
    names = (element.get("class") or "").split()
    kept = [name for name in names if name.lower() not in LOCKS]
    if len(kept) < len(names):
        yield SetAttribute(element, "class", " ".join(kept) or None, "stops the page from scrolling")
    style = element.get("style") or ""
    if LOCKING_STYLE.search(style):
        free = LOCKING_STYLE.sub("", style).strip()
        yield SetAttribute(element, "style", free or None, "stops the page from scrolling")
