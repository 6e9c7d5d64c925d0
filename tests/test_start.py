"""A start that cannot succeed says which option, place and value is wrong and what may stand; several starts get on."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from mitmproxy.proxy.mode_specs import ProxyMode
from typer.testing import CliRunner

from crunchpy import cli
from crunchpy.guard import GuardError
from crunchpy.serve import ServeOptions, serve
from crunchpy.start_checks import check_listening, check_settings, prepare_confdir
from tests.faults import make_overlay, page, without_navigation
from tests.origin import answer, running_origin
from tests.proxy import ROOT, running_proxy, shared_confdir

CA_KEY = "mitmproxy-ca.pem"
KNOWN = ("crunchpy_hold_seconds", "ignore_hosts", "ssl_verify_upstream_trusted_ca", "proxyauth")

# mitmproxy's login by LDAP uses old names of its ASN.1 library.
pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated. Please use:DeprecationWarning")


def refusal(capsys: pytest.CaptureFixture[str], tmp_path: Path, **options: Any) -> str:
    """What is printed by a start that must not succeed."""
    options.setdefault("listen", "127.0.0.1:0")
    options.setdefault("confdir", tmp_path / "conf")
    assert serve(ServeOptions(**options)) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("The proxy did not start.\n")
    assert "Traceback" not in printed
    return printed


# Options ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        ("crunchpy_hold_secons=1", "--set crunchpy_hold_secons: there is no such option; did you mean crunchpy_hold_"),
        ("zzz", "--set zzz: there is no such option; docs/proxy.md"),
        ("ignore_hosts=(", "--set ignore_hosts=(: is no regular expression: missing )"),
        ("ssl_verify_upstream_trusted_ca=/no/such", "--set ssl_verify_upstream_trusted_ca=/no/such: there is no such"),
    ],
)
def test_a_wrong_option_is_named_with_its_value(specification: str, said: str) -> None:
    with pytest.raises(GuardError) as raised:
        check_settings(["crunchpy_hold_seconds=1", specification], KNOWN)
    assert str(raised.value).startswith(said)
    assert "hold_seconds=1" not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("crunchpy_hold_seconds=-5",), "crunchpy_hold_seconds is -5; it must be 0 or more"),
        (("crunchpy_page_seconds=0",), "crunchpy_page_seconds is 0; it must be 1 or more"),
        (("crunchpy_hold_seconds",), "--set crunchpy_hold_seconds: has no value; write crunchpy_hold_seconds=VALUE"),
        (("crunchpy_hold_seconds=abc",), "crunchpy_hold_seconds: not an integer: abc"),
        (("proxyauth=secret",), "--set proxyauth: write NAME:PASSWORD, or @FILE"),
        (("no_such=1", "ignore_hosts=["), "--set no_such: there is no such option"),
        (("mode=socks5",), "--set mode=socks5: is said with --mode MODE"),
        (("listen_port=abc",), "--set listen_port=abc: is said with --listen HOST:PORT"),
    ],
)
def test_a_start_with_a_wrong_option_says_what_may_stand(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    printed = refusal(capsys, tmp_path, set_options=options)
    assert said in printed
    assert "secret" not in printed


def test_two_words_for_the_same_are_refused() -> None:
    given = ["serve", "--mode", "socks5", "--upstream", "http://127.0.0.1:3128"]
    result = CliRunner().invoke(cli.application("serve"), given)
    assert result.exit_code == 2
    assert "is short for --mode upstream:http://127.0.0.1:3128" in result.stderr.replace("\n", " ")


def test_a_list_of_hosts_that_is_no_text_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay")
    (folder / "never_decrypt.txt").write_bytes(b"\xff\xfe")
    assert f"{folder}/never_decrypt.txt: cannot be read as text" in refusal(capsys, tmp_path, overlay=(folder,))
    result = CliRunner().invoke(cli.application("check"), ["check", "--overlay", str(folder)])
    assert result.exit_code == 1
    assert f"{folder}/never_decrypt.txt: cannot be read as text" in result.stderr


# Places to listen ---------------------------------------------------------------------------------------------------


def modes(*specifications: str) -> list[ProxyMode]:
    return [ProxyMode.parse(each) for each in specifications]


@pytest.mark.parametrize(
    ("mode", "host", "said"),
    [
        ("regular", "192.0.2.1", "--listen: cannot listen on 192.0.2.1, port 8080: this machine has no such address"),
        ("regular", "no-such-host.invalid", "--listen: cannot listen on no-such-host.invalid, port 8080: no address"),
        ("socks5@192.0.2.1:1080", "127.0.0.1", "--mode socks5@192.0.2.1:1080: cannot listen on 192.0.2.1, port 1080:"),
    ],
)
def test_a_place_where_nobody_can_listen_is_named_with_the_reason(mode: str, host: str, said: str) -> None:
    with pytest.raises(GuardError) as raised:
        check_listening(modes(mode), host, 8080)
    assert str(raised.value).startswith(said)


def test_two_modes_at_one_place_are_named() -> None:
    with pytest.raises(GuardError, match=r"--mode regular and socks5: both listen on 127\.0\.0\.1, port 8"):
        check_listening(modes("regular", "socks5"), "127.0.0.1", 8)
    check_listening(modes("regular", "socks5"), "127.0.0.1", 0)


def test_a_port_in_use_is_named_at_once_and_its_owner_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with running_proxy() as proxy:
        printed = refusal(capsys, Path(), listen=f"127.0.0.1:{proxy.port}", confdir=shared_confdir())
        assert f"--listen: cannot listen on 127.0.0.1, port {proxy.port}: another program listens there" in printed
        with httpx.Client(proxy=proxy.url) as client:
            assert client.get("http://mitm.it/").status_code == 200


def test_a_port_is_free_again_right_after_its_proxy_has_ended() -> None:
    with running_proxy() as proxy, httpx.Client(proxy=proxy.url) as client:
        client.get("http://mitm.it/")
        proxy.stop()
        check_listening(modes("regular"), "127.0.0.1", proxy.port)


# The folder with the key --------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_made_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    printed = refusal(capsys, tmp_path, confdir=tmp_path / "file" / "conf")
    assert f"--confdir {tmp_path}/file/conf: {tmp_path}/file/conf cannot be used: Not a directory" in printed


@pytest.mark.parametrize("content", [b"", b"no key", "broken"])
def test_a_broken_key_is_named_and_kept(
    content: bytes | str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A key that devices trust is never replaced without a word."""
    key = tmp_path / "conf" / CA_KEY
    if content == "broken":
        prepare_confdir(key.parent, CA_KEY)
        content = key.read_bytes()[:-300]
    assert isinstance(content, bytes)
    key.parent.mkdir(exist_ok=True)
    key.write_bytes(content)
    printed = refusal(capsys, tmp_path)
    assert f"{key} holds no key and certificate that can be used. Move it away" in printed
    assert key.read_bytes() == content


