"""Front pages by address, kinds by numbers, and the file of numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy.genre.page_features import _MARKS, FEATURES, features, is_front_page, mark_counts
from crunchpy.genre.page_kind import KINDS, MODEL_FILE, PageKindError, page_kind, read_forest, shipped_forest
from crunchpy.page import Page


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://news.example.com", True),
        ("https://news.example.com/", True),
        ("https://news.example.com/index.html", True),
        ("https://news.example.com/Default.aspx", True),
        ("https://www.example.edu/~someone", True),
        ("https://www.example.edu/dept/index.php", True),
        ("https://news.example.com/sport/", False),
        ("https://news.example.com/2024/default-mode-network", False),
        ("https://news.example.com/indexes", False),
        ("https://news.example.com/?q=goal", False),
        ("", False),
        ("/index.html", False),
    ],
)
def test_front_pages_by_their_address(url: str, expected: bool) -> None:
    assert is_front_page(url) is expected


def page(body: str, url: str = "https://example.com/x") -> Page:
    found = Page.parse(f"<!doctype html><title>x</title><body>{body}".encode(), url=url)
    assert isinstance(found, Page)
    return found


def test_each_feature_has_a_name_and_a_number() -> None:
    for body in ("", "<p>One word", "<ul>" + "<li><a href=x>y</a>" * 9 + "</ul>"):
        assert len(features(page(body))) == len(FEATURES) == len(set(FEATURES))


def test_features_see_structure_and_not_words_of_the_text() -> None:
    place = FEATURES.index("mark_product")
    assert features(page("<p>product product</p>"))[place] == 0
    assert features(page("<p class='product-card product'>x</p>"))[place] > 0
    assert features(page("<p>It costs $12.99 or 5,00 €"))[FEATURES.index("prices")] == pytest.approx(1.0986, abs=1e-3)


def test_a_long_text_with_a_headline_is_an_article() -> None:
    text = "".join(f"<p>{'The council decided on the new bridge after a long debate. ' * 6}</p>" for _ in range(12))
    kind = page_kind(page(f"<main><article><h1>Council decides</h1><time>May 3, 2024</time>{text}</article></main>"))
    assert kind.kind == "article"
    assert 1 / len(KINDS) < kind.probability <= 1
    assert kind.settings_key == "article"
    assert sum(shipped_forest().ask(features(page(text))).values()) == pytest.approx(1)


def test_the_front_page_goes_before_the_kind() -> None:
    assert page_kind(page("<p>x</p>", "https://example.com/")).settings_key == "front_page"


def test_the_shipped_numbers_record_a_fit_that_is_good_enough() -> None:
    fit = read_forest(MODEL_FILE).fit
    assert fit["macro_f1"] >= 0.75
    assert fit["folds"] == 5
    assert set(fit["f1"]) == set(KINDS)


GOOD = {"version": 1, "features": list(FEATURES), "first": {"article": 0.0}, "trees": {"article": [[[0.5]]]}, "fit": {}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no json", "cannot be used"),
        (b"[]", "cannot be used"),
        (json.dumps(GOOD | {"version": 9}).encode(), "fitted for another version"),
        (json.dumps(GOOD | {"features": ["words"]}).encode(), "fitted for another version"),
        (json.dumps(GOOD | {"trees": {"article": [[[999, 1, 1, 2]]]}}).encode(), "cannot be used"),
        (
            json.dumps(GOOD | {"trees": {"article": [[[0, 1.0, 0, 0]]]}}).encode(),
            "cannot be used",
        ),  # goes round for ever
    ],
)
def test_a_bad_file_of_numbers_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "kind.json"
    path.write_bytes(content)
    with pytest.raises(PageKindError, match=message) as caught:
        read_forest(path)
    assert str(path) in str(caught.value)


def test_the_proxy_never_loads_the_fitting_libraries() -> None:
    code = (
        "import sys, crunchpy.genre.chooser, crunchpy.genre.background;"
        "print('sklearn' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"


@given(
    st.lists(
        st.sampled_from([*_MARKS, "card-card", "product product", "x", "\n", "\x1c", '"@type":"product"']), max_size=60
    )
)
def test_marks_are_counted_as_if_the_text_were_searched_for_each(pieces: list[str]) -> None:
    structure = " ".join(pieces)
    assert mark_counts(structure) == [structure.count(mark) for mark in _MARKS]
