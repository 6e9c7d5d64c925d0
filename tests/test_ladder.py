"""The ladder's settings files are Crunch's table of steps, and a page that loses too much is relaxed along it."""

from __future__ import annotations

import pytest

from crunchpy.engine import Engine

# Crunch 3's table: the steps that a filter is on for, here by the plugins that stand for it.
STEPS_ON = {
    range(1, 3): ["style_sheets", "styles", "style_attributes"],
    range(1, 4): ["text_links", "image_links", "images"],
    range(1, 5): ["forms", "buttons"],
    range(1, 8): ["empty_tables"],
    range(1, 9): ["link_lists"],
    range(1, 10): ["iframes", "embeds", "inputs", "selects"],
    range(1, 11): ["scripts", "meta_tags", "flash", "cell_widths"],
    range(1, 12): ["adverts"],
    range(1, 13): ["noscript"],
}
# The order in which Crunch tries its filters; style sheets stand before styles, and so on.
ORDER = """cell_widths style_attributes adverts link_lists text_links image_links images scripts noscript style_sheets
styles meta_tags forms inputs buttons selects iframes empty_tables embeds flash""".split()
RATIO = {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25, 5: 0.25, 6: 0.5, 7: 0.75, 8: 0.75}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


def steps(engine: Engine, number: int) -> dict[str, object]:
    return {step.plugin.name: step.settings for step in engine.settings[f"crunch_{number:02d}"].chain}


@pytest.mark.parametrize("number", range(1, 13))
def test_step_runs_the_filters_of_the_table(engine: Engine, number: int) -> None:
    expected = {name for on, names in STEPS_ON.items() if number in on for name in names}
    assert list(steps(engine, number)) == [name for name in ORDER if name in expected]


@pytest.mark.parametrize("number", range(1, 13))
def test_step_has_the_values_of_the_table(engine: Engine, number: int) -> None:
    values = {name: settings.model_dump() for name, settings in steps(engine, number).items()}  # type: ignore[attr-defined]
    if number in RATIO:
        assert values["link_lists"] == {
            "max_links_per_word": RATIO[number],
            "count_text_links": True,
            "count_image_links": True,
            "only_links_and_text": True,
        }
    if "empty_tables" in values:
        assert values["empty_tables"]["min_text_chars"] == 12
        assert {"img", "a", "textarea", "input", "button", "select", "iframe", "form"} < set(
            values["empty_tables"]["substance"]
        )
    for name in ("images", "image_links"):
        if name in values:
            assert values[name]["show_alt"] is (number >= 2)
    assert values["noscript"]["unwrap"] is False


def test_steps_relax_one_by_one_to_the_last(engine: Engine) -> None:
    names = [settings.name for settings in engine.ladder("crunch_01")]
    assert names == [f"crunch_{number:02d}" for number in range(1, 13)]
    assert engine.settings["crunch_12"].relax_to is None


@pytest.mark.parametrize(
    ("preset", "number"),
    [
        ("crunch_news", 2),
        ("crunch_text_heavy", 2),
        ("crunch_government", 5),
        ("crunch_education", 6),
        ("crunch_news_front_page", 6),
        ("crunch_shopping", 7),
        ("crunch_link_heavy", 10),
        ("crunch_unknown", 12),
    ],
)
def test_preset_names_a_step(engine: Engine, preset: str, number: int) -> None:
    assert engine.choose("", preset).settings == f"crunch_{number:02d}"
    assert engine.choose("", step=number).settings == f"crunch_{number:02d}"


PORTAL = b"""<!doctype html><html><head><title>Portal</title></head><body><h1>Portal</h1>
<table><tr><td>%s</td></tr></table><script>count()</script></body></html>""" % b"".join(
    b"<a href=/%d>a page about number %d</a>\n" % (n, n) for n in range(60)
)


def test_page_of_links_is_relaxed_until_the_links_stay(engine: Engine) -> None:
    filtered = engine.filter(PORTAL, settings="crunch_news")
    # Steps 2 and 3 take text links, and up to step 8 the cell is a link list.
    assert filtered.trace.relaxed_from == tuple(f"crunch_{number:02d}" for number in range(2, 9))
    assert filtered.trace.settings == "crunch_09"
    assert "relaxed from crunch_02 and crunch_03" in filtered.trace.line()
    assert filtered.body == PORTAL.replace(b"<script>count()</script>", b"")


def test_page_with_enough_text_is_not_relaxed(engine: Engine) -> None:
    prose = b"<p>%s.</p>" % b" ".join([b"Words of a long story"] * 60)
    filtered = engine.filter(PORTAL.replace(b"</h1>", b"</h1>" + prose), settings="crunch_news")
    assert filtered.trace.relaxed_from == ()
    assert b"a page about" not in filtered.body
    assert prose in filtered.body


@pytest.mark.parametrize("number", range(1, 13))
def test_forms_survive_every_step_and_refusals_show(engine: Engine, number: int) -> None:
    form = b"<form><label for=q>Find</label><input id=q><select><option>a</select><button>Go</button></form>"
    body = b"<!doctype html><html><body><h1>T</h1><p>%s.</p>%s</body></html>" % (b" ".join([b"word"] * 60), form)
    filtered = engine.filter(body, step=number)
    assert form in filtered.body
    refused = {verdict.plugin for verdict in filtered.trace.verdicts if verdict.refusals}
    asked = {"forms", "inputs", "buttons", "selects"} & set(steps(engine, number))
    assert refused == asked
