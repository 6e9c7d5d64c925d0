"""`Blocklist.hides`: element rules on a page."""

from __future__ import annotations

import pytest
from lxml.cssselect import CSSSelector

from crunchpy.adverts import Blocklist
from crunchpy.adverts.compiled import Source, compile_lists
from crunchpy.adverts.selectors import PageIndex, SelectorTable, needs_of
from crunchpy.page import Page

TEXT = "<h1>T</h1><p>One two three four five six seven eight nine ten words of text stand here.</p>"


def page_of(markup: str, url: str = "https://www.site.example/a") -> Page:
    page = Page.parse(f"<!doctype html><html><body>{TEXT}{markup}</body></html>".encode(), url=url)
    assert isinstance(page, Page)
    return page


def hidden(rules: str, markup: str, url: str = "https://www.site.example/a") -> list[str]:
    """The ids of the hidden elements, with the rule's text."""
    lists = Blocklist(compile_lists([Source("own", rules)]))
    return [f"{element.get('id')} {match.rule}" for element, match in lists.hides(page_of(markup, url))]


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("##.ad", ["x ##.ad"]),
        ("##.AD", []),
        ("##.a", []),
        ("###x", ["x ###x"]),
        ("##div.ad > ins", ["y ##div.ad > ins"]),
        ('##ins[data-k^="v"]', ['y ##ins[data-k^="v"]']),
        ('##ins[data-k^="w"]', []),
        ("site.example##.ad", ["x www.site.example##.ad"]),
        ("other.example##.ad", []),
        ("~site.example##.ad", []),
        ("site.example#@#.ad\n##.ad", []),
        ("other.example#@#.ad\n##.ad", ["x ##.ad"]),
        ("@@||site.example^$generichide\n##.ad\n###x\nsite.example##ins", ["y www.site.example##ins"]),
        ("site.example##div:has(> ins)", ["x www.site.example##div:has(> ins)"]),
        ("site.*##div:has(> ins)", ["x www.site.example##div:has(> ins)"]),
        ("site.example,~www.site.example##div:has(> ins)", []),
        ("##.ad\n##ins", ["x ##.ad"]),  # outermost only
        ("##div[[", []),
    ],
)
def test_element_rules(rules: str, found: list[str]) -> None:
    assert hidden(rules, '<div id=x class="top ad"><ins id=y data-k=value></ins></div>') == found


def test_found_elements_come_in_document_order() -> None:
    assert hidden("##.b\n##.a\n##i", "<p id=1 class=a></p><i id=2></i><p id=3 class=b></p><p id=4 class=a></p>") == [
        "1 ##.a",
        "2 ##i",
        "3 ##.b",
        "4 ##.a",
    ]


@pytest.mark.parametrize(
    "markup",
    [
        "<article id=x class=ad>a b</article>",
        "<main id=x class=ad>a b</main>",
        "<div id=x class=ad role=main>a b</div>",
        "<div id=x class=ad><p><main>a b</main></div>",
        "<h1 id=x class=ad>a b</h1>",
        "<div id=x class=ad><h1>a b</h1></div>",
        f"<div id=x class=ad>{'word ' * 100}</div>",
    ],
)
def test_the_page_itself_is_never_hidden_by_name(markup: str) -> None:
    assert hidden("##.ad", markup) == []
    assert hidden("##.ad", markup.replace("ad", "ad", 1) + "<b id=y class=ad>a</b>") == ["y ##.ad"]


def test_a_rule_for_the_site_may_name_an_article() -> None:
    assert hidden("site.example##article.ad", "<article id=x class=ad>a b</article>") == [
        "x www.site.example##article.ad"
    ]


def test_categories_are_asked_one_by_one() -> None:
    lists = Blocklist(compile_lists([Source("own", "##.ad\n! Category: cookies\n##.banner")]))
    page = page_of("<p id=x class=ad></p><p id=y class=banner></p>")
    assert [element.get("id") for element, _ in lists.hides(page)] == ["x"]
    assert [(element.get("id"), match.category) for element, match in lists.hides(page, categories=("cookies",))] == [
        ("y", "cookies")
    ]


def test_a_page_without_an_address_meets_the_general_rules() -> None:
    assert hidden("##.ad", "<p id=x class=ad></p>", url="") == ["x ##.ad"]


MARKUP = (
    '<div class="a b" id=i><a href="https://ad.example/x" title="T t">l</a><x-ad data-k></x-ad>'
    '<p class="md:x c" lang=en-GB style="width:1px">t</p></div>'
)
SELECTORS = [
    ".a.b > a", ".a .none", "#i p", "#none p", "x-ad", "y-ad", "a[href]", 'a[href^="https://ad."]', 'a[href^="http://"]',
    'a[href*="example/"]', 'a[href$="/x"]', 'a[href$="/"]', 'a[href="https://ad.example/x"]', "p[lang|=en]",
    'a[title~="t"]', 'a[title~="T t"]', "[data-k]", "[data-none]", "p:not(.none)", "p:not(.c)", "div:has(> x-ad)",
    r".md\:x", ".none, p", 'p[style="width:1px"]', "div:not([data-none]) a", "P", "a[HREF]", ":is(.a, .none) p",
    "a[title='T t']", "div > :first-child",
]  # fmt: skip


@pytest.mark.parametrize("selector", SELECTORS)
def test_what_a_selector_needs_never_hides_a_match(selector: str) -> None:
    page = page_of(MARKUP)
    index = PageIndex(page)
    expected = CSSSelector(selector, translator="html")(page.root)
    assert index.matches(selector) == expected
    if expected:
        assert list(SelectorTable([selector]).possible(index)) == [selector]


@pytest.mark.parametrize("selector", ["div[[", "p::before", "p:unheard-of"])
def test_a_selector_that_cannot_be_read_matches_nothing(selector: str) -> None:
    assert PageIndex(page_of(MARKUP)).matches(selector) == []


@pytest.mark.parametrize("selector", ["y-ad", ".none p", "#none", 'a[href^="http://"]', "[data-none] p", "p[lang=de]"])
def test_selectors_that_cannot_match_are_not_tried(selector: str) -> None:
    assert list(SelectorTable([selector]).possible(PageIndex(page_of(MARKUP)))) == []


def test_needs_do_not_come_from_alternatives_or_negations() -> None:
    assert needs_of("div:not(.a):has(#b, [c])").classes == ()
    assert needs_of("div:not(.a):has(#b, [c])").ids == ()
    assert needs_of("div:not(.a):has(#b, [c])").attributes == ()
    assert needs_of('a[title=")"] .c').classes == ("c",)
