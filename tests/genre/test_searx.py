"""The SearXNG source against a real metasearch server: Debian's package searx, with one local engine behind it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crunchpy.genre.snippets import SearxngSource, Snippet, SourceFault
from tests.genre.search_server import SearchServer, http, search_server

SEARX = shutil.which("searx-run", path="/usr/bin")
pytestmark = pytest.mark.skipif(SEARX is None, reason="Debian's package searx is not installed: apt-get install searx")

FOUND = {"hits": [{"title": "Goal!", "url": "https://example.com/a", "content": "A club and its league"}]}
# Everything that Debian's package asks for: it ships without the defaults that `use_default_settings` would read.
# It always answers in JSON; the 403 of newer servers is in test_snippets.py.
SETTINGS = """
general: {{debug: false, instance_name: test, contact_url: false, enable_stats: false}}
brand: {{git_url: "", git_branch: "", issue_url: "", docs_url: "", public_instances: "", wiki_url: "", twitter_url: ""}}
search: {{safe_search: 0, autocomplete: "", default_lang: "", ban_time_on_fail: 0,
  max_ban_time_on_fail: 0, prefer_configured_language: false}}
server: {{port: {port}, bind_address: "127.0.0.1", secret_key: "only for this test", base_url: false,
  image_proxy: false, http_protocol_version: "1.0", method: GET, default_http_headers: {{}}}}
ui: {{static_path: /usr/share/python3-searx/static, templates_path: /usr/share/python3-searx/templates,
  default_theme: oscar, default_locale: "", theme_args: {{oscar_style: logicodev}},
  autofocus: false, archive_today: false}}
outgoing: {{request_timeout: 2.0, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10, enable_http2: false}}
checker: {{off_when_debug: true}}
locales: {{en: English}}
doi_resolvers: {{oadoi.org: "https://oadoi.org/"}}
default_doi_resolver: oadoi.org
engines:
  - name: local
    engine: json_engine
    shortcut: l
    categories: general
    search_url: {engine}/?q={{query}}
    results_query: hits
    url_query: url
    title_query: title
    content_query: content
    enable_http: true
    disabled: false
"""


@contextmanager
def searx(folder: Path, engine: SearchServer) -> Iterator[SearxngSource]:
    """A running server; skipped with its last words where it does not come up."""
    assert SEARX is not None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "settings.yml").write_text(SETTINGS.format(port=port, engine=engine.url), "utf-8")
    environment = {"SEARX_SETTINGS_PATH": str(folder / "settings.yml"), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([SEARX], env=environment, cwd=folder, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 25
        while not _answers(port):
            if server.poll() is not None or time.monotonic() > deadline:
                pytest.skip(f"searx does not start here: {(folder / 'log').read_text('utf-8', 'replace')[-300:]}")
            time.sleep(0.2)
        yield SearxngSource(f"http://127.0.0.1:{port}", timeout_s=8, max_results=10, max_a_day=10)
    finally:
        server.terminate()
        server.wait(10)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def test_results_of_a_real_server(tmp_path: Path) -> None:
    with search_server() as engine, searx(tmp_path, engine) as source:
        engine.answer = http("200 OK", json.dumps(FOUND).encode())
        assert source.ask("example.com") == [Snippet("Goal!", "A club and its league", "https://example.com/a")]
        assert engine.requests[-1].startswith("GET /?q=example.com ")
        engine.answer = http("500 Oops", b"")
        with pytest.raises(SourceFault, match="no engine behind it answered"):
            source.ask("example.org")
