"""Which of the CPU's two devices runs a call: the one without threads, or the one with all cores.

Far from the middle the answer is plain. Around it both devices copy memory for as long as a sum of two arrays of that size
takes, once per machine, drivers and number of cores (templates/trial.py remembers it); with one core there is no question.
These are the driver's own copies, one per core, so that nothing is built for a device that is not taken: a program for a
device costs 0.5 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import EnvironmentProblem
from .devices import BIG, Device, Target, cores, pyopencl
from .templates import trial

DOUBT = 8                  # sizes within this factor of BIG are measured
AS_LONG = 2.5              # bytes copied per byte of an array: what takes as long as a sum of two arrays (measured on PoCL)


def device_for(target: Target, nbytes: int) -> Device:
    """The device for a call whose largest array has so many bytes."""
    if target.small is target.large or cores() == 1:
        return target.small
    usual = "large" if nbytes >= BIG else "small"
    if BIG // DOUBT <= nbytes < BIG * DOUBT:
        size = trial.size_class(nbytes)
        question = f"{target.small.key} or {target.large.key}, {cores()} cores: copies of {size} bytes"
        ways = {"small": lambda: _copies(target.small, size), "large": lambda: _copies(target.large, size)}
        usual = trial.choice(question, ways, usual)
    return target.large if usual == "large" else target.small


def _copies(device: Device, nbytes: int) -> Callable[[], Any]:
    """Copies that take as long as a sum of two arrays of `nbytes`: one by a device without threads, else one per core, each
    from a queue of its own so that they run at the same time. EnvironmentProblem if the device has no memory for it."""
    cl = pyopencl()
    pieces = 1 if device.alone else min(cores(), device.info.units)
    part = max(int(nbytes * AS_LONG) // pieces, 1)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
    try:
        jobs = [(cl.CommandQueue(device.context, device.handle), cl.Buffer(device.context, flags, part),
                 cl.Buffer(device.context, flags, part)) for _ in range(pieces)]
    except cl.Error as problem:
        raise EnvironmentProblem(f"{device.info.name!r} has no room for a trial: {problem}; expected {2 * part * pieces} "
                                 "bytes of memory.") from problem

    def run() -> None:
        for queue, source, to in jobs:
            cl.enqueue_copy(queue, to, source, byte_count=part)
        for queue, _, _ in jobs:
            queue.flush()
        for queue, _, _ in jobs:
            queue.finish()

    return run
