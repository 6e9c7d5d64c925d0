"""Debian's Chromium for tests: which one, how it is started, whom it trusts."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next((path for name in NAMES if (path := shutil.which(name))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (make browser installs it)")

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextlib.contextmanager
def running_chromium(*trusted: Path) -> Iterator[Browser]:
    """A browser that trusts these CAs beside the usual ones, and no other unknown one."""
    keys = ",".join(key_digest(path) for path in trusted)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, f"--ignore-certificate-errors-spki-list={keys}"]
        )
        try:
            yield browser
        finally:
            browser.close()


def key_digest(certificate: Path) -> str:
    """What Chromium knows a CA's key by: SHA-256 of its public key, in base64."""
    key = x509.load_pem_x509_certificate(certificate.read_bytes()).public_key()
    return base64.b64encode(
        hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    ).decode()
