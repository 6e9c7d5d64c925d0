"""Which methods there are: a name on the command line to a chain, a step of the ladder, or another extractor.

Chains are named in the `methods.yaml` of the repository and of overlays. Everything else is named here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from crunchpy.evaluation.peers import PEERS

FILE = "methods.yaml"
LADDER_STEPS = 12

# "auto" are the settings that a page's site and kind ask for, as readers get them; "proxy" is somebody else's proxy,
# about which nothing is known but its address.
Kind = Literal["chain", "default", "auto", "step", "peer", "proxy"]


class MethodError(ValueError):
    """A method that is not known or cannot be used here; the message says why and what else there is."""


@dataclass(frozen=True)
class Method:
    """One method by name. ``chain`` is as a settings file has it, ``step`` is that of the ladder (1 to 12)."""

    name: str
    kind: Kind
    chain: tuple[Any, ...] = ()
    step: int | None = None

    @property
    def plugins(self) -> tuple[str, ...]:
        """Names of the plugins of the chain."""
        return tuple(entry if isinstance(entry, str) else next(iter(entry)) for entry in self.chain)

    @property
    def settings_name(self) -> str:
        """Name of the settings file that is made of the chain."""
        return f"method-{self.name}"


def known_methods(folders: Sequence[Path]) -> dict[str, Method]:
    """Return all methods by name, in the order of tables, whether they can be used here or not.

    ``folders`` are overlays, the last outranks the first. Raises MethodError with file and place for a broken file.
    """
    methods: dict[str, Method] = {}
    for folder in folders:
        methods |= {name: Method(name, "chain", chain) for name, chain in _written(folder / FILE).items()}
    crunch = [Method("crunch", "default"), Method("crunch_auto", "auto")]
    crunch += [Method(f"crunch_{step:02}", "step", step=step) for step in range(1, LADDER_STEPS + 1)]
    methods |= {method.name: method for method in crunch}
    return methods | {name: Method(name, "peer") for name in PEERS}


def chosen(names: Iterable[str], folders: Sequence[Path]) -> tuple[list[Method], list[str]]:
    """Return the methods asked for, in that order, and a message for each that cannot be used.

    ``all``, ``papers`` (the chains), ``ladder`` and ``peers`` stand for what of each can be used here; what cannot is
    left out of them without a word.
    """
    methods = known_methods(folders)
    found: dict[str, Method] = {}
    faults: list[str] = []
    for name in names:
        if name in _GROUPS:
            members = (method for method in methods.values() if method.kind in _GROUPS[name])
            found |= {method.name: method for method in members if not missing(method, folders)}
        elif name not in methods:
            faults.append(f"method {name!r} is not known{_nearest(name, methods)}")
        elif why := missing(methods[name], folders):
            faults.append(f"method {name}: {why}")
        else:
            found[name] = methods[name]
    return list(found.values()), faults


_GROUPS: Mapping[str, tuple[Kind, ...]] = {
    "all": ("chain", "default", "auto", "step", "peer"),
    "papers": ("chain",),
    "ladder": ("step",),
    "peers": ("peer",),
}


def missing(method: Method, folders: Sequence[Path]) -> str:
    """Return why a method cannot be used here, empty where it can."""
    if method.kind == "peer" and not PEERS[method.name].is_installed:
        return f"{PEERS[method.name].distribution} is not installed (extra `peers`)"
    for plugin in method.plugins:
        if not any((folder / "plugins" / f"{plugin}.py").exists() for folder in folders):
            return f"there is no plugin {plugin}"
    return ""


def _nearest(name: str, methods: Iterable[str]) -> str:
    names = [*methods, *_GROUPS]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(names)}"


def _written(path: Path) -> dict[str, tuple[Any, ...]]:
    """Return the chains of a file by name, empty where there is no file."""
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise MethodError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(written, dict):
        raise MethodError(f"{path} must be names, each with a chain")
    for name, chain in written.items():
        if not isinstance(chain, list) or not all(_is_step(entry) for entry in chain):
            raise MethodError(f"{path}, {name}: must be a list of plugins, each a name or a name with its settings")
    return {str(name): tuple(chain) for name, chain in written.items()}


def _is_step(entry: object) -> bool:
    if isinstance(entry, dict):
        return len(entry) == 1 and all(isinstance(value, dict) for value in entry.values())
    return isinstance(entry, str)
