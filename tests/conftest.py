"""Options of the test run."""

from __future__ import annotations

import os
import tempfile

import pytest

# What test proxies learn of sites goes to a place of this run, never into the home folder.
os.environ.setdefault("CRUNCHPY_STORE", f"{tempfile.mkdtemp(prefix='crunchpy-test-')}/sites.sqlite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what the plugins' cases give as what is expected")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name long or binary bytes by their length: a compressed page holds the time, and parallel runs must agree."""
    if not isinstance(val, bytes) or (len(val) <= 30 and val.isascii() and val.decode("ascii").isprintable()):
        return None
    return f"{len(val)}-bytes"
