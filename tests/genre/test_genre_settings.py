"""The settings of the genres: one file each, and a reason beside each value that differs from the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from crunchpy.engine import Engine
from crunchpy.genre.page_kind import FRONT_PAGE, KINDS
from crunchpy.overlay import builtin
from crunchpy.settings import PAGE_KINDS

FILES = [
    path
    for path in sorted((builtin() / "settings").glob("*.yaml"))
    if path.stem == "front_page" or "Based on settings/default.yaml" in path.read_text("utf-8")
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


def test_each_genre_has_settings_of_its_name(engine: Engine) -> None:
    genres = engine.genres.genres
    assert len(genres) >= 15
    assert all(genre == settings for genre, settings in genres.items())
    assert {path.stem for path in FILES} == {*genres, "front_page"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_value_that_differs_has_its_reason(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    chain = lines.index("chain:")
    for number, line in enumerate(lines):
        is_value = line.startswith("      ") if number > chain else line.startswith("  ") and "kinds:" in lines[:number]
        is_limit = "limits:" in lines[: number + 1] and number < chain
        if is_value and not is_limit and not line.strip().startswith("#"):
            assert lines[number - 1].strip().startswith("# "), f"{path.name} line {number + 1}: {line}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_step_of_the_default_is_there_or_said_to_be_left_out(engine: Engine, path: Path) -> None:
    text = path.read_text("utf-8")
    present = [step.plugin.name for step in engine.settings[path.stem].chain]
    default = [step.plugin.name for step in engine.settings["default"].chain]
    assert [name for name in default if name in present] == present, "in the default's order"
    assert all(name in present or f"# no {name}: " in text for name in default)


def test_the_kinds_that_settings_may_name_are_those_that_are_found() -> None:
    assert set(PAGE_KINDS) == {FRONT_PAGE, *KINDS}


def test_a_news_front_page_keeps_its_headlines(engine: Engine) -> None:
    heads = "".join(f"<li><a href='/{n}'>Minister visits bridge number {n}</a></li>" for n in range(30))
    text = "".join(f"<p>{'The council decided on the bridge after a long debate. ' * 9}</p>" for _ in range(6))
    body = f"<!doctype html><title>x</title><body><h1>News</h1>{text}<div><ul>{heads}</ul></div>".encode()
    front = engine.filter(body, url="https://www.bbc.com/")
    assert front.trace.settings == "front_page"
    assert b"bridge number 29" in front.body
    assert engine.filter(body, url="https://www.bbc.com/news/articles/c1234").trace.settings == "news"
