"""The loops over all tags of a page: compiled where the installation could build them, else the same in Python.

`python -m crunchpy.loops` says so where they are not compiled, and what to do.
"""

from __future__ import annotations

import sys

from crunchpy.tag_loop import Attributes, scan_tags

__all__ = ["IS_COMPILED", "Attributes", "scan_tags"]

try:
    from crunchpy._tags import Attributes, scan_tags  # type: ignore[assignment]

    IS_COMPILED = True
except ImportError:
    IS_COMPILED = False

NOT_COMPILED = (
    "Pages take about twice as long to filter: the loops over their tags run in Python, since no C compiler was found"
    " at installation.\nTo speed them up:  sudo apt-get install gcc python3-dev  (Fedora: gcc python3-devel), then"
    " install again (in a checkout: make clean install)."
)

if __name__ == "__main__" and not IS_COMPILED:
    print(NOT_COMPILED, file=sys.stderr)  # noqa: T201
