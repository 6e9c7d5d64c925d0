"""Each setting of each plugin: numbers are bounded, and what lies beyond is refused by name in a settings file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import annotated_types
import pytest
import yaml
from pydantic.fields import FieldInfo

from crunchpy.overlay import builtin
from crunchpy.plugin import Plugin, load_plugin
from crunchpy.settings import SettingsError, load_settings

NUMBERS = (int, float)
PATHS = sorted(path for path in (builtin() / "plugins").glob("*.py") if not path.name.startswith("_"))


@cache
def plugin_at(path: Path) -> Plugin:
    return load_plugin(path)


def fields() -> list[Any]:
    """Every setting of every plugin, as a parameter set."""
    return [
        pytest.param(plugin_at(path), name, field, id=f"{path.stem}-{name}")
        for path in PATHS
        for name, field in plugin_at(path).Settings.model_fields.items()
    ]


def bounds(field: FieldInfo) -> tuple[list[float], list[float]]:
    """Values just below and just above what a number may be; an empty list where there is no bound."""
    below: list[float] = []
    above: list[float] = []
    for mark in field.metadata:
        match mark:
            case annotated_types.Ge(ge=limit):
                below.append(limit - 1)  # type: ignore[operator]
            case annotated_types.Gt(gt=limit):
                below.append(limit)  # type: ignore[arg-type]
            case annotated_types.Le(le=limit):
                above.append(limit + 1)  # type: ignore[operator]
            case annotated_types.Lt(lt=limit):
                above.append(limit)  # type: ignore[arg-type]
            case _:
                pass
    return below, above


def refusal(folder: Path, plugin: Plugin, setting: str, value: object) -> str:
    """What a settings file that gives a setting this value is refused with."""
    path = folder / "bad.yaml"
    path.write_text(yaml.safe_dump({"genre": "bad", "chain": [{plugin.name: {setting: value}}]}), encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load_settings(path, {plugin.name: plugin})
    return str(refused.value)


@pytest.mark.parametrize(("plugin", "name", "field"), fields())
def test_setting_is_bounded_and_explained(plugin: Plugin, name: str, field: FieldInfo) -> None:
    description = field.description or ""
    assert description.strip() == description
    assert "\n" not in description
    plugin.Settings.model_validate({name: field.get_default(call_default_factory=True, validated_data={})})
    if field.annotation in NUMBERS:
        below, above = bounds(field)
        assert below, "no ge= or gt="
        assert above, "no le= or lt="


@pytest.mark.parametrize(("plugin", "name", "field"), fields())
def test_value_out_of_bounds_is_refused_by_name(plugin: Plugin, name: str, field: FieldInfo, tmp_path: Path) -> None:
    below, above = bounds(field)
    wrong: list[object] = [*below, *above] if field.annotation in NUMBERS else [{"an": "impossible value"}]
    for value in wrong:
        message = refusal(tmp_path, plugin, name, value)
        assert plugin.name in message
        assert name in message
        assert "bad.yaml" in message


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_unknown_setting_is_refused_by_name(path: Path, tmp_path: Path) -> None:
    message = refusal(tmp_path, plugin_at(path), "no_such_setting", 1)
    assert path.stem in message
    assert "no_such_setting" in message
