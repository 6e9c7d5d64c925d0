"""Makes the file of known sites from descriptions and pages, the same bytes from the same inputs. Runs offline, with
scikit-learn.

Inputs: a folder with `genre/wiki-sites-labelled.tsv` (domain, title, text) and `packages/*/` (pages with their URLs),
and the sites that `genres.yaml` lists. Out go counts of key words only.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from crunchpy.genre.domains import site_of
from crunchpy.genre.key_words import KeyWordRule, own_names
from crunchpy.genre.known_sites import KnownSites
from crunchpy.genre.site_text import page_language, page_text
from crunchpy.genre.words import telling_words
from crunchpy.page import Page, Unfit
from crunchpy.settings import read_yaml

MAX_PAGES_A_SITE = 8  # the same limit as online: more pages of one site teach its topics, not its genre


@dataclass(slots=True)
class SiteWords:
    """The words of one site, in the two parts that the measures tell apart."""

    description: list[str] = field(default_factory=list)
    pages: list[list[str]] = field(default_factory=list)

    def all(self) -> list[str]:
        """All words, of the description and the pages."""
        return [*self.description, *(word for page in self.pages for word in page)]


def read_site_words(folder: Path, domains: Collection[str]) -> dict[str, SiteWords]:
    """The words of these sites from the inputs; sites of which the inputs know nothing are left out."""
    found: dict[str, SiteWords] = {}
    for domain, text in _descriptions(folder / "genre" / "wiki-sites-labelled.tsv"):
        if domain in domains:
            site = found.setdefault(domain, SiteWords())
            site.description += telling_words(text, language="en", own_names=own_names(domain))
    for domain, body, url in _pages(folder / "packages", domains):
        site = found.setdefault(domain, SiteWords())
        page = Page.parse(body, url=url) if len(site.pages) < MAX_PAGES_A_SITE else None
        if page is None or isinstance(page, Unfit):
            continue
        language = page_language(page.root)
        site.pages.append(telling_words(page_text(page.root), language=language, own_names=own_names(domain)))
    return {domain: words for domain, words in sorted(found.items()) if words.description or words.pages}


def build(words: Mapping[str, SiteWords], genres: Mapping[str, str], rule: KeyWordRule | None = None) -> KnownSites:
    """Count the sites, choose the key words by the rule, count again on them. Counting is scikit-learn's.

    Args:
        words: by domain.
        genres: domain to genre.
        rule: when a word is a key word.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    rule = rule or KeyWordRule()
    domains = sorted(words)
    counter = CountVectorizer(analyzer=SiteWords.all, dtype=np.int32)
    matrix = counter.fit_transform(words[domain] for domain in domains).tocsc()
    most = matrix.max(axis=0).toarray().ravel()
    sites = np.diff(matrix.indptr)
    chosen = np.flatnonzero((most > rule.more_than) & (sites >= rule.min_sites))
    names = counter.get_feature_names_out()[chosen]
    rows = matrix[:, chosen].tocsr()
    counts = {
        domain: {int(place): int(count) for place, count in zip(row.indices, row.data, strict=True)}
        for domain, row in ((domain, rows[number]) for number, domain in enumerate(domains))
    }
    described = frozenset(domain for domain in domains if not words[domain].pages)
    ordered = {domain: dict(sorted(site.items())) for domain, site in counts.items()}
    return KnownSites(
        tuple(map(str, names)), ordered, {domain: genres.get(domain, "") for domain in domains}, described
    )


def histogram(words: SiteWords, *, with_pages: bool) -> Counter[str]:
    """A site's histogram, from its description only or from everything."""
    return Counter(words.all() if with_pages else words.description)


def _descriptions(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["domain"], f"{row['title']} {row['text']}"


def _pages(folder: Path, domains: Collection[str]) -> Iterator[tuple[str, bytes, str]]:
    """Site, body and URL of the pages of these sites, by package and name."""
    for meta in sorted(folder.glob("*/*.meta")):
        url = str((read_yaml(meta) or {}).get("url") or "")
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
        known = next((part for part in (site_of(host), _parent(site_of(host))) if part in domains), None)
        if known is not None:
            yield known, gzip.decompress(meta.with_suffix("").with_name(meta.stem + ".html.gz").read_bytes()), url


def _parent(domain: str) -> str:
    """Of "someone.blogspot.com" the host itself: hosts of many blogs are known sites as a whole too."""
    return domain.partition(".")[2]
