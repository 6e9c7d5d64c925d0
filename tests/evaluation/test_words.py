from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.evaluation.words import plain, spaced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Don't stop, now.", ["Don't", "stop,", "now."]),
        ("今天天气 good!", ["今", "天", "天", "气", "good!"]),
        ("2024年5月", ["2024", "年", "5", "月"]),
        ("สวัสดี", list("สวัสดี")),
        ("한국어 문장", ["한국어", "문장"]),
        ("سلام دنیا", ["سلام", "دنیا"]),
    ],
)
def test_spaced(text: str, expected: list[str]) -> None:
    assert spaced(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't STOP, now.", ["don", "t", "stop", "now"]),
        ("今天good天气", ["今", "天", "good", "天", "气"]),
        ("... - !", []),
        ("Straße Ärger", ["straße", "ärger"]),
    ],
)
def test_plain(text: str, expected: list[str]) -> None:
    assert plain(text) == expected


@given(st.text())
def test_no_character_but_blanks_is_lost_or_made_up(text: str) -> None:
    assert "".join(spaced(text)) == "".join(text.split())
