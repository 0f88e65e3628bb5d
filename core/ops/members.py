"""What a Tensor has beside operators: sizes and strides, Python's protocols (len, iter, bool, int, ...), properties."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..errors import NotYetSupported
from ..tensor.meta import Size
from ..tensor.tensor import Tensor, memory_owner
from . import complex_numbers, conversion, inplace, parts, views
from .conversion import elements, truth
from .dims import wrap_dim
from .op import call


def size(self: Tensor, dim: Any = None) -> Any:
    """The sizes, or the size of one dimension."""
    shape = self._meta.shape
    if dim is None:
        return shape
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[wrap_dim(dim, len(shape))]


def stride(self: Tensor, dim: Any = None) -> Any:
    """The strides in elements, or the stride of one dimension."""
    return self._meta.strides if dim is None else self._meta.strides[wrap_dim(dim, self._meta.ndim)]


def dim(self: Tensor) -> int:
    """The number of dimensions."""
    return self._meta.ndim


def numel(self: Tensor) -> Any:
    """The number of elements."""
    return self._meta.numel


def element_size(self: Tensor) -> int:
    """Bytes per element."""
    return self._meta.dtype.itemsize


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def storage_offset(self: Tensor) -> int:
    """Where the tensor begins in its storage, in elements."""
    array = self._array
    if array is None:
        return 0
    return (_address(array) - _address(memory_owner(array))) // array.itemsize


def data_ptr(self: Tensor) -> int:
    """The address of the first element."""
    return _address(elements(self, "data_ptr()")) if self._meta.numel else 0


class UntypedStorage:
    """The memory a tensor is a view of: its address and size in bytes."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def data_ptr(self) -> int:
        return _address(self._array)

    def nbytes(self) -> int:
        return self._array.nbytes

    def size(self) -> int:
        return self._array.nbytes

    def __len__(self) -> int:
        return self._array.nbytes


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor is a view of."""
    return UntypedStorage(memory_owner(elements(self, "untyped_storage()")))


def is_floating_point(self: Tensor) -> bool:
    """Whether the dtype is a floating one."""
    return self._meta.dtype.category == 2


def is_complex(self: Tensor) -> bool:
    """Whether the dtype is complex."""
    return self._meta.dtype.category == 3


def is_signed(self: Tensor) -> bool:
    """Whether the dtype has a sign."""
    return self._meta.dtype.is_signed


def get_device(self: Tensor) -> int:
    """The device's index, -1 for the CPU."""
    return -1 if self._meta.device.index is None else self._meta.device.index


def _is_leaf(self: Tensor) -> bool:
    if not self._meta.requires_grad:
        return True
    return "_leaf" in self.__dict__ or self._meta.cls is not Tensor


def is_inference(self: Tensor) -> bool:
    """Whether the tensor was made in inference mode (not recorded: always False)."""
    return False


def is_set_to(self: Tensor, other: Tensor) -> bool:
    """Whether both have the same memory, sizes and strides."""
    return (data_ptr(self) == data_ptr(other) and self._meta.shape == other._meta.shape
            and self._meta.strides == other._meta.strides)


def backward(self: Tensor, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False,
             inputs: Any = None) -> None:
    """Gradients do not exist yet: raises NotYetSupported."""
    raise NotYetSupported("Tensor.backward() does not exist yet: run the forward part, under torch.no_grad() if gradients "
                          "are not wanted.")


def register_hook(self: Tensor, hook: Any) -> Any:
    """Gradients do not exist yet: raises NotYetSupported."""
    raise NotYetSupported("Tensor.register_hook() does not exist yet, because gradients do not.")


def retain_grad(self: Tensor) -> None:
    """Keep the gradient of a computed tensor (there is none yet)."""


def _length(self: Tensor) -> int:
    if not self._meta.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self._meta.shape[0]


def _iterate(self: Tensor) -> Any:
    if not self._meta.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(parts.unbind(self, 0))


def _contains(self: Tensor, value: Any) -> bool:
    return truth((self == value).any())


def _to_int(self: Tensor) -> int:
    array = elements(self, "int()")
    if array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return int(array.reshape(-1)[0])


def _to_float(self: Tensor) -> float:
    array = elements(self, "float()")
    if array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if array.dtype.kind == "c" and array.reshape(-1)[0].imag:
        raise RuntimeError("value cannot be converted to type double without overflow")
    return float(array.reshape(-1)[0].real)


def _to_complex(self: Tensor) -> complex:
    array = elements(self, "complex()")
    if array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return complex(array.reshape(-1)[0])


def _index(self: Tensor) -> int:
    array = elements(self, "use as an index")
    if array.size != 1 or array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return operator.index(array.reshape(-1)[0].item())


def _array_protocol(self: Tensor, dtype: Any = None, copy: Any = None) -> np.ndarray:
    array = conversion.numpy(self)
    return array if dtype is None else array.astype(dtype, copy=False)


def _deepcopy(self: Tensor, memo: dict) -> Tensor:
    if id(self) in memo:
        return memo[id(self)]
    if not _is_leaf(self):
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                           "moment.")
    copied = self.detach().clone()
    out = object.__new__(type(self))
    out._array, out._meta = copied._array, self._meta.replace(strides=copied._meta.strides)
    out.__dict__.update(self.__dict__)
    memo[id(self)] = out
    return out


