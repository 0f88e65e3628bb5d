"""Operators that make tensors from nothing but numbers, or from the metadata of another tensor.

Their dtype and device arguments are filled before the operator is called, so that a recorded node states them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NotYetSupported
from ..tensor import dtypes as dt
from ..tensor.devices import CPU, device
from ..tensor.dtypes import BY_NUMPY
from ..tensor.dtypes import dtype as DType
from ..tensor.state import STATE
from ..tensor.tensor import Tensor, wrap
from .conversion import convert, elements
from .declare import Spec, operator, spelled
from .dims import sizes, unstar
from .fitting import stored
from .op import Extern, Op, Pointwise, call
from .promotion import is_tensor_like, number_category, number_dtype
from .strides import like_strides


def device_of(value: Any) -> device:
    """A device argument as a device object; None means the default. NotYetSupported for one without tensors."""
    d = STATE.mode.default_device if value is None else device(value)
    if d.type == "cpu":
        return CPU
    if d.type != "meta":
        raise NotYetSupported(f"tensors on device '{d}' do not exist yet: use device='cpu', whose tensors the compiled "
                              f"kernels read without copying.")
    return d


def made_by(name: str, schema: str, eager: Any, rule: Any, lower: Any = None, promote: str | None = None) -> Op:
    return operator(name, schema, lower or Extern(), eager, rule, own_device=True, differentiable=False, promote=promote)


def finish(tensor: Any, requires_grad: bool) -> Any:
    """The tensor with requires_grad set, where a creation function asks for it."""
    if requires_grad:
        tensor.requires_grad_(True)
    return tensor


def result_of(out: Any, tensor: Any, requires_grad: bool = False) -> Any:
    """What a creation function returns: `out` filled, or the tensor with requires_grad."""
    if out is not None:
        from .api import into_out

        return into_out(out, tensor)
    return finish(tensor, requires_grad)


def only_strided(layout: Any) -> None:
    """Raises NotYetSupported for another layout."""
    if layout is not None and str(layout) != "torch.strided":
        raise NotYetSupported(f"layout={layout} is not made directly: make the tensor, then call to_sparse().")


_MOST = 2 ** 60                            # elements: more than any memory holds


def sizes_of(size: tuple) -> tuple:
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    if all(type(n) is int for n in size) and math.prod(size) > _MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")
    return size


def _strided_spec(size: tuple, stride: tuple, dtype: DType, device: Any) -> Spec:
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    return Spec(dtype, size, stride, device)


# -- constant fill ---------------------------------------------------------------------------------------------------
FULL = made_by("full", "size, fill_value, dtype, device", lambda size, value, dtype, device: np.broadcast_to(value, size),
             lambda size, value, dtype, device: Spec(dtype, sizes_of(size), device=device), Pointwise("fill_value"), "cast")
EMPTY = made_by("empty", "size, dtype, device", lambda size, dtype, device: np.zeros(size, dtype.numpy),
              lambda size, dtype, device: Spec(dtype, sizes_of(size), device=device))
EMPTY_STRIDED = made_by("empty_strided", "size, stride:ints, dtype, device",
                      lambda size, stride, dtype, device: _strided(size, stride, dtype.numpy),
                      _strided_spec)
FULL_LIKE = operator("full_like", "input, fill_value, dtype, device", Pointwise("fill_value"),
                     lambda a, value, dtype, device: np.broadcast_to(value, a.shape),
                     lambda m, value, dtype, device: Spec(dtype, m.shape, like_strides(m), device), promote="cast",
                     own_device=True, differentiable=False)
EMPTY_LIKE = operator("empty_like", "input, dtype, device", Extern(),
                      lambda a, dtype, device: np.zeros(a.shape, dtype.numpy),
                      lambda m, dtype, device: Spec(dtype, m.shape, like_strides(m), device), own_device=True,
                      differentiable=False)


def _strided(size: tuple, stride: tuple, d: np.dtype) -> np.ndarray:
    room = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
    return np.lib.stride_tricks.as_strided(np.zeros(room, d), size, [s * d.itemsize for s in stride])


def fill_dtype(value: Any, dtype: DType | None) -> DType:
    """The dtype of full(): the stated one, or that of the value."""
    if dtype is not None:
        return dtype
    if is_tensor_like(value):
        return value.dtype
    found = number_dtype(value)
    if found is None:
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}")
    return found


def full_of(size: tuple, value: Any, dtype: DType | None, where: Any) -> Any:
    """A tensor of `size` filled with `value`."""
    kind = dtype if dtype is not None else STATE.mode.default_dtype
    return call(FULL, (size, stored(value, kind), kind, device_of(where)))


def _filled(name: str, value: Any) -> Any:
    def make(*sizes: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, pin_memory: bool = False) -> Any:
        only_strided(layout)
        if not sizes and size is None:
            raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
        return result_of(out, full_of(unstar(sizes, size), value, dtype, device), requires_grad)

    def like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
             memory_format: Any = None, pin_memory: bool = False) -> Any:
        only_strided(layout)
        return finish(full_like(input, value, dtype=dtype, device=device, memory_format=memory_format), requires_grad)

    def new(self: Any, *sizes: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
            requires_grad: bool = False, pin_memory: bool = False) -> Any:
        only_strided(layout)
        where = self.device if device is None else device
        return finish(full_of(unstar(sizes, size), value, dtype or self.dtype, where), requires_grad)

    for fn, n, text in ((make, name, "the given size"), (like, f"{name}_like", "the size of `input`"),
                        (new, f"new_{name}", "the given size and the dtype and device of self")):
        fn.__name__ = n
        fn.__doc__ = f"A tensor of {text}, filled with {value}."
    spelled(name, "", FULL)(make)
    spelled(f"{name}_like", "", FULL_LIKE)(like)
    spelled("", f"new_{name}", FULL)(new)
    return make


zeros = _filled("zeros", 0)
ones = _filled("ones", 1)


@spelled("full", "", FULL)
def full(size: Any, fill_value: Any, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
         requires_grad: bool = False, pin_memory: bool = False, names: Any = None) -> Any:
    """A tensor of `size` filled with `fill_value`, whose dtype it takes unless one is stated."""
    only_strided(layout)
    kind = fill_dtype(fill_value, dtype)
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    made = call(FULL, (sizes(size), stored(fill_value, kind), kind, device_of(device)))
    return result_of(out, made, requires_grad)


@spelled("full_like", "", FULL_LIKE)
def full_like(input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
              requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False) -> Any:
    """A tensor with the sizes (and layout) of `input` filled with `fill_value`."""
    only_strided(layout)
    where = input.device if device is None else device_of(device)
    kind = dtype or input.dtype
    made = call(FULL_LIKE, (input, stored(fill_value, kind), kind, where))
    return finish(made.contiguous() if str(memory_format).endswith("contiguous_format") else made, requires_grad)


@spelled("", "new_full", FULL)
def new_full(self: Any, size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """A tensor of `size` filled with `fill_value`, of the dtype and device of self."""
    only_strided(layout)
    return finish(full_of(sizes(size), fill_value, dtype or self.dtype, self.device if device is None else device),
                  requires_grad)


@spelled("empty", "", EMPTY)
def empty(*shape: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
          requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None) -> Any:
    """A tensor whose elements have no stated value."""
    only_strided(layout)
    made = call(EMPTY, (unstar(shape, size), dtype or STATE.mode.default_dtype, device_of(device)))
    if str(memory_format).endswith("channels_last"):
        made = made.contiguous(memory_format=memory_format)
    return result_of(out, made, requires_grad)


@spelled("empty_like", "", EMPTY_LIKE)
def empty_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
               memory_format: Any = None, pin_memory: bool = False) -> Any:
    """A tensor with the sizes (and layout) of `input`; its elements have no stated value."""
    only_strided(layout)
    where = input.device if device is None else device_of(device)
    made = call(EMPTY_LIKE, (input, dtype or input.dtype, where))
    return finish(made.contiguous() if str(memory_format).endswith("contiguous_format") else made, requires_grad)


@spelled("", "new_empty", EMPTY)
def new_empty(self: Any, *shape: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
              requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """A tensor of `size` with the dtype and device of self; its elements have no stated value."""
    only_strided(layout)
    where = self.device if device is None else device_of(device)
    return finish(call(EMPTY, (unstar(shape, size), dtype or self.dtype, where)), requires_grad)


@spelled("", "new_empty_strided", EMPTY_STRIDED)
def new_empty_strided(self: Any, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
                      requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """empty_strided with the dtype and device of self."""
    only_strided(layout)
    return empty_strided(size, stride, dtype=dtype or self.dtype, device=self.device if device is None else device,
                         requires_grad=requires_grad)


@spelled("empty_strided", "", EMPTY_STRIDED)
def empty_strided(size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
                  requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """A tensor with the stated strides; its elements have no stated value."""
    only_strided(layout)
    made = call(EMPTY_STRIDED, (sizes(size), sizes(stride), dtype or STATE.mode.default_dtype, device_of(device)))
    return finish(made, requires_grad)


# -- from Python and NumPy data --------------------------------------------------------------------------------------
def _nested_shape(data: Any) -> tuple:
    if not isinstance(data, (tuple, list)):
        return ()
    if not data:
        return (0,)
    inner = _nested_shape(data[0])
    for item in data:
        if _nested_shape(item) != inner:
            raise ValueError(f"expected sequence of length {inner[0] if inner else 0} at dim 1 (got a different length)"
                             if isinstance(item, (tuple, list)) else "expected a sequence of equal lengths")
    return (len(data), *inner)


def _flat(data: Any) -> list:
    return [v for item in data for v in _flat(item)] if isinstance(data, (tuple, list)) else [data]


def _nested(data: Any) -> Any:
    return tuple([_nested(v) for v in data]) if isinstance(data, tuple) else data


TENSOR = made_by("tensor", "data:any, dtype, device", lambda data, dtype, device: _array_of(data, dtype),
               lambda data, dtype, device: Spec(dtype, _nested_shape(data), device=device))


def _array_of(data: Any, dtype: DType) -> np.ndarray:
    if dtype.category != 1:
        return np.array(data, dtype=dtype.numpy)
    try:
        return np.array(data, dtype=dtype.numpy)
    except OverflowError:
        if dtype is dt.uint8:                              # as PyTorch: -1 means 255
            wide = np.array(data, np.int64)
            if wide.min() >= -255 and wide.max() <= 255:
                return wide.astype(np.uint8)
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow") from None


def _plain(data: Any) -> Any:
    """Nested tuples of Python numbers from nested sequences that may hold arrays and 0-d tensors."""
    if isinstance(data, (tuple, list, range)):
        return tuple([_plain(v) for v in data])
    if isinstance(data, Tensor):
        return _plain(elements(data, "torch.tensor(tensor)").tolist())
    if isinstance(data, (np.ndarray, np.generic)):
        return _plain(data.tolist())
    if number_category(data) is None:
        if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, (str, bytes, dict)):
            return tuple([_plain(data[i]) for i in range(len(data))])
        if isinstance(data, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    return data


def _inferred(flat: list, data: Any) -> DType:
    first = data[0] if isinstance(data, (tuple, list)) and data else None
    if isinstance(first, np.floating) and np.dtype(type(first)) in BY_NUMPY:      # the first array scalar decides
        return BY_NUMPY[np.dtype(type(first))]
    kinds = {number_category(v) for v in flat}
    if 3 in kinds:
        return dt.COMPLEX_OF.get(STATE.mode.default_dtype, dt.complex64)
    if not kinds or 2 in kinds:
        return STATE.mode.default_dtype
    return dt.int64 if 1 in kinds else dt.bool_


def supported(array: np.ndarray) -> np.ndarray:
    """An array whose dtype a tensor can have. TypeError otherwise."""
    if array.dtype not in BY_NUMPY:
        native = array.dtype.newbyteorder("=")
        if native in BY_NUMPY:
            return array.astype(native)
        raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype}. The only supported types are: "
                        f"{', '.join(d.name for d in dt.ALL)}.")
    return array


@spelled("tensor", "", TENSOR)
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
           pin_memory: bool = False) -> Any:
    """A new tensor holding a copy of `data`: numbers, nested sequences, NumPy arrays or a tensor."""
    where = device_of(device)
    if isinstance(data, Tensor):
        made = convert(data.detach(), dtype, where if device is not None else None, copy=True)
        return finish(made, requires_grad)
    if isinstance(data, (np.ndarray, np.generic)) and STATE.tracer is None and where is CPU:
        array = supported(np.array(data))
        return finish(wrap(array.astype(dtype.numpy) if dtype is not None else np.ascontiguousarray(array)
                           if array.ndim else array), requires_grad)
    if dtype is None and isinstance(data, np.ndarray):
        dtype = BY_NUMPY[supported(data).dtype]
    if dtype is None and isinstance(data, (tuple, list)) and data and all(isinstance(v, Tensor) for v in data) \
            and len({v.dtype for v in data}) == 1:
        dtype = data[0].dtype
    plain = _plain(data)
    flat = _flat(plain)
    _nested_shape(plain)
    return finish(call(TENSOR, (plain, dtype or _inferred(flat, data), where)), requires_grad)


@spelled("asarray", "", TENSOR)
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False) -> Any:
    """`obj` as a tensor; copied if `copy` says so, and if it must be. ValueError where it must be and `copy` is False."""
    made = as_tensor(obj, dtype, device)
    shared = made is obj or isinstance(obj, np.ndarray) and made._array is not None and np.shares_memory(made._array, obj)
    if copy and shared:
        made = made.clone()
    if copy is False and not shared:
        raise ValueError("can't alias tensor with different properties: copy=False was asked for, and a copy is needed")
    return finish(made, True) if requires_grad else made


@spelled("as_tensor", "", TENSOR)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """`data` as a tensor, without copying where that is possible."""
    if isinstance(data, Tensor):
        return convert(data, dtype, device_of(device) if device is not None else None)
    if isinstance(data, np.ndarray) and (dtype is None or dtype.numpy == data.dtype):
        return convert(from_numpy(data), None, device_of(device) if device is not None else None)
    return tensor(data, dtype=dtype, device=device)


@spelled("frombuffer", "", None)
def frombuffer(buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Any:
    """A vector over the bytes of a buffer (shared, not copied)."""
    data = memoryview(buffer)
    if data.nbytes == 0:
        raise ValueError("both buffer length (0) and count (-1) must not be 0")
    if (data.nbytes - offset) % dtype.itemsize and count < 0:
        raise ValueError(f"buffer length ({data.nbytes - offset} bytes) after offset ({offset} bytes) must be a multiple of "
                         f"element "
                         f"size ({dtype.itemsize})")
    return finish(wrap(np.frombuffer(buffer, dtype.numpy, count, offset)), requires_grad)


@spelled("from_numpy", "", None)
def from_numpy(array: Any) -> Any:
    """A tensor over the memory of a NumPy array."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if any(s < 0 for s in array.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides are "
                         "not currently supported. (You can probably work around this by making a copy of your array  with "
                         "array.copy().) ")
    if array.dtype not in BY_NUMPY:
        supported(array)
    return wrap(array)


@spelled("scalar_tensor", "", FULL)
def scalar_tensor(s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None) -> Any:
    """A 0-d tensor, of the default floating dtype unless one is stated."""
    only_strided(layout)
    return full_of((), s, dtype, device)


@spelled("", "new_tensor", TENSOR)
def new_tensor(self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               layout: Any = None, pin_memory: bool = False) -> Any:
    """A tensor from data, of the dtype and device of self."""
    only_strided(layout)
    return tensor(data, dtype=dtype or self.dtype, device=self.device if device is None else device,
                  requires_grad=requires_grad)
