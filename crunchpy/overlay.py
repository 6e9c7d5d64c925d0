"""The built-in folders and the administrator's folders.

An overlay is a folder with the names of this repository's root: `plugins/`, `settings/`, `genres.yaml`. The built-in
data are the first overlay; a file of a later one takes the place of the same file in an earlier one, whole.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

SYSTEM_OVERLAY = Path("/etc/crunchpy")


class OverlayError(ValueError):
    """A folder cannot serve as an overlay; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files in force, and the (replacing, replaced) pairs among them."""

    plugins: tuple[Path, ...]
    settings: tuple[Path, ...]
    genres: Path | None
    replaced: tuple[tuple[Path, Path], ...]


def builtin() -> Path:
    """The folder of the built-in data: inside the package in a wheel, the checkout's root otherwise."""
    here = Path(__file__).resolve().parent
    return here / "builtin" if (here / "builtin").is_dir() else here.parent


def overlays(*folders: Path | str) -> tuple[Path, ...]:
    """The overlays in order: built-in data, `/etc/crunchpy` if there is one, then these.

    Raises:
        OverlayError: a named folder is missing, or others than its owner may write to it (a plugin is code).
    """
    system = (SYSTEM_OVERLAY,) if SYSTEM_OVERLAY.is_dir() else ()
    named = tuple(Path(folder) for folder in folders)
    for folder in (*system, *named):
        _check(folder)
    return (builtin(), *system, *named)


def _check(folder: Path) -> None:
    if not folder.is_dir():
        raise OverlayError(f"{folder}: is not a folder")
    for part in (folder, folder / "plugins"):
        if part.is_dir() and part.stat().st_mode & stat.S_IWOTH:
            raise OverlayError(f"{part}: everybody may write to it, and plugins are code; run: chmod o-w {part}")


def files(folders: tuple[Path, ...]) -> Files:
    """The files in force over all overlays, sorted by name."""
    replaced: list[tuple[Path, Path]] = []
    plugins = _merged(folders, "plugins", "*.py", replaced)
    settings = _merged(folders, "settings", "*.yaml", replaced)
    genres = [folder / "genres.yaml" for folder in folders if (folder / "genres.yaml").is_file()]
    replaced += list(zip(genres[1:], genres, strict=False))
    return Files(plugins, settings, genres[-1] if genres else None, tuple(replaced))


def _merged(folders: tuple[Path, ...], kind: str, pattern: str, replaced: list[tuple[Path, Path]]) -> tuple[Path, ...]:
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted((folder / kind).glob(pattern)):
            if path.name.startswith("_"):
                continue
            if path.name in found:
                replaced.append((path, found[path.name]))
            found[path.name] = path
    return tuple(found[name] for name in sorted(found))
