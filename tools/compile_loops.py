"""Compiles crunchpy/*.pyx while hatchling builds the package, and puts the result into the wheel or the checkout.

Where that fails, for want of a C compiler or of Python's headers, the package is built without: crunchpy/loops.py
then takes the same loops in Python. CRUNCHPY_COMPILE=no asks for that.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "crunchpy"
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))


class CompiledLoops(BuildHookInterface[Any]):
    """The build hook that pyproject.toml names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling where the results belong; a failure is a warning."""
        if self.target_name != "wheel" or os.environ.get("CRUNCHPY_COMPILE") == "no":
            return
        checkout = Path(self.root) / FOLDER
        target = checkout if version == "editable" else Path(tempfile.mkdtemp(prefix="crunchpy-build-"))
        try:
            built = compile_all(checkout, target)
        except (Exception, SystemExit) as problem:  # noqa: BLE001  whatever a tool chain raises: the package works without
            self.app.display_warning(f"{FOLDER}/*.pyx were not compiled, pages will take longer: {problem}")
            return
        if version != "editable":
            build_data["force_include"].update({str(path): f"{FOLDER}/{path.name}" for path in built})
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


def compile_all(folder: Path, target: Path) -> list[Path]:
    """Compile the Cython files of a folder to extension modules in another; all of them, or none.

    Raises:
        Exception: whatever Cython, setuptools or the compiler raise; SystemExit is among it.
    """
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    with tempfile.TemporaryDirectory() as name:
        sources = {f"{FOLDER}.{path.stem}": str(path) for path in folder.glob("*.pyx")}
        extensions = [Extension(module, [source], extra_compile_args=["-O3"]) for module, source in sources.items()]
        options = {"build_dir": name, "include_path": [str(folder.parent)], "quiet": True}
        compiled = cythonize(extensions, **options)  # type: ignore[no-untyped-call]
        command = build_ext(Distribution({"name": FOLDER, "ext_modules": compiled}))
        command.build_lib, command.build_temp = name, name
        command.ensure_finalized()
        command.run()
        return [Path(shutil.copy(path, target)) for path in sorted(Path(name, FOLDER).glob(f"*{SUFFIX}"))]
