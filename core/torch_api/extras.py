"""Top-level names that are no operators: threads, small questions, and names that only say what to do instead."""

from __future__ import annotations

import os
from typing import Any

from ..errors import NotYetSupported
from ..tensor.tensor import Tensor
from . import foreach, import_only
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
ABSENT: dict[str, Any] = {
    name: not_yet(f"torch.{name}", instead)
    for name, instead in {
        "UntypedStorage": _STORAGE,
        "ByteStorage": _STORAGE,
        "FloatStorage": _STORAGE,
        **dict.fromkeys(
            ("sparse_csr_tensor", "sparse_csc_tensor", "sparse_compressed_tensor"), "use a dense tensor"
        ),
    }.items()
}

NAMES: dict[str, Any] = {f.__name__: f for f in (
    get_num_threads, set_num_threads, get_num_interop_threads, set_num_interop_threads, typename, _assert, _check,
    is_warn_always_enabled, set_default_tensor_type)}
NAMES.update(ABSENT)


def _check_is_size(i: Any, message: Any = None, *, max: Any = None) -> None:
    """RuntimeError unless i is a size: not negative."""
    _check(i >= 0, message)


def _check_index(cond: Any, message: Any = None) -> None:
    """IndexError unless the condition holds."""
    if not cond:
        raise IndexError("" if message is None else message())


def _check_value(cond: Any, message: Any = None) -> None:
    """ValueError unless the condition holds."""
    if not cond:
        raise ValueError("" if message is None else message())


def _check_type(cond: Any, message: Any = None) -> None:
    """TypeError unless the condition holds."""
    if not cond:
        raise TypeError("" if message is None else message())


def sym_int(a: Any) -> Any:
    """int(a), also of a symbolic number."""
    return int(a) if isinstance(a, float) else a.__int__() if not isinstance(a, int) else a


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two sizes."""
    return a if a >= b else b


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two sizes."""
    return a if a <= b else b


def sym_not(a: Any) -> Any:
    """not a."""
    return not a


def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """The gradient of softmax from that of its result."""
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


def spmm(input: Any, mat2: Any) -> Any:
    """The matrix product of a sparse or dense matrix with a dense one."""
    return input.mm(mat2)


def set_flush_denormal(mode: bool) -> bool:
    """False: subnormal numbers stay as the processor treats them."""
    return False


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return False


def get_deterministic_debug_mode() -> int:
    """0: nothing here is non-deterministic."""
    return 0


def set_deterministic_debug_mode(debug_mode: Any) -> None:
    """Accepted and without effect."""


def set_warn_always(b: bool) -> None:
    """Accepted and without effect."""


def is_vulkan_available() -> bool:
    return False


def compiled_with_cxx11_abi() -> bool:
    return True


def get_device_module(device: Any = None) -> Any:
    """torch.cpu or torch.cuda."""
    from . import cuda

    return cuda


NAMES.update(
    {
        f.__name__: f
        for f in (
            _check_is_size,
            _check_index,
            _check_value,
            _check_type,
            sym_int,
            sym_max,
            sym_min,
            sym_not,
            _softmax_backward_data,
            spmm,
            set_flush_denormal,
            is_deterministic_algorithms_warn_only_enabled,
            get_deterministic_debug_mode,
            set_deterministic_debug_mode,
            set_warn_always,
            is_vulkan_available,
            compiled_with_cxx11_abi,
            get_device_module,
        )
    }
)
NAMES["_check_tensor_all"] = lambda cond, message=None: _check(bool(cond.all()), message)
NAMES.update(foreach.NAMES)
NAMES.update({name: import_only.absent_class(name, _STORAGE) for name in (
    "TypedStorage", "DoubleStorage", "HalfStorage", "LongStorage", "IntStorage", "ShortStorage", "CharStorage", "BoolStorage",
    "BFloat16Storage")})
NAMES.update({name: import_only.absent_class(name, "use Python's numbers") for name in ("SymInt", "SymFloat", "SymBool")})
NAMES.update({name: type(name, (RuntimeError,), {"__module__": "torch"}) for name in ("OutOfMemoryError", "AcceleratorError")})

present(globals())
