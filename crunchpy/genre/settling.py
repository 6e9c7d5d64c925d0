"""When a site's genre is decided and when it may change: seldom, since people who hear pages memorise them.

Pages decide while nothing is decided. After that only the administrator's hand changes a genre, or search results
that speak for another genre by more than a margin.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from crunchpy.genre.classifier import Classifier, Guess

if TYPE_CHECKING:
    from crunchpy.genre.store import SiteRecord

logger = logging.getLogger(__name__)

MAX_WORDS_KEPT = 2000  # different key words of one site; the commonest are kept


def with_page(
    record: SiteRecord, words: Mapping[str, int], classifier: Classifier
) -> tuple[SiteRecord | None, Guess | None]:
    """Count one more page of a site, up to the limit.

    Returns:
        The new record (None: nothing changes), and the guess where one was made.
    """
    if record.genre and record.pages >= classifier.options.max_pages:
        return None, None
    if record.pages < classifier.options.max_pages:
        record = replace(record, page_words=_sum(record.page_words, words), pages=record.pages + 1)
    if record.genre:
        return record, None
    guess = classifier.guess(_sum(record.page_words, record.snippet_words))
    return _decided(record, guess, "pages"), guess


def with_snippets(record: SiteRecord, words: Mapping[str, int], asked_at: float, classifier: Classifier) -> SiteRecord:
    """Take search results in: they decide what is undecided, and change what pages decided only beyond the margin."""
    record = replace(record, snippet_words=dict(words), asked_at=asked_at)
    if record.decided_by == "hand":
        return record
    everything = _sum(record.page_words, words)
    guess = classifier.guess(everything)
    if not record.genre:
        return _decided(record, guess, "snippets")
    if not guess.is_known or guess.genre == record.genre or guess.distance is None:
        return record
    present = classifier.distance_to_genre(everything, record.genre)
    if present is not None and present - guess.distance <= classifier.options.margin:
        return record
    logger.warning("%s: genre changed from %s to %s: %s", record.site, record.genre, guess.genre, guess.why)
    return _decided(record, guess, "snippets")


def by_hand(record: SiteRecord, genre: str) -> SiteRecord:
    """Let the administrator decide."""
    if record.genre and record.genre != genre:
        logger.warning("%s: genre changed from %s to %s by hand", record.site, record.genre, genre)
    return replace(record, genre=genre, decided_by="hand", nearest="", distance=None)


def _decided(record: SiteRecord, guess: Guess, decided_by: str) -> SiteRecord:
    if not guess.is_known:
        return record
    nearest = next(near.site for near in guess.nearest if near.genre == guess.genre)
    return replace(record, genre=guess.genre, decided_by=decided_by, nearest=nearest, distance=guess.distance)


def _sum(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return dict((Counter(a) + Counter(b)).most_common(MAX_WORDS_KEPT))
