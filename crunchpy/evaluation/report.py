"""Writes the results as one HTML page with figures: for browsers, for print, and for screen readers.

Every figure has the same numbers as a table right below it. No scripts, no colours that carry meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from crunchpy.evaluation.figures import Picture, can_draw, pictures, save
from crunchpy.evaluation.summary import Results, Table

_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; color: #111; background: #fff; }
body { max-width: 70rem; margin: auto; padding: 1rem; }
figure { margin-inline: 0; }
img { max-width: 100%; height: auto; }
.wide { overflow-x: auto; margin-block: 1rem; }
.wide:focus-visible { outline: 3px solid #111; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: bold; padding-block: .5rem; }
th, td { border: 1px solid #666; padding: .2rem .5rem; text-align: right; }
th:first-child { text-align: left; }
""".strip()


def write_report(results: Results, tables: Sequence[Table], folder: Path, *, title: str) -> Path:
    """Write `report.html`, and the figures beside it where matplotlib is installed; return its path."""
    drawn = [(picture, save(picture, folder / "figures")) for picture in pictures(results)] if can_draw() else []
    body = [_table(table) for table in tables]
    body += [_figure(picture, path.relative_to(folder)) for picture, path in drawn]
    if not drawn:
        body += [_table(picture.table) for picture in pictures(results)]
        body.append("<p>Figures need matplotlib (the extra <code>plots</code>); their numbers are in the tables.</p>")
    path = folder / "report.html"
    path.write_text(_page(title, "\n".join(body)), encoding="utf-8")
    return path


def _page(title: str, body: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{body}
</main>
</body>
</html>
"""


def _table(table: Table) -> str:
    """Return a section with a table, which can be scrolled by keyboard where it is wider than the window."""
    note = f"<p>{escape(table.note)}</p>\n" if table.note else ""
    return f"<section>\n<h2>{escape(table.title)}</h2>\n{note}{_grid(table)}\n</section>"


def _figure(picture: Picture, path: Path) -> str:
    # The table below says what the picture shows, so its text alternative names it and points there.
    alternative = f"{picture.title}: bars or points of the numbers in the table below"
    return f"""<section>
<h2>{escape(picture.title)}</h2>
<figure>
<img src="{escape(path.as_posix())}" alt="{escape(alternative)}">
<figcaption>{escape(picture.caption)}</figcaption>
</figure>
{_grid(picture.table)}
</section>"""


def _grid(table: Table) -> str:
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.header)
    lines = "\n".join(
        f'<tr><th scope="row">{escape(line[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in line[1:])
        + "</tr>"
        for line in table.lines
    )
    return f"""<div class="wide" role="region" aria-label="{escape(table.title)}, table" tabindex="0">
<table>
<caption>{escape(table.title)}: numbers</caption>
<thead><tr>{heads}</tr></thead>
<tbody>
{lines}
</tbody>
</table>
</div>"""
