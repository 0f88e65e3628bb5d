"""Top-level names that are no operators: threads, small questions, and names that only say what to do instead."""

from __future__ import annotations

import os
from typing import Any

from ..errors import NotYetSupported
from ..tensor.tensor import Tensor
from .naming import not_yet, present

_threads = {"intra": 0, "inter": 0}


def get_num_threads() -> int:
    """What set_num_threads said, else the number of processors."""
    return _threads["intra"] or os.cpu_count() or 1


def set_num_threads(n: int) -> None:
    """Kept; NumPy and the OpenCL device choose their own number of threads."""
    _threads["intra"] = _positive(n)


def get_num_interop_threads() -> int:
    return _threads["inter"] or 1


def set_num_interop_threads(n: int) -> None:
    _threads["inter"] = _positive(n)


def _positive(n: int) -> int:
    if not isinstance(n, int) or n <= 0:
        raise RuntimeError(f"the number of threads is {n!r}: it must be a positive integer")
    return n


def typename(obj: Any) -> str:
    """"torch.FloatTensor" for a tensor, "module.Class" for anything else."""
    if isinstance(obj, Tensor):
        return obj.type()
    cls = obj if isinstance(obj, type) else type(obj)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _assert(condition: Any, message: str) -> None:
    """`assert` as a function."""
    if not condition:
        raise AssertionError(message)


def _check(cond: bool, message: Any = None) -> None:
    """Raises RuntimeError unless `cond`; `message` is a callable that gives the text."""
    if not cond:
        raise RuntimeError(str(message()) if message is not None else "Expected cond to be True, but got False.")


def is_warn_always_enabled() -> bool:
    return False


def set_default_tensor_type(t: Any) -> None:
    raise NotYetSupported("torch.set_default_tensor_type does not exist in Guardscope: use torch.set_default_dtype and "
                          "torch.set_default_device.")


_STORAGE = "keep tensors: their memory is a NumPy array (tensor.numpy())"
ABSENT: dict[str, Any] = {name: not_yet(f"torch.{name}", instead) for name, instead in {
    "UntypedStorage": _STORAGE, "ByteStorage": _STORAGE, "FloatStorage": _STORAGE,
    "save": "keep arrays with numpy.savez(path, **{k: v.numpy() for k, v in state.items()})",
    "load": "read arrays with numpy.load and torch.from_numpy",
    "vmap": "write the batch dimension out",
    "sparse_coo_tensor": "use a dense tensor",
}.items()}

NAMES: dict[str, Any] = {f.__name__: f for f in (
    get_num_threads, set_num_threads, get_num_interop_threads, set_num_interop_threads, typename, _assert, _check,
    is_warn_always_enabled, set_default_tensor_type)}
NAMES.update(ABSENT)

present(globals())
