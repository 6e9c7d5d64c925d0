from __future__ import annotations

import numpy as np
import pytest

from crunchpy.extraction.clusters import background, farthest_first, labelled, nearest, pinned, relabelled
from crunchpy.extraction.tag_ratios import above_threshold, lines, points, ratios, rise, smooth
from tests.extraction.pages import source_of, text_left

LINES = """<ul><li><a href="/">Home</a></li>
<li><a href="/n">News</a></li></ul>
<h1>Flood in town</h1>
<p>The river rose by two metres over night.</p>
Residents were taken to the town hall.
<p>No one was hurt, the mayor said.</p>
<a href="/c">Contact</a> <a href="/i">Imprint</a>"""
RATIOS = np.array([2, 1, 0, 3, 2, 40, 55, 60, 8, 50, 45, 2, 1, 0, 4, 1.0])
CONTENT = list(range(2, 12))


def of(html: str, wrap: int = 0, long: int = 400) -> list[float]:
    source = source_of(html)
    return ratios(source, lines(source, wrap, long)).tolist()


def test_ratios_of_seven_lines() -> None:
    found = np.array(of(LINES))
    assert found == pytest.approx([0.8, 0.8, 6.5, 20, 38, 16, 3.75])
    smoothed = smooth(found, 1)
    assert smoothed == pytest.approx([0.8, 2.362, 8.638, 21.233, 27.037, 18.672, 8.375], abs=1e-3)
    assert smoothed.std() == pytest.approx(9.237, abs=1e-3)
    assert np.flatnonzero(above_threshold(smoothed, 1)).tolist() == [3, 4, 5]


def test_selected_lines_are_what_stays() -> None:
    kept = text_left(LINES, "cetr_threshold")
    assert kept == (
        "Flood in town The river rose by two metres over night. Residents were taken to the town hall. "
        "No one was hurt, the mayor said."
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>abc</p>\n\n  \n<p>abcd</p>", [1.5, 2.0]),
        ('<p\nclass="x"\n>abc</p>', [1.5]),
        ("<p>  a   b  </p>", [1.5]),
        ("<p>a</p><script>\nx\n</script><p>b</p>", [0.5]),
        ("<i>ab</i><i>cd</i>", [1.0]),
        ("abc\rdef", [3.0, 3.0]),
    ],
)
def test_lines(html: str, expected: list[float]) -> None:
    assert of(html) == expected


def test_a_page_on_one_line_is_broken_at_blanks_and_tags_only() -> None:
    html = f"<p>{'word ' * 100}</p>" + '<a href="/x">y</a>' * 10
    assert of(html) == [pytest.approx(510 / 22)]  # 500 characters of prose and ten of links
    broken = of(html, wrap=65)
    assert len(broken) > 8
    assert max(broken) < 70
    assert of(html, wrap=65, long=10_000) == of(html)


SMOOTHED = smooth(RATIOS, 1)
POINTS = points(SMOOTHED, 1, 3)


def test_the_two_dimensions() -> None:
    expected = [
        1.622, 1.000, 1.096, 1.904, 12.689, 33.696, 52.259, 44.378, 33.762, 37.119, 34.585, 13.511, 1.000, 1.370, 2.082,
        2.133,
    ]  # fmt: skip
    assert expected == pytest.approx(SMOOTHED, abs=1e-3)
    slopes = [
        -0.289, 4.230, 15.000, 30.978, 30.756, 9.770, -13.840, -9.223, -5.357, -20.753, -29.292, -12.027, 0.861, 0.737,
        0.051, 0,
    ]  # fmt: skip
    assert rise(SMOOTHED, 3) == pytest.approx(slopes, abs=1e-3)
    steepness = [
        1.417, 5.943, 16.427, 26.538, 25.065, 9.051, 6.103, 9.429, 10.636, 18.874, 22.220, 13.226, 2.705, 0.583, 0.225,
        0.019,
    ]  # fmt: skip
    assert POINTS[:, 1] == pytest.approx(steepness, abs=1e-3)


def test_threshold_on_the_same_lines() -> None:
    assert SMOOTHED.std() == pytest.approx(18.052, abs=1e-3)
    assert np.flatnonzero(above_threshold(SMOOTHED, 1)).tolist() == [5, 6, 7, 8, 9, 10]


def test_farthest_first_begins_nearest_the_origin() -> None:
    centres = farthest_first(POINTS)
    assert [POINTS.tolist().index(centre) for centre in centres.tolist()] == [13, 6, 4]
    assert nearest(POINTS, centres).tolist() == [0, 0, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("clustering", ["farthest_first", "k_means"])
@pytest.mark.parametrize("is_dense", [False, True])
def test_content_by_clusters(clustering: str, is_dense: bool) -> None:
    labels = labelled(POINTS, clustering)  # type: ignore[arg-type]
    if is_dense:
        labels = relabelled(POINTS, labels)
    assert np.flatnonzero(labels != background(POINTS, labels)).tolist() == CONTENT


def test_expectation_maximisation_parts_far_clouds() -> None:
    spread = np.random.default_rng(0).normal(size=(90, 2))
    clouds = spread + np.repeat([[0.0, 0.0], [50, 0], [0, 50]], 30, axis=0)
    labels = labelled(clouds, "em")
    assert (labels != background(clouds, labels)).tolist() == [False] * 30 + [True] * 60


def test_a_centroid_pinned_at_the_origin() -> None:
    labels = pinned(POINTS)
    assert labels.tolist() == [0, 0, 2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("name", ["cetr_2d", "cetr_2010"])
def test_lines_that_are_all_alike_are_judged_by_the_threshold(name: str) -> None:
    assert text_left("<p>one two</p>\n<p>one two</p>", name) == "one two one two"
