"""Compiles crunchpy/_loops.pyx while hatchling builds the package, and puts the result into the wheel or the checkout.

Where that fails, for want of a C compiler or of Python's headers, the package is built without: crunchpy/loops.py
then takes the same loops in Python. CRUNCHPY_COMPILE=no asks for that.
"""

from __future__ import annotations

import os
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("crunchpy") / "_loops.pyx"


class CompiledLoops(BuildHookInterface[Any]):
    """The build hook that pyproject.toml names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling where the result belongs; a failure is a warning."""
        if self.target_name != "wheel" or os.environ.get("CRUNCHPY_COMPILE") == "no":
            return
        name = SOURCE.stem + sysconfig.get_config_var("EXT_SUFFIX")
        in_checkout = Path(self.root) / SOURCE.with_name(name)
        built = in_checkout if version == "editable" else Path(tempfile.mkdtemp(prefix="crunchpy-build-")) / name
        try:
            compile_into(Path(self.root) / SOURCE, built)
        except (Exception, SystemExit) as problem:  # noqa: BLE001  whatever a tool chain raises: the package works without
            self.app.display_warning(f"{SOURCE} was not compiled, pages will take longer: {problem}")
            return
        if version != "editable":
            build_data["force_include"][str(built)] = str(SOURCE.with_name(name))
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


def compile_into(source: Path, target: Path) -> None:
    """Compile a Cython file to an extension module. Raises whatever Cython, setuptools or the compiler raise."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    with tempfile.TemporaryDirectory() as folder:
        extension = Extension("_loops", [str(source)], extra_compile_args=["-O2"])
        (compiled,) = cythonize([extension], build_dir=folder, quiet=True)  # type: ignore[no-untyped-call]
        command = build_ext(Distribution({"name": "crunchpy", "ext_modules": [compiled]}))
        command.build_lib, command.build_temp = folder, folder
        command.ensure_finalized()
        command.run()
        (built,) = Path(folder).glob(f"_loops{sysconfig.get_config_var('EXT_SUFFIX')}")
        target.write_bytes(built.read_bytes())
        target.chmod(0o755)
