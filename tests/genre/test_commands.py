"""`crunchpy genre ...` as an administrator types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crunchpy.genre.commands import app
from crunchpy.genre.reports import cluster_lines


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An administrator's folder whose store is in it."""
    (tmp_path / "genres.yaml").write_text(
        "default: default\ngenres: {sport: {settings: default, hosts: [listed.example]}, news: {settings: default},"
        " shopping: {settings: default}}\n"
        f"classifier: {{max_distance: 2.0, store: '{tmp_path / 'sites.sqlite'}'}}\n"
    )
    return tmp_path


def run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == status, done.output
    return done.output


def test_a_known_domain(overlay: Path) -> None:
    found = json.loads(run("www.theguardian.com", "--json", "--overlay", str(overlay)))
    assert len(found["nearest"]) == 5
    assert "theguardian.com" not in [near["site"] for near in found["nearest"]], "asked as if it were unknown"
    assert found["by_words"] == "news"
    assert found["nearest"] == sorted(found["nearest"], key=lambda near: near["distance"])


def test_a_listed_domain_and_an_unknown_one(overlay: Path) -> None:
    assert "genre: sport (the host listed.example is listed)" in run("listed.example", "--overlay", str(overlay))
    lines = run("never-seen.example", "--overlay", str(overlay))
    assert "words: none are known yet" in lines
    assert "settings: default" in lines


def test_a_saved_page(overlay: Path, tmp_path: Path) -> None:
    words = "cart price shipping order delivery shop buy products store customers brand sale " * 9
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html lang=en><title>x</title><body><p>{words}</p>")
    lines = run(str(page), "--url", "https://never-seen.example/", "--overlay", str(overlay))
    assert "genre: shopping" in lines
    assert "by its address a front page" in lines
    empty = tmp_path / "empty.html"
    empty.write_text("")
    run(str(empty), "--overlay", str(overlay), status=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["no-such-file.html"], "no-such-file.html: there is no such file; a site is named by its domain"),
        (["show", "{picture}"], "{picture}: is no page: The body does not start like a whole HTML document."),
        (["set", "no site", "sport"], "no site: is no site's domain; write it like example.org"),
        (["set", "", "sport"], ": is no site's domain; write it like example.org"),
    ],
)
def test_what_is_neither_a_site_nor_a_page_is_named(overlay: Path, tmp_path: Path, given: list[str], said: str) -> None:
    picture = tmp_path / "picture"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    arguments = [argument.format(picture=picture) for argument in given]
    assert run(*arguments, "--overlay", str(overlay), status=1).startswith(said.format(picture=picture))


def test_deciding_by_hand_and_forgetting(overlay: Path) -> None:
    assert run("set", "www.new.com", "sport", "--overlay", str(overlay)) == "new.com: sport, settings default\n"
    assert "stored: sport, by hand" in run("new.com", "--overlay", str(overlay))
    assert run("set", "new.com", "-", "--overlay", str(overlay)) == "new.com: forgotten\n"
    assert run("set", "new.com", "-", "--overlay", str(overlay)) == "new.com: nothing was known\n"
    assert "x: is no genre; there are " in run("set", "a.example", "x", "--overlay", str(overlay), status=1)


def test_bad_files_are_named(overlay: Path) -> None:
    (overlay / "genres.yaml").write_text("classifier: {neighbours: 0}")
    assert "genres.yaml, classifier.neighbours" in run("bbc.co.uk", "--overlay", str(overlay), status=1)
    (overlay / "genres.yaml").write_text(f"genres: {{}}\nclassifier: {{store: '{overlay}'}}")
    assert "cannot be used" in run("set", "a.example", "-", "--overlay", str(overlay), status=1)


def test_clusters(overlay: Path) -> None:
    found = json.loads(run("cluster", "--json", "--max-distance", "1.1", "--overlay", str(overlay)))
    assert len(found["clusters"]) > 3
    placed = [site for cluster in found["clusters"] for site in cluster["sites"]]
    assert len(placed) == len(set(placed))
    assert set(placed).isdisjoint(found["unplaced"])
    assert "unplaced: " in run("cluster", "--max-distance", "1.1", "--overlay", str(overlay))


def test_a_cluster_without_settings_is_pointed_out() -> None:
    new = {
        "name": "boats sails",
        "genres": {"unknown": 2},
        "without_settings": ["a.org", "b.org"],
        "sites": ["a.org", "b.org"],
    }
    lines = "\n".join(cluster_lines({"max_distance": 1.0, "clusters": [new], "unplaced": ["c.org"]}))
    assert "1. boats sails: 2 sites" in lines
    assert "no site of it has settings yet" in lines


def test_without_arguments_the_help() -> None:
    assert "cluster" in CliRunner().invoke(app, []).output
