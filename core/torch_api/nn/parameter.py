"""torch.nn.Parameter and Buffer: tensors that a module registers when they are assigned to one of its attributes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from ...graph.fake import FakeTensor, NeedsData
from ...tensor.meta import NO_MARKS
from ...tensor.state import STATE
from ...tensor.tensor import Tensor, wrap, wrap_meta
from ..naming import present
from ..printing import tensor_text


def _as_tensor(data: Any) -> Tensor:
    if data is None:
        return wrap(np.empty(0, STATE.mode.default_dtype.numpy))
    if isinstance(data, FakeTensor):
        raise NeedsData("a parameter or buffer made from it", data)
    if not isinstance(data, Tensor):
        raise TypeError(f"a parameter or buffer holds a Tensor, not {type(data).__name__}: wrap the value with "
                        "torch.tensor(...)")
    return data


class Parameter(Tensor):
    """A tensor over the same memory as `data` that requires grad unless told otherwise.

    Raises RuntimeError if `requires_grad` is asked of a dtype that is not floating point.
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        data = _as_tensor(data)
        if requires_grad and not data.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return wrap_meta(data._array, data._meta.replace(tensor_class=cls, requires_grad=bool(requires_grad),
                                                         marks=NO_MARKS))

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        pass

    def __deepcopy__(self, memo: dict) -> Any:
        done = memo.get(id(self))
        if done is None:
            array = self._array if self._array is None else self._array.copy(order="K")
            meta = self._meta
            done = memo[id(self)] = type(self)(wrap_meta(array, meta.replace(tensor_class=Tensor)), meta.requires_grad)
        return done

    def __repr__(self) -> str:
        return "Parameter containing:\n" + tensor_text(self)

    __str__ = __repr__

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (_rebuild_parameter, (np.ascontiguousarray(self._array), self._meta.requires_grad, OrderedDict()))


def _rebuild_parameter(array: np.ndarray, requires_grad: bool, hooks: Any) -> Parameter:
    return Parameter(wrap(array), requires_grad)


class _BufferType(type):
    """Makes `isinstance(t, nn.Buffer)` true for tensors that were made as buffers: a Buffer is an ordinary tensor."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and bool(instance.__dict__.get("_is_buffer", False))


class Buffer(metaclass=_BufferType):
    """`self.mask = nn.Buffer(tensor, persistent=True)` registers a buffer. The result is a Tensor over the same
    memory."""

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        data = _as_tensor(data)
        out: Any = wrap_meta(data._array, data._meta.replace(tensor_class=Tensor, marks=NO_MARKS))
        out._is_buffer = True
        out.persistent = persistent
        return out


def is_lazy(param: Any) -> bool:
    """Uninitialised parameters do not exist here, so no parameter is lazy."""
    return False


present(globals())
