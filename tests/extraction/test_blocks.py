from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crunchpy.extraction.blocks import blocks, candidates, winner, winners
from crunchpy.extraction.runs import runs
from crunchpy.extraction.strings import dense_stretch
from crunchpy.extraction.units import Rules, Unit, article, kinds
from tests.extraction.pages import left_of, page_of, text_left

# Text, pictures, links of a navigation, two stories with a gallery between them, a footer.
FEATURES = np.array([[40, 0, 5], [600, 1, 2], [90, 6, 4], [550, 0, 3], [30, 0, 9]])


def test_blocks_in_which_text_dominates() -> None:
    assert candidates(FEATURES) == [1, 3]
    assert winner(FEATURES) == [1]
    assert winners(FEATURES) == [1, 3]


def test_blocks_all_alike_leave_the_first() -> None:
    assert winners(np.array([[5, 0], [5, 0]])) == [0]
    assert winners(np.zeros((1, 2), int)) == winner(np.zeros((1, 2), int)) == []


def test_what_a_block_holds_counts_for_the_innermost_one() -> None:
    page = page_of("<div>ab<p>cde <a href=x>f</a></p><img><table><tr><td>g</td></tr></table></div>")
    found = blocks(page, runs(page))
    by_text = {block.features[0]: block.features for block in found}
    assert by_text[2][1:3] == [1, 0]
    assert by_text[4][1:3] == [0, 1]
    assert 1 in by_text


LENGTHS = [8, 0, 40, 3, 120, 0, 45, 2, 5, 41, 9, 0, 0, 60, 7]


def test_strings_near_the_longest() -> None:
    assert dense_stretch(LENGTHS) == (2, 9)
    assert dense_stretch([]) is None
    assert dense_stretch([0, 0]) is None


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_two_sweeps_find_what_adding_one_after_another_finds(lengths: list[int], reach: int) -> None:
    cut = 0.333 * max(lengths)
    members = {lengths.index(max(lengths))}
    while added := {
        place for place, length in enumerate(lengths)
        if place not in members and length > cut and any(abs(place - member) < reach for member in members)
    }:  # fmt: skip
        members |= added
    expected = (min(members), max(members)) if max(lengths) else None
    assert dense_stretch(lengths, max_distance=reach) == expected


def test_block_tags_and_empty_strings_part_strings() -> None:
    long = "A string that is long, and as long as the other one. "
    page = f"<div><div><p>{long}</p></div></div><div><div><p>{long}</p></div></div><p>short</p>"
    assert text_left(page, "density").count("long,") == 1  # six tags lie between
    assert text_left(page, "density", count_end_tags=False).count("long,") == 2
    assert text_left(page, "density", merge_empty=True).count("long,") == 2


LINKS = "<li><a href=/>Home</a></li><li><a href=/n>News</a> today</li>"
PAGE = (
    f"<body><ul>{LINKS}</ul><div><a href=/s>Sports news</a> and more</div>"
    "<p>Read the <a href=/r>report</a> about the flood today.</p></body>"
)


@pytest.mark.parametrize(
    ("ratio", "kept"),
    [(0.25, ["Read"]), (0.5, ["News", "Read"]), (0.75, ["News", "Sports", "Read"]), (1.0, ["Home", "News", "Sports"])],
)
def test_link_quota(ratio: float, kept: list[str]) -> None:
    left = text_left(PAGE, "lqf", max_link_ratio=ratio)
    words = ("Home", "News", "Sports", "Read")
    assert [word for word in words if word in left][: len(kept)] == kept
    assert "Home" not in left or ratio == 1


def test_an_anchor_without_an_address_is_no_link() -> None:
    assert text_left("<p><a name=x>All of it</a></p>", "lqf") == "All of it"


BYTES = [(60, 54), (30, 0), (300, 20), (250, 0), (24, 0), (280, 14), (90, 90), (80, 80), (70, 70), (210, 0), (500, 30)]
UNITS = [Unit(number, size, links, is_rejected=links >= size / 2) for number, (size, links) in enumerate(BYTES, 1)]


@pytest.mark.parametrize(
    ("distance", "strategy", "chosen"), [(2, "first", [3, 4, 6]), (1, "first", [3, 4]), (2, "seed", [10, 11])]
)
def test_the_article_is_the_first_large_group(distance: int, strategy: str, chosen: list[int]) -> None:
    rules = Rules(max_distance=distance, strategy=strategy)  # type: ignore[arg-type]
    assert [unit.number for unit in article(UNITS, rules)] == chosen


def test_what_became_of_each_unit() -> None:
    found = kinds(UNITS, article(UNITS, Rules()))
    assert [number for number, kind in found.items() if kind == "rejected"] == [1, 7, 8, 9]
    assert [number for number, kind in found.items() if kind == "candidate"] == [2, 5, 10, 11]


def test_a_subtree_of_links_goes_whole_and_its_ids_are_counted_before() -> None:
    prose = "<p>Prose that nobody links to, and a lot of it, so that it is the best of all.</p>"
    menu = f"<div>{'<p><a href=/a>Several words in a link</a></p>' * 20}<p>Unlinked words in the menu.</p></div>"
    assert "Unlinked" not in text_left(prose + menu, "cuter", min_text_ratio=0.1, max_distance=100)


def test_pictures_stay_with_the_text_that_they_stand_in() -> None:
    prose = "Prose that nobody links to, and a lot of it, so that it is the best of all."
    page = left_of(
        f"<div><img src=ad.png></div><p>{prose}<img src=a.png></p><p>{prose}</p><p><img src=b.png></p>", "cuter"
    )
    assert [image.get("src") for image in page.elements("img")] == ["a.png"]
