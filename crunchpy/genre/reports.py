"""What `crunchpy genre` prints, as plain data and as lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import typer

from crunchpy.gate import at_body
from crunchpy.genre.by_hand import ByHand, Choice, load_genres
from crunchpy.genre.chooser import page_words, store_opener
from crunchpy.genre.classifier import UNKNOWN, Classifier, Guess
from crunchpy.genre.clusters import agglomerative_clusters, greedy_clusters, strongest_words
from crunchpy.genre.domains import site_of
from crunchpy.genre.known_sites import KnownSitesError, read_known_sites
from crunchpy.genre.nearest import Neighbours
from crunchpy.genre.page_kind import PageKindError, page_kind
from crunchpy.genre.settling import by_hand as decided_by_hand
from crunchpy.genre.store import SiteRecord, Store, StoreError
from crunchpy.overlay import OverlayError, files, overlays
from crunchpy.page import Page, Unfit
from crunchpy.settings import SettingsError

SHOWN_WORDS = 12
_SHOWN_SITES = 8
_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".xht")


def load(folders: tuple[Path, ...]) -> tuple[ByHand, Classifier, frozenset[str]]:
    """The administrator's choices, the classifier, and the names of the settings.

    Exits with a message where they are bad.
    """
    try:
        found = files(overlays(*folders))
        names = frozenset(path.stem for path in found.settings)
        by_hand = load_genres(found.genres, names)
        return by_hand, Classifier.of(read_known_sites(), by_hand, names, by_hand.classifier), names
    except (OverlayError, SettingsError, KnownSitesError) as error:
        raise _exit(str(error)) from error


def describe(target: str, url: str, folders: tuple[Path, ...]) -> dict[str, Any]:
    """Everything about a domain or a saved page."""
    by_hand, classifier, _ = load(folders)
    path = Path(target)
    if path.suffix.lower() in _PAGE_SUFFIXES and "://" not in target and not path.is_file():
        raise _exit(f"{target}: there is no such file; a site is named by its domain, for instance example.org")
    if path.is_file():
        body = path.read_bytes()
        decision = at_body(body, page_load=True)
        if decision.reason:
            raise _exit(f"{path}: is no page: {decision.reason.sentence}")
        page = Page.parse(body, url=url)
        if isinstance(page, Unfit):
            raise _exit(f"{path}: {page.reason}: {page.detail}")
        words: Mapping[str, int] = page_words(page, site_of(_host(url)), classifier)
        return _described(target, words, by_hand.choose(url), classifier.guess(words)) | {"kind": _kind(page)}
    host = _host(target)
    known = classifier.known
    site = next((name for name in (host, site_of(host)) if name in known.counts), site_of(host))
    record = _stored(site, classifier)
    if site in known.counts:
        words = known.words(site)
    else:
        words = Counter(record.page_words) + Counter(record.snippet_words) if record else {}
    found = _described(target, words, by_hand.choose(f"https://{host}/"), _guess(classifier, words, site))
    if record:
        found["stored"] = {"genre": record.genre, "decided_by": record.decided_by, "pages": record.pages}
        if record.genre and found["why"] == by_hand.choose("").why:
            found |= {"genre": record.genre, "settings": classifier.settings.get(record.genre, by_hand.default)}
            found["why"] = f"decided by {record.decided_by}"
    return found


def _described(target: str, words: Mapping[str, int], hand: Choice, guess: Guess) -> dict[str, Any]:
    by_words = hand.genre == UNKNOWN and guess.is_known
    return {
        "target": target,
        "words": dict(sorted(words.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_WORDS]),
        "nearest": [
            {"site": near.site, "distance": round(near.distance, 3), "genre": near.genre, "settings": near.settings}
            for near in guess.nearest
        ],
        "by_words": guess.genre,
        "genre": guess.genre if by_words else hand.genre,
        "settings": guess.settings if by_words else hand.settings,
        "why": guess.why if by_words else hand.why,
    }


def _guess(classifier: Classifier, words: Mapping[str, int], leave_out: str) -> Guess:
    """The guess, a known site being asked as if it were unknown: it would only find itself."""
    if leave_out not in classifier.genres:
        return classifier.guess(words)
    genres = {site: genre for site, genre in classifier.genres.items() if site != leave_out}
    others = Classifier(classifier.known, genres, classifier.settings, classifier.default, classifier.options)
    return others.guess(words)


def description_lines(found: Mapping[str, Any]) -> list[str]:
    """The same for people."""
    words = ", ".join(f"{word} {count}" for word, count in found["words"].items()) or "none are known yet"
    lines = [f"words: {words}", "nearest known sites:"]
    lines += [
        f"  {near['distance']:.3f}  {near['site']} ({near['genre']}, settings {near['settings']})"
        for near in found["nearest"]
    ] or ["  none"]
    lines.append(f"by its words: {found['by_words']}")
    if kind := found.get("kind"):
        front = ", by its address a front page" if kind.get("front_page") else ""
        chance = f" ({kind['probability']:.0%})" if "probability" in kind else ""
        lines.append(f"kind of page: {kind['kind']}{chance}{front}")
    if stored := found.get("stored"):
        lines.append(
            f"stored: {stored['genre'] or 'undecided'}, by {stored['decided_by'] or 'nobody'}, {stored['pages']} pages"
        )
    return [*lines, f"genre: {found['genre']} ({found['why']})", f"settings: {found['settings']}"]


def decide(domain: str, genre: str, folders: tuple[Path, ...]) -> str:
    """Settle a site by hand, or forget it; what was done, in a sentence."""
    _, classifier, _ = load(folders)
    site = site_of(_host(domain))
    if not all(label.replace("-", "").isalnum() for label in site.split(".")):
        raise _exit(f"{domain}: is no site's domain; write it like example.org")
    if genre != "-" and genre not in classifier.settings:
        raise _exit(f"{genre}: is no genre; there are {', '.join(sorted(classifier.settings))}")
    store = _open(classifier)
    try:
        if genre == "-":
            return f"{site}: forgotten" if store.forget(site) else f"{site}: nothing was known"
        store.change(site, lambda record: decided_by_hand(record, genre))
        return f"{site}: {genre}, settings {classifier.settings[genre]}"
    finally:
        store.close()


def clusters(max_distance: float, *, agglomerative: bool, overlays: tuple[Path, ...]) -> dict[str, Any]:
    """The clusters of the known sites; by Crunch's rule the sites met since then join them."""
    _, classifier, _ = load(overlays)
    known = classifier.known
    sites = [site for site in sorted(known.counts) if known.counts[site]]
    neighbours = Neighbours(sites, [known.counts[site] for site in sites], len(known.key_words))
    distances = np.stack([neighbours.distances(known.counts[site]) for site in sites])
    words = {site: known.words(site) for site in sites}
    if agglomerative:
        groups = agglomerative_clusters(sites, distances, max_distance)
    else:
        greedy = greedy_clusters(sites, distances, max_distance)
        for record in _met(classifier):
            words[record.site] = dict(Counter(record.page_words) + Counter(record.snippet_words))
            counts = {known.places[word]: n for word, n in words[record.site].items() if word in known.places}
            greedy.add(record.site, zip(map(float, neighbours.distances(counts)), sites, strict=True))
        groups = greedy.members()
    shares = {site: _shares(words[site]) for group in groups.values() for site in group}
    everywhere = _mean([_shares(words[site]) for site in sites])
    placed = set(shares)
    return {
        "max_distance": max_distance,
        "clusters": [
            {
                "name": " ".join(strongest_words([shares[site] for site in group], everywhere, 3)),
                "genres": dict(Counter(classifier.genres.get(site, UNKNOWN) for site in group).most_common()),
                "without_settings": [site for site in group if site not in classifier.genres],
                "sites": group,
            }
            for group in groups.values()
        ],
        "unplaced": [site for site in sites if site not in placed],
    }


