"""Guesses, settling and choosing, with a handful of known sites."""

from __future__ import annotations

import dataclasses
import logging
import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crunchpy.engine import Engine
from crunchpy.genre import chooser as chooser_module
from crunchpy.genre.by_hand import ByHand
from crunchpy.genre.chooser import Chooser, GenreChoice
from crunchpy.genre.classifier import UNKNOWN, Classifier
from crunchpy.genre.known_sites import KnownSites, KnownSitesError, read_known_sites
from crunchpy.genre.options import ClassifierOptions, read_options
from crunchpy.genre.page_kind import PageKindError
from crunchpy.genre.settling import by_hand, with_page, with_snippets
from crunchpy.genre.store import SiteRecord, open_store
from crunchpy.page import Page
from crunchpy.settings import SettingsError

WORDS = ("cart", "goal", "league", "match", "price", "report")
KNOWN = KnownSites(
    WORDS,
    {
        "shop.com": {0: 6, 4: 6},
        "mall.com": {0: 3, 4: 9},
        "club.com": {1: 6, 2: 3, 3: 3},
        "paper.com": {5: 9, 3: 3},
        "empty.com": {},
    },
    {"shop.com": "shopping", "mall.com": "shopping", "club.com": "sport", "paper.com": "news", "empty.com": "news"},
)
OPTIONS = ClassifierOptions(min_key_words=4, neighbours=1, max_distance=1.5)
HAND = ByHand(
    "default", {"listed.com": ("news", "news")}, (), {"shopping": "shopping", "sport": "sport", "news": "news"}
)
SHOP = {"cart": 4, "price": 5}
CLUB = {"goal": 4, "league": 2, "match": 2}


def classifier(options: ClassifierOptions = OPTIONS, hand: ByHand = HAND) -> Classifier:
    return Classifier.of(KNOWN, hand, {"default", "news", "shopping", "sport"}, options)


def page(text: str, url: str = "https://www.new.com/a") -> Page:
    body = f"<!doctype html><html lang=en><title>x</title><body><p>{text}</p></body></html>".encode()
    found = Page.parse(body, url=url)
    assert isinstance(found, Page)
    return found


def test_the_nearest_site_decides() -> None:
    guess = classifier().guess(SHOP)
    assert (guess.genre, guess.settings) == ("shopping", "shopping")
    assert guess.nearest[0].site == "shop.com"
    assert guess.distance == pytest.approx(2 / 18)
    assert [near.site for near in guess.nearest] == ["shop.com", "mall.com", "club.com", "paper.com"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({}, "only 0 key words"),
        ({"cart": 3}, "only 3 key words"),
        ({"weather": 50}, "only 0 key words"),
    ],
)
def test_too_little_is_unknown(words: dict[str, int], why: str) -> None:
    guess = classifier().guess(words)
    assert (guess.genre, guess.settings, guess.distance) == (UNKNOWN, "default", None)
    assert why in guess.why


def test_beyond_the_maximum_distance_is_unknown_and_shows_how_far() -> None:
    far = classifier(OPTIONS.model_copy(update={"max_distance": 0.05})).guess(SHOP)
    assert far.genre == UNKNOWN
    assert far.distance == pytest.approx(2 / 18)


def test_only_sites_with_preferred_settings_take_part() -> None:
    hand = ByHand("default", {}, (), {"sport": "sport"})
    without = Classifier.of(KNOWN, hand, {"sport"}, OPTIONS.model_copy(update={"max_distance": 2.0}))
    assert [near.site for near in without.guess(SHOP).nearest] == ["club.com"]


def test_a_genre_given_by_hand_goes_before_the_built_one() -> None:
    hand = ByHand("default", {"shop.com": ("news", "news")}, (), {"news": "news", "shopping": "shopping"})
    assert classifier(hand=hand).guess(SHOP).genre == "news"


def test_a_genre_settles_with_the_first_page_that_tells_and_then_stays() -> None:
    first, guess = with_page(SiteRecord("new.com"), SHOP, classifier())
    assert first is not None
    assert guess is not None
    assert (first.genre, first.decided_by, first.nearest, first.pages) == ("shopping", "pages", "shop.com", 1)
    second, guess = with_page(first, {"goal": 99}, classifier())
    assert second is not None
    assert (second.genre, second.pages, guess) == ("shopping", 2, None)
    assert second.page_words["goal"] == 99


