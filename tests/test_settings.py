"""A bad settings file is answered like a form: every problem at once, with file, place, value and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from crunchpy.engine import Engine
from crunchpy.genre.by_hand import load_genres
from crunchpy.limits import Limits
from crunchpy.overlay import builtin
from crunchpy.plugin import Plugin, load_plugin
from crunchpy.settings import SettingsError, load_settings

PLUGINS = {path.stem: load_plugin(path) for path in sorted((builtin() / "plugins").glob("*.py")) if path.stem[0] != "_"}
BOUNDS = {
    "minimum": lambda bound, step: bound - step,
    "maximum": lambda bound, step: bound + step,
    "exclusiveMinimum": lambda bound, step: bound,
    "exclusiveMaximum": lambda bound, step: bound,
}


def problems(tmp_path: Path, content: str) -> list[str]:
    path = tmp_path / "news.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(path, PLUGINS)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return [problem.replace(f"{tmp_path}/", "") for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "chain: [{link_lists: {max_links_per_word: 9}}]",
            "news.yaml, chain step 1 (link_lists): max_links_per_word is 9, allowed 0 to 5 links per word of plain text"
            " in a cell that stays",
        ),
        (
            "chain: [scripts, {link_lists: {max_link_per_word: 1}}]",
            "news.yaml, chain step 2 (link_lists): there is no setting 'max_link_per_word';"
            " did you mean 'max_links_per_word'?",
        ),
        (
            "chain: [{scripts: {depth: 1}}]",
            "news.yaml, chain step 1 (scripts): there is no setting 'depth'; it has no settings",
        ),
        (
            "chain: [{images: {show_alt: 1}}]",
            "news.yaml, chain step 1 (images): show_alt is 1, allowed true or false (yes or no: put the ALT text in the"
            " picture's place)",
        ),
        (
            "chain: [{link_lists: {max_links_per_word: yes}}]",
            "news.yaml, chain step 1 (link_lists): max_links_per_word is True, allowed 0 to 5 links per word of plain"
            " text in a cell that stays",
        ),
        (
            "chain: [{style_attributes: {elements: span}}]",
            "news.yaml, chain step 1 (style_attributes): elements is 'span', allowed one of all, div (kind of element:"
            " lose the style of all, or of div alone)",
        ),
        ("chain: [script]", "news.yaml, chain step 1: there is no plugin 'script'; did you mean 'scripts'?"),
        ("chain: [qqqq]", "news.yaml, chain step 1: there is no plugin 'qqqq'"),
        ("chain: [3]", "news.yaml, chain step 1: is 3, allowed is a plugin's name, or its name with settings"),
        ("chain: [{a: {}, b: {}}]", "news.yaml, chain step 1: is {'a': {}, 'b': {}}, allowed is a plugin's name"),
        ("chain: [{images: [1]}]", "news.yaml, chain step 1 (images): the settings are a list, allowed is a mapping"),
        ("chain: scripts", "news.yaml, chain: is the text 'scripts', allowed is a list of plugins"),
        ("genre: news", "news.yaml, chain: is empty, allowed is a list of plugins"),
        ("chain: []\nlimit: {}", "news.yaml: unknown key 'limit'; did you mean 'limits'?"),
        ("chain: []\nlimits: 3", "news.yaml, limits: is 3, allowed is a mapping"),
        (
            "chain: []\nlimits: {keep_at_least_words: -1}",
            "news.yaml, limits: keep_at_least_words is -1, allowed 0 to 10000 words that a page keeps",
        ),
        (
            "chain: []\nlimits: {max_word_ratio: 1.0}",
            "news.yaml, limits: there is no setting 'max_word_ratio'; did you mean 'max_words_ratio'?",
        ),
        ("chain: []\ngenre: [a]", "news.yaml, genre: is ['a'], allowed is a name"),
        ("chain: []\nrelax_to: 3", "news.yaml, relax_to: is 3, allowed is the name of a settings file"),
        ("- scripts", "news.yaml: is a list, allowed is a mapping with the keys genre, limits, relax_to, kinds, chain"),
        ("", "news.yaml: is empty, allowed is a mapping with the keys genre, limits, relax_to, kinds, chain"),
        ("chain: [\n  'a", "news.yaml, line 2, column 5: is not YAML: "),
    ],
)
def test_problem_names_file_place_value_and_what_is_allowed(tmp_path: Path, content: str, expected: str) -> None:
    [problem] = problems(tmp_path, content)
    assert problem.startswith(expected)


def test_all_problems_at_once(tmp_path: Path) -> None:
    content = (
        "gener: x\nrelax_to: 1\nlimits: {max_step_ms: 0, x: 1}\nchain: [nothing, {images: {show_alt: no way, y: 2}}]"
    )
    found = problems(tmp_path, content)
    assert len(found) == 7
    assert [problem.split(":")[0] for problem in found] == [
        "news.yaml",
        "news.yaml, relax_to",
        "news.yaml, limits",
        "news.yaml, limits",
        "news.yaml, chain step 1",
        "news.yaml, chain step 2 (images)",
        "news.yaml, chain step 2 (images)",
    ]


def test_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "news.yaml"
    path.write_bytes(b"chain: [\xff\xfe]")
    with pytest.raises(SettingsError, match=r"news\.yaml: cannot be read: .*utf-8"):
        load_settings(path, PLUGINS)
    with pytest.raises(SettingsError, match=r"absent\.yaml: cannot be read"):
        load_settings(tmp_path / "absent.yaml", PLUGINS)


def test_good_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "news.yaml"
    path.write_text("limits: {max_step_ms: 50}\nrelax_to: default\nchain:\n  - scripts\n  - images: {show_alt: true}\n")
    settings = load_settings(path, PLUGINS)
    assert (settings.name, settings.genre, settings.relax_to) == ("news", "news", "default")
    assert settings.limits == Limits(max_step_ms=50)
    assert [step.plugin.name for step in settings.chain] == ["scripts", "images"]
    assert settings.chain[1].settings.model_dump() == {"show_alt": True}


def out_of_bounds() -> list[Any]:
    """Values just past each bound and of the wrong kind, made from the declarations of every plugin and the limits."""
    models = {**{name: plugin.Settings for name, plugin in PLUGINS.items()}, "limits": Limits}
    cases = []
    for name, model in models.items():
        for setting, schema in model.model_json_schema().get("properties", {}).items():
            step = 1 if schema.get("type") == "integer" else 0.001
            values = [past(schema[kind], step) for kind, past in BOUNDS.items() if kind in schema]
            cases += [
                pytest.param(name, setting, value, id=f"{name}-{setting}-{value}") for value in [*values, {"a": 1}]
            ]
    return cases


@pytest.mark.parametrize(("name", "setting", "value"), out_of_bounds())
def test_value_past_its_bounds_is_refused_by_name(tmp_path: Path, name: str, setting: str, value: Any) -> None:
    values = {setting: value}
    content = {"chain": [], "limits": values} if name == "limits" else {"chain": [{name: values}]}
    [problem] = problems(tmp_path, yaml.safe_dump(content))
    place = "news.yaml, limits" if name == "limits" else f"news.yaml, chain step 1 ({name})"
    assert problem.startswith(f"{place}: {setting} is {value!r}, allowed ")


@pytest.mark.parametrize("plugin", PLUGINS.values(), ids=lambda plugin: plugin.name)
def test_number_has_bounds_and_its_description_a_unit(plugin: Plugin) -> None:
    for name, schema in plugin.Settings.model_json_schema().get("properties", {}).items():
        assert schema["description"][0].islower() or schema["description"][0].isdigit(), name
        if schema.get("type") in {"integer", "number"}:
            assert {"minimum", "exclusiveMinimum"} & schema.keys(), name
            assert {"maximum", "exclusiveMaximum"} & schema.keys(), name


def test_engine_reports_all_files_in_one_go(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "plugins").mkdir()
    (tmp_path / "settings" / "a.yaml").write_text("chain: [nowhere]")
    (tmp_path / "settings" / "b.yaml").write_text("chain: []\nrelax_to: nowhere")
    (tmp_path / "plugins" / "broken.py").write_text("import nothing_of_that_name")
    (tmp_path / "plugins" / "bare.py").write_text('"""Docstring."""')
    (tmp_path / "genres.yaml").write_text("default: nowhere\npresets: {x: nowhere}")
    with pytest.raises(SettingsError) as caught:
        Engine.load(tmp_path)
    report = "\n".join(caught.value.problems)
    for expected in (
        "a.yaml, chain step 1: there is no plugin 'nowhere'",
        "b.yaml, relax_to: there is no settings file 'nowhere'",
        "broken.py: cannot be run: ModuleNotFoundError",
        "bare.py: the docstring has no line that starts with 'Source:'",
        "genres.yaml, default: there is no settings file 'nowhere'",
        "genres.yaml, preset x: there is no settings file 'nowhere'",
    ):
        assert expected in report


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[1]", "allowed is a mapping with the keys default, presets, genres, classifier"),
        ("preset: {}", "unknown key 'preset'; allowed are default, presets, genres, classifier"),
        ("presets: [news]", "presets: is ['news'], allowed is a mapping"),
        ("genres: [news]", "genres: is ['news'], allowed is a mapping"),
        ("presets: {news: 3}", "preset news: there is no settings file 3; there are default"),
        ("presets: {default: default}", "presets: 'default' is the name of a settings file"),
        ("genres: {news: {settings: gone}}", "genre news: there is no settings file 'gone'; there are default"),
        ("genres: {news: default}", "genre news: allowed is a mapping with settings, hosts, patterns"),
        ("genres: {news: {settings: default, host: a}}", "genre news: unknown key 'host'; allowed are settings, hosts"),
        ("genres: {news: {settings: default, hosts: [A b]}}", "genre news, hosts: 'A b' is no host name in lower case"),
        (
            "genres: {a: {settings: default, hosts: [x.org]}, b: {settings: default, hosts: [x.org]}}",
            "genre b, hosts: x.org is listed under genre a already",
        ),
        ("genres: {a: {settings: default, patterns: ['(']}}", "genre a, patterns: '(' is no regular expression"),
    ],
)
def test_bad_genres_are_named(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "genres.yaml"
    path.write_text(content)
    with pytest.raises(SettingsError) as caught:
        load_genres(path, ["default"])
    assert any(expected in problem for problem in caught.value.problems)


def test_genre_may_name_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "genres.yaml"
    path.write_text("presets: {harsh: one}\ngenres: {news: {settings: harsh, hosts: [x.org]}}")
    genres = load_genres(path, ["default", "one"])
    assert genres.choose("https://www.x.org/a").settings == "one"
    assert genres.choose("https://y.org/").settings == "default"
