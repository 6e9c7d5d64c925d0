"""`python -m crunchpy.adverts FOLDER LIST...`: compile lists into a folder, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from crunchpy.adverts.compiled import Source, compile_lists, write

if __name__ == "__main__":
    write(compile_lists([Source.read(Path(path)) for path in sys.argv[2:]]), Path(sys.argv[1]))
