"""`crunchpy serve`: what it says, what it refuses, what it leaves behind, and that it changes when files change."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mitmproxy.http import HTTPFlow
from mitmproxy.io import FlowReader

from crunchpy.serve import ServeOptions, serve
from tests.faults import make_overlay, page, without_navigation
from tests.origin import answer, running_origin
from tests.proxy import ROOT, Proxy, running_proxy, serve_command, shared_confdir

STATUS_REFUSED = 1

# mitmproxy's login by LDAP uses old names of its ASN.1 library.
pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated. Please use:DeprecationWarning")


def refusal(capsys: pytest.CaptureFixture[str], tmp_path: Path, **options: Any) -> str:
    """What is printed by a start that must not succeed."""
    options.setdefault("listen", "127.0.0.1:0")
    assert serve(ServeOptions(confdir=tmp_path / "conf", **options)) == STATUS_REFUSED
    return capsys.readouterr().err


def children_of(pid: int) -> list[int]:
    """All processes below one, at any depth."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in listing.splitlines())}
    found = [child for child, parent in parents.items() if parent == pid]
    return [*found, *(below for child in found for below in children_of(child))]


def wait_until_gone(pids: list[int], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


def test_the_start_says_where_to_point_a_device_and_what_happens_to_pages(tmp_path: Path) -> None:
    with running_proxy(overlays=[make_overlay(tmp_path / "overlay")]) as proxy:
        lines = proxy.log().splitlines()
        assert lines[0] == f"Point your browser or device at the proxy: host 127.0.0.1, port {proxy.port}."
        assert str(proxy.ca_file) in lines[1]
        assert "http://mitm.it" in lines[2]
        assert "Settings default: faulty." in lines
        assert not [line for line in lines if any(ord(letter) > 127 for letter in line)], "plain letters, no drawing"
        assert proxy.ca_file.is_file()
        with httpx.Client(proxy=proxy.url) as client:
            assert b"BEGIN CERTIFICATE" in client.get("http://mitm.it/cert/pem").content


def test_the_key_is_new_for_each_installation_and_for_nobody_else_to_read(tmp_path: Path) -> None:
    keys = []
    for name in ("one", "two"):
        with running_proxy(confdir=tmp_path / name):
            key = tmp_path / name / "mitmproxy-ca.pem"
            assert stat.S_IMODE(key.stat().st_mode) == 0o600
            keys.append(key.read_bytes())
    assert keys[0] != keys[1]
    shutil.copytree(tmp_path / "one", tmp_path / "copied")
    (tmp_path / "copied" / "mitmproxy-ca.pem").chmod(0o644)
    with running_proxy(confdir=tmp_path / "copied") as proxy:
        assert stat.S_IMODE((tmp_path / "copied" / "mitmproxy-ca.pem").stat().st_mode) == 0o600
        assert "could be read by others" in proxy.log()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"listen": "0.0.0.0:0"}, "Add --allow with the network of your devices"),
        ({"listen": ":0"}, "Listening on every interface"),
        ({"mode": ("regular@0.0.0.0:0",)}, "Listening on 0.0.0.0"),
        (
            {"listen": "0.0.0.0:0", "allow": ("10.0.0.0/8",), "set_options": ("ssl_insecure=true",)},
            "ssl_insecure accepts any certificate",
        ),
        ({"set_options": ("emudhra=true",)}, "a key that anybody can download"),
        ({"allow": ("office",)}, "--allow: 'office' is not a network"),
        ({"set_options": ("no_such_option=1",)}, "no_such_option"),
        ({"listen": "8080"}, "write HOST:PORT"),
        ({"mode": ("sideways",)}, "sideways"),
    ],
)
def test_a_start_that_would_be_unsafe_or_is_wrong_says_why(
    options: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert message in refusal(capsys, tmp_path, **options)


def test_a_bad_overlay_stops_the_start_with_every_problem(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay", settings="genre: default\nchain: [no_such_plugin]\n")
    (folder / "never_decrypt.txt").write_text("not a host\n", encoding="utf-8")
    assert "never_decrypt.txt, line 1" in refusal(capsys, tmp_path, overlay=(folder,))
    (folder / "never_decrypt.txt").unlink()
    assert "no_such_plugin" in refusal(capsys, tmp_path, overlay=(folder,))
    folder.chmod(0o777)
    assert "everybody may write to it" in refusal(capsys, tmp_path, overlay=(folder,))


def test_the_command_line_reports_a_refusal_plainly() -> None:
    command = serve_command(listen="0.0.0.0:0", arguments=["--confdir", str(shared_confdir())])
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False
    )
    assert done.returncode == STATUS_REFUSED
    assert done.stdout.startswith("The proxy did not start.\nListening on 0.0.0.0")
    assert "Traceback" not in done.stdout


def test_other_addresses_are_allowed_with_a_lock() -> None:
    with running_proxy(arguments=["--listen", "0.0.0.0:0", "--set", "proxyauth=reader:secret"]) as proxy:
        with httpx.Client(proxy=proxy.url) as client:
            assert client.get("http://mitm.it/").status_code == 407
        with httpx.Client(proxy=f"http://reader:secret@127.0.0.1:{proxy.port}") as client:
            assert client.get("http://mitm.it/").status_code == 200
        assert "secret" not in proxy.log()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_end_leaves_no_process_behind(number: signal.Signals) -> None:
    with running_proxy(workers=2) as proxy:
        below = children_of(proxy.process.pid)
        assert len(below) >= 3
        proxy.process.send_signal(number)
        assert proxy.process.wait(10) == 0
        wait_until_gone(below)
        assert "Traceback" not in proxy.log()


def test_changed_files_take_effect_at_once_or_are_refused_whole(tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay")
    body = page("Hello")
    plugin, settings = folder / "plugins" / "faulty.py", folder / "settings" / "default.yaml"
    source, chain = plugin.read_text(encoding="utf-8"), settings.read_text(encoding="utf-8")
    with (
        running_origin({"/": answer(body)}) as origin,
        running_proxy(overlays=[folder]) as proxy,
        httpx.Client(proxy=proxy.url) as client,
    ):
        assert client.get(origin.url()).content == without_navigation(body)
        settings.write_text(chain.replace("faulty", "no_such_plugin"), encoding="utf-8")
        log = proxy.wait_for_log("reload refused")
        assert "no_such_plugin" in log
        assert "stays in force" in log
        assert client.get(origin.url()).content == without_navigation(body)
        settings.write_text(chain, encoding="utf-8")
        proxy.wait_for_log(r"reload complete.*default\.yaml")
        plugin.write_text(source.replace('"nav"', '"h6"'), encoding="utf-8")
        proxy.wait_for_log(r"reload complete.*faulty\.py")
        assert client.get(origin.url()).content == body


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running_mitmdump(folder: Path) -> Iterator[Proxy]:
    """The same addon under mitmproxy's own command."""
    command = [
        Path(sys.executable).with_name("mitmdump"),
        "-s",
        ROOT / "crunchpy" / "addon.py",
        "--listen-host",
        "127.0.0.1",
    ]
    options = {"confdir": shared_confdir(), "crunchpy_overlay": folder, "crunchpy_allow_upstream": "127.0.0.0/8"}
    port = free_port()
    command += ["-p", str(port), *(part for name, value in options.items() for part in ("--set", f"{name}={value}"))]
    log_path = folder / "log"
    with log_path.open("wb") as sink:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, env=environment)
    try:
        yield Proxy(process, port, shared_confdir(), log_path)
    finally:
        process.terminate()
        process.wait(10)


def test_the_addon_runs_under_mitmdump_too(tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay")
    body = page("Hello")
    with running_origin({"/": answer(body)}) as origin, running_mitmdump(folder) as proxy:
        proxy.wait_for_log("proxy listening at", seconds=30)
        proxy.wait_for_log("ready", seconds=30)
        with httpx.Client(proxy=proxy.url) as client:
            assert client.get(origin.url("/?token=secret")).content == without_navigation(body)
        below = children_of(proxy.process.pid)
        proxy.stop()
        assert "secret" not in proxy.log()
        assert below
        wait_until_gone(below)


def test_flows_can_be_saved_by_the_option_of_mitmproxy(tmp_path: Path) -> None:
    saved, body = tmp_path / "flows", page("Hello")
    overlays = [make_overlay(tmp_path / "overlay")]
    with (
        running_origin({"/": answer(body)}) as origin,
        running_proxy(overlays=overlays, options={"save_stream_file": str(saved)}) as proxy,
    ):
        with httpx.Client(proxy=proxy.url) as client:
            sent = client.get(origin.url("/")).content
        proxy.stop()
        assert "unserializable" not in proxy.log()
    with saved.open("rb") as file:
        (flow,) = FlowReader(file).stream()
    assert isinstance(flow, HTTPFlow)
    assert flow.response is not None
    assert flow.response.content == body  # as the origin sent it
    assert sent == without_navigation(body)


def test_mitmdump_on_every_interface_is_refused() -> None:
    command = [Path(sys.executable).with_name("mitmdump"), "-s", ROOT / "crunchpy" / "addon.py", "-p", str(free_port())]
    done = subprocess.run(
        [*command, "--set", f"confdir={shared_confdir()}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode != 0
    assert "lets anybody on the network use this proxy" in done.stdout
