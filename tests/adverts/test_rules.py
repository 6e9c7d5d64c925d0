"""Splitting list texts into what the engine, the host sets and the `:has()` table match."""

from __future__ import annotations

import pytest

from crunchpy.adverts.hosts import HostSet
from crunchpy.adverts.rules import Category, FilterList, category_of, literals, split_list


def only(text: str) -> FilterList:
    [part] = split_list(text, "own")
    return part


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("||ads.example^", "hosts"),
        ("||ads.example^$third-party", "third_party_hosts"),
        ("||ads.example^$third-party,script", "network"),
        ("||ads.example/path", "network"),
        ("||ads-*.example^", "network"),
        ("||localhost^", "network"),
        ("@@||ads.example^", "exceptions"),
        ("site.example#@#.ad", "exceptions"),
        ("##.ad", "cosmetic"),
        ("site.example##.ad", "cosmetic"),
    ],
)
def test_each_rule_goes_to_the_part_that_can_match_it(rule: str, field: str) -> None:
    part = only(rule)
    assert getattr(part, field) in ([rule], ["ads.example"])
    assert part.rules_count == 1


@pytest.mark.parametrize(
    "rule",
    [
        "! a comment",
        "[Adblock Plus 2.0]",
        "",
        "##div:has(.ad)",  # would be tried on every element of every page
        "a.example#?#div:-abp-contains(Ad)",
        "a.example#$#.ad { color: red }",
        "a.example#%#window.ad = 1",
        "a.example##.ad:remove()",
        "a.example##+js(set-cookie, a, 1)",
        "a.example##.header { top: 0 }",
        "a.example##div:has(p:has-text(Ad))",
    ],
)
def test_what_we_cannot_do_safely_is_left_out(rule: str) -> None:
    assert sum(part.rules_count for part in split_list(rule, "own")) == 0


def test_has_rules_are_kept_by_named_host_with_the_hosts_they_spare() -> None:
    part = only("a.example,b.*,~shop.a.example#?#li:-abp-has(> .ad)")
    selector = ["li:has(> .ad)", "shop.a.example"]
    assert part.has == {"a.example": [selector], "b.*": [selector]}


def test_badfilter_takes_back_the_rule_that_it_repeats() -> None:
    part = only(
        "||a.example^\n||a.example^$badfilter\n||b.example/x$script\n||b.example/x$script,badfilter\n||c.example^"
    )
    assert (part.hosts, part.network) == (["c.example"], [])


def test_category_lines_start_sections() -> None:
    text = "||a.example^\n! Category: trackers\n||b.example^\n! Category: cookies\n##.c\n! Category: ads\n##.d"
    parts = {part.category: part for part in split_list(text, "own")}
    assert parts["ads"].hosts == ["a.example"]
    assert parts["ads"].cosmetic == ["##.d"]
    assert parts["trackers"].hosts == ["b.example"]
    assert parts["cookies"].cosmetic == ["##.c"]


@pytest.mark.parametrize(
    ("text", "name", "category"),
    [
        ("! Title: EasyList", "x", "ads"),
        ("! Title: EasyPrivacy", "x", "trackers"),
        ("! Title: Easylist Cookie List", "x", "cookies"),
        ("||a.example^", "fanboy-cookiemonster", "cookies"),
        ("||a.example^", "my-tracking-hosts", "trackers"),
    ],
)
def test_a_list_without_sections_is_of_the_category_its_title_says(text: str, name: str, category: Category) -> None:
    assert category_of(text, name) == category


def test_a_host_set_has_subdomains_and_nothing_that_only_looks_alike() -> None:
    hosts = HostSet.of(["ads.example", "b.co.uk"])
    again = HostSet.from_bytes(hosts.to_bytes())
    assert again.find("ads.example") == "ads.example"
    assert again.find("x.y.ads.example") == "ads.example"
    for other in ("myads.example", "ads.example.net", "example", "co.uk", "", "ads.example."):
        assert again.find(other) is None
    assert len(again) == 2


def test_a_cut_off_host_file_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        HostSet.from_bytes(HostSet.of(["ads.example"]).to_bytes()[:-1])


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        (["||example.com/tr?"], ("example.com/tr?",)),
        (["||Example.com^*/fbevents.js$script"], ("/fbevents.js",)),  # the longest, in lower case
        (["/piwik.js$script,third-party", "-banner-468x60."], ("/piwik.js", "-banner-468x60.")),
        (["$script,domain=a.com"], None),  # no text at all
        (["||a^"], None),  # too short to say much
        (["/banner[0-9]+/"], None),  # a regular expression
        (["||bücher.example/ad.js"], None),
        (["/piwik.js", "*$image,domain=a.com"], None),  # one such rule, and every address has to be asked about
        ([], ()),
    ],
)
def test_what_an_address_must_hold(rules: list[str], found: tuple[str, ...] | None) -> None:
    assert literals(rules) == found
