"""What launch functions use at run time: frames, memory for values in between, the cutting of work.

A *frame* is a compiled graph made ready for one device and one set of sizes: kernel objects with their arguments set,
work sizes, memory for the values in between, views of that memory. It is made once by the generated `bind` and holds
until its sizes are no longer asked for, its memory is wanted elsewhere, or a parameter that it is bound to is gone.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from . import memory
from .devices import Device, pyopencl

MOST_FRAMES = 32             # frames of one graph
MOST_BYTES = 1 << 29         # memory for values in between that all frames together hold on to
ALIGN = 4096                 # of values in a frame's memory (at least what devices ask of parts of a buffer)
MIN_WORK = 32768             # elements per work-item below which another thread does not pay off


def cut(units: int, weight: int, grain: int, most: int) -> tuple[int, int]:
    """Cut `units` of `weight` elements into at most `most` pieces worth a thread: (pieces, units per piece)."""
    wanted = min(max(units * weight // MIN_WORK, 1), most)
    per = max(-(-units // wanted), 1)
    per = -(-per // grain) * grain
    return -(-units // per), per


def place(values: tuple[tuple[int, int, int], ...]) -> tuple[list[int], int]:
    """Offsets for values (bytes, first use, last use), and the bytes needed in all. Values whose uses do not overlap share
    memory. `values` are in the order of their first uses."""
    offsets: list[int] = []
    live: list[tuple[int, int, int]] = []                # (offset, end, last use)
    total = 0
    for nbytes, first, last in values:
        size = -(-max(nbytes, 1) // ALIGN) * ALIGN
        live = sorted(v for v in live if v[2] >= first)
        best = None                                      # the smallest gap that fits
        at = 0
        for offset, end, _ in live:
            if offset - at >= size and (best is None or offset - at < best[1]):
                best = (at, offset - at)
            at = max(at, end)
        where = at if best is None else best[0]
        offsets.append(where)
        live.append((where, where + size, last))
        total = max(total, where + size)
    return offsets, total


class Arena:
    """Memory for the values in between of one frame. A block of the pool, which gets it back when the frame is gone; on
    devices with memory of their own a buffer there."""

    def __init__(self, pool: memory.Pool, values: tuple[tuple[int, int, int], ...], zero_copy: bool) -> None:
        offsets, total = place(values)
        self.pool, self.nbytes = pool, total
        self.block: Any = None
        cl = pyopencl()
        self.values: list[tuple[Any, Any]] = []
        if zero_copy:
            self.block = pool.take(total)
            for offset, (nbytes, _, _) in zip(offsets, values):
                part = self.block[0][offset: offset + nbytes]
                self.values.append((part, memory.buffer_of(pool.context, memory.WRITE, part)))
        else:
            whole = cl.Buffer(pool.context, memory.DEVICE, total)
            for offset, (nbytes, _, _) in zip(offsets, values):
                self.values.append((None, whole.get_sub_region(offset, max(nbytes, 1))))

    def __del__(self) -> None:
        block = getattr(self, "block", None)             # nothing yet if taking it failed
        if block is not None:
            self.pool.give(block)


class On:
    """What `bind` gets: one device with the program built for it."""

    def __init__(self, frames: Frames, device: Device, built: Any, queue: Any, idx: bytes, collector: Any,
                 names: list[str], most: int) -> None:
        self.home, self.device, self.context = weakref.ref(frames), device, device.context
        self.built, self.queue, self.idx, self.collector = built, queue, idx, collector
        self.names, self.most = names, most
        self.pool = memory.pool_of(device.context)
        self.enqueue = pyopencl().enqueue_nd_range_kernel if collector is None else collector.enqueue
        self.nbytes = 0

    def kernel(self, number: int) -> Any:
        """A kernel object of its own for launch `number`."""
        kernel = self.built.kernel(self.names[number])
        if self.collector is not None:
            self.collector.names[id(kernel)] = self.names[number]
            if self.built.is_new(self.names[number]):
                self.collector.fresh.setdefault(self.names[number], True)
        return kernel

    def arena(self, values: tuple[tuple[int, int, int], ...], zero_copy: bool) -> Arena:
        made = Arena(self.pool, values, zero_copy)
        self.nbytes = made.nbytes
        return made

    def watch(self, tensors: tuple) -> list:
        """References that drop this frame when one of the tensors is gone, so that it does not keep their memory."""
        home = self.home

        def gone(_: Any) -> None:
            frames = home()
            if frames is not None:
                frames.clear()

        return [weakref.ref(t, gone) for t in tensors]


class Frames:
    """The frames of one compiled graph (in one way of running it). `one`: the frame of a graph without symbolic sizes."""

    __slots__ = ("__weakref__", "by_sizes", "make_one", "one")

    def __init__(self, make: Callable[..., tuple[Any, int]]) -> None:
        self.make_one = make
        self.one: Any = None
        self.by_sizes: dict[Any, Any] = {}

    def make(self, *sizes: Any) -> Any:
        """The launch function for these sizes. What it returns is good for the first call only."""
        made, nbytes = self.make_one(self, *sizes)
        first = getattr(made, "first", made)
        _keep(self, nbytes)
        if not sizes:
            self.one = made
            return first
        while len(self.by_sizes) >= MOST_FRAMES:
            self.by_sizes.pop(next(iter(self.by_sizes)), None)
        self.by_sizes[sizes if len(sizes) > 1 else sizes[0]] = made
        return first

    def clear(self) -> None:
        """Forget all frames. One that runs just now ends as if nothing had happened."""
        self.one = None
        self.by_sizes = {}


_HELD: deque[tuple[weakref.ref, int]] = deque()


def _keep(frames: Frames, nbytes: int) -> None:
    """Count a frame's memory; the oldest frames of all graphs go when it is too much."""
    if not nbytes:
        return
    _HELD.append((weakref.ref(frames), nbytes))
    total = sum(n for ref, n in _HELD if ref() is not None)
    while total > MOST_BYTES and len(_HELD) > 1:
        ref, n = _HELD.popleft()
        found = ref()
        if found is not None:
            total -= n
            if found is not frames:
                found.clear()
    while _HELD and _HELD[0][0]() is None:
        _HELD.popleft()


class Slot:
    """The buffer over an input of one frame, kept while the same array comes in. It does not keep the array alive."""

    __slots__ = ("buffer", "context", "last", "misses", "ref")

    def __init__(self, context: Any) -> None:
        self.context = context
        self.ref: Any = _nothing
        self.buffer: Any = None
        self.last = 0
        self.misses = 0

    def miss(self, array: np.ndarray) -> Any:
        """A buffer over another array than the last. It is kept from the second time on that an array comes."""
        if array.size == 0 or self.last != id(array) or self.misses > 8:
            self.last = id(array)
            self.ref = _nothing
            self.buffer = None
            return memory.buffer_of(self.context, memory.READ, array)
        self.misses += 1                                # arrays that share an identity after one another are no use
        self.buffer = pyopencl().Buffer(self.context, memory.READ, 0, memory.flat(array))
        self.ref = weakref.ref(array)
        return self.buffer


def _nothing() -> None:
    return None
