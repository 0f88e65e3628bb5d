"""Storages in files: their types, the bytes of a tensor's memory, and tensors over memory that was read."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from ...errors import NotYetSupported
from ...tensor import dtypes as dt
from ...tensor.tensor import Tensor, memory_owner, wrap

# PyTorch's names of typed storages, as they stand in files.
DTYPE_OF_STORAGE: dict[str, Any] = {
    "DoubleStorage": dt.float64, "FloatStorage": dt.float32, "HalfStorage": dt.float16, "LongStorage": dt.int64,
    "IntStorage": dt.int32, "ShortStorage": dt.int16, "CharStorage": dt.int8, "ByteStorage": dt.uint8, "BoolStorage": dt.bool_,
    "ComplexFloatStorage": dt.complex64, "ComplexDoubleStorage": dt.complex128,
    **({"BFloat16Storage": dt.bfloat16} if dt.bfloat16 is not None else {})}
STORAGE_OF_DTYPE = {d: name for name, d in DTYPE_OF_STORAGE.items()}


class Refused(pickle.UnpicklingError):
    """A file that holds something else than tensors and plain data, or describes them wrongly."""


class Stored:
    """The memory of one storage read from a file: bytes that its tensors share."""

    def __init__(self, data: bytearray, dtype: Any) -> None:
        self.data, self.dtype = data, dtype

    def tensor(self, offset: Any, size: Any, stride: Any, dtype: Any = None) -> Tensor:
        """A tensor over this memory. UnpicklingError if it would reach beyond it."""
        dtype = self.dtype if dtype is None else dtype
        kind = np.dtype(dtype.numpy)
        whole = (offset, *size, *stride)
        if not all(type(n) is int and n >= 0 for n in whole) or len(size) != len(stride):
            raise Refused(f"a tensor of this file has offset {offset}, sizes {size} and strides {stride}: whole "
                                         "numbers from 0 were expected")
        last = offset + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
        count = len(self.data) // kind.itemsize
        if all(size) and last >= count:
            raise Refused(f"a tensor of this file has sizes {tuple(size)}, strides {tuple(stride)} and offset "
                                         f"{offset}, which reach element {last} of a storage of {count}")
        base = np.frombuffer(self.data, kind, count)
        at = base[offset:] if all(size) else base[:0]
        return wrap(np.lib.stride_tricks.as_strided(at, tuple(size), tuple(s * kind.itemsize for s in stride)))


def memory_of(tensor: Tensor) -> tuple[int, Any, int, tuple[int, ...]]:
    """(address, array whose bytes are the storage, offset in elements, strides) of a CPU tensor: its whole memory where that
    has the tensor's dtype and lies in one piece, else a copy of the tensor."""
    array = tensor._array
    if array is None:
        raise NotYetSupported(f"a tensor on device '{tensor.device}' has no memory to save: move it to the CPU first.")
    root = memory_owner(array)
    item = array.dtype.itemsize
    offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    whole = root.dtype == array.dtype and root.flags.c_contiguous and all(s >= 0 for s in array.strides)
    strides = tuple(tensor.stride())
    if not whole or offset < 0 or offset % item or not array.size:
        root = np.ascontiguousarray(array)
        offset, strides = 0, strides if not array.size else tuple(s // item for s in root.strides)
    return root.__array_interface__["data"][0], root, offset // item, strides


def storage_name(tensor: Tensor) -> str:
    name = STORAGE_OF_DTYPE.get(tensor.dtype)
    if name is None:
        raise NotYetSupported(f"torch.save of a {tensor.dtype} tensor does not exist in Guardscope yet: convert it to a dtype "
                              "such as torch.float32.")
    return name
