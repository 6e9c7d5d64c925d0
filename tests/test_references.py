"""Ids that something points at: what counts as pointing."""

from __future__ import annotations

import pytest

from crunchpy.page import Page


@pytest.mark.parametrize(
    ("html", "is_referenced"),
    [
        ('<a href="#x">there</a>', True),
        ('<label for="x">Name</label>', True),
        ('<td headers="a x">1</td>', True),
        ('<p aria-labelledby="x">a</p>', True),
        ("<script>document.getElementById('x').style.display = 'none'</script>", True),
        ('<script>document.getElementById( "x" )\n  .focus()</script>', True),
        ("<script>document.querySelector('#x').focus()</script>", True),
        ("<script>var a = 1, x = document.getElementById('x');\nx.focus()</script>", True),
        ("<script>const el = document.getElementById('x')\nel.addEventListener('click', f)</script>", True),
        ("<script>e=document.querySelector('#x');e.y=1</script>", True),
        # Asks first, and so must find nothing where there is nothing.
        ("<script>var x = document.getElementById('x'); if (x) x.focus()</script>", False),
        ("<script>var x = document.getElementById('x'); x && x.focus()</script>", False),
        ("<script>var x = document.getElementById('x'); if (!x) return; x.focus()</script>", False),
        ("<script>var x = document.getElementById('x'); x?.focus()</script>", False),
        ("<script>var x = document.getElementById('x'); if (x !== null) x.focus()</script>", False),
        ("<script>var x = document.getElementById('x'); if (a && x) x.focus()</script>", False),
        ("<script>var x = document.getElementById('x') || other; x.focus()</script>", False),
        ("<script>document.getElementById('x')?.focus()</script>", False),
        ("<script>if (document.getElementById('x')) go()</script>", False),
        ("<script>document.querySelector('#x a').focus()</script>", False),
        ('<script src="/x.js">document.getElementById("x").focus()</script>', False),
        ('<a href="/other#x">elsewhere</a>', False),
    ],
)
def test_referenced(html: str, *, is_referenced: bool) -> None:
    page = Page.parse(f'<!DOCTYPE html><body><div id="x">a</div>{html}</body>'.encode())
    assert isinstance(page, Page)
    assert ("x" in page.referenced_ids) is is_referenced
