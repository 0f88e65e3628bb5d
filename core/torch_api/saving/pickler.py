"""Writing the pickle of a checkpoint as PyTorch does: tensors refer to storages by key. Only tensors and plain data."""

from __future__ import annotations

import codecs
import collections
import pickle
from typing import Any

import numpy as np

from ...errors import NotYetSupported
from ...tensor.devices import device
from ...tensor.dtypes import dtype
from ...tensor.meta import Size
from ...tensor.tensor import Tensor
from ..nn.parameter import Parameter
from .numpy_parts import CODES
from .storages import memory_of, storage_name

PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset,
         collections.OrderedDict, collections.Counter, slice)


class Name:
    """A global that stands in the pickle by module and name."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self) -> None:                    # what is reduced to must look callable
        raise AssertionError


# Classes and functions that the pickles of plain containers name.
WRITTEN = {id(value): Name(module, value.__name__) for module, values in {
    "collections": (collections.OrderedDict, collections.Counter), "_codecs": (codecs.encode,),
    "numpy": (np.ndarray, np.dtype),
    "__builtin__": (set, frozenset, bytes, bytearray, complex, slice)}.items() for value in values}
ARRAY, NUMBER = Name("numpy._core.multiarray", "_reconstruct"), Name("numpy._core.multiarray", "scalar")
TENSOR, PARAMETER = Name("torch._utils", "_rebuild_tensor_v2"), Name("torch._utils", "_rebuild_parameter")


class StorageReference:
    """Stands for a storage: written as a persistent id."""

    def __init__(self, kind: str, key: str, count: int) -> None:
        self.kind, self.key, self.count = kind, key, count


_PythonPickler: Any = vars(pickle)["_Pickler"]     # written in Python, so that its writing of globals can be replaced


class SafePickler(_PythonPickler):
    """`storages` collects key -> array of everything that tensors refer to."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=2)
        self.storages: dict[str, Any] = {}
        self.keys: dict[tuple[int, str], str] = {}
        self.alive: list[Any] = []                  # addresses stay those of what was saved

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        name = obj if isinstance(obj, Name) else Name("torch", obj.name) if isinstance(obj, dtype) else WRITTEN.get(id(obj))
        if name is not None:
            self.write(pickle.GLOBAL + f"{name.module}\n{name.name}\n".encode())
        else:
            super().save(obj, save_persistent_id)

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, StorageReference):
            return ("storage", Name("torch", obj.kind), obj.key, "cpu", obj.count)
        return None

    def reducer_override(self, obj: Any) -> Any:
        cls = type(obj)
        if isinstance(obj, Parameter):
            return PARAMETER, (obj.detach(), obj.requires_grad, collections.OrderedDict())
        if isinstance(obj, Tensor):
            return self.reduce_tensor(obj)
        if isinstance(obj, device):
            return Name("torch", "device"), (obj.type,) if obj.index is None else (obj.type, obj.index)
        if cls is Size:
            return Name("torch", "Size"), (tuple(obj),)
        if cls is np.ndarray and obj.dtype.char in CODES:
            return ARRAY, (np.ndarray, (0,), b"b"), (1, obj.shape, obj.dtype, False, obj.tobytes())
        if isinstance(obj, np.dtype) and obj.char in CODES:
            return np.dtype, (obj.str[1:], False, True), (3, obj.str[0], None, None, None, -1, -1, 0)
        if isinstance(obj, np.generic) and obj.dtype.char in CODES:
            return NUMBER, (obj.dtype, obj.tobytes())
        if cls not in PLAIN:
            raise NotYetSupported(f"torch.save keeps tensors, numbers, texts and plain containers in Guardscope, not an object "
                                  f"of class {cls.__module__}.{cls.__qualname__}: save its state_dict() or its plain values.")
        return NotImplemented

    def reduce_tensor(self, tensor: Tensor) -> Any:
        if tensor.device.type not in ("cpu", "meta"):
            tensor = tensor.cpu()
        address, root, offset, strides = memory_of(tensor)
        self.alive.append(root)
        kind = storage_name(tensor)
        key = self.keys.get((address, kind))
        if key is None:
            key = self.keys[address, kind] = str(len(self.storages))
            self.storages[key] = root
        reference = StorageReference(kind, key, root.nbytes // root.dtype.itemsize)
        return TENSOR, (reference, offset, tuple(tensor.shape), strides, bool(tensor.requires_grad), collections.OrderedDict())
