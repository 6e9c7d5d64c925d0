"""The measures of the other papers: CUTER's two shares, CETR's accuracy, and phrases that must stay or go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crunchpy.evaluation.measures import Score, common_in_order
from crunchpy.evaluation.text import normal


@dataclass(frozen=True)
class UsefulShares:
    """How much of the article was extracted, and how much of the extract is no article; each 0 to 1."""

    useful: float
    useless: float


def useful_shares(score: Score, *, extract_is_empty: bool) -> UsefulShares:
    """Return the shares of Adam, Bouras, Poulopoulos (2009), section V, from the score of the characters.

    With X extracted, Y of it useful, A the article: useful = Y/A, useless = (X - Y)/X. Nothing extracted holds
    nothing useless.
    """
    return UsefulShares(useful=score.recall, useless=0.0 if extract_is_empty else 1 - score.precision)


def accuracy(extract: Sequence[str], gold: Sequence[str], page: Sequence[str]) -> float:
    """Return the share of the page's words that were put on the right side (Weninger and Hsu 2008, "Results").

    The paper compares extract and gold word by word as ``diff`` does, so right is what both have in order. ``page``
    is the unfiltered page's words: those that neither extract nor gold holds were rightly left out. Words of the gold
    that were missed count as wrong also where the page never had them.
    """
    both = common_in_order(extract, gold)
    wrong = len(extract) - both + len(gold) - both
    left_out = max(0, len(page) - both - wrong)
    return (both + left_out) / (both + left_out + wrong) if page or extract or gold else 1.0


@dataclass(frozen=True)
class PhraseCounts:
    """How many phrases that must stay did stay, and how many that must go are gone.

    Only phrases that the unfiltered page's text has are counted: no filter can keep what was never there, and none
    earns praise for its absence.
    """

    kept: int
    keep: int
    dropped: int
    drop: int

    @property
    def kept_share(self) -> float | None:
        """Share of the phrases to keep that stayed, 0 to 1; None where there are none."""
        return self.kept / self.keep if self.keep else None

    @property
    def dropped_share(self) -> float | None:
        """Share of the phrases to drop that are gone, 0 to 1; None where there are none."""
        return self.dropped / self.drop if self.drop else None


def phrase_counts(extract: str, page: str, *, keep: Sequence[str], drop: Sequence[str]) -> PhraseCounts:
    """Count the phrases of a document in its extract and in the page's whole text, both from `text.page_text`."""
    wanted = [phrase for phrase in map(normal, keep) if phrase and phrase in page]
    unwanted = [phrase for phrase in map(normal, drop) if phrase and phrase in page]
    return PhraseCounts(
        kept=sum(phrase in extract for phrase in wanted),
        keep=len(wanted),
        dropped=sum(phrase not in extract for phrase in unwanted),
        drop=len(unwanted),
    )
