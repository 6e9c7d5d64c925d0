"""Content Code Blurring by characters: the vector, and which words its ratios select.

Source: Gottron, 2008, "Content Code Blurring"; ACCB, which leaves link tags out, by Arias Moreno et al., 2009.
"""

from __future__ import annotations

import numpy as np

from crunchpy.extraction.blurring import Blur, ratios
from crunchpy.extraction.characters import Array
from crunchpy.extraction.markup import Markup, shifted


def character_based(source: Markup, blur: Blur, min_ratio: float, *, skip: Array | None = None) -> Array:
    """For each character whether it is content.

    A word is if at least half of its letters are. White space in a row counts as one character.

    Args:
        source: the source.
        blur: how to blur.
        min_ratio: content code ratio, 0..1, from which on a character is content.
        skip: characters that are left out of the vector altogether.
    """
    counts = np.ones(len(source.codes), bool) if skip is None else ~skip
    places = np.flatnonzero(counts)
    blank = source.is_blank[places]
    places = places[~(blank & shifted(blank))]
    content = source.is_text[places]
    kept = np.zeros(len(source.codes), bool)
    kept[places] = content & (ratios(content, blur) >= min_ratio)
    return whole_words(source, kept)


def whole_words(source: Markup, kept: Array) -> Array:
    """Turn kept characters into kept words: those of whose letters at least half are kept."""
    letters = source.is_content
    word = np.cumsum(source.begins_word) - 1
    sizes = np.bincount(word[letters], minlength=1)
    taken = np.bincount(word[letters & kept], minlength=len(sizes))
    chosen = (2 * taken >= sizes) & (sizes > 0)
    selected = np.zeros(len(kept), bool)
    selected[letters] = chosen[word[letters]]
    return selected
