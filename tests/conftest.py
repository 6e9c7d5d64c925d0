"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what the plugins' cases give as what is expected")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name long bytes by their length: a compressed page holds the time, and parallel runs must agree on the names."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) and len(val) > 30 else None
