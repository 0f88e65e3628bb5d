"""Copies, conversions between dtypes and devices, detaching, and leaving for Python and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotYetSupported
from ..tensor import dtypes as dt
from ..tensor.devices import CPU, META, device
from ..tensor.dtypes import dtype as DType
from ..tensor.dtypes import widened
from .declare import Spec, operator, spelled, view
from .op import Extern, Pointwise, call
from .strides import channels_last_strides, is_channels_last, is_contiguous, like_strides

# -- copies ----------------------------------------------------------------------------------------------------------
CLONE = operator("clone", "input", Pointwise("input"), lambda a: a, lambda m: Spec(m.dtype, m.shape, like_strides(m)),
                 promote="no_opmath")
CONTIGUOUS = operator("contiguous", "input", Pointwise("input"), lambda a: a, lambda m: Spec(m.dtype, m.shape),
                      promote="no_opmath")
CHANNELS_LAST = operator("channels_last", "input", Pointwise("input"), lambda a: a,
                         lambda m: Spec(m.dtype, m.shape, channels_last_strides(m.shape)), promote="no_opmath")
TO_DTYPE = operator("to_dtype", "input, dtype", Pointwise("input"), lambda a, dtype: a,
                    lambda m, dtype: Spec(dtype, m.shape, like_strides(m)), promote="cast")


def _format_name(memory_format: Any) -> str:
    return str(memory_format).rsplit(".", 1)[-1] if memory_format is not None else "preserve_format"


@spelled("clone", "clone", CLONE)
def clone(input: Any, *, memory_format: Any = None) -> Any:
    """A copy with the same layout, or with the stated memory format."""
    name = _format_name(memory_format)
    if name == "preserve_format":
        return call(CLONE, (input,))
    return call(CONTIGUOUS if name == "contiguous_format" else CHANNELS_LAST, (input,))


@spelled("", "contiguous", CONTIGUOUS)
def contiguous(self: Any, memory_format: Any = None) -> Any:
    """The tensor itself if it is contiguous, else a contiguous copy."""
    if _format_name(memory_format).startswith("channels_last"):
        return self if is_channels_last(self.shape, self._meta.strides) else call(CHANNELS_LAST, (self,))
    return self if is_contiguous(self.shape, self._meta.strides) else call(CONTIGUOUS, (self,))


def in_format_of(result: Any, input: Any) -> Any:
    """`result` contiguous, or channels last where `input` is: the memory format that normalisations and resizing keep."""
    if input.ndim == 4 and is_channels_last(input.shape, input._meta.strides) and not is_contiguous(input.shape,
                                                                                                    input._meta.strides):
        return result if is_channels_last(result.shape, result._meta.strides) else call(CHANNELS_LAST, (result,))
    return result if is_contiguous(result.shape, result._meta.strides) else call(CONTIGUOUS, (result,))


@spelled("", "is_contiguous", None)
def is_contiguous_(self: Any, memory_format: Any = None) -> bool:
    """Whether the layout is row-major (or the stated memory format)."""
    if _format_name(memory_format).startswith("channels_last"):
        return is_channels_last(self.shape, self._meta.strides)
    return is_contiguous(self.shape, self._meta.strides)


# -- dtype -----------------------------------------------------------------------------------------------------------
TO_DEVICE = operator("to_device", "input, device", Extern(), lambda a, device: a.copy() if a is not None else None,
                     lambda m, device: Spec(m.dtype, m.shape, like_strides(m), device), own_device=True)


def convert(input: Any, dtype: DType | None, where: Any, copy: bool = False, memory_format: Any = None) -> Any:
    """The tensor with another dtype and device; the tensor itself where nothing changes."""
    out = input
    if where is not None and where is not input.device:
        where = device(where)
        if where.type == "cpu":
            where = CPU
        if where is not input.device:
            if where.type not in ("cpu", "meta"):
                raise NotYetSupported(f"tensors on device '{where}' do not exist yet: use device='cpu', whose tensors the "
                                      f"compiled kernels read without copying.")
            if input.device is META:
                raise NotImplementedError("Cannot copy out of meta tensor; no data!")
            out = call(TO_DEVICE, (out, where))
    if dtype is not None and dtype is not input.dtype:
        out = call(TO_DTYPE, (out, dtype))
    if copy and out is input:
        out = call(CLONE, (out,))
    if memory_format is not None and _format_name(memory_format) != "preserve_format":
        out = contiguous(out, memory_format)
    return out


@spelled("", "to", TO_DTYPE)
def to(self: Any, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, non_blocking: bool = False,
       copy: bool = False, memory_format: Any = None) -> Any:
    """to(dtype), to(device), to(device, dtype), to(other): the tensor with that dtype and device."""
    from ..tensor.devices import device as Device
    from .promotion import is_tensor_like

    rest = list(args)
    if rest:
        first = rest.pop(0)
        if isinstance(first, DType):
            dtype = first
        elif isinstance(first, (Device, str, int)) and not isinstance(first, bool):
            device = first
            if rest and (rest[0] is None or isinstance(rest[0], DType)):
                dtype = rest.pop(0) or dtype
        elif is_tensor_like(first):
            other = first
        elif first is not None:
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(first).__name__})")
        elif rest:
            dtype = rest.pop(0)
        if len(rest) > 1:                      # non_blocking, copy
            copy = rest[1]
    if other is not None:
        dtype, device = other.dtype, other.device
    return convert(self, dtype, Device(device) if device is not None else None, bool(copy), memory_format)


def _converter(name: str, dtype: DType) -> None:
    def as_dtype(self: Any, memory_format: Any = None) -> Any:
        if memory_format is not None:
            return convert(self, dtype, None, False, memory_format)
        return self if self.dtype is dtype else call(TO_DTYPE, (self, dtype))

    as_dtype.__name__ = name
    as_dtype.__doc__ = f"The tensor as {dtype}."
    spelled("", name, TO_DTYPE)(as_dtype)


for _name, _dtype in (("float", dt.float32), ("double", dt.float64), ("half", dt.float16), ("int", dt.int32),
                      ("long", dt.int64), ("short", dt.int16), ("char", dt.int8), ("byte", dt.uint8), ("bool", dt.bool_),
                      ("cfloat", dt.complex64), ("cdouble", dt.complex128),
                      *((("bfloat16", dt.bfloat16),) if dt.bfloat16 is not None else ())):
    _converter(_name, _dtype)


@spelled("", "type_as", TO_DTYPE)
def type_as(self: Any, other: Any) -> Any:
    """The tensor with the dtype and device of `other`."""
    return convert(self, other.dtype, other.device)


@spelled("", "cpu", TO_DEVICE)
def cpu(self: Any, memory_format: Any = None) -> Any:
    """The tensor in host memory."""
    return convert(self, None, CPU, False, memory_format)


_TYPE_OF = {"Float": dt.float32, "Double": dt.float64, "Half": dt.float16, "Int": dt.int32, "Long": dt.int64,
            "Short": dt.int16, "Char": dt.int8, "Byte": dt.uint8, "Bool": dt.bool_,
            "ComplexFloat": dt.complex64, "ComplexDouble": dt.complex128, "BFloat16": dt.bfloat16}


@spelled("", "type", TO_DTYPE)
def type_(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Without an argument the type as text ("torch.FloatTensor"), else the tensor converted."""
    if dtype is None:
        return f"torch.{next(n for n, d in _TYPE_OF.items() if d is self.dtype)}Tensor"
    if isinstance(dtype, str):
        found = _TYPE_OF.get(dtype.removeprefix("torch.").removesuffix("Tensor"))
        if found is None:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = found
    if not isinstance(dtype, DType):
        dtype = dtype.dtype
    return convert(self, dtype, None)


