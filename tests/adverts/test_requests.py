"""Requests: their kind, the verdict, the answer in the origin's place."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from crunchpy.adverts import Blocklist, RequestBlocker, empty_answer, empty_headers, kind_of, page_of
from crunchpy.adverts.compiled import Source, compile_lists

if TYPE_CHECKING:
    from crunchpy.adverts.blocklist import Kind


@pytest.mark.parametrize(
    ("headers", "url", "kind"),
    [
        ({"sec-fetch-dest": "document", "accept": "image/*"}, "https://a.example/x.js", "document"),
        ({"sec-fetch-dest": "iframe"}, "https://a.example/", "subdocument"),
        ({"sec-fetch-dest": "empty"}, "https://a.example/x.png", "xmlhttprequest"),
        ({"sec-fetch-dest": "style"}, "https://a.example/", "stylesheet"),
        ({"sec-fetch-dest": "serviceworker"}, "https://a.example/", "script"),
        ({"sec-fetch-dest": "empty", "content-type": "text/ping"}, "https://a.example/", "ping"),
        ({"upgrade": "WebSocket", "sec-fetch-dest": "empty"}, "https://a.example/", "websocket"),
        ({"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}, "http://a.example/x.js", "document"),
        ({"accept": "image/avif,image/webp,*/*"}, "http://a.example/pixel", "image"),
        ({"accept": "text/css,*/*;q=0.1"}, "http://a.example/", "stylesheet"),
        ({"accept": "*/*"}, "http://a.example/lib/x.js?v=1.png", "script"),
        ({"accept": "*/*"}, "http://a.example/x.woff2", "font"),
        ({"accept": "*/*", "x-requested-with": "XMLHttpRequest"}, "http://a.example/x.js", "xmlhttprequest"),
        ({}, "http://a.example/pixel", "other"),
        ({}, "http://[::1", "other"),
    ],
)
def test_the_kind_of_a_request(headers: dict[str, str], url: str, kind: Kind) -> None:
    assert kind_of(headers, url) == kind


@pytest.mark.parametrize(
    ("headers", "page"),
    [
        ({"referer": "https://p.example/a", "origin": "https://q.example"}, "https://p.example/a"),
        ({"origin": "https://p.example"}, "https://p.example"),
        ({"origin": "null", "sec-fetch-site": "cross-site"}, ""),
        ({"sec-fetch-site": "same-site"}, "https://u.example/"),
        ({}, ""),
    ],
)
def test_the_page_that_makes_a_request(headers: dict[str, str], page: str) -> None:
    assert page_of(headers, "https://u.example/") == page


def test_a_blocked_picture_is_one_transparent_pixel() -> None:
    status, content_type, body = empty_answer("image")
    with Image.open(io.BytesIO(body)) as picture:
        assert (picture.format, picture.size) == ("GIF", (1, 1))
        assert picture.convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]
    assert (status, content_type) == (200, "image/gif")
    assert empty_headers("image")["Content-Length"] == str(len(body))


@pytest.mark.parametrize("kind", ["script", "subdocument", "xmlhttprequest", "other"])
def test_everything_else_blocked_is_204_with_nothing(kind: Kind) -> None:
    assert empty_answer(kind) == (204, "", b"")
    assert empty_headers(kind) == {"Cache-Control": "no-store"}


def test_a_blocked_answer_may_be_read_by_the_page_that_asked() -> None:
    headers = empty_headers("xmlhttprequest", "https://p.example")
    assert headers["Access-Control-Allow-Origin"] == "https://p.example"
    assert headers["Access-Control-Allow-Credentials"] == "true"
    assert "Access-Control-Allow-Credentials" not in empty_headers("script", "null")


def lists(text: str) -> Blocklist:
    return Blocklist(compile_lists([Source("own", text)], cosmetic=False))


async def ask(blocker: RequestBlocker) -> bool:
    return await blocker.verdict("https://ads.example/x", "https://p.example/", "script") is not None


def test_the_blocker_blocks_between_start_and_stop_only() -> None:
    async def run() -> list[bool]:
        blocker = RequestBlocker(lambda: lists("||ads.example^"))
        answers = [await ask(blocker)]
        await blocker.start()
        answers.append(await ask(blocker))
        await blocker.stop()
        return [*answers, await ask(blocker)]

    assert asyncio.run(run()) == [False, True, False]


def test_lists_that_cannot_be_read_leave_the_old_ones_in_force() -> None:
    made = iter([lists("||ads.example^")])

    async def run() -> bool:
        blocker = RequestBlocker(lambda: next(made))
        await blocker.start()
        with pytest.raises((StopIteration, RuntimeError)):
            await blocker.start()
        return await ask(blocker)

    assert asyncio.run(run())


def test_only_the_categories_asked_for_block() -> None:
    async def run() -> bool:
        blocker = RequestBlocker(lambda: lists("! Category: trackers\n||ads.example^"), categories=("ads",))
        await blocker.start()
        return await ask(blocker)

    assert not asyncio.run(run())
