"""Make the pictures of pages before and after filtering: `make docs-pictures`.

The pages are in the test data, not in the repository; the pictures are. Nothing is fetched: what a page wants of other
hosts is refused, so its pictures and outer styles are missing in both.
"""

from __future__ import annotations

import gzip
import io
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml
from PIL import Image
from playwright.sync_api import Browser, Route, sync_playwright

from crunchpy import Engine
from tests.shared import SHARED

HERE = Path(__file__).parent
WIDTH_PX, HEIGHT_PX = 900, 1000
COLOURS = 48  # enough for text and plain surfaces, and a small file
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


@dataclass(frozen=True)
class Shown:
    """A page to show: the name of its pictures, and where it is in the test data."""

    name: str
    document: str


# Of offices of the United States, whose works are in the public domain, and of Wikipedia (CC BY-SA 4.0).
PAGES = (
    Shown("health", "wcxb/0348"),
    Shown("safety", "wcxb/0349"),
    Shown("mold", "canola/797"),
)


def main() -> None:
    """Write two pictures for each page, and say what became of it."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if SHARED is None or chromium is None:
        sys.exit("The pictures need the test data (a folder shared beside the checkout) and Chromium (make browser).")
    engine = Engine.load()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for shown in PAGES:
            stem = SHARED / "packages" / shown.document
            body = gzip.decompress(stem.with_suffix(".html.gz").read_bytes())
            url = str(yaml.safe_load(stem.with_suffix(".meta").read_text("utf-8"))["url"])
            filtered = engine.filter(body, url=url)
            for part, content in (("before", body), ("after", filtered.body)):
                path = HERE / f"{shown.name}-{part}.png"
                path.write_bytes(picture(browser, url, content))
                print(f"{path.relative_to(HERE.parent.parent)}: {path.stat().st_size:,} bytes")
            print(f"{filtered.trace.line()} ({filtered.trace.genre})")
        browser.close()


def picture(browser: Browser, url: str, body: bytes) -> bytes:
    """The upper part of a page as a small PNG."""

    def answer(route: Route) -> None:
        if route.request.url == url:
            route.fulfill(body=body, content_type="text/html; charset=utf-8")
        else:
            route.abort()

    page = browser.new_page(viewport={"width": WIDTH_PX, "height": HEIGHT_PX}, java_script_enabled=False)
    page.route("**/*", answer)
    page.goto(url, wait_until="load")
    image = Image.open(io.BytesIO(page.screenshot()))
    page.close()
    small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    written = io.BytesIO()
    small.save(written, "PNG", optimize=True)
    return written.getvalue()


if __name__ == "__main__":
    main()
