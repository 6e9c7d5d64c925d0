"""Verdicts on requests of real pages agree with those that were recorded with the same public lists."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crunchpy.adverts import Blocklist
from crunchpy.adverts.blocklist import EMBEDDED, host_of
from crunchpy.adverts.compiled import Source, compile_lists
from tests.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crunchpy.adverts.rules import Category

# The names that the recordings use for kinds of request.
KINDS = {"xhr": "xmlhttprequest", "fetch": "xmlhttprequest", "main_frame": "document"}
MIN_AGREEMENT_RATIO = 0.99

pytestmark = needs_shared


def records(name: str) -> Iterator[dict[str, Any]]:
    assert SHARED is not None
    with (SHARED / "ads" / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.fixture(scope="module")
def public_lists(tmp_path_factory: pytest.TempPathFactory) -> Blocklist:
    assert SHARED is not None
    paths: list[Path] = [SHARED / "ads" / f"{name}.txt" for name in ("easylist", "easyprivacy")]
    return Blocklist.load(paths, keep_in=tmp_path_factory.mktemp("lists"), cosmetic=False)


@pytest.mark.parametrize(
    ("categories", "recorded"),
    [(("ads",), "easylist"), (("ads", "trackers"), "easylist_easyprivacy")],
)
def test_requests_of_real_pages(public_lists: Blocklist, categories: tuple[Category, ...], recorded: str) -> None:
    # Every second: the whole set takes 3 s longer and gives the same ratio (docs/adverts.md).
    sample = list(records("page-requests.jsonl"))[::2]
    agreed = blocked = 0
    for each in sample:
        match = public_lists.blocks(each["url"], page_url=each["source"], kind=each["type"], categories=categories)
        agreed += (match is not None) == each[recorded]
        blocked += match is not None
    assert agreed / len(sample) >= MIN_AGREEMENT_RATIO
    assert blocked > 100


def test_each_rule_of_the_matching_set_alone() -> None:
    agreed = total = 0
    for each in records("brave-matching.jsonl"):
        host = host_of(each["url"])
        # A few recorded addresses end after the scheme. They are no addresses, and are let through.
        for rule in each["filters"] if host else ():
            is_exception = rule.startswith("@@")
            rules = f"||{host}^\n{rule}" if is_exception else rule
            lists = Blocklist(compile_lists([Source("own", rules)], cosmetic=False))
            kind = KINDS.get(each["type"], each["type"])
            agreed += (lists.blocks(each["url"], page_url=each["source"], kind=kind) is None) == is_exception
            total += 1
    assert total > 9000
    assert agreed / total >= MIN_AGREEMENT_RATIO


def test_addresses_that_were_blocked_by_mistake_once(public_lists: Blocklist) -> None:
    assert SHARED is not None
    with (SHARED / "ads" / "brave-regressions.tsv").open(encoding="utf-8") as file:
        for each in csv.DictReader(file, delimiter="\t"):
            kind = KINDS.get(each["type"], each["type"])
            match = public_lists.blocks(each["url"], page_url=each["sourceUrl"], kind=kind)
            assert (match is not None) == (each["blocked"] == "true"), each["url"]


def test_looking_for_literals_first_changes_no_verdict() -> None:
    compiled = compile_lists([Source.read(EMBEDDED)], cosmetic=False)
    first, always = Blocklist(compiled), Blocklist([replace(each, literals=None) for each in compiled])
    assert all(each.literals is not None for each in compiled)
    blocked = 0
    for each in records("page-requests.jsonl"):
        matches = [lists.blocks(each["url"], page_url=each["source"], kind=each["type"]) for lists in (first, always)]
        assert matches[0] == matches[1], each["url"]
        blocked += matches[0] is not None
    assert blocked > 100