def test_pages_are_counted_up_to_the_limit() -> None:
    few = classifier(OPTIONS.model_copy(update={"max_pages": 1}))
    first, _ = with_page(SiteRecord("new.com"), SHOP, few)
    assert first is not None
    assert with_page(first, SHOP, few) == (None, None)


def test_an_undecided_site_is_decided_by_later_pages() -> None:
    first, _ = with_page(SiteRecord("new.com"), {"cart": 1}, classifier())
    assert first is not None
    assert first.genre == ""
    second, _ = with_page(first, SHOP, classifier())
    assert second is not None
    assert second.genre == "shopping"


def test_snippets_change_a_settled_genre_only_beyond_the_margin(caplog: pytest.LogCaptureFixture) -> None:
    record = SiteRecord("new.com", "shopping", "pages", "shop.com", 0.1, 1, {"cart": 1, "price": 1})
    wide = classifier(OPTIONS.model_copy(update={"margin": 1.99}))
    assert with_snippets(record, CLUB, 5.0, wide).genre == "shopping"
    with caplog.at_level(logging.WARNING):
        changed = with_snippets(record, CLUB, 5.0, classifier())
    assert (changed.genre, changed.decided_by, changed.asked_at) == ("sport", "snippets", 5.0)
    assert "new.com: genre changed from shopping to sport" in caplog.text


def test_the_hand_wins_over_snippets() -> None:
    record = by_hand(SiteRecord("new.com", "shopping", "pages"), "news")
    assert with_snippets(record, CLUB, 5.0, classifier()).genre == "news"


def test_snippets_decide_what_pages_left_open() -> None:
    assert with_snippets(SiteRecord("new.com"), CLUB, 5.0, classifier()).genre == "sport"


MakeChooser = Callable[..., Chooser]


@pytest.fixture
def chooser(tmp_path: Path) -> Iterator[MakeChooser]:
    """Makes choosers that keep what they learn in one file, each as another process would."""
    made: list[Chooser] = []

    def make(kinds: dict[str, dict[str, str]] | None = None) -> Chooser:
        made.append(Chooser(HAND, classifier(), kinds or {}, lambda: open_store(tmp_path / "sites.sqlite")))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_new_site_is_chosen_for_by_its_words_and_remembered(chooser: MakeChooser) -> None:
    first = chooser().choose("https://www.new.com/a", page("Cart price cart price CART price"))
    assert (first.genre, first.settings, first.nearest) == ("shopping", "shopping", "shop.com")
    assert first.as_dict()["nearest"] == "shop.com"
    another_process = chooser()
    assert another_process.choose("https://m.new.com/b").genre == "shopping", (
        "kept, and the same for all hosts of the site"
    )
    assert another_process.choose("https://m.new.com/b", page("goal goal goal match league")).genre == "shopping"


def test_the_hand_goes_first(chooser: MakeChooser) -> None:
    choice = chooser().choose("https://listed.com/", page("Cart price cart price"))
    assert (choice.genre, choice.settings) == ("news", "news")


@pytest.mark.parametrize("url", ["", "about:blank", "https://new.com/"])
def test_without_words_the_default(chooser: MakeChooser, url: str) -> None:
    assert chooser().choose(url, page("nothing that tells")).settings == "default"
    assert chooser().choose(url).settings == "default"


@pytest.mark.parametrize("url", ["http://intranet/", "http://10.0.0.7/shop", "http://printer.local/"])
def test_private_sites_are_not_classified_page_by_page(chooser: MakeChooser, url: str) -> None:
    """Nothing is kept of them, so from page to page their genre would change."""
    choice = chooser().choose(url, page("Cart price cart price", url))
    assert (choice.genre, choice.settings) == ("unknown", "default")


