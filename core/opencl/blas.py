"""How many threads NumPy's OpenBLAS uses for a product that an artifact asks of it.

OpenBLAS starts all its threads from 64 cubed on and they wait by spinning: when another program has one of the cores, a
product of 30 us takes 4 to 16 ms (measured). One thread up to a quarter of a millisecond of work is never much slower.
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

import numpy as np

ALONE = 1 << 24           # multiplications up to which one thread computes a product
ALONE_ANYWAY = 1 << 17    # up to here OpenBLAS does not start threads
PREFIXES, SUFFIXES = ("scipy_openblas_", "openblas_"), ("64_", "")


class Threads:
    """`one_for(work)` before a product, `back()` at the end of the call. Both do nothing without OpenBLAS."""

    def __init__(self, setter: Any, usual: int) -> None:
        self.setter, self.usual, self.now = setter, usual, usual

    def one_for(self, work: int) -> None:
        wanted = 1 if work <= ALONE else self.usual
        if wanted != self.now:
            self.setter(wanted)
            self.now = wanted

    def back(self) -> None:
        if self.now != self.usual:
            self.setter(self.usual)
            self.now = self.usual


@functools.cache
def threads() -> Threads:
    """The control of the OpenBLAS that NumPy has loaded."""
    for path in _libraries():
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for prefix in PREFIXES:
            for suffix in SUFFIXES:
                get = getattr(library, f"{prefix}get_num_threads{suffix}", None)
                put = getattr(library, f"{prefix}set_num_threads{suffix}", None)
                if get is not None and put is not None:
                    put.restype = None
                    return Threads(put, get())
    return Threads(lambda count: None, 1)


def _libraries() -> list[Path]:
    """Where NumPy's wheels keep their OpenBLAS on Linux, Windows and macOS."""
    package = Path(np.__file__).parent
    found: list[Path] = []
    for folder in (package.parent / "numpy.libs", package / ".libs", package / ".dylibs"):
        if folder.is_dir():
            found += sorted(p for p in folder.iterdir() if "openblas" in p.name)
    return found
