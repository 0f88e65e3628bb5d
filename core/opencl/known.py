"""Kernels that are built already serve every graph that needs them: only the missing ones make up a new program.

Two kernels are the same when their texts differ in nothing but names (kernels.canonical), built with the same options for
the same device. So a graph for other sizes, or a graph that shares layers with another, needs little or no driver time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .devices import Device
from .kernels import Kernel, canonical, entries
from .program import Built, build, is_built


class BuiltKernels:
    """The kernels of a graph, from one or more programs. `where`, `build_ns`: of the new program, "memory" without one."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[Built, str, int]] = {}     # kernel -> (program, where it is there: kernels.entries)
        self.new: Built | None = None

    @property
    def where(self) -> str:
        return self.new.where if self.new is not None else "memory"

    @property
    def build_ns(self) -> int:
        return self.new.build_ns if self.new is not None else 0

    @property
    def is_tried(self) -> bool:
        """Whether one of the programs never ran since it was built."""
        return any(built.is_tried for built, _, _ in self.found.values())

    def is_new(self, name: str) -> bool:
        """Whether the program with this kernel never ran since it was built."""
        return self.found[name][0].is_tried

    def went_well(self) -> None:
        """The kernels ran."""
        for built, _, _ in self.found.values():
            built.went_well()

    def kernel(self, name: str) -> Any:
        """A kernel object of its own, with arguments of its own."""
        built, there, _ = self.found[name]
        return built.kernel(there)

    def number(self, name: str) -> int:
        """The kernel's number among those that the driver has as one."""
        return self.found[name][2]

    def driver_kernel(self, name: str) -> tuple[int, str]:
        """What tells the driver's kernels apart."""
        built, there, _ = self.found[name]
        return id(built.program), there


_KNOWN: dict[tuple[str, str, str, bool], tuple[Built, str, int]] = {}


def build_kernels(kernels: list[Kernel], options: list[str], device: Device, text: Callable[[list[Kernel]], str],
                  shared: bool = True) -> BuiltKernels:
    """Everything that `kernels` need on `device`; `text` gives the program of some of them. `shared`: with other graphs.
    BuildFailed if the driver rejects it."""
    out = BuiltKernels()
    missing: list[tuple[Kernel, tuple[str, str, str, bool]]] = []
    for kernel in kernels:
        key = (canonical(kernel), " ".join(options), device.key, kernel.by_address)
        known = _KNOWN.get(key) if shared else None
        if known is not None and is_built(known[0].program):
            out.found[kernel.name] = known
        else:
            missing.append((kernel, key))
    if missing:
        new = [k for k, _ in missing]
        out.new = build(text(new), options, device)
        where = entries(new)
        for kernel, key in missing:
            out.found[kernel.name] = (out.new, *where[kernel.name])
            if shared:
                _KNOWN[key] = out.found[kernel.name]
    return out
