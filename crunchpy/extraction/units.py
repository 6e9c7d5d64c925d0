"""CUTER: which units of text form the article, and what class each node is of.

Source: Adam, Bouras and Poulopoulos, 2009, "CUTER: an Efficient Useful Text Extraction Mechanism", section IV. A unit
is a block's own text: measured with all that is below it, as the printed listing does, `body` would be the article.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from crunchpy.extraction.runs import Run
from crunchpy.page import Element

Kind = Literal["article", "candidate", "rejected"]
_NEVER_REJECTED = frozenset(["html", "body"])


class Rules(NamedTuple):
    """CUTER's limits; see the settings of the plugin, which have the same names."""

    max_link_ratio: float = 0.5
    min_text_ratio: float = 1 / 3
    min_group_ratio: float = 1 / 3
    max_distance: int = 2
    strategy: Literal["first", "seed"] = "first"


@dataclass(slots=True)
class Unit:
    """A block's own text. `number`: its place among all units; `size`, `in_links`: bytes of UTF-8."""

    number: int
    size: int
    in_links: int
    block: Element = None
    runs: list[Run] = field(default_factory=list)
    is_rejected: bool = False


def units(found: Sequence[Run]) -> list[Unit]:
    """The units of a page in document order; those below a block that is mostly links are rejected."""
    by_block: dict[Element, Unit] = {}
    for run in found:
        unit = by_block.setdefault(run.block, Unit(len(by_block) + 1, 0, 0, run.block))
        size = len("".join(run.text.split()).encode("utf-8", "replace"))
        unit.size += size
        unit.in_links += size * run.in_link
        unit.runs.append(run)
    return list(by_block.values())


def reject(found: Iterable[Unit], max_link_ratio: float) -> None:
    """Reject every unit below an element of whose text too much is links; the page itself never is rejected."""
    found = list(found)
    order = _around(unit.block for unit in found)  # an element comes before those in it
    size, in_links = Counter[Element](), Counter[Element]()
    for unit in found:
        size[unit.block] += unit.size
        in_links[unit.block] += unit.in_links
    for element in reversed(order):
        size[element.getparent()] += size[element]
        in_links[element.getparent()] += in_links[element]
    rejected: set[Element] = set()
    for element in order:
        is_much = element.tag not in _NEVER_REJECTED and in_links[element] >= max_link_ratio * size[element]
        if is_much or element.getparent() in rejected:
            rejected.add(element)
    for unit in found:
        unit.is_rejected = unit.block in rejected


def _around(elements: Iterable[Element]) -> list[Element]:
    order: dict[Element, None] = {}
    for innermost in elements:
        path, element = [], innermost
        while element is not None and element not in order:
            path.append(element)
            element = element.getparent()
        order.update(dict.fromkeys(reversed(path)))
    return list(order)


def article(found: Sequence[Unit], rules: Rules) -> list[Unit]:
    """The units that form the article; none where no unit is left."""
    left = [unit for unit in found if not unit.is_rejected]
    if not left:
        return []
    seed = max(left, key=lambda unit: unit.size)
    # A page of one unit has no smaller ones, so its unit must not have to exceed itself.
    valid = [unit for unit in left if unit is seed or unit.size > rules.min_text_ratio * seed.size]
    groups: list[list[Unit]] = []
    for unit in valid:
        if groups and unit.number - groups[-1][-1].number <= rules.max_distance:
            groups[-1].append(unit)
        else:
            groups.append([unit])
    if rules.strategy == "seed":
        return next(group for group in groups if seed in group)
    sizes = [sum(unit.size for unit in group) for group in groups]
    least = rules.min_group_ratio * max(sizes)
    return next(group for group, size in zip(groups, sizes, strict=True) if size > least or size == max(sizes))


def kinds(found: Sequence[Unit], chosen: Sequence[Unit]) -> dict[int, Kind]:
    """What became of each unit, by its number: the three outcomes of the paper's figure 4."""
    numbers = {unit.number for unit in chosen}
    return {
        unit.number: "rejected" if unit.is_rejected else "article" if unit.number in numbers else "candidate"
        for unit in found
    }
