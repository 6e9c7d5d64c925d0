"""Start a plugin: its file, one case of what goes (red until `apply` is written) and one of what stays."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

PLUGIN = '''"""Removes TODO: what it removes, in one line.

Source: TODO author, year, title, section; or: none, own observation, shown by tests/cases/{name}/goes_first.html
Known to fail: TODO, or leave this line out.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings

MAX_WORDS = 20  # TODO: the reason for this number


class Settings(PluginSettings):
    max_words: int = Field(MAX_WORDS, ge=0, le=1000, description="words in an element; one with more stays")


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    for element in page.select(".todo-{token}"):
        if page.counts(element).words > settings.max_words:
            yield Remove(element, "todo")
'''

GOES = """<!-- TODO: what goes here and why, with its source. -->
<!DOCTYPE html>
<html lang="en"><head><title>Case</title></head>
<body>
<main><h1>A heading</h1><p>The text that the page is for stays as it is.</p></main>
<div class="todo-{token}">This goes.</div>
</body></html>
"""

GOES_EXPECTED = """<!-- TODO: what goes here and why, with its source. -->
<!DOCTYPE html>
<html lang="en"><head><title>Case</title></head>
<body>
<main><h1>A heading</h1><p>The text that the page is for stays as it is.</p></main>

</body></html>
"""

STAYS = """<!-- TODO: what looks similar, and stays, and why. -->
<!DOCTYPE html>
<html lang="en"><head><title>Case</title></head>
<body>
<main><h1>A heading</h1><p>The text that the page is for stays as it is.</p></main>
<div class="other">This stays.</div>
</body></html>
"""


def new_files(name: str) -> dict[str, str]:
    """The files of a new plugin, path to text. The plugin's last comparison is the wrong way round: red at first."""
    token = name.replace("_", "-")
    cases = f"tests/cases/{name}"
    return {
        f"plugins/{name}.py": PLUGIN.format(name=name, token=token),
        f"{cases}/goes_first.html": GOES.format(token=token),
        f"{cases}/goes_first.expected.html": GOES_EXPECTED,
        f"{cases}/stays_first.html": STAYS,
        f"{cases}/stays_first.expected.html": STAYS,
    }


def write(root: Path, name: str) -> list[str]:
    """Write them below `root` and give their paths. ValueError for a bad name; FileExistsError where one is there."""
    if not NAME.fullmatch(name):
        raise ValueError(f"NAME is {name!r}; write what goes or stays in small letters, as in NAME=share_bars")
    files = new_files(name)
    present = [path for path in files if (root / path).exists()]
    if present:
        raise FileExistsError(f"There already: {', '.join(present)}")
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return list(files)


def main() -> None:
    """Write the plugin that the command line names."""
    try:
        paths = write(ROOT, sys.argv[1] if len(sys.argv) > 1 else "")
    except (ValueError, FileExistsError) as problem:
        sys.exit(str(problem))
    name = sys.argv[1]
    print("Wrote", *paths, sep="\n  ")
    print(f"Next: write the cases, see `.venv/bin/pytest -k {name}` fail, write apply (CONTRIBUTING.md).")


if __name__ == "__main__":
    main()
