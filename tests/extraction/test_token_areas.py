from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crunchpy.extraction.token_areas import best_interval, fitting_window, low_slope_areas
from tests.extraction.pages import source_of, text_left

PAGE = "<a>home</a><p>the quick fox <b>ran</b> far away today</p><a>ads</a>"


def test_the_example() -> None:
    tags = source_of(PAGE).tokens
    assert tags.tolist() == [1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1]
    assert best_interval(tags) == (4, 12, 13)
    assert text_left(PAGE, "bte") == "the quick fox ran far away today"


def test_of_equal_stretches_the_first_counts() -> None:
    tags = source_of("<b>home<p>the quick fox<b>ran</b>far</p><a>ads</a>").tokens
    assert best_interval(tags) == (1, 5, 10)


@given(st.lists(st.integers(0, 1), max_size=25))
@settings(max_examples=150, deadline=None)
def test_no_stretch_is_better_and_no_earlier_one_as_good(tags: list[int]) -> None:
    best = None
    for first in range(len(tags)):
        for last in range(first, len(tags)):
            inside = sum(1 - tag for tag in tags[first : last + 1])
            total = sum(tags[:first]) + inside + sum(tags[last + 1 :])
            if 0 in tags and (best is None or total > best[2]):
                best = first, last, total
    assert best_interval(np.array(tags)) == best


TAGS = [1, 1, 1, 0, 1, 1, 0, 1, 1, 1, *[0] * 16, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]


def test_flat_part_of_the_slope_curve() -> None:
    assert low_slope_areas(np.array(TAGS), 4) == [(10, 26)]


def test_one_tag_in_a_small_window_breaks_the_flat_part() -> None:
    assert low_slope_areas(np.array([*TAGS[:17], 1, *TAGS[18:]]), 4) == [(18, 26)]


def test_an_area_that_is_open_at_the_end_runs_to_the_end() -> None:
    assert low_slope_areas(np.array([1] * 20 + [0] * 21), 4) == [(20, 41)]


def test_there_may_be_several_areas() -> None:
    tags = np.array(([1] * 40 + [0] * 20) * 2 + [1] * 40)
    assert low_slope_areas(tags, 4) == [(40, 60), (100, 120)]


@pytest.mark.parametrize(("size", "window"), [(0, 4), (23, 4), (60, 10), (299, 48), (300, 50), (5000, 50)])
def test_three_windows_have_room_on_a_short_page(size: int, window: int) -> None:
    assert fitting_window(size, 50) == window
