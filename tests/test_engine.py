"""The engine answers every input with bytes and a trace: broken pages, faulty plugins, pages that would be emptied."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crunchpy.engine import Engine
from crunchpy.page import Page
from crunchpy.reasons import Reason
from tests.shared import documents, needs_shared

PROSE = " ".join(["A sentence of seven words stands here."] * 12)
PAGE = f"""<!doctype html><html lang=en><head><meta charset=utf-8><title>Bridge</title>
<link rel=stylesheet href=/a.css><script src=/a.js></script><style>.x{{color:red}}</style></head><body><!-- c -->
<nav><ul><li><a href=/1>One</a><li><a href='/2'>Two</a></ul></nav><main id=m><h1>Bridge reopens</h1><p>{PROSE}</p>
<p>caf\u00e9 &amp; more <a href="/x?a=1&b">link</a> <img src=i.png alt=Pier width=300></p>
<table width=100%><tr><td width=20><a href=/3>three</a><td>text of a cell</table>
<form action=/s><label for=q>Find</label><input id=q name=q disabled><button>Go</button></form></main>
<iframe src=https://video.example/></iframe><noscript><img src=//c.example/p.gif></noscript>
<footer><a href=#m>Top</a><p>\u00a9 2024</footer></body></html>
""".encode()


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


def words(body: bytes) -> list[str]:
    page = Page.parse(body)
    assert isinstance(page, Page)
    return " ".join(page.root.itertext("*")).split()


@pytest.mark.parametrize("name", ["default", *(f"crunch_{number:02d}" for number in range(1, 13))])
def test_same_page_gives_the_same_bytes(engine: Engine, name: str) -> None:
    first = engine.filter(PAGE, url="https://example.org/a", settings=name)
    second = Engine.load().filter(PAGE, url="https://example.org/a", settings=name)
    assert first.body == second.body
    assert first.trace.untouched in {None, Reason.NOTHING_TO_CHANGE}
    assert PROSE.encode() in first.body
    assert b"<h1>Bridge reopens</h1>" in first.body


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutated_page_never_raises_never_grows(engine: Engine, data: st.DataObject) -> None:
    body = bytearray(PAGE)
    for _ in range(data.draw(st.integers(0, 6))):
        start = data.draw(st.integers(0, len(body)))
        end = min(len(body), start + data.draw(st.integers(0, 40)))
        piece = data.draw(
            st.sampled_from([b"", b"<", b">", b'"', b"</div>", b"<table>", b"<!--", b"\0", b"\xff", b"<p>"])
        )
        body[start:end] = piece
    name = data.draw(st.sampled_from(["default", "crunch_01", "crunch_04", "crunch_08"]))
    filtered = engine.filter(bytes(body), settings=name)
    assert filtered.trace.untouched != Reason.FILTER_FAILED, filtered.trace.detail
    if filtered.body != bytes(body):
        assert filtered.trace.words_after <= filtered.trace.words_before
        assert len(filtered.body) <= len(body)
        assert filtered.trace.words_after >= min(20, filtered.trace.words_before)


@pytest.mark.parametrize("length", range(0, len(PAGE), 37))
def test_truncated_page_never_raises(engine: Engine, length: int) -> None:
    body = PAGE[:length]
    filtered = engine.filter(body, settings="crunch_01")
    assert filtered.trace.untouched != Reason.FILTER_FAILED
    assert len(filtered.body) <= length


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"\0\0\0",
        b"<",
        b"<!doctype html>",
        b"plain text without a tag",
        b'{"json": "<p>"}',
        b"\xff\xfe<\0p\0>\0",
        b"<frameset><frame src=a></frameset>",
        b"<div>" * 3000,
        b"\x89PNG\r\n\x1a\n",
    ],
)
def test_what_is_no_page_comes_out_as_it_came(engine: Engine, body: bytes) -> None:
    filtered = engine.filter(body)
    assert filtered.body == body
    assert filtered.trace.untouched is not None
    assert filtered.trace.untouched != Reason.FILTER_FAILED
    assert filtered.trace.line()


@pytest.mark.parametrize("name", ["default", "crunch_01", "crunch_08"])
@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>" + b"<a href=/x>one more link</a> " * 200 + b"</body></html>",
        b"<html><body><ul>" + b"<li><a href=/x>one more link</a>" * 200 + b"</ul></body></html>",
        b"<html><body><nav><p>" + PROSE.encode() + b"</p></nav></body></html>",
        b"<html><body><table><tr><td>" + b"<a href=/x>link</a>" * 100 + b"</table></body></html>",
        b"<html><body><div class='ad ads banner'>" + PROSE.encode() + b"</div></body></html>",
    ],
)
def test_page_is_never_emptied(engine: Engine, body: bytes, name: str) -> None:
    filtered = engine.filter(body, settings=name)
    assert len(words(filtered.body)) >= 0.3 * len(words(body))


def test_wrong_name_of_settings_leaves_the_page_and_says_so(engine: Engine) -> None:
    filtered = engine.filter(PAGE, settings="nowhere")
    assert filtered.body == PAGE
    assert filtered.trace.untouched == Reason.FILTER_FAILED
    assert "nowhere" in filtered.trace.detail


def test_plugin_of_an_overlay_that_fails_costs_its_step(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir(mode=0o755)
    (tmp_path / "settings").mkdir(mode=0o755)
    (tmp_path / "plugins" / "broken.py").write_text(
        '"""Nothing goes: it fails.\n\nSource: none, for this test.\n"""\n'
        "from crunchpy.plugin import PluginSettings\n\n\nclass Settings(PluginSettings):\n    pass\n\n\n"
        "def apply(page, settings):\n    yield from ()\n    raise RuntimeError('broken')\n"
    )
    (tmp_path / "settings" / "default.yaml").write_text("chain: [broken, scripts]")
    filtered = Engine.load(tmp_path).filter(PAGE)
    assert [verdict.outcome for verdict in filtered.trace.verdicts] == ["failed", "changed"]
    assert filtered.body == PAGE.replace(b"<script src=/a.js></script>", b"")


def test_trace_tells_everything(engine: Engine) -> None:
    trace = engine.filter(PAGE, url="https://user:secret@example.org/a?q=private#f", settings="crunch_04").trace
    told = trace.as_dict()
    assert told["settings"] == "crunch_04"
    assert told["verdicts"][0]["plugin"] == "cell_widths"
    assert told["words_before"] >= told["words_after"] > 0
    assert trace.line().startswith("example.org/a crunch_04: ")
    assert not {"secret", "private"} & set(re.split(r"\W+", trace.line()))


@needs_shared
def test_real_pages_lose_words_and_gain_none() -> None:
    engine, grown = Engine.load(), []
    chosen = random.Random(7)
    for document in documents("wcxb", every=60):
        name = chosen.choice(["default", "crunch_01", "crunch_02", "crunch_05", "crunch_08"])
        filtered = engine.filter(document.body, url="https://example.org/", settings=name)
        assert filtered.trace.untouched != Reason.FILTER_FAILED, (document.id, filtered.trace.detail)
        if filtered.body == document.body or name == "crunch_02":
            continue
        if added := set(words(filtered.body)) - set(words(document.body)):
            # Text that a cut brings together may make one word of two; a new word of letters none had is an error.
            letters = "".join(words(document.body))
            grown += [(document.id, name, word) for word in added if word not in letters]
    assert not grown