def test_a_broken_store_costs_nothing_but_the_memory(
    chooser: MakeChooser, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sites.sqlite").write_bytes(b"no database" * 500)
    broken = chooser()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert broken.choose("https://new.com/a", page("Cart price cart price")).genre == "shopping"
    assert caplog.text.count("is not used") == 1
    assert (tmp_path / "sites.sqlite").read_bytes() == b"no database" * 500


def test_settings_for_kinds_of_pages(chooser: MakeChooser) -> None:
    kinds = {"shopping": {"front_page": "shopping_front"}}
    front = chooser(kinds).choose("https://new.com/", page("Cart price cart price", "https://new.com/"))
    assert front.settings == "shopping_front"
    assert front.kind is not None
    assert front.as_dict()["kind"] == "front_page"
    deep = chooser(kinds).choose("https://new.com/x", page("Cart price cart price", "https://new.com/x"))
    assert deep.settings == "shopping"


def test_switched_off_only_the_hand_decides() -> None:
    off = Chooser.load(
        dataclasses.replace(HAND, classifier=ClassifierOptions(on=False)), {"news"}, {}, keeps_sites=True
    )
    assert isinstance(off.choose("https://listed.com/"), GenreChoice)
    assert off.choose("https://new.com/", page("Cart price cart price")).settings == "default"


def test_options_are_checked_with_their_place() -> None:
    assert read_options(None, "genres.yaml") == (ClassifierOptions(), [])
    options, problems = read_options({"snippets": {"sources": [{"kind": "searxng", "url": "http://x"}]}}, "genres.yaml")
    assert problems == []
    assert options.snippets.sources[0].kind == "searxng"
    _, problems = read_options(
        {"neighbours": 0, "snippets": {"sources": [{"kind": "altavista"}]}, "x": 1}, "genres.yaml"
    )
    assert len(problems) == 3
    assert any(problem.startswith("genres.yaml, classifier.neighbours: ") for problem in problems)
    assert any("classifier.snippets.sources [0].kind" in problem and "'altavista'" in problem for problem in problems)


def test_the_engine_asks_the_page_and_the_trace_carries_the_evidence() -> None:
    words = " ".join(f"{word} " * count for word, count in read_known_sites().words("cbssports.com").items())
    body = f"<!doctype html><html lang=en><title>x</title><body><h1>Final</h1><p>{words}</p></body></html>".encode()
    trace = Engine.load().filter(body, url="https://www.never-seen-club.com/a").trace
    assert trace.genre == "sport"
    assert trace.choice["nearest"]
    assert 0 < trace.choice["distance"] < 2


def test_settings_name_other_settings_for_kinds_of_pages(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "shop.yaml").write_text("kinds: {front_page: front}\nchain: []\n")
    (tmp_path / "settings" / "front.yaml").write_text("chain: []\n")
    (tmp_path / "genres.yaml").write_text("genres: {shopping: {settings: shop, hosts: [shop.example]}}\n")
    engine = Engine.load(tmp_path)
    body = b"<!doctype html><title>x</title><body><p>" + b"word " * 40
    assert engine.filter(body, url="https://shop.example/").trace.settings == "front"
    assert engine.filter(body, url="https://shop.example/a").trace.settings == "shop"
    (tmp_path / "settings" / "shop.yaml").write_text("kinds: {frontpage: front, listing: gone}\nchain: []\n")
    with pytest.raises(SettingsError, match="unknown kind 'frontpage'"):
        Engine.load(tmp_path)
    (tmp_path / "settings" / "shop.yaml").write_text("kinds: {listing: gone}\nchain: []\n")
    with pytest.raises(SettingsError, match="kinds, listing: there is no settings file 'gone'"):
        Engine.load(tmp_path)


def choose_in_child(made: Chooser, number: int) -> None:
    """What one of several worker processes does: pages of one site and of its own."""
    for host in ("shared.com", f"own{number}.com") * 5:
        choice = made.choose(f"https://{host}/a", page("Cart price cart price", f"https://{host}/a"))
        assert choice.genre == "shopping", choice
    made.close()


def test_worker_processes_share_what_they_learn(tmp_path: Path) -> None:
    made = Chooser(HAND, classifier(), {}, lambda: open_store(tmp_path / "sites.sqlite"))
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=choose_in_child, args=(made, number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    store = open_store(tmp_path / "sites.sqlite")
    pages = {record.site: record.pages for record in store.sites()}
    store.close()
    assert pages == {"shared.com": OPTIONS.max_pages, "own0.com": 5, "own1.com": 5, "own2.com": 5}


@pytest.mark.parametrize("broken", ["known_sites", "page_kind"])
def test_a_broken_built_file_leaves_the_hands_choices(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise {"known_sites": KnownSitesError, "page_kind": PageKindError}[broken](f"{broken}: is broken")

    monkeypatch.setattr(
        chooser_module, {"known_sites": "read_known_sites", "page_kind": "shipped_forest"}[broken], fail
    )
    made = Chooser.load(HAND, {"news"}, {"news": {"front_page": "front"}}, keeps_sites=False)
    assert made.choose("https://listed.com/", page("x", "https://listed.com/")).genre == "news"
    assert f"{broken}: is broken" in caplog.text
