"""Build the wheel, install it into a fresh environment and use it from another folder: what users get.

Exits 1 with the reason where something is missing. The pinned versions come from constraints.txt.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

from crunchpy.loops import IS_COMPILED

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 300

# Python files and data that the wheel takes from the root, by the folder that they have in the checkout.
BUILT_IN = {"plugins": "crunchpy/builtin/plugins", "settings": "crunchpy/builtin/settings"}
ALLOWED_TOP_LEVEL = ("crunchpy",)

LINKS = "".join(f'<li><a href="/section/{number}">Section number {number}</a></li>' for number in range(40))
STORY = "The ferry crossed the sound in the early morning, and nobody on board had slept. " * 40
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Ferry</title></head>
<body><div class="links"><ul>{LINKS}</ul></div><main><h1>Ferry</h1><p>{STORY}</p></main></body></html>
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of a command; exits with what it printed where it fails."""
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))} exited {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def tracked(folder: str) -> set[str]:
    """The files of a folder that belong to the project: those that git does not ignore."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", folder, cwd=ROOT)
    return {line for line in listed.splitlines() if (ROOT / line).is_file()}


def expected_names() -> set[str]:
    """What the wheel must hold, by its names in the wheel."""
    names = tracked("crunchpy") | {f"crunchpy/builtin/{name}" for name in tracked("*.yaml") if "/" not in name}
    for folder, place in BUILT_IN.items():
        names |= {f"{place}/{PurePosixPath(name).relative_to(folder)}" for name in tracked(folder)}
    return names


def check_names(wheel: Path) -> None:
    """The wheel holds every file of the project and installs nothing beside the one package."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    compiled = {name for name in held if PurePosixPath(name).match("crunchpy/_*.so")}
    if bool(compiled) != IS_COMPILED:
        sys.exit(f"The loops over the tags are {'' if IS_COMPILED else 'not '}compiled here, in the wheel {compiled}.")
    held -= compiled
    missing = sorted(expected_names() - held)
    foreign = sorted(name for name in held if name.split("/")[0] not in ALLOWED_TOP_LEVEL and ".dist-info/" not in name)
    unmeant = sorted(held - expected_names() - {name for name in held if ".dist-info/" in name})
    if missing or foreign or unmeant:
        sys.exit(f"The wheel is wrong. Missing: {missing}. Outside the package: {foreign}. Not meant: {unmeant}.")


def build(folder: Path) -> Path:
    """Build the wheel of this checkout into `folder`."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_use(command: Path, folder: Path) -> None:
    """The installed command reads its built-in plugins and settings, and filters a page."""
    away = Path("/")
    run(command, "check", cwd=away)
    page = folder / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    filtered = run(command, "filter", page, cwd=away)
    if STORY.strip() not in filtered:
        sys.exit("The installed crunchpy lost the story of the page.")
    if "Section number 7" in filtered:
        sys.exit("The installed crunchpy left the list of links in the page.")


def main() -> None:
    """Do all of it in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="crunchpy-wheel-") as name:
        folder = Path(name)
        wheel = build(folder / "dist")
        check_names(wheel)
        environment = folder / "environment"
        venv.create(environment, with_pip=True)
        pip = (
            environment / "bin" / "python",
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "-q",
            "--no-compile",
        )
        run(*pip, "-c", ROOT / "constraints.txt", wheel, cwd=folder)
        check_use(environment / "bin" / "crunchpy", folder)
        print(f"{wheel.name}: installed elsewhere, checked, and a page filtered.")


if __name__ == "__main__":
    main()
