"""Print the ten largest files and the ten longest functions, to see where the budgets of CONTRIBUTING.md are near."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("crunchpy", "plugins")
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 40
SHOWN = 10


@dataclass(frozen=True, order=True)
class Size:
    """Something with a length in lines, and where it is (`path` or `path:line name`)."""

    lines: int
    place: str


def source_files(root: Path = ROOT) -> list[Path]:
    """Every Python file that the budgets hold for."""
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py"))


def file_size(path: Path) -> Size:
    """Lines of a file, blank ones and comments included: all of it has to be read."""
    return Size(len(path.read_text(encoding="utf-8").splitlines()), str(path.relative_to(ROOT)))


def function_sizes(path: Path) -> Iterator[Size]:
    """Lines of each function and method in a file; a function inside another counts in both.

    The signature counts as one line, since that of a command is the table of its options, and the docstring not at all,
    since a budget that counted it would be a reason to write none.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            statements = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            lines = 1 + (node.body[-1].end_lineno or 0) - statements[0].lineno + 1 if statements else 1
            yield Size(lines, f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")


def report(title: str, sizes: list[Size], limit: int) -> None:
    """Print the largest of `sizes`, with a mark at those above the limit."""
    print(f"{title} (budget {limit} lines):")
    for size in sorted(sizes, reverse=True)[:SHOWN]:
        print(f"{size.lines:6} {'over ' if size.lines > limit else '     '}{size.place}")


def main() -> None:
    """Print both lists."""
    files = source_files()
    report("Largest files", [file_size(path) for path in files], MAX_FILE_LINES)
    report("Longest functions", [size for path in files for size in function_sizes(path)], MAX_FUNCTION_LINES)


if __name__ == "__main__":
    main()
