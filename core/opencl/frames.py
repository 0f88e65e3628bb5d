"""What launch functions use at run time: frames, memory for values in between, the cutting of work.

A *frame* is a compiled graph made ready for one device and one set of sizes: kernel objects with their arguments set,
work sizes, memory for the values in between, views of that memory. It is made once by the generated `bind` and holds
until its sizes are no longer asked for, its memory is wanted elsewhere, or a parameter that it is bound to is gone.

A call takes a frame that is ready and gives it back at its end, so nothing else can use the frame meanwhile: a call from
another thread, or from a finaliser or signal handler in the middle of the first, makes a frame of its own. A frame whose
call raised is dropped.
"""

from __future__ import annotations

import sys
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
    devices with memory of their own a buffer there. `values`: per value its bytes and what kernels get for it."""

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
                self.values.append((part, self.block[1] + offset if pool.context is None else
                                    memory.buffer_of(pool.context, memory.WRITE, part)))
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
                 names: list[str], most: int, by_address: bool) -> None:
        self.home, self.device, self.context = weakref.ref(frames), device, device.context
        self.built, self.queue, self.idx, self.collector = built, queue, idx, collector
        self.names, self.most, self.by_address = names, most, by_address
        self.pool = memory.pool_of(None if by_address else device.context)
        self.enqueue = pyopencl().enqueue_nd_range_kernel if collector is None else collector.enqueue
        self.nbytes = 0

    def kernel(self, number: int) -> Any:
        """A kernel object of its own for launch `number`."""
        name = self.names[number]
        kernel = self.built.kernel(name)
        if self.collector is not None:
            self.collector.add(kernel, name, self.built.driver_kernel(name), self.built.is_new(name))
        return kernel

    def number(self, number: int) -> int:
        """What launch `number` is to the kernel that it launches, where that runs one of several."""
        return self.built.number(self.names[number])

    def arena(self, values: tuple[tuple[int, int, int], ...], zero_copy: bool) -> Arena:
        made = Arena(self.pool, values, zero_copy)
        self.nbytes += made.nbytes
        return made

    def table(self, count: int) -> tuple[memoryview, memoryview, int]:
        """Room for the addresses and numbers that kernels get, as integers and as floats, and where it is."""
        made: Any = np.zeros(max(count, 1), np.int64)
        return memoryview(made), memoryview(made.view(np.float64)), memory.address(made)

    def result(self, shape: tuple, dtype: np.dtype, nbytes: int) -> Result:
        """Arrays for one of the results."""
        made = Result(self.pool, shape, dtype, nbytes)
        if made.kept:
            self.nbytes += 2 * nbytes
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
    """The frames of one compiled graph (in one way of running it) that no call uses at the moment, as launch functions:
    `ready` for a graph without symbolic sizes, else `by_sizes`. Taking and giving back are atomic."""

    __slots__ = ("__weakref__", "by_sizes", "make", "ready")

    def __init__(self, make: Callable[..., tuple[Any, int]]) -> None:
        self.make = make
        self.ready: list[Any] = []
        self.by_sizes: dict[Any, list[Any]] = {}

    def call(self, sizes: tuple, inputs: tuple) -> tuple:
        """One call, by a frame that is ready or by a new one."""
        ready = self._of(sizes)
        try:
            run = ready.pop()
        except IndexError:
            return self.first(sizes, inputs)
        out = run(*inputs)
        ready.append(run)
        return out

    def first(self, sizes: tuple, inputs: tuple) -> tuple:
        """One call by a new frame, which is ready afterwards."""
        run, nbytes = self.make(self, *sizes)
        _keep(self, nbytes)
        ready = self._of(sizes)
        out = getattr(run, "first", run)(*inputs)
        ready.append(run)
        return out

    def _of(self, sizes: tuple) -> list[Any]:
        """The frames for these sizes."""
        if not sizes:
            return self.ready
        key = sizes if len(sizes) > 1 else sizes[0]
        found = self.by_sizes.get(key)
        if found is None:
            while len(self.by_sizes) >= MOST_FRAMES:
                self.by_sizes.pop(next(iter(self.by_sizes)), None)
            found = self.by_sizes.setdefault(key, [])
        return found

    def clear(self) -> None:
        """Forget all frames. One that runs just now ends as if nothing had happened."""
        self.ready = []
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


class Place:
    """The address of an input of one frame, known while the same array comes in. It does not keep the array alive."""

    __slots__ = ("last", "ref")

    def __init__(self) -> None:
        self.ref: Any = _nothing
        self.last = 0

    def miss(self, array: np.ndarray) -> int:
        """The address of another array than the last. It is remembered from the second time on that an array comes."""
        if self.last == id(array):
            self.ref = weakref.ref(array)
        else:
            self.last, self.ref = id(array), _nothing
        return memory.address(array)


def _nothing() -> None:
    return None


KEPT = 1 << 16               # bytes of a result up to which a frame keeps its array for later calls
refs: Callable[[Any], int] = getattr(sys, "getrefcount", lambda value: 1)


class Result:
    """Arrays for one result of a frame: `last`, of the last call, and a spare one. One that nobody else has is used again,
    which saves making an array. Views of an array hold on to the array that owns the memory, which these are, so the
    interpreter's count of references tells whether anybody has it. Large results are leased from the pool instead."""

    __slots__ = ("address", "dtype", "kept", "last", "nbytes", "pool", "shape", "spare")

    def __init__(self, pool: memory.Pool, shape: tuple, dtype: np.dtype, nbytes: int) -> None:
        self.pool, self.shape, self.dtype, self.nbytes = pool, shape, dtype, nbytes
        self.kept = FREE > 0 and 0 < nbytes <= KEPT
        self.last: Any = None
        self.spare: Any = None
        self.address = 0

    def next(self) -> np.ndarray:
        """An array that nobody has; `address` is where it is."""
        if not self.kept:
            array, self.address = self.pool.fresh(self.shape, self.dtype, self.nbytes)
            return array
        array = self.spare
        if array is None or refs(array) > FREE:
            array = np.empty(self.shape, self.dtype)
        self.spare, self.last = self.last, array
        self.address = memory.address(array)
        return array


def _references() -> int:
    """What `refs` tells of an array that only a Result and one local variable have. 0: counts are no help, because there
    are none or because other threads change them at the same time."""
    if not hasattr(sys, "getrefcount") or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return 0
    result = Result.__new__(Result)
    result.last = np.empty(1)
    array = result.last
    return refs(array)


FREE = _references()