def test_many_starts_in_one_new_folder_make_one_key(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from crunchpy.start_checks import prepare_confdir\n"
        f"print('ready', flush=True); sys.stdin.read(); prepare_confdir(Path({str(tmp_path / 'new')!r}), {CA_KEY!r})\n"
        f"print(Path({str(tmp_path / 'new' / CA_KEY)!r}).read_text())"
    )
    with contextlib.ExitStack() as stack:
        starts = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
                )
            )
            for _ in range(4)
        ]
        for start in starts:
            assert start.stdout
            assert start.stdout.readline() == "ready\n"
        with ThreadPoolExecutor(len(starts)) as threads:
            keys = {out for out, _ in threads.map(lambda start: start.communicate(), starts)}
    assert len(keys) == 1
    assert "PRIVATE KEY" in keys.pop()


def test_a_folder_that_nobody_may_write_to_serves_with_the_key_in_it(
    tmp_path: Path,
) -> None:
    prepare_confdir(tmp_path, CA_KEY)
    (tmp_path / ".lock").unlink()
    (tmp_path / ".lock").mkdir()  # what cannot be opened for writing, even by root
    prepare_confdir(tmp_path, CA_KEY)
    (tmp_path / CA_KEY).unlink()
    with pytest.raises(GuardError, match=r"\.lock cannot be used: Is a directory"):
        prepare_confdir(tmp_path, CA_KEY)


def test_two_proxies_share_a_folder_and_what_they_learn(tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay")
    body = page("Hello")
    shutil.copytree(shared_confdir(), tmp_path / "conf", dirs_exist_ok=True)
    with (
        running_origin({"/": answer(body)}) as origin,
        running_proxy(overlays=[folder], confdir=tmp_path / "conf") as first,
        running_proxy(overlays=[folder], confdir=tmp_path / "conf") as second,
    ):
        assert first.port != second.port
        for proxy in (first, second, first):
            with httpx.Client(proxy=proxy.url) as client:
                assert client.get(origin.url()).content == without_navigation(body)
            assert "WARNING" not in proxy.log()
