"""README's table of plugins is made by a command, and is current."""

from __future__ import annotations

import pytest

from tools import plugin_table


def test_readme_has_the_plugins_as_they_are() -> None:
    text = (plugin_table.ROOT / "README.md").read_text(encoding="utf-8")
    assert plugin_table.renewed(text) == text, "run: python -m tools.plugin_table"


def test_table_has_a_row_for_each_plugin_and_those_of_the_default_first() -> None:
    rows = plugin_table.table().splitlines()[2:]
    names = [row.split("`")[1] for row in rows]
    assert sorted(names) == sorted(plugin_table.summaries())
    assert names[: len(plugin_table.default_steps())] == plugin_table.default_steps()


def test_text_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="has no"):
        plugin_table.renewed("no marks here")
