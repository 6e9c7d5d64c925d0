"""Write the table of plugins in README.md from the first lines of their docstrings: `python -m tools.plugin_table`."""

from __future__ import annotations

import ast
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- plugins: python -m tools.plugin_table -->", "<!-- end of plugins -->"


def summaries() -> dict[str, str]:
    """The first line of each plugin's docstring, by name."""
    paths = sorted(path for path in (ROOT / "plugins").glob("*.py") if not path.name.startswith("_"))
    docstrings = {path.stem: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "" for path in paths}
    return {name: docstring.split("\n", 1)[0] for name, docstring in docstrings.items()}


def default_steps() -> list[str]:
    """The plugins of the default settings, in their order."""
    chain = yaml.safe_load((ROOT / "settings" / "default.yaml").read_text("utf-8"))["chain"]
    return [step if isinstance(step, str) else next(iter(step)) for step in chain]


def table() -> str:
    """The table, those of the default settings first and in their order."""
    found, first = summaries(), default_steps()
    others = [name for name in found if name not in first]
    rows = [f"| [`{name}`](plugins/{name}.py) | {number} | {found[name]} |" for number, name in enumerate(first, 1)]
    rows += [f"| [`{name}`](plugins/{name}.py) | | {found[name]} |" for name in others]
    return "\n".join(["| plugin | step of `default` | what it does |", "|---|---|---|", *rows])


def renewed(text: str) -> str:
    """A text with the table between its two marks made anew. ValueError where a mark is missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the text has no {BEGIN!r} or no {END!r}")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main() -> None:
    """Renew README.md."""
    path = ROOT / "README.md"
    path.write_text(renewed(path.read_text("utf-8")), encoding="utf-8")
    print(f"{path.name}: {len(summaries())} plugins")


if __name__ == "__main__":
    main()
