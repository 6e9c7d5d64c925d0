"""AdDANAg's way of making links weigh nothing.

Source: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, 2012, "The Impact of Source Code Normalization on Main
Content Extraction", section 3: the attributes of each `<a ...>` become a placeholder, so that the tag is as long as
the link's text.
"""

from __future__ import annotations

import numpy as np

from crunchpy.extraction.characters import Array
from crunchpy.extraction.markup import Markup
from crunchpy.page import Page

# `<a ` and ` >`: what stays of a tag beside the placeholder.
_FIXED = 5
_BARE = 3  # `<a>`
_BLANK, _FILLER = 0x20, 0x5F


def normalised(page: Page, source: Markup) -> tuple[Markup, Array]:
    """The source with rebuilt link tags, and for each of its characters the place in the source as it was."""
    firsts, lengths, texts = _links(page, source)
    if not len(firsts):
        return source, np.arange(len(source.codes))
    wanted = np.where(texts > _FIXED, texts, _BARE)
    repeats = np.ones(len(source.codes), np.int64)
    tag = np.repeat(np.arange(len(firsts)), lengths)
    place = _steps(lengths)
    inside = np.repeat(firsts, lengths) + place
    repeats[inside] = place < wanted[tag]
    repeats[firsts + np.minimum(lengths, wanted) - 1] += np.maximum(0, wanted - lengths)
    places = np.repeat(np.arange(len(source.codes)), repeats)
    made = _made(source, places)
    new_firsts = np.concatenate(([0], np.cumsum(repeats)))[firsts]
    _rewrite(made, new_firsts, wanted)
    return made, places


def _links(page: Page, source: Markup) -> tuple[Array, Array, Array]:
    """Of each link tag: the first character, its length, and the letters of the link's text."""
    tags = page.source
    links = [n for n, name in enumerate(tags.names) if name == b"a"]
    spans = [[tags.starts[n], tags.start_ends[n], max(tags.start_ends[n], tags.content_ends[n])] for n in links]
    bounds = np.searchsorted(source.offsets, np.array(spans, np.int64).reshape(-1, 3))
    bounds = bounds[bounds[:, 0] < bounds[:, 1]]  # some are not in the cleaned source
    letters = np.concatenate(([0], np.cumsum(source.is_content)))
    return bounds[:, 0], bounds[:, 1] - bounds[:, 0], letters[bounds[:, 2]] - letters[bounds[:, 1]]


def _steps(lengths: Array) -> Array:
    """0, 1, 2 ... anew for each length."""
    ends = np.cumsum(lengths)
    steps: Array = np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)
    return steps


def _made(source: Markup, places: Array) -> Markup:
    begins = source.begins_tag[places] & np.concatenate(([True], places[1:] != places[:-1]))
    return Markup(
        codes=source.codes[places], offsets=source.offsets[places], is_text=source.is_text[places],
        begins_tag=begins, tag=source.tag[places], names=source.names, size=source.size,
    )  # fmt: skip


def _rewrite(made: Markup, firsts: Array, lengths: Array) -> None:
    """Write `<a ____ >`: its blanks are no code that counts, everything else is."""
    place = _steps(lengths)
    at = np.repeat(firsts, lengths) + place
    last = np.repeat(lengths, lengths) - 1
    is_long = last + 1 > _FIXED
    made.codes[at] = np.where(is_long & ((place == 2) | (place == last - 1)), _BLANK, _FILLER)
