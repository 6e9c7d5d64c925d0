"""Text in, words out: lower case, per script, without the words that say nothing about a site.

Crunch split on white space and kept words of an English dictionary; here a word is a run of letters, and in scripts
that write without spaces (Chinese, Japanese, Thai ...) each pair of neighbouring characters counts as one word.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

import stopwordsiso

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIN_WORD_LETTERS = 3  # Crunch: words under 3 letters say nothing
_LANGUAGE_SAMPLE_WORDS = 300  # enough to tell languages apart, and 58 set look-ups stay far under a millisecond
_MIN_SAMPLE_HITS = 3  # fewer stop words than this prove no language

# Python's \w leaves combining marks out, which would cut Hindi and Arabic words at each vowel sign.
_MARKS = "".join(chr(code) for code in range(0x300, 0x3100) if unicodedata.category(chr(code)) in {"Mn", "Mc"})
_WORD = re.compile(rf"[^\W\d_]++(?:[{_MARKS}]++[^\W\d_]*+)*+")  # runs of letters at once: a third of the time
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)


def words_of(text: str) -> Iterator[str]:
    """Every word of the text in order, lower case, still with stop words and short words."""
    for run in _WORD.findall(text.lower()):
        if run.isascii():
            yield run
        else:
            yield from _split_by_script(run)


def telling_words(text: str, *, language: str = "", own_names: frozenset[str] = frozenset()) -> list[str]:
    """The words that may tell a genre: no stop words, no short words, not the site's own name.

    `language` is a tag as in HTML's lang ("pt-BR"); without one that has a list, the language is guessed from the
    stop words seen.
    """
    found = [sys.intern(word) for word in words_of(text) if _is_long_enough(word) and word not in own_names]
    dull = stop_words(language) or stop_words(guess_language(found))
    return [word for word in found if word not in dull]


def telling_counts(text: str, *, language: str = "", own_names: frozenset[str] = frozenset()) -> Counter[str]:
    """The same words, counted: equal words are looked at once, so that a page takes a third of the time."""
    runs = _WORD.findall(text.lower())
    counts: Counter[str] = Counter()
    for run, count in Counter(runs).items():
        for word in (run,) if run.isascii() else _split_by_script(run):
            if _is_long_enough(word) and word not in own_names:
                counts[word] += count
    dull = stop_words(language) or stop_words(guess_language(runs))
    for word in dull & counts.keys():
        del counts[word]
    return counts


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """The maintained list (stopwords-iso) of a language tag, empty for a language without one."""
    code = language.lower().replace("_", "-").partition("-")[0]
    return frozenset(stopwordsiso.stopwords(code)) if code and stopwordsiso.has_lang(code) else frozenset()


def guess_language(words: Iterable[str]) -> str:
    """The language whose stop words cover most of the sample, "" where hardly any is seen.

    Ties go to the first code.
    """
    sample = [word for word, _ in zip(words, range(_LANGUAGE_SAMPLE_WORDS), strict=False)]
    best, best_hits = "", _MIN_SAMPLE_HITS - 1
    for code in _languages():
        dull = stop_words(code)
        hits = sum(word in dull for word in sample)
        if hits > best_hits:
            best, best_hits = code, hits
    return best


@functools.cache
def _languages() -> tuple[str, ...]:
    return ("en", *sorted(set(stopwordsiso.langs()) - {"en"}))  # English first: it wins a tie


def _is_long_enough(word: str) -> bool:
    return len(word) >= MIN_WORD_LETTERS or (
        len(word) == 2 and not word.isascii() and _UNSPACED.fullmatch(word) is not None
    )


def _split_by_script(run: str) -> Iterator[str]:
    for part in _UNSPACED.split(run):
        if not part:
            continue
        if _UNSPACED.match(part):
            yield from (part[i : i + 2] for i in range(len(part) - 1)) if len(part) > 1 else (part,)
        else:
            yield part
