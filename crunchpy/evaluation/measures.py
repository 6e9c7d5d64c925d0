"""How alike are the text that a method kept and the gold text? The measures of the papers.

Gottron (2007), section 3: content extraction as retrieval. The extract is what was retrieved, the gold is what is
relevant, and precision, recall and F1 follow from what both have. Four kinds of items give four measures; the names
are those of the paper's charts:

====  ====================  ===============================================
str   characters            longest common subsequence
seq   words in order        longest common subsequence
vec   bag of words          of each word the smaller count
set   distinct words        those in both
====  ====================  ===============================================

All scores are shares from 0 to 1. Texts must come through `text.normal`, or white space is measured as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from crunchpy.evaluation.words import Words, spaced

# Characters of each text that the character measure looks at. The subsequence costs the product of both lengths:
# 200,000 times 200,000 take about a second. The longest texts of known test packages have 85,000.
MAX_SEQUENCE_ITEMS = 200_000

KINDS = ("str", "seq", "vec", "set")


@dataclass(frozen=True)
class Score:
    """Precision, recall and F1 of one extract, each 0 to 1."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, common: int, extracted: int, relevant: int) -> Score:
        """Return the score of ``common`` items among those extracted and those relevant.

        Both empty is a perfect answer; exactly one empty is a wrong one, whatever the other holds.
        """
        if not extracted and not relevant:
            return cls(1.0, 1.0, 1.0)
        if not common:
            return cls(0.0, 0.0, 0.0)
        precision, recall = common / extracted, common / relevant
        return cls(precision, recall, 2 * precision * recall / (precision + recall))


@dataclass(frozen=True)
class Measures:
    """The four scores of one extract, and the sizes that they were counted on."""

    str: Score
    seq: Score
    vec: Score
    set: Score
    extract_words: int
    gold_words: int


def measure(extract: str, gold: str, *, words: Words = spaced) -> Measures:
    """Return the four scores of an extract against its gold text, with words as ``words`` splits them."""
    mine, theirs = words(extract), words(gold)
    return Measures(
        str=characters(extract, gold),
        seq=sequence(mine, theirs),
        vec=bag(mine, theirs),
        set=distinct(mine, theirs),
        extract_words=len(mine),
        gold_words=len(theirs),
    )


def characters(extract: str, gold: str) -> Score:
    """Return the score of the characters in order; past `MAX_SEQUENCE_ITEMS`, that of the beginnings."""
    extract, gold = extract[:MAX_SEQUENCE_ITEMS], gold[:MAX_SEQUENCE_ITEMS]
    return Score.of(LCSseq.similarity(extract, gold), len(extract), len(gold))


def sequence(extract: Sequence[str], gold: Sequence[str]) -> Score:
    """Return the score of the words in order; past `MAX_SEQUENCE_ITEMS`, that of the beginnings."""
    extract, gold = extract[:MAX_SEQUENCE_ITEMS], gold[:MAX_SEQUENCE_ITEMS]
    return Score.of(common_in_order(extract, gold), len(extract), len(gold))


def bag(extract: Iterable[str], gold: Iterable[str]) -> Score:
    """Return the score of the words with their counts, in any order."""
    mine, theirs = Counter(extract), Counter(gold)
    return Score.of((mine & theirs).total(), mine.total(), theirs.total())


def distinct(extract: Iterable[str], gold: Iterable[str]) -> Score:
    """Return the score of the distinct words."""
    mine, theirs = set(extract), set(gold)
    return Score.of(len(mine & theirs), len(mine), len(theirs))


def common_in_order(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two lists of words.

    Words become small numbers first: the library compares numbers quickly, and strings only by their hashes.
    """
    numbers: dict[str, int] = {}
    coded = [[numbers.setdefault(word, len(numbers)) for word in words] for words in (first, second)]
    return LCSseq.similarity(coded[0], coded[1])