def _rebuild(cls: type, array: np.ndarray, requires_grad: bool) -> Tensor:
    from ..tensor.tensor import wrap

    out = wrap(array, False, cls)
    return out.requires_grad_(True) if requires_grad else out


def _reduce(self: Tensor, protocol: Any) -> Any:
    return (_rebuild, (type(self), np.array(elements(self, "pickling")), self._meta.requires_grad))


def _set_grad(self: Tensor, value: Any) -> None:
    self.__dict__["_grad"] = value


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Tensors on a GPU do not exist yet: raises NotYetSupported."""
    return conversion.to(self, "cuda" if device is None else device)


def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """A tensor of the same dtype: of the given sizes, or from data."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)) and not isinstance(args[0], Size):
        return self.new_tensor(args[0])
    return self.new_empty(*args)


def same_tensor(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor itself: memory is neither pinned nor shared."""
    return self


def never(self: Tensor, *args: Any, **kwargs: Any) -> bool:
    """False: memory is neither pinned nor shared."""
    return False


def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The tensor with other sizes of as many elements. RuntimeError if the number differs."""
    from .dims import unstar

    wanted = unstar(sizes)
    count = 1
    for n in wanted:
        count = count * n
    if count != self._meta.numel:
        raise RuntimeError(f"requested resize to {list(wanted)} ({count} elements), but the given tensor has a size of "
                           f"{list(self.shape)} ({self._meta.numel} elements)")
    return self.contiguous().view(wanted)


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """resize_ to the sizes of another tensor."""
    return self.resize_(tuple(the_template.shape))


def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Whether both have the same sizes."""
    return tuple(self.shape) == tuple(other.shape)


def apply_(self: Tensor, callable: Any) -> Tensor:
    """Every element replaced by what the function gives for it (slow: a Python call each)."""
    flat = elements(self, "apply_()")
    for at in np.ndindex(flat.shape):
        flat[at] = callable(flat[at].item())
    return self


def map_(self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Every element replaced by what the function gives for it and its partner in `tensor`."""
    flat, other = elements(self, "map_()"), np.broadcast_to(elements(tensor, "map_()"), self.shape)
    for at in np.ndindex(flat.shape):
        flat[at] = callable(flat[at].item(), other[at].item())
    return self


METHODS: dict[str, Any] = {
    "size": size,
    "stride": stride,
    "dim": dim,
    "ndimension": dim,
    "numel": numel,
    "nelement": numel,
    "element_size": element_size,
    "storage_offset": storage_offset,
    "data_ptr": data_ptr,
    "untyped_storage": untyped_storage,
    "is_floating_point": is_floating_point,
    "is_complex": is_complex,
    "is_signed": is_signed,
    "get_device": get_device,
    "is_inference": is_inference,
    "is_set_to": is_set_to,
    "backward": backward,
    "register_hook": register_hook,
    "retain_grad": retain_grad,
    "new": new,
    "cuda": cuda,
    "pin_memory": same_tensor,
    "share_memory_": same_tensor,
    "is_same_size": is_same_size, "apply_": apply_, "map_": map_, "is_shared": never,
    "is_pinned": never,
    "coalesce": same_tensor,
    "resize": resize,
    "resize_as_": resize_as_,
    "__len__": _length,
    "__iter__": _iterate,
    "__contains__": _contains,
    "__bool__": truth,
    "__int__": _to_int,
    "__float__": _to_float,
    "__complex__": _to_complex,
    "__index__": _index,
    "__array__": _array_protocol,
    "__deepcopy__": _deepcopy,
    "__reduce_ex__": _reduce,
    "__hash__": object.__hash__,
}

PROPERTIES: dict[str, property] = {
    "T": property(lambda self: call(views.PERMUTE, (self, tuple(range(self.ndim - 1, -1, -1))))),
    "mT": property(views.matrix_transpose),
    "H": property(lambda self: complex_numbers.conj(views.t(self) if self.ndim else self)),
    "mH": property(lambda self: views.adjoint(self)),
    "data": property(lambda self: self.detach(), inplace.set_data),
    "grad": property(lambda self: self.__dict__.get("_grad"), _set_grad),
    "grad_fn": property(lambda self: None),
    "requires_grad": property(lambda self: self._meta.requires_grad, lambda self, value: inplace.requires_grad_(self, value)),
    "is_leaf": property(_is_leaf),
    "is_cuda": property(lambda self: self._meta.device.type == "cuda"),
    "is_cpu": property(lambda self: self._meta.device.type == "cpu"),
    "is_meta": property(lambda self: self._meta.device.type == "meta"),
    "is_quantized": property(lambda self: False),
    **{f"is_{name}": property(lambda self: False) for name in ("mps", "xpu", "xla", "ipu", "hpu", "vulkan", "maia", "mtia",
                                                               "sparse_csr", "lazy")},
    "is_mkldnn": property(lambda self: False), "is_nested": property(lambda self: False),
    "itemsize": property(element_size), "nbytes": property(lambda self: self._meta.numel * self._meta.dtype.itemsize),
    "real": property(complex_numbers.real), "imag": property(complex_numbers.imag),
    "_version": property(lambda self: 0), "retains_grad": property(lambda self: False), "output_nr": property(lambda self: 0),
    "_base": property(lambda self: None),
}

__all__ = ["METHODS", "PROPERTIES"]
