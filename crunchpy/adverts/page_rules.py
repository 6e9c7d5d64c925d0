"""The elements of a page that element rules hide."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from crunchpy.adverts.blocklist import Match, host_of
from crunchpy.adverts.selectors import PageIndex, SelectorTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import adblock

    from crunchpy.adverts.compiled import Compiled
    from crunchpy.page import Element, Page

# A page without an address is asked about as this one, so that it meets the general rules and no site's own.
_NOWHERE = "http://page.invalid/"
# Never hidden, whatever a rule says: without them there is no page, or not the page that somebody asked for.
_KEPT_TAGS = frozenset({"html", "head", "body", "main", "h1"})
# More than this share of the page's words in one element is the page itself, not an advert in it.
_MAX_WORDS_RATIO = 0.5


class PageRules:
    """The element rules of one list."""

    def __init__(self, compiled: Compiled, engine: adblock.Engine) -> None:
        """`engine` holds the element rules of `compiled`."""
        self.name = compiled.name
        self.category = compiled.category
        self._engine = engine
        self._has = compiled.has
        # The engine mixes a site's own rules with general ones; a site without own rules gets the general ones.
        self._general = engine.url_cosmetic_resources(_NOWHERE).hide_selectors
        self._table = SelectorTable(self._general)

    def selectors(self, url: str, index: PageIndex) -> Iterator[tuple[str, str, bool]]:
        """What holds on the page at `url`: (selector, rule as shown, whether the list names this site for it)."""
        host = host_of(url)
        answer = self._engine.url_cosmetic_resources(url or _NOWHERE)
        own = answer.hide_selectors - self._general
        own.update(selector for selector in _listed_for(host, self._has) if selector not in answer.exceptions)
        for selector in sorted(own):
            yield selector, f"{host}##{selector}", True
        general = [selector for selector in self._table.possible(index) if selector in answer.hide_selectors]
        if not answer.generichide:  # type: ignore[attr-defined]  # there, but not in the package's stub
            classes, ids = list(index.classes), list(index.ids)
            general += self._engine.hidden_class_id_selectors(classes, ids, answer.exceptions)
        for selector in sorted(general):
            yield selector, f"##{selector}", False


def hidden(page: Page, lists: Sequence[PageRules]) -> Iterator[tuple[Element, Match]]:
    """The outermost elements of `page` that the rules of `lists` hide, in document order, each with its rule."""
    index = PageIndex(page)
    kept = _Kept(page)
    found: dict[Element, Match] = {}
    for rules in lists:
        for selector, rule, own in rules.selectors(page.url, index):
            for element in index.matches(selector):
                if element not in found and not kept.keeps(element, own=own):
                    found[element] = Match(rule, rules.name, rules.category)
    yield from ((element, found[element]) for element in page.outermost(found))


class _Kept:
    """Which elements of a page no name can take away (cases: "names that look like ads")."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def keeps(self, element: Element, *, own: bool) -> bool:
        """Whether `element` stays. A rule for this site (`own`) knows its articles apart; a general one does not."""
        if element.tag in _KEPT_TAGS or element.get("role") == "main" or element in self._around:
            return True
        if element.tag == "article" and not own:
            return True
        return self._page.counts(element).words > _MAX_WORDS_RATIO * self._page.total.words

    @cached_property
    def _around(self) -> set[Element]:
        """All that the h1s and main parts are in."""
        centres = (*self._page.elements("h1", "main"), *self._page.select("[role=main]"))
        return {outer for centre in centres for outer in centre.iterancestors()}


def _listed_for(host: str, rules: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """The selectors that `rules` (FilterList.has) have for `host`, a subdomain of a named host included."""
    parents = [host]
    while "." in parents[-1]:
        parents.append(parents[-1].partition(".")[2])
    for name in parents[:-1]:
        # `example.*` stands for example.com and example.co.uk.
        stem, _, rest = name.partition(".")
        for key in (name, f"{stem}.*") if rest.count(".") <= 1 else (name,):
            for selector, *but_not in rules.get(key, ()):
                if not any(parent in but_not for parent in parents):
                    yield selector
