"""Reading the pickle in a checkpoint: tensors, dtypes, sizes, devices and plain containers. Whatever else a file names is
refused with its name; nothing that a file names is ever imported or called."""

from __future__ import annotations

import collections
import pickle
from collections.abc import Callable
from typing import Any

from ...tensor import dtypes as dt
from ...tensor.devices import device
from ...tensor.meta import Size
from ...tensor.tensor import Tensor
from ..absent_dtypes import ABSENT
from ..nn.parameter import Parameter
from . import numpy_parts
from .storages import DTYPE_OF_STORAGE, Refused, Stored

SAFE_BUILTINS = {"set": set, "frozenset": frozenset, "bytearray": bytearray, "complex": complex, "slice": slice, "dict": dict,
                 "list": list, "tuple": tuple, "int": int, "float": float, "bool": bool, "str": str, "bytes": bytes}


class StorageType:
    """A storage class named in a file; only its dtype counts. None: untyped."""

    def __init__(self, name: str, dtype: Any) -> None:
        self.name, self.dtype = name, dtype


def rebuild_tensor(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any = False, hooks: Any = None,
                   metadata: Any = None) -> Tensor:
    return _over(storage, offset, size, stride, requires_grad)


def rebuild_tensor_of_dtype(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, hooks: Any, dtype: Any,
                            metadata: Any = None) -> Tensor:
    return _over(storage, offset, size, stride, requires_grad, dtype)


def _over(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, dtype: Any = None) -> Tensor:
    if not isinstance(storage, Stored) or not isinstance(size, tuple) or not isinstance(stride, tuple):
        raise Refused("a tensor of this file is not described by a storage, an offset, sizes and strides")
    if dtype is not None and not isinstance(dtype, dt.dtype):
        raise Refused("a tensor of this file names no dtype")
    made = storage.tensor(offset, size, stride, dtype)
    if requires_grad is True:
        made.requires_grad_(True)
    return made


def rebuild_parameter(data: Any, requires_grad: Any, hooks: Any = None, state: Any = None) -> Parameter:
    if not isinstance(data, Tensor):
        raise Refused("a parameter of this file is made of no tensor")
    return Parameter(data.detach(), requires_grad is True)


def make_device(*args: Any) -> Any:
    return device(*args)


def encode_latin1(text: Any, encoding: Any) -> bytes:
    """How bytes stand in a pickle of protocol 2."""
    if not isinstance(text, str) or encoding != "latin1":
        raise Refused(f"bytes of this file are encoded as {encoding!r}: latin1 was expected")
    return text.encode("latin1")


KNOWN: dict[tuple[str, str], Any] = {
    **numpy_parts.KNOWN,
    ("collections", "OrderedDict"): collections.OrderedDict, ("collections", "Counter"): collections.Counter,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor, ("torch._utils", "_rebuild_tensor_v3"): rebuild_tensor_of_dtype,
    ("torch._utils", "_rebuild_tensor"): rebuild_tensor, ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): rebuild_parameter, ("torch", "Size"): Size,
    ("torch", "device"): make_device, ("_codecs", "encode"): encode_latin1,
    ("torch.storage", "UntypedStorage"): StorageType("UntypedStorage", None),
    ("torch", "UntypedStorage"): StorageType("UntypedStorage", None),
    ("torch.serialization", "_get_layout"): lambda name: name,
    **{("torch", name): StorageType(name, d) for name, d in DTYPE_OF_STORAGE.items()},
    **{("torch", d.name): d for d in (*dt.ALL, *ABSENT.values())},
    **{(module, name): value for name, value in SAFE_BUILTINS.items() for module in ("builtins", "__builtin__")}}


class SafeUnpickler(pickle.Unpickler):
    """`storage(key, nbytes)` gives the bytes of a storage."""

    def __init__(self, file: Any, storage: Callable[[str, int], bytearray], place: Callable[[str], None]) -> None:
        super().__init__(file, encoding="utf-8")
        self.storage, self.place = storage, place
        self.read: dict[str, Stored] = {}

    def find_class(self, module: str, name: str) -> Any:
        try:
            return KNOWN[module, name]
        except KeyError:
            raise Refused(
                f"this file wants {module}.{name}, and files may only hold tensors, numbers, texts and plain containers in "
                "Guardscope: load it in PyTorch and save its state_dict") from None

    def persistent_load(self, saved: Any) -> Stored:
        if not isinstance(saved, tuple) or len(saved) != 5 or saved[0] != "storage" or not isinstance(saved[1], StorageType) \
                or not isinstance(saved[2], str) or not isinstance(saved[3], str) or type(saved[4]) is not int or saved[4] < 0:
            raise Refused("a storage of this file is described in an unknown way")
        _, kind, key, location, count = saved
        found = self.read.get(key)
        if found is None:
            self.place(location)
            dtype = dt.uint8 if kind.dtype is None else kind.dtype
            found = self.read[key] = Stored(self.storage(key, count * dtype.itemsize), dtype)
        return found