def _view_dtype_rule(m: Any, d: DType) -> Spec:
    a, b = m.dtype.itemsize, d.itemsize
    if a == b:
        return Spec(d, m.shape, m.strides)
    if not len(m.shape):
        raise RuntimeError("self.dim() cannot be 0 to view with a different element size")
    if m.strides[-1] != 1:
        raise RuntimeError("self.stride(-1) must be 1 to view with different element sizes")
    if a > b:
        k = a // b
        return Spec(d, (*m.shape[:-1], m.shape[-1] * k), (*[s * k for s in m.strides[:-1]], 1))
    k = b // a
    if m.shape[-1] % k != 0:
        raise RuntimeError(f"self.size(-1) must be divisible by {k} to view with different element sizes")
    return Spec(d, (*m.shape[:-1], m.shape[-1] // k), (*[s // k for s in m.strides[:-1]], 1))


VIEW_DTYPE = view("view_dtype", "input, dtype", lambda a, d: a.view(d.numpy), _view_dtype_rule)

# -- detach ----------------------------------------------------------------------------------------------------------
DETACH = view("detach", "input", lambda a: a, lambda m: Spec(m.dtype, m.shape, m.strides), functions="detach",
              methods="detach", differentiable=False)


# -- leaving the tensor world ----------------------------------------------------------------------------------------
def elements(self: Any, what: str) -> np.ndarray:
    """The NumPy array of a tensor; NeedsData for one under capture, RuntimeError for one without elements."""
    array = self._array
    if array is None:
        from ..graph.constants import known_elements
        from ..graph.fake import FakeTensor, NeedsData

        if isinstance(self, FakeTensor):
            known = known_elements(self)
            if known is not None:
                return known
            raise NeedsData(what, self)
    if array is None or self._meta.device is META:       # a kernel that computes other things as well may have made one
        raise NotImplementedError(f"Cannot copy out of meta tensor; no data! ({what})")
    return array


@spelled("", "item", None)
def item(self: Any) -> Any:
    """The only element as a Python number."""
    array = elements(self, "item()")
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    return widened(array).item()


@spelled("", "tolist", None)
def tolist(self: Any) -> Any:
    """Nested lists of Python numbers."""
    return widened(elements(self, "tolist()")).tolist()


@spelled("", "numpy", None)
def numpy(self: Any, *, force: bool = False) -> np.ndarray:
    """The elements as a NumPy array that shares memory (a copy-free view)."""
    array = elements(self, "numpy()")
    if self._meta.dtype is dt.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    if self._meta.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return array.view()                # an array of its own: whatever is done to its shape and flags stays with it


def truth(self: Any) -> bool:
    """bool(tensor) for a tensor of one element."""
    array = elements(self, "bool()")
    if array.size != 1:
        if array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(array.reshape(-1)[0])


@spelled("is_nonzero", "is_nonzero", None)
def is_nonzero(input: Any) -> bool:
    """bool of a tensor of one element."""
    return truth(input)
