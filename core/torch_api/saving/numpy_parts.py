"""NumPy arrays and scalars in checkpoints: numeric ones only, rebuilt from their bytes without NumPy's own unpickling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .storages import Refused

CODES = frozenset("?bhilqBHILQefdFD")


class StoredDtype:
    """A dtype by its code; the state that follows may only set the byte order."""

    def __init__(self, code: Any, *rest: Any) -> None:
        try:
            self.value: Any = np.dtype(code) if isinstance(code, str) else None
        except TypeError:
            self.value = None
        if self.value is None or self.value.char not in CODES:
            raise Refused(f"a NumPy array of this file has dtype {code!r}: numeric ones are read here")

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) < 5 or state[1] not in ("<", ">", "|", "=") or any(
                s is not None for s in state[2:5]):
            raise Refused("a NumPy dtype of this file has fields: plain numeric ones are read here")
        assert self.value is not None
        if state[1] in "<>":
            self.value = self.value.newbyteorder(state[1])


class StoredArray:
    """An array whose shape and bytes follow."""

    def __init__(self) -> None:
        self.array: Any = None

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5 or not isinstance(state[1], tuple) \
                or not all(type(n) is int and n >= 0 for n in state[1]) or not isinstance(state[2], StoredDtype) \
                or not isinstance(state[4], bytes):
            raise Refused("a NumPy array of this file is described in an unknown way")
        _, shape, dtype, fortran, data = state
        count = 1
        for n in shape:
            count *= n
        if count * dtype.value.itemsize != len(data):
            raise Refused(f"a NumPy array of this file has shape {shape} and dtype {dtype.value}, and {len(data)} bytes")
        flat = np.frombuffer(bytearray(data), dtype.value)
        self.array = flat.reshape(shape, order="F" if fortran else "C")


def reconstruct(*args: Any) -> StoredArray:
    return StoredArray()


def scalar(dtype: Any, data: Any) -> Any:
    if not isinstance(dtype, StoredDtype) or not isinstance(data, bytes) or len(data) != dtype.value.itemsize:
        raise Refused("a NumPy number of this file is described in an unknown way")
    return np.frombuffer(data, dtype.value)[0]


def arrays_in_place(value: Any, done: dict[int, Any]) -> Any:
    """The structure with stored arrays as NumPy arrays; containers stay the same objects, except tuples that hold one."""
    if isinstance(value, StoredArray):
        return value.array
    if isinstance(value, StoredDtype):
        return value.value
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, dict):
        done[id(value)] = value
        for key, item in list(value.items()):
            value[key] = arrays_in_place(item, done)
    elif isinstance(value, list):
        done[id(value)] = value
        value[:] = [arrays_in_place(v, done) for v in value]
    elif type(value) is tuple:
        made = tuple(arrays_in_place(v, done) for v in value)
        return made if any(a is not b for a, b in zip(made, value)) else value
    return value


KNOWN: dict[tuple[str, str], Any] = {
    ("numpy", "dtype"): StoredDtype, ("numpy", "ndarray"): np.ndarray,
    **{(f"numpy.{core}.multiarray", name): value for core in ("core", "_core")
       for name, value in (("_reconstruct", reconstruct), ("scalar", scalar))}}
