"""OpenCL devices: found when first needed, described, and chosen by name or by kind.

PoCL, the driver that comes with the package, offers the CPU twice: "basic" (one thread, about 1 us per launch) and
"pthread" (all cores, about 10 us). Intel's runtime, where it is installed, takes the place of "pthread". A choice of "the
CPU" is both a device for small calls and one for large ones: each call runs on the one that suits its size.
"""

from __future__ import annotations

import functools
import os
import warnings
from dataclasses import dataclass
from typing import Any

from ..errors import EnvironmentProblem
from . import drivers
from .schedule import GROUP_SIZE, Limits

BIG = 1536 * 1024         # bytes of the largest tensor from which all cores surely pay off (two cores, PoCL: 0.75 MB is level)


@functools.cache
def pyopencl() -> Any:
    """The pyopencl module. EnvironmentProblem if it is missing or finds no OpenCL library."""
    drivers.prepare()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyopencl as cl
    except Exception as problem:
        raise EnvironmentProblem(f"OpenCL cannot be used: importing pyopencl failed with {type(problem).__name__}: "
                                 f"{problem}; expected a working installation: pip install pyopencl "
                                 f"pocl-binary-distribution.") from problem
    return cl


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What there is to know about a device. Sizes in bytes; `kind` is "cpu", "gpu" or "other"."""

    name: str
    platform: str
    kind: str
    units: int
    local_memory: int
    max_work_group: int
    driver: str
    version: str
    fp64: bool


class Device:
    """One device with its queue. Devices of one PoCL platform share a context. `keeps_binaries`: the driver has a cache of
    its own on disk, of compiled kernels by content (asking PoCL for a binary would compile every kernel once more).
    `by_address`: kernels run as functions of this process, so they can be given addresses in place of buffers.
    `long_header`: the driver reads clang's whole header of OpenCL C for every program (declarations.py)."""

    def __init__(self, handle: Any, context: Any) -> None:
        cl = pyopencl()
        self.handle, self.context = handle, context
        self.queue = cl.CommandQueue(context, handle)
        self._profiling: Any = None
        t = handle.type
        kind = "gpu" if t & cl.device_type.GPU else "cpu" if t & cl.device_type.CPU else "other"
        self.info = DeviceInfo(handle.name.strip(), handle.platform.name.strip(), kind, handle.max_compute_units,
                               handle.local_mem_size, handle.max_work_group_size, handle.driver_version.strip(),
                               handle.version.strip(), bool(handle.double_fp_config))
        self.zero_copy = kind == "cpu" and bool(handle.host_unified_memory)
        exact = handle.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
        self.options = ["-cl-fp32-correctly-rounded-divide-sqrt"] if exact else []
        if kind == "cpu":
            self.options.append("-DINLINE_MATH")
        self.keeps_binaries = "Portable Computing" in self.info.platform
        self.by_address = self.zero_copy and self.keeps_binaries
        self.long_header = self.keeps_binaries

    @property
    def limits(self) -> Limits:
        """For the GPU schedule: groups as large as serve occupancy, within what the device allows; half of the local
        memory, so that two groups share a unit."""
        usual = 256 if self.info.kind == "gpu" else GROUP_SIZE
        return Limits(min(usual, self.info.max_work_group), self.info.local_memory // 2)

    @property
    def alone(self) -> bool:
        """Whether all work-items run one after the other."""
        return self.info.units == 1 or self.info.name.startswith("basic")

    @property
    def profiling_queue(self) -> Any:
        """A queue whose events carry times."""
        if self._profiling is None:
            cl = pyopencl()
            self._profiling = cl.CommandQueue(self.context, self.handle,
                                              properties=cl.command_queue_properties.PROFILING_ENABLE)
        return self._profiling

    @property
    def key(self) -> str:
        """Tells devices (and driver versions) apart for which binaries must not be mixed up."""
        i = self.info
        return f"{i.platform}|{i.name}|{i.driver}|{i.version}"

    def __repr__(self) -> str:
        return f"<OpenCL device {self.info.name!r}>"


def cores() -> int:
    """CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Target:
    """What graphs are compiled for: `small` and `large` calls may run on different devices. `asked`: the name it was
    chosen by."""

    small: Device
    large: Device
    asked: str = "auto"

    @property
    def gpu(self) -> bool:
        return self.large.info.kind != "cpu"

    @property
    def zero_copy(self) -> bool:
        return self.large.zero_copy

    @property
    def by_address(self) -> bool:
        return self.small.by_address and self.large.by_address

    @property
    def fp64(self) -> bool:
        return self.large.info.fp64

    @property
    def name(self) -> str:
        return self.large.info.name


@functools.cache
def devices() -> tuple[Device, ...]:
    """All devices, in the order of the platforms. EnvironmentProblem if there is none."""
    cl = pyopencl()
    found: list[Device] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for platform in cl.get_platforms():
                handles = platform.get_devices()
                shared = cl.Context(handles) if len(handles) > 1 and "Portable" in platform.name else None
                found += [Device(h, shared or cl.Context([h])) for h in handles]
    except cl.Error as problem:
        if not found:
            raise EnvironmentProblem(f"no OpenCL device can be used ({problem}); expected at least the CPU driver: pip "
                                     f"install pocl-binary-distribution.") from problem
    if not found:
        raise EnvironmentProblem("no OpenCL device was found; expected at least the CPU driver: pip install "
                                 "pocl-binary-distribution.")
    return tuple(found)


def describe() -> list[DeviceInfo]:
    """What is there, for `main.py devices` and the window."""
    return [d.info for d in devices()]


def choose(name: str = "auto") -> Target:
    """The target for "auto" (a GPU if there is one, else the CPU), "cpu", "gpu", or (a part of) a device's name.
    EnvironmentProblem, naming what there is, if nothing fits."""
    return _choose(name)


@functools.cache
def _choose(name: str) -> Target:
    wanted = name.strip().lower()
    found = devices()
    if wanted == "auto":
        gpus = [d for d in found if d.info.kind == "gpu"]
        if gpus:
            best = max(gpus, key=lambda d: d.info.units)
            return Target(best, best, name)
        wanted = "cpu"
    if wanted in ("cpu", "gpu"):
        fits = [d for d in found if d.info.kind == wanted]
    else:
        fits = [d for d in found if wanted in d.info.name.lower() or wanted in d.info.platform.lower()]
    if not fits:
        names = ", ".join(repr(d.info.name) for d in found)
        raise EnvironmentProblem(f"there is no OpenCL device {name!r}; expected auto, cpu, gpu or a part of {names}.")
    large = max(fits, key=lambda d: (d.info.units, "Intel" in d.info.platform))
    small = next((d for d in fits if d.info.name.startswith("basic")), large)
    return Target(small, large, name)
