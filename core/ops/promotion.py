"""Which dtype an operator computes in and which dtype it returns: PyTorch's type promotion, exactly.

The rule (PyTorch's "Tensor Attributes: type promotion"): operands fall into three groups, tensors with dimensions,
0-d tensors and Python numbers; a lower group changes the result only if its category (bool < integer < floating) is
higher than what the groups above it gave. Works on TensorMeta, Spec, Python numbers and symbolic numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from ..tensor.state import STATE

_INT_ORDER = (dt.int8, dt.int16, dt.int32, dt.int64)
_FLOAT_ORDER = (dt.float16, dt.float32, dt.float64)
_HALVES = (dt.float16, dt.bfloat16)


def _promote(a: dtype, b: dtype) -> dtype:
    if a is b:
        return a
    if a.category == 3 or b.category == 3:
        return dt.complex128 if dt.complex128 in (a, b) or dt.float64 in (a, b) else dt.complex64
    if a.category != b.category:
        return a if a.category > b.category else b
    if a.category == 2:
        if dt.bfloat16 in (a, b):
            return dt.float32 if dt.float16 in (a, b) else b if a is dt.bfloat16 else a
        return _FLOAT_ORDER[max(_FLOAT_ORDER.index(a), _FLOAT_ORDER.index(b))]
    if a is dt.uint8 or b is dt.uint8:
        other = b if a is dt.uint8 else a
        return dt.int16 if other is dt.int8 else other
    return _INT_ORDER[max(_INT_ORDER.index(a), _INT_ORDER.index(b))]


_TABLE: dict[tuple[dtype, dtype], dtype] = {(a, b): _promote(a, b) for a in dt.ALL for b in dt.ALL}


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype to which both can be converted (torch.promote_types)."""
    return _TABLE[a, b]


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of dtype `from_` may be stored as `to` (torch.can_cast): the category must not fall."""
    return from_.category <= to.category


_CATEGORIES: dict[type, int] = {bool: 0, int: 1, float: 2, complex: 3}
_SYMBOLIC = {"SymBool": 0, "SymInt": 1, "SymFloat": 2}


def is_tensor_like(value: Any) -> bool:
    """A Tensor, TensorMeta or Spec: anything that has a dtype and sizes."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, np.generic)


def number_category(value: Any) -> int | None:
    """0, 1, 2 or 3 for a Python, NumPy or symbolic bool, int, float or complex; None for anything else."""
    found = _CATEGORIES.get(type(value))
    if found is not None:
        return found
    if isinstance(value, (bool, np.bool_)):
        return 0
    if isinstance(value, (int, np.integer)):
        return 1
    if isinstance(value, (float, np.floating)):
        return 2
    if isinstance(value, (complex, np.complexfloating)):
        return 3
    return _SYMBOLIC.get(type(value).__name__)


def number_dtype(value: Any) -> dtype | None:
    """The dtype a Python number stands for: bool, int64, the default floating dtype or the complex one of its width; None
    if it is not a number."""
    category = number_category(value)
    if category is None:
        return None
    plain = STATE.mode.default_dtype
    return (dt.bool_, dt.int64, plain, dt.COMPLEX_OF.get(plain, dt.complex64))[category]


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None or lower is None:
        return higher or lower
    if higher.category == 2 and lower.category == 3:
        return dt.COMPLEX_OF.get(higher, dt.complex64)
    return _TABLE[higher, lower] if lower.category > higher.category else higher


def result_type(*values: Any) -> dtype:
    """torch.result_type over any number of tensors (or their metadata) and Python numbers."""
    dimensioned: dtype | None = None
    zero: dtype | None = None
    number: dtype | None = None
    for v in values:
        if is_tensor_like(v):
            if len(v.shape):
                dimensioned = v.dtype if dimensioned is None else _TABLE[dimensioned, v.dtype]
            else:
                zero = v.dtype if zero is None else _TABLE[zero, v.dtype]
        else:
            kind = number_dtype(v)
            if kind is None:
                raise TypeError(f"result_type(): expected a Tensor or a number, not {type(v).__name__}")
            number = kind if number is None else _TABLE[number, kind]
    out = _combine(dimensioned, _combine(zero, number))
    if out is None:
        raise TypeError("result_type() needs at least one operand")
    return out


class Dtypes(NamedTuple):
    """`compute`: operands are converted to it. `result`: what the result is stored as."""

    compute: dtype
    result: dtype


def opmath(d: dtype) -> dtype:
    """The dtype arithmetic of dtype `d` is done in: float32 for float16 and bfloat16, else `d`."""
    return dt.float32 if d in _HALVES else d


def _plain(d: dtype) -> dtype:
    """The dtype that operators without rounding of their own see: NumPy has no functions of bfloat16."""
    return dt.float32 if d is dt.bfloat16 else d


def pointwise_dtypes(rule: str, operands: tuple) -> Dtypes:
    """compute and result dtype of a pointwise operator with promotion rule `rule` over its promoting operands.

    default: common dtype, computed in opmath. no_opmath: common dtype throughout. int_to_float: like default, integers
    become the default floating dtype. always_bool: compared in the common dtype, result bool. bool_to_int: like
    no_opmath, bool becomes int64. to_real: like no_opmath, a complex result is stored as its real part. angle: like
    int_to_float, and real as well.
    """
    common = result_type(*operands)
    if rule == "default":
        return Dtypes(opmath(common), common)
    if rule == "no_opmath":
        return Dtypes(_plain(common), common)
    if rule == "always_bool":
        return Dtypes(_plain(common), dt.bool_)
    if rule == "int_to_float":
        if common.category < 2:
            common = STATE.mode.default_dtype
        return Dtypes(opmath(common), common)
    if rule == "to_real":
        return Dtypes(_plain(common), dt.REAL_OF.get(common, common))
    if rule == "angle":
        common = STATE.mode.default_dtype if common.category < 2 else common
        return Dtypes(opmath(common), dt.REAL_OF.get(common, common))
    if rule == "bool_to_int":
        common = dt.int64 if common is dt.bool_ else common
        return Dtypes(_plain(common), common)
    raise ValueError(f"unknown promotion rule {rule!r}")


def sum_dtype(d: dtype) -> dtype:
    """Result dtype of sums and products: integers and bool become int64."""
    return d if d.category >= 2 else dt.int64


def op_dtypes(op: Any, args: tuple) -> Dtypes:
    """compute and result dtype of a pointwise operator `op` called with `args` (tensors or metadata, and numbers).

    Rules beside those of `pointwise_dtypes`: "assign" computes in the value's dtype and stores as argument 0;
    "cast" computes and returns the dtype given in the argument named dtype. In-place forms store as argument 0.
    """
    if op.promote == "cast":
        target = next(a for p, a in zip(op.params, args) if p.kind == "dtype")
        return Dtypes(target, target)
    if op.promote == "assign":
        source = args[1] if len(args) > 1 else args[0]
        kind = source.dtype if is_tensor_like(source) else args[0].dtype
        return Dtypes(kind, args[0].dtype)
    over = op.promote_over
    if over is None:
        operands = tuple([a for p, a in zip(op.params, args) if p.kind in ("tensor", "operand")])
    else:
        operands = tuple([args[i] for i in over if args[i] is not None])
    found = pointwise_dtypes(op.promote, operands)
    if op.mutates:
        return Dtypes(found.compute, args[op.mutates[0]].dtype)
    return found
