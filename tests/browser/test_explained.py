"""The page that `crunchpy explain --html` writes, in a browser: it can be used by everybody, and nothing in it runs."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from typer.testing import CliRunner

from crunchpy import cli
from tests.browser.chromium import needs_chromium, running_chromium

pytestmark = [pytest.mark.browser, needs_chromium]

MENU = "".join(f'<li><a href="/{n}">Section number {n}</a></li>' for n in range(20))
STORY = "<p>The ferry crossed the sound in the early morning, and nobody on board had slept.</p>" * 10
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Ferry</title><meta http-equiv="refresh" content="0;url=/gone">
<script>document.documentElement.id = "ran"</script></head><body onload="document.body.id = 'ran'">
<nav><ul>{MENU}</ul></nav><main><h1>Ferry</h1><img src="http://127.0.0.1:PORT/seen.png" alt="">{STORY}</main></body>"""


def test_explanation_is_accessible_and_inert(tmp_path: Path) -> None:
    page_file, html = tmp_path / "page.html", tmp_path / "why.html"
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0)
    page_file.write_text(PAGE.replace("PORT", str(listener.getsockname()[1])))
    arguments = ["explain", str(page_file), "--html", str(html)]
    assert CliRunner().invoke(cli.application("explain"), arguments).exit_code == 0
    with running_chromium() as browser:
        page = browser.new_page()
        page.goto(html.as_uri())
        page.wait_for_timeout(300)
        frame = page.frames[1]
        assert frame.url == "about:srcdoc"
        assert frame.locator("[data-crunchpy-label]").all_inner_texts() == [
            "Part 1, navigation: is a menu",
            "End of part 1",
        ]
        assert frame.locator("#ran").count() == 0
        with pytest.raises(BlockingIOError):
            listener.accept()  # nobody came for the picture
        violations = Axe().run(page).response["violations"]
        assert [violation["id"] for violation in violations] == []
        page.close()
    listener.close()
