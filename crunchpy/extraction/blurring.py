"""Gaussian blurring, and content code ratios by repeating it.

Source: Gottron, 2008, "Content Code Blurring: A New Approach to Content Extraction"; its two parameters are the range
and the threshold. When to stop is not printed anywhere that could be read: see `ratios`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crunchpy.extraction.characters import Array


class Blur(NamedTuple):
    """How to blur: `reach` entries to each side with a standard deviation of `sigma` entries; when to stop."""

    reach: int
    sigma: float
    max_passes: int = 10
    stop_change: float = 0.05


def gauss(values: Array, reach: int, sigma: float) -> Array:
    """Blur values with Gaussian weights; at the edges only the entries that exist count."""
    if not len(values):
        return values.astype(float)
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    ones = np.ones(min(len(values), 2 * reach + 1))
    total = np.full(len(values), weights.sum())
    inner = len(values) - len(ones)
    edges = np.convolve(ones, weights)[reach : reach + len(ones)]
    if inner == 0:
        total = edges
    else:
        total[:reach], total[len(values) - reach :] = edges[:reach], edges[len(ones) - reach :]
    blurred: Array = np.convolve(values.astype(float), weights)[reach : reach + len(values)]
    averaged: Array = blurred / total
    return averaged


def ratios(content: Array, blur: Blur) -> Array:
    """The content code ratio of each entry, 0..1, of a vector with 1 for content and 0 for code.

    Blurring without end flattens any page, so "until the values are stable" is read as: until none changes by
    `stop_change` or more, after two passes at the least.
    """
    values = content.astype(float)
    for done in range(1, blur.max_passes + 1):
        following = gauss(values, blur.reach, blur.sigma)
        change = float(np.abs(following - values).max()) if len(values) else 0.0
        values = following
        if done >= 2 and change < blur.stop_change:
            break
    return values
