"""The loops over all tags and text of a page: compiled where the installation could build them, else in Python.

`python -m crunchpy.loops` says so where they are not compiled, and what to do.
"""

from __future__ import annotations

import sys

from crunchpy.attributes import Attributes
from crunchpy.tag_loop import index_tags, same_names, scan_tags
from crunchpy.text_loop import TextCounts, index_names, is_utf8, lower

__all__ = [
    "IS_COMPILED",
    "Attributes",
    "TextCounts",
    "index_names",
    "index_tags",
    "is_utf8",
    "lower",
    "same_names",
    "scan_tags",
]

try:
    from crunchpy._attributes import Attributes  # type: ignore[assignment]
    from crunchpy._tag_loop import index_tags, same_names, scan_tags
    from crunchpy._text_loop import TextCounts, index_names, is_utf8, lower  # type: ignore[assignment]

    IS_COMPILED = True
except ImportError:
    IS_COMPILED = False

NOT_COMPILED = (
    "Pages take about twice as long to filter: the loops over their bytes run in Python, since no C compiler was found"
    " at installation.\nTo speed them up:  sudo apt-get install gcc python3-dev  (Fedora: gcc python3-devel), then"
    " install again (in a checkout: make clean install)."
)

if __name__ == "__main__" and not IS_COMPILED:
    print(NOT_COMPILED, file=sys.stderr)  # noqa: T201
