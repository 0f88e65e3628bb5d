"""Memory that devices read and write in place: buffers over NumPy arrays, and a pool of blocks for values in between.

Kernels get it as buffers or, where the device reads all memory of the process, by address: then there is no buffer to
make, and none for the driver to keep track of (0.1 us and more for each at every launch).
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from .devices import pyopencl

ALIGN = 128               # the largest vector of a kernel: 16 doubles
SMALLEST = 4096
LIMIT = 1 << 29           # bytes the pool keeps for reuse
LEASE = 1 << 18           # results from this size on live in pooled memory: fresh pages would cost more than the kernel
READ, WRITE = 4 | 8, 1 | 8           # READ_ONLY | USE_HOST_PTR, READ_WRITE | USE_HOST_PTR
COPY_IN, DEVICE = 4 | 32, 1          # READ_ONLY | COPY_HOST_PTR, READ_WRITE


def extent(array: np.ndarray) -> int:
    """Bytes from the first to behind the last element of a non-empty array."""
    return array.itemsize + sum((n - 1) * s for n, s in zip(array.shape, array.strides))


def flat(array: np.ndarray) -> Any:
    """The memory that a strided array spans, as something a buffer can be made over. The caller keeps the array alive."""
    return (ctypes.c_char * extent(array)).from_address(array.__array_interface__["data"][0])


def aligned(nbytes: int) -> np.ndarray:
    """Uninitialised bytes at a multiple of ALIGN."""
    raw = np.empty(nbytes + ALIGN, np.uint8)
    start = -raw.ctypes.data % ALIGN
    return raw[start: start + nbytes]


def buffer_of(context: Any, flags: int, array: np.ndarray) -> Any:
    """A buffer over (or with a copy of) any array, empty ones included."""
    cl = pyopencl()
    if array.size == 0:
        return cl.Buffer(context, 1, ALIGN)
    if array.flags.c_contiguous:
        return cl.Buffer(context, flags, 0, array)
    return cl.Buffer(context, flags, 0, flat(array))


def address(array: Any) -> int:
    """Where the first element of an array is; of an array without elements, a place that may be read."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError, BufferError):    # read-only, with gaps, or empty; the usual way costs three times as much
        return array.__array_interface__["data"][0] if array.size else NOTHING


_NOTHING = aligned(ALIGN)
_NOTHING[:] = 0
NOTHING = address(_NOTHING)


def size_class(nbytes: int) -> int:
    """`nbytes` rounded up to one of four sizes per power of two, at least one page."""
    if nbytes <= SMALLEST:
        return SMALLEST
    step = 1 << max(nbytes.bit_length() - 3, 12)
    return -(-nbytes // step) * step


class Pool:
    """Blocks (bytes, what kernels get for them: a buffer or an address) by size class. Taking and giving are atomic under
    the interpreter's lock. `context`: of the buffers; None where kernels get addresses."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.free: dict[int, list[tuple[np.ndarray, Any]]] = {}
        self.kept = 0

    def take(self, nbytes: int) -> tuple[np.ndarray, Any]:
        size = size_class(nbytes)
        blocks = self.free.get(size)
        if blocks:
            try:
                block = blocks.pop()
                self.kept -= size
                return block
            except IndexError:                      # another thread was faster
                pass
        memory = aligned(size)
        return memory, address(memory) if self.context is None else pyopencl().Buffer(self.context, WRITE, 0, memory)

    def give(self, block: tuple[np.ndarray, Any]) -> None:
        size = block[0].size
        if self.kept + size <= LIMIT:
            self.kept += size
            self.free.setdefault(size, []).append(block)


    def fresh(self, shape: tuple, dtype: np.dtype, nbytes: int) -> tuple[np.ndarray, Any]:
        """A contiguous array for a result, and what kernels get for it. Memory of a large one returns to the pool when the
        last array over it is gone."""
        if nbytes < LEASE:
            array = np.empty(shape, dtype)
            return array, address(array) if self.context is None else buffer_of(self.context, WRITE, array)
        block = self.take(nbytes)
        lease = _lease_type(block[0].size).from_buffer(block[0])
        lease.block, lease.pool = block, self
        return np.ndarray(shape, dtype, lease), block[1]


@functools.cache
def _lease_type(size: int) -> Any:
    """A ctypes array of `size` bytes that gives its block back when it is collected."""

    def __del__(self: Any) -> None:
        self.pool.give(self.block)

    return type(f"Lease{size}", (ctypes.c_char * size,), {"__del__": __del__})


_POOLS: dict[int, Pool] = {}


def pool_of(context: Any) -> Pool:
    """The one pool of a context, or of all kernels that get addresses (None)."""
    key = 0 if context is None else context.int_ptr
    found = _POOLS.get(key)
    return found if found is not None else _POOLS.setdefault(key, Pool(context))
