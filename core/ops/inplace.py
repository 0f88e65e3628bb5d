"""In-place operators that are not the in-place form of an element-wise one, and changes of a tensor's metadata."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor.state import STATE
from ..tensor.tensor import Tensor
from . import creation, cumulative, matmul, pointwise_math, ranges, special_functions  # noqa: F401  whose operators get in-place forms here
from .declare import checked, inplace_rule, operator, parse, spelled, type_name
from .fitting import stored
from .op import OPS, Extern, Op, Pointwise, call, register
from .views import SQUEEZE, TRANSPOSE, UNSQUEEZE


def _assigning(name: str, schema: str, expr: str, eager: Any, normalize: Any = None) -> Op:
    """An operator that stores an expression into its first argument whatever the dtypes."""
    params = parse(schema)
    cell: list[Op] = []
    op = register(Op(name, params, eager, checked(name, params, inplace_rule(lambda: cell[0])), Pointwise(expr),
                     promote="assign", mutates=(0,), methods=(name,), promote_over=(1,) if len(params) > 1 else (0,),
                     normalize=normalize))
    cell.append(op)
    return op


COPY_ = _assigning("copy_", "input, src, non_blocking:bool=False", "src", lambda a, src, n: src)
FILL_ = _assigning("fill_", "input, value:operand", "value", lambda a, value: value,
                   normalize=lambda a, value: (a, stored(value, a.dtype)))
ZERO_ = _assigning("zero_", "input", "0 * (input != input)", lambda a: np.zeros((), a.dtype))


def _inplace_of(op: Op, schema: str) -> None:
    """The in-place form of an operator that keeps sizes: compute, then store."""
    def eager(a: np.ndarray, *rest: Any) -> None:
        np.copyto(a, op.eager(a, *rest), casting="unsafe")

    def rule(m: Any, *rest: Any) -> Any:
        result = op.infer(m, *rest).dtype
        if result.category > m.dtype.category:
            raise RuntimeError(f"result type {type_name(result)} can't be cast to the desired output type {type_name(m.dtype)}")
        return m

    operator(op.name + "_", schema, Extern(), eager, rule, methods=op.name + "_", mutates=(0,), functional=op,
             normalize=op.normalize)


_inplace_of(OPS["tril"], "input, diagonal:int=0")
_inplace_of(OPS["triu"], "input, diagonal:int=0")
_inplace_of(OPS["cumsum"], "input, dim, *, dtype=None")
_inplace_of(OPS["cumprod"], "input, dim, *, dtype=None")
_inplace_of(OPS["erfinv"], "input")
_inplace_of(OPS["lgamma"], "input")
_inplace_of(OPS["digamma"], "input")
_inplace_of(OPS["i0"], "input")


def _added_inplace(name: str, schema: str) -> None:
    op = OPS[name]

    @spelled("", name + "_", op)
    def add_(self: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
        return call(COPY_, (self, call(op, (self, a, b, beta, alpha)), False))

    add_.__name__ = name + "_"
    add_.__doc__ = f"{name} stored into self."


for _name in ("addmm", "baddbmm", "addmv"):
    _added_inplace(_name, "")


def _fill_diagonal(a: np.ndarray, value: Any, wrap: bool) -> None:
    np.fill_diagonal(a, value, wrap)


operator("fill_diagonal_", "input, fill_value:scalar, wrap:bool=False", Extern(), _fill_diagonal, lambda m, *rest: m,
         methods="fill_diagonal_", mutates=(0,))


# -- metadata --------------------------------------------------------------------------------------------------------
def change_meta(tensor: Any, array: Any, meta: Any) -> Any:
    """Give an existing tensor other elements and metadata, and tell artifacts that bound it."""
    tensor._array = array
    if tensor._meta is not meta:
        tensor._meta = meta
    STATE.bump_epoch()
    return tensor


def _no_capture(tensor: Any, what: str) -> None:
    if tensor._array is None and STATE.tracer is not None:
        from ..graph.fake import NeedsData

        raise NeedsData(what, tensor)


def _becomes(tensor: Any, view: Any) -> Any:
    _no_capture(tensor, "a change of sizes in place")
    return change_meta(tensor, view._array, tensor._meta.replace(shape=tuple(view.shape), strides=view._meta.strides))


@spelled("", "t_", TRANSPOSE)
def t_(self: Any) -> Any:
    """t in place."""
    return _becomes(self, self.detach().t())


@spelled("", "transpose_ swapaxes_ swapdims_", TRANSPOSE)
def transpose_(self: Any, dim0: int, dim1: int) -> Any:
    """transpose in place."""
    return _becomes(self, call(TRANSPOSE, (self.detach(), dim0, dim1)))


@spelled("", "unsqueeze_", UNSQUEEZE)
def unsqueeze_(self: Any, dim: int) -> Any:
    """unsqueeze in place."""
    return _becomes(self, call(UNSQUEEZE, (self.detach(), dim)))


@spelled("", "squeeze_", SQUEEZE)
def squeeze_(self: Any, dim: Any = None) -> Any:
    """squeeze in place."""
    return _becomes(self, call(SQUEEZE, (self.detach(), dim)))


@spelled("", "resize_", None)
def resize_(self: Any, *sizes: Any, memory_format: Any = None) -> Any:
    """Other sizes over the same memory, which grows if it must (new elements are zero)."""
    from .dims import unstar
    from .strides import contiguous_strides

    _no_capture(self, "resize_()")
    shape = creation.sizes_of(unstar(sizes))
    count = int(np.prod(shape, dtype=np.int64)) if shape else 1
    order = sorted(range(self.ndim), key=lambda d: -self._array.strides[d])
    flat = np.ascontiguousarray(self._array.transpose(order)).reshape(-1)              # in the order of memory
    if count > flat.size:
        flat = np.concatenate([flat, np.zeros(count - flat.size, flat.dtype)])
    array = flat[:count].reshape(shape)
    return change_meta(self, array, self._meta.replace(shape=shape, strides=contiguous_strides(shape)))


@spelled("", "set_", None)
def set_(self: Any, source: Any) -> Any:
    """Share the elements of `source`."""
    _no_capture(self, "set_()")
    return change_meta(self, source._array, source._meta.replace(requires_grad=self._meta.requires_grad,
                                                                 tensor_class=type(self)))


@spelled("", "requires_grad_", None)
def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
    """Say whether gradients are wanted for this tensor. RuntimeError for one that is not floating."""
    if requires_grad and self.dtype.category < 2:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    meta = self._meta
    if meta.requires_grad == bool(requires_grad):
        return self
    if not requires_grad and not self.is_leaf:
        raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                           "in "
                           "a subgraph that doesn't require differentiation use var_no_grad = var.detach().")
    _no_capture(self, "requires_grad_()")
    self._meta = meta.replace(requires_grad=bool(requires_grad))
    if requires_grad:
        self.__dict__["_leaf"] = True
    STATE.bump_epoch()
    return self


@spelled("", "detach_", None)
def detach_(self: Any) -> Any:
    """Stop requiring gradients."""
    if self._meta.requires_grad:
        _no_capture(self, "detach_()")
        self._meta = self._meta.replace(requires_grad=False)
        STATE.bump_epoch()
    return self


def set_data(self: Any, source: Any) -> None:
    """`x.data = y`: x takes y's elements, sizes, strides and dtype, and stays the same object."""
    if not isinstance(source, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(source).__name__}")
    _no_capture(self, "an assignment to .data")
    change_meta(self, source._array, source._meta.replace(requires_grad=self._meta.requires_grad, tensor_class=type(self),
                                                          marks=self._meta.marks))



