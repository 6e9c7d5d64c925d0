"""An overlay with one plugin that takes `<nav>` away, and misbehaves in the ways that a page's text asks for."""

from __future__ import annotations

from pathlib import Path

PLUGIN = '''"""Navigation goes; pages that ask for a fault get one.

Source: none, made for tests.
Known to fail: on purpose.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

from crunchpy.edit import Edit, Remove
from crunchpy.page import Page
from crunchpy.plugin import PluginSettings


class Settings(PluginSettings):
    pass


def apply(page: Page, settings: Settings) -> Iterator[Edit]:
    if b"FAULT-STUCK" in page.body:  # Beyond the reach of the chain's own timer.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(600)
    if b"FAULT-DIE" in page.body:
        os._exit(3)
    if b"FAULT-MEMORY" in page.body:
        bytearray(8 * 1024**3)
    if b"FAULT-SLOW" in page.body:
        time.sleep(1.0)
    if b"FAULT-RAISE" in page.body:
        raise RuntimeError("asked for")
    for element in page.elements("nav"):
        yield Remove(element, "navigation")
'''

SETTINGS = """genre: default
limits:
  max_step_ms: 2000
  max_page_ms: 4000
chain:
  - faulty
"""


def make_overlay(folder: Path, *, settings: str = SETTINGS) -> Path:
    """Write the overlay into `folder` (made if missing) and return it."""
    (folder / "plugins").mkdir(parents=True, exist_ok=True)
    (folder / "settings").mkdir(exist_ok=True)
    (folder / "plugins" / "faulty.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "settings" / "default.yaml").write_text(settings, encoding="utf-8")
    return folder


def page(text: str, *, filler_words: int = 60) -> bytes:
    """A page with a `<nav>` that goes, `text`, and enough words for the limits of the settings."""
    words = " ".join(f"word{number}" for number in range(filler_words))
    return (
        "<!doctype html><html><head><title>T</title></head><body><nav><a href=/1>NAVIGATION</a></nav>"
        f"<main><h1>Title</h1><p>{text}</p><p>{words}.</p></main></body></html>"
    ).encode()


def without_navigation(body: bytes) -> bytes:
    """What the plugin makes of a page of `page`."""
    return body.replace(b"<nav><a href=/1>NAVIGATION</a></nav>", b"")
