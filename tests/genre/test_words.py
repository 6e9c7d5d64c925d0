"""Words of many scripts, without those that say nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.genre.key_words import own_names
from crunchpy.genre.words import guess_language, stop_words, telling_counts, telling_words, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The Daily News, since 1851!", ["the", "daily", "news", "since"], id="numbers and marks are no words"
        ),
        pytest.param("Straßenbahn ÄRZTE", ["straßenbahn", "ärzte"], id="letters beyond ASCII"),
        pytest.param("新闻网站", ["新闻", "闻网", "网站"], id="Chinese by pairs"),
        pytest.param("BBC新闻", ["bbc", "新闻"], id="two scripts in one run"),
        pytest.param("समाचार पत्र", ["समाचार", "पत्र"], id="vowel signs belong to the word"),
        pytest.param("ข่าว", ["ข่", "่า", "าว"], id="Thai by pairs"),
        pytest.param("", [], id="nothing"),
        pytest.param("\U0001f600 12.5 --", [], id="no letters"),
    ],
)
def test_words_of(text: str, expected: list[str]) -> None:
    assert list(words_of(text)) == expected


def test_stop_words_of_the_pages_language_go() -> None:
    text = "Der Verein und die Mannschaft gewinnen das Spiel"
    assert telling_words(text, language="de-AT") == ["verein", "mannschaft", "gewinnen", "spiel"]
    assert "und" in telling_words(text, language="en"), "the English list alone leaves German ones in"


def test_without_a_language_it_is_guessed_from_the_stop_words() -> None:
    text = "Der Verein und die Mannschaft gewinnen das Spiel nicht, weil sie auch sonst nur selten treffen"
    assert guess_language(words_of(text)) == "de"
    assert "und" not in telling_words(text)
    assert guess_language(["xylophone", "zebra"]) == ""


@pytest.mark.parametrize("language", ["", "xx", "tlh-Latn", "not a language"])
def test_a_language_without_a_list_has_no_stop_words(language: str) -> None:
    assert stop_words(language) == frozenset()


def test_the_sites_own_name_and_short_words_go() -> None:
    text = "nytimes reports on AI in an era of spot news"
    assert telling_words(text, language="en", own_names=own_names("nytimes.com")) == ["reports", "era", "spot", "news"]
    assert own_names("spot-on-news.de") == {"spot-on-news", "spot", "on", "news"}


@given(st.text(alphabet="the und goal新闻ข่าว'. 12Ä", max_size=60), st.sampled_from(["en", "de"]))
def test_counting_at_once_counts_the_same_words(text: str, language: str) -> None:
    names = frozenset({"goal"})
    expected = telling_words(text, language=language, own_names=names)
    assert telling_counts(text, language=language, own_names=names) == Counter(expected)
