"""The compiled loops over the tags give what the loops in Python give, on real pages and on pieces put at random."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crunchpy import attributes, scanner, tag_loop, text_loop
from crunchpy.loops import IS_COMPILED
from crunchpy.source import Source, TooMuchError
from tests.shared import documents, needs_shared

compiled = pytest.mark.skipif(not IS_COMPILED, reason="the loops are not compiled here: no C compiler at installation")

_attributes = pytest.importorskip("crunchpy._attributes") if IS_COMPILED else attributes
_tag_loop = pytest.importorskip("crunchpy._tag_loop") if IS_COMPILED else tag_loop
_text_loop = pytest.importorskip("crunchpy._text_loop") if IS_COMPILED else text_loop

# What the rules of the tokeniser tell apart; put together in any order.
PIECES = (
    b"<", b">", b"/", b"=", b'"', b"'", b" ", b"\n", b"\0", b"</", b"<!", b"<!--", b"-->", b"<?", b"a", b"x", b"\xe4",
    b"<p ", b"<p>", b"</p>", b"<a href=", b"<br/>", b"<li>", b"<td>", b"<table>", b"<svg>", b"<title>", b"<script>",
    b"</script>", b"<p class=", b"<b class=", b"navBar nav-bar", b"two words", b"&nbsp;", b"|", b"&amp;", b"Class",
)  # fmt: skip


# The first and the last of each length, what is too long, half of a pair, beyond Unicode, cut off.
UTF8_EDGES = tuple(
    bytes.fromhex(edge)
    for edge in (
        "7f 80 c1bf c280 dfbf e09fbf e0a080 ed9fbf eda080 ee8080 f08fbfbf f0908080 f48fbfbf f4908080 f5 e282".split()
    )
)


class Element:
    """What stands for an element: it is asked where a value is not in plain letters."""

    def get(self, name: str, _default: str) -> str:
        return f"the tree's {name}"


def _scanned(body: bytes, loops: object, patch: pytest.MonkeyPatch) -> Source | str:
    patch.setattr(scanner, "scan_tags", loops.scan_tags)  # type: ignore[attr-defined]
    try:
        return scanner.scan_html(body)
    except TooMuchError as limit:
        return limit.reason


def _agree(body: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        ours, theirs = (_scanned(body, loops, patch) for loops in (tag_loop, _tag_loop))
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    assert astuple(ours) == astuple(theirs)
    tags = ours.body, ours.low, ours.names, ours.starts, ours.start_ends
    in_python, in_c = attributes.Attributes(*tags), _attributes.Attributes(*tags)
    for name in (*in_python.names(), b"not-there"):
        assert in_python.of(name) == in_c.of(name), name
        assert in_python.ordinals(name) == in_c.ordinals(name) == [ordinal for ordinal, _ in in_c.of(name)]
    tags = [name.decode("latin-1") for name in ours.names]
    for others in (tags, tags[1:], ["x", *tags[1:]]):
        assert tag_loop.same_names(ours.names, others) == _tag_loop.same_names(ours.names, others)
    assert tag_loop.index_tags(ours.names) == _tag_loop.index_tags(ours.names)
    ranges = [(start, end) for start, end in zip(ours.starts, ours.ends, strict=False)][:: max(1, len(ours.names) // 9)]
    outer = [r for n, r in enumerate(ranges) if n == 0 or r[0] >= max(end for _, end in ranges[:n])]
    texts = ours.body, "utf-8", ours.gaps, outer[::2], outer[1::2]
    sums, compiled_sums = text_loop.TextCounts(*texts), _text_loop.TextCounts(*texts)
    for cuts in ([], outer[1::4], outer[::3]):
        sums.cut(cuts)
        compiled_sums.cut(cuts)
        for place in (*ours.starts[:: max(1, len(ours.starts) // 50)], 0, 1):
            assert sums.between(place, 10**9) == compiled_sums.between(place, 10**9)
            assert sums.between(0, place) == compiled_sums.between(0, place)
    elements = [Element() for _ in ours.names]
    groups = in_python.by_value(b"class", elements)
    assert _in_order(groups) == _in_order(in_c.by_value(b"class", elements))
    assert in_python.of(b"class", elements) == in_c.of(b"class", elements)
    names: dict[str, list[list[int]]] = {}
    compiled_names: dict[str, list[list[int]]] = {}
    text_loop.index_names(groups, ours.names, frozenset((b"p",)), names)
    _text_loop.index_names(groups, ours.names, frozenset((b"p",)), compiled_names)
    assert names.keys() == compiled_names.keys()
    assert all(_flat(names[name]) == _flat(compiled_names[name]) for name in names)


def _flat(groups: list[list[int]]) -> set[int]:
    return {ordinal for group in groups for ordinal in group}


def _in_order(found: dict[str, list[int]]) -> dict[str, list[int]]:
    return {name: sorted(set(ordinals)) for name, ordinals in found.items()}


@compiled
@given(st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join))
def test_random_pieces(body: bytes) -> None:
    _agree(body)


@compiled
@needs_shared
@pytest.mark.slow
def test_real_pages() -> None:
    for document in documents("wcxb", every=20):
        _agree(document.body)


@pytest.mark.parametrize(
    ("tag", "name", "value"),
    [
        (b"<a href=/x/>", b"href", "/x/"),
        (b"<a\nhref = 'x y'>", b"href", "x y"),
        (b'<a href="x>y">', b"href", "x>y"),
        (b"<a HREF=X>", b"href", "X"),  # names in lower case, values as they are
        (b"<a hidden>", b"hidden", ""),
        (b"<a hidden/>", b"hidden", ""),
        (b"<a class=>", b"class", ""),
        (b"<a class=one class=two>", b"class", "one"),  # of equal names the first counts
        (b"<a a=1/b=2>", b"a", "1/b=2"),
        (b"<a title=it's>", b"title", "it's"),
        (b'<a x="1"y=2>', b"y", "2"),
        (b"<a href=a&amp;b>", b"href", None),  # the tree has what it means
        (b"<a title=\xc3\xa4>", b"title", None),
    ],
)
def test_an_attribute(tag: bytes, name: bytes, value: str | None) -> None:
    for module in (attributes, _attributes):
        with pytest.MonkeyPatch.context() as patch:
            source = _scanned(tag, tag_loop, patch)
        assert isinstance(source, Source)
        tags = source.body, source.low, source.names, source.starts, source.start_ends
        assert module.Attributes(*tags).of(name) == [(0, value)]


@given(st.binary(max_size=100))
def test_lower(text: bytes) -> None:
    assert _text_loop.lower(text) == text.lower()


@given(st.one_of(st.text().map(str.encode), st.binary(), st.lists(st.sampled_from(UTF8_EDGES)).map(b"".join)))
def test_is_utf8(text: bytes) -> None:
    assert _text_loop.is_utf8(text) == text_loop.is_utf8(text)


@given(st.text(alphabet=st.sampled_from("ab \t\x1c\x85\xa0\xe9\u0e01\u2003\u2019\u205f\u2028\u3000\u4e00\U0001f600|")))
def test_words(text: str) -> None:
    body = text.encode()
    sums = [module.TextCounts(body, "utf-8", [0, len(body)], [], []) for module in (text_loop, _text_loop)]
    assert sums[0].between(0, 1000) == sums[1].between(0, 1000)


def test_an_attribute_that_no_tag_has() -> None:
    source = scanner.scan_html(b"<p class=x>title=y</p title=z>")
    assert source.attributes.of(b"title") == []
