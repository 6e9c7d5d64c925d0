"""What a person gets of a page in a browser: its text, its picture, the tree that a screen reader reads, its errors."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route

# Only HTTP/1.1 has words beside a status.
_STATUS_TEXT = re.compile(r"(?<=status of \d{3}) \([^)]*\)$")
LOAD_MS = 10_000
# Scripts that wait for the page's load go on a little behind it.
SETTLE_MS = 150
CONTROLS = frozenset(
    "button checkbox combobox listbox radio searchbox slider spinbutton switch textbox menuitemcheckbox".split()
)


@dataclass(frozen=True)
class Seen:
    """One load of a page."""

    protocol: str
    errors: frozenset[str]
    text: str
    colours: int
    headings: tuple[tuple[int, str], ...]
    controls: Counter[tuple[str, str]]

    @property
    def words(self) -> list[str]:
        """The words of the visible text."""
        return self.text.split()


def load(browser: Browser, url: str, proxy: str = "") -> Seen:
    """Load a page in a fresh context, directly or through a proxy. What it wants of other hosts is not fetched."""
    through: Any = {"server": proxy, "bypass": "<-loopback>"} if proxy else None
    # Whose certificate the origin itself has is not asked; the proxy's must be one that the browser trusts.
    context = browser.new_context(
        proxy=through, ignore_https_errors=not proxy, service_workers="block", viewport={"width": 1000, "height": 800}
    )
    try:
        page = context.new_page()
        page.set_default_timeout(LOAD_MS)
        return _load(page, url)
    finally:
        context.close()


def _load(page: Page, url: str) -> Seen:
    errors: set[str] = set()
    page.on("console", lambda message: _note(errors, message))
    page.on("pageerror", lambda error: errors.add(str(error)))
    page.on("dialog", lambda dialog: dialog.dismiss())
    page.route("**/*", lambda route: _keep_here(route, url))
    session = page.context.new_cdp_session(page)
    protocols: dict[str, str] = {}
    session.on(
        "Network.responseReceived", lambda event: protocols.setdefault(event["type"], event["response"]["protocol"])
    )
    session.send("Network.enable")
    page.goto(url, wait_until="load")
    page.wait_for_timeout(SETTLE_MS)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    picture = Image.open(io.BytesIO(page.screenshot()))
    return Seen(
        protocol=protocols["Document"],
        errors=frozenset(errors),
        text=page.inner_text("body"),
        colours=len(set(picture.convert("RGB").resize((200, 160)).get_flattened_data())),
        headings=tuple(_headings(nodes)),
        controls=Counter(_controls(nodes)),
    )


def _note(errors: set[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        errors.add(_STATUS_TEXT.sub("", message.text))


def _keep_here(route: Route, url: str) -> None:
    """Only the page itself and its own host: no test asks foreign hosts for anything."""
    try:
        if urlsplit(route.request.url).netloc == urlsplit(url).netloc:
            route.continue_()
        else:
            route.abort()
    except Error:  # the page was closed meanwhile
        return


def _headings(nodes: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Level and name of every heading, in the order of reading."""
    found = [node for node in nodes if _role(node) == "heading"]
    return [(_level(node), _name(node)) for node in found if _name(node)]


def _controls(nodes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(_role(node), _name(node)) for node in nodes if _role(node) in CONTROLS]


def _role(node: dict[str, Any]) -> str:
    return "" if node.get("ignored") else str(node.get("role", {}).get("value", ""))


def _name(node: dict[str, Any]) -> str:
    return " ".join(str(node.get("name", {}).get("value", "")).split())


def _level(node: dict[str, Any]) -> int:
    levels = [entry["value"]["value"] for entry in node.get("properties", []) if entry["name"] == "level"]
    return int(levels[0]) if levels else 0
