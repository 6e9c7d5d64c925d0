"""Filter lists made ready for matching, and kept as files so that a process starts in milliseconds.

Compiling EasyList and EasyPrivacy takes about a second, reading the result back some 60 ms. The folder's name is a
digest of everything that went in, so a changed list or another engine never meets an old file; a file that does not
read is made anew.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import adblock

from crunchpy.adverts.hosts import HostSet
from crunchpy.adverts.rules import Category, FilterList, all_exceptions, is_element_rule, literals, split_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

logger = logging.getLogger(__name__)

# Part of the digest: raise it whenever the way of splitting or storing changes.
FORMAT = 2
_PREFIX = "compiled-"
_FEW_RULES = 40
# Lists below this size are compiled where they are needed; a process of its own costs half a second.
_SMALL_BYTES = 200_000
_ROOT = Path(__file__).resolve().parents[2]
# What a missing, cut-off or foreign file raises.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, adblock.AdblockException)


@dataclass(frozen=True, slots=True)
class Source:
    """A list as it came: its `name` (for people) and its text."""

    name: str
    text: str

    @classmethod
    def read(cls, path: Path) -> Source:
        """The list in `path`, named after the file. OSError where it cannot be read."""
        return cls(path.stem, path.read_text("utf-8", errors="replace"))


@dataclass(frozen=True, slots=True)
class Compiled:
    """One category of one list, ready to match. Without element rules, or where only requests are asked about,
    `cosmetic` and `has` are empty.
    """

    name: str
    category: Category
    rules_count: int
    hosts: HostSet
    third_party_hosts: HostSet
    network: adblock.Engine
    cosmetic: adblock.Engine | None
    has: dict[str, list[list[str]]]
    # Of a list of few request rules the texts of `rules.literals`: to look for them is faster than to ask the engine.
    literals: tuple[str, ...] | None


def compile_lists(sources: Sequence[Source], *, cosmetic: bool = True) -> list[Compiled]:
    """Make `sources` ready in memory, touching no file."""
    lists = [part for source in sources for part in split_list(source.text, source.name)]
    exceptions = all_exceptions(lists)
    return [_compile(each, exceptions, cosmetic=cosmetic) for each in lists]


def compile_lists_once(paths: Sequence[Path], folder: Path, *, cosmetic: bool = True) -> list[Compiled]:
    """As `compile_lists`, but from the files kept in `folder`, which are written first where they are missing.

    Several processes may do this at once. A folder that cannot be written costs time, nothing else.
    OSError where a list cannot be read.
    """
    kept = folder / f"{_PREFIX}{_digest(paths)}"
    with contextlib.suppress(*_UNREADABLE):
        return _read(kept, cosmetic=cosmetic)
    try:
        _make(paths, kept)
        return _read(kept, cosmetic=cosmetic)
    except _UNREADABLE as error:
        logger.warning("ad lists are not kept compiled in %s: %s", folder, error)
    return compile_lists([Source.read(path) for path in paths], cosmetic=cosmetic)


def write(complete: Sequence[Compiled], kept: Path) -> None:
    """Write all files of the folder `kept` under another name, then give it its own name in one step. OSError."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    written = Path(tempfile.mkdtemp(prefix=".compiling-", dir=kept.parent))
    try:
        index = [_write_one(each, written, str(number)) for number, each in enumerate(complete)]
        (written / "index.json").write_text(json.dumps(index), "utf-8")
        # A folder of that name did not read, or another process was faster; os.rename replaces neither.
        shutil.rmtree(kept, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rename(written, kept)  # noqa: PTH104 - Path.rename says the same, this one says POSIX
    finally:
        shutil.rmtree(written, ignore_errors=True)
    for old in kept.parent.glob(f"{_PREFIX}*"):
        if old != kept:
            shutil.rmtree(old, ignore_errors=True)


def _make(paths: Sequence[Path], kept: Path) -> None:
    if sum(path.stat().st_size for path in paths) < _SMALL_BYTES:
        write(compile_lists([Source.read(path) for path in paths]), kept)
        return
    # In another process: compiling leaves 40 MB behind that this one would never give back.
    arguments = [str(path.resolve()) for path in (kept, *paths)]
    command = [sys.executable, "-m", __package__, *arguments]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    if done.returncode:
        raise OSError(done.stderr.strip().rpartition("\n")[2])


def _compile(part: FilterList, exceptions: list[str], *, cosmetic: bool) -> Compiled:
    request_exceptions = [rule for rule in exceptions if not is_element_rule(rule)]
    element_exceptions = [rule for rule in exceptions if is_element_rule(rule)]
    about_elements = part.cosmetic or part.has
    # The element engine also needs the request exceptions that switch general element rules off for a page.
    switches = [rule for rule in request_exceptions if "hide" in rule]
    return Compiled(
        name=part.name,
        category=part.category,
        rules_count=part.rules_count,
        hosts=HostSet.of(part.hosts),
        third_party_hosts=HostSet.of(part.third_party_hosts),
        network=_engine([*part.network, *request_exceptions]),
        cosmetic=_engine([*part.cosmetic, *element_exceptions, *switches]) if cosmetic and about_elements else None,
        has=part.has if cosmetic else {},
        literals=literals(part.network) if len(part.network) <= _FEW_RULES else None,
    )


def _engine(rules: list[str]) -> adblock.Engine:
    # debug keeps each rule's text, which the log and `explain` show; it costs a sixth of the memory.
    filters = adblock.FilterSet(debug=True)
    filters.add_filters(rules)
    return adblock.Engine(filters)


def _digest(paths: Iterable[Path]) -> str:
    digest = blake2b(f"{FORMAT} {version('adblock')}".encode(), digest_size=12)
    for path in paths:
        digest.update(f"\0{path.stem}\0".encode())
        with path.open("rb") as file:
            while chunk := file.read(1 << 16):
                digest.update(chunk)
    return digest.hexdigest()


def _write_one(each: Compiled, folder: Path, number: str) -> dict[str, object]:
    (folder / f"{number}.hosts").write_bytes(each.hosts.to_bytes())
    (folder / f"{number}.third-party-hosts").write_bytes(each.third_party_hosts.to_bytes())
    each.network.serialize_to_file(str(folder / f"{number}.network"))
    if each.cosmetic is not None:
        each.cosmetic.serialize_to_file(str(folder / f"{number}.cosmetic"))
    (folder / f"{number}.has.json").write_text(json.dumps(each.has), "utf-8")
    kept = {"name": each.name, "category": each.category, "rules_count": each.rules_count}
    return kept | {"literals": each.literals}


def _read(kept: Path, *, cosmetic: bool) -> list[Compiled]:
    index = json.loads((kept / "index.json").read_text("utf-8"))
    return [_read_one(entry, kept, str(number), cosmetic=cosmetic) for number, entry in enumerate(index)]


def _read_one(entry: dict[str, object], folder: Path, number: str, *, cosmetic: bool) -> Compiled:
    element_rules = folder / f"{number}.cosmetic"
    has = json.loads((folder / f"{number}.has.json").read_text("utf-8")) if cosmetic else {}
    return Compiled(
        name=str(entry["name"]),
        category=entry["category"],  # type: ignore[arg-type]  # written by _write_one
        rules_count=int(str(entry["rules_count"])),
        hosts=HostSet.from_bytes((folder / f"{number}.hosts").read_bytes()),
        third_party_hosts=HostSet.from_bytes((folder / f"{number}.third-party-hosts").read_bytes()),
        network=_read_engine(folder / f"{number}.network"),
        cosmetic=_read_engine(element_rules) if cosmetic and element_rules.exists() else None,
        has=has,
        literals=None if entry["literals"] is None else tuple(entry["literals"]),  # type: ignore[arg-type]
    )


def _read_engine(path: Path) -> adblock.Engine:
    engine = adblock.Engine(adblock.FilterSet())
    engine.deserialize_from_file(str(path))
    return engine