def cluster_lines(found: Mapping[str, Any]) -> list[str]:
    """The same for people."""
    lines = []
    for number, cluster in enumerate(found["clusters"], 1):
        genres = ", ".join(f"{genre} {count}" for genre, count in cluster["genres"].items())
        lines.append(f"{number}. {cluster['name']}: {len(cluster['sites'])} sites ({genres})")
        more = " ..." if len(cluster["sites"]) > _SHOWN_SITES else ""
        lines.append(f"   {', '.join(cluster['sites'][:_SHOWN_SITES])}{more}")
        if len(cluster["without_settings"]) == len(cluster["sites"]):
            lines.append("   no site of it has settings yet: name its genre in genres.yaml")
    return [*lines, f"unplaced: {len(found['unplaced'])} sites have no other within {found['max_distance']}"]


def _met(classifier: Classifier) -> list[SiteRecord]:
    try:
        store = store_opener(classifier.options)()
    except StoreError:
        return []  # what is known without it is shown all the same
    try:
        return [record for record in store.sites() if record.site not in classifier.known.counts]
    finally:
        store.close()


def _stored(site: str, classifier: Classifier) -> SiteRecord | None:
    return next((record for record in _met(classifier) if record.site == site), None)


def _open(classifier: Classifier) -> Store:
    try:
        return store_opener(classifier.options)()
    except StoreError as error:
        raise _exit(str(error)) from error


def _kind(page: Page) -> dict[str, Any]:
    try:
        kind = page_kind(page)
    except PageKindError as error:
        return {"kind": f"not known: {error}"}
    return {"kind": kind.kind, "probability": round(kind.probability, 3), "front_page": kind.is_front_page}


def _host(target: str) -> str:
    from urllib.parse import urlsplit

    return (urlsplit(target if "//" in target else f"//{target}").hostname or "").lower()


def _shares(words: Mapping[str, int]) -> dict[str, float]:
    total = sum(words.values()) or 1
    return {word: count / total for word, count in words.items()}


def _mean(shares: list[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for each in shares:
        for word, share in each.items():
            total[word] = total.get(word, 0.0) + share / len(shares)
    return total


def _exit(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(1)
