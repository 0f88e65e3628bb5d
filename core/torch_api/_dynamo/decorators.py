"""torch._dynamo.decorators: marks on the dimensions of tensors, which decide what is symbolic from the first compile on."""

from __future__ import annotations

from typing import Any

from ...tensor.meta import Marks
from ...tensor.state import STATE
from ...tensor.tensor import Tensor
from ..nn import Module


def _dims(tensor: Any, index: Any) -> frozenset:
    """The dimensions named by `index` (an int, or a list or tuple of ints). Raises IndexError beyond the rank."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"a mark goes on a Tensor, got {type(tensor).__name__}")
    wanted = index if isinstance(index, tuple | list | set | frozenset) else [index]
    for dim in wanted:
        if not isinstance(dim, int):
            raise TypeError(f"cannot mark dimension {dim!r}, expected an int, or a list or tuple of ints")
        if not -tensor.ndim <= dim < tensor.ndim:
            raise IndexError(f"cannot mark dimension {dim} of a tensor with {tensor.ndim} dimensions; expected "
                             f"{-tensor.ndim} to {tensor.ndim - 1}")
    return frozenset(d % tensor.ndim for d in wanted)


def _remark(tensor: Any, **sets: frozenset) -> None:
    marks = tensor._meta.marks
    fields = {name: getattr(marks, name) | sets.get(name, frozenset()) for name in Marks.__slots__}
    tensor._meta = tensor._meta.replace(marks=Marks(**fields))
    STATE.bump_epoch()


def mark_dynamic(t: Any, index: Any, *, hint_override: int | None = None, min: int | None = None, max: int | None = None,
                 specialize_on: list[Any] | None = None) -> None:
    """Dimension `index` of `t` is symbolic from the first compile on; an error if the script allows one value only.

    min, max: the artifact is made for sizes in this range; a marked tensor outside of it is an error. hint_override and
    specialize_on steer code generation in PyTorch; they change nothing here.
    """
    dims = _dims(t, index)
    ranges = frozenset((d, min, max) for d in dims) if min is not None or max is not None else frozenset()
    _remark(t, dynamic=dims, ranges=ranges)


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """As mark_dynamic, but the compiler may specialise the dimension without an error."""
    _remark(t, maybe=_dims(t, index))


def mark_unbacked(t: Any, index: Any, hint_override: int | None = None, strict: bool = False,
                  specialize_on: list[Any] | None = None, shape_id: str | None = None, min: int | None = None,
                  max: int | None = None) -> None:
    """As maybe_mark_dynamic, and a size of 1 is no special case either. strict: an error if the script allows one value
    only. min, max: the artifact is made for sizes in this range."""
    dims = _dims(t, index)
    ranges = frozenset((d, min, max) for d in dims) if min is not None or max is not None else frozenset()
    _remark(t, unbacked=dims, ranges=ranges, **({"dynamic": dims} if strict else {}))


def mark_static(t: Any, index: Any = None) -> Any:
    """Dimension `index` of `t` (all when None) is not symbolic, unless it is marked dynamic too. For a class of modules:
    int attributes of its instances stay constants, as they are anyway; returns the class, so it is a decorator too."""
    if isinstance(t, type) and issubclass(t, Module):
        return t
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static got {type(t).__name__}, expected a Tensor or a class of modules")
    _remark(t, static=_dims(t, list(range(t.ndim)) if index is None else index))
    return None


def mark_static_address(t: Any, guard: bool = False) -> None:
    """For CUDA graphs in PyTorch; there are none here. Raises TypeError for anything but a tensor."""
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address got {type(t).__name__}, expected a Tensor")
