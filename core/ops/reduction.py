"""Operators that combine over dimensions, and variance, which is composed of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, named_result, operator, reduce_args, reduce_rule, reduction, spelled, type_name
from .dims import wrap_dim, wrap_dims
from .op import Composite, Op, Reduction, call
from .promotion import opmath, sum_dtype

ReturnMax = named_result("max", "values indices")
ReturnMin = named_result("min", "values indices")
ReturnAminmax = named_result("aminmax", "min max")


def accumulator(array: np.ndarray, dtype: Any) -> np.dtype:
    """The NumPy dtype sums are accumulated in."""
    if dtype is dt.bfloat16 and dtype is not None:
        return np.dtype(np.float32)
    wanted = dtype.numpy if dtype is not None else array.dtype
    if dtype is dt.bool_:
        return wanted
    if wanted == np.float16:
        return np.dtype(np.float32)
    return wanted if wanted.kind in "fc" else np.dtype(np.int64)


# -- sum, product, mean ----------------------------------------------------------------------------------------------
SUM = reduction("sum", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum"),
                lambda a, dim, keep, dtype: a.sum(axis=dim, keepdims=keep, dtype=accumulator(a, dtype)),
                lambda m, dtype: dtype or sum_dtype(m.dtype), functions="sum", methods="sum")
def _prod_args(input: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> tuple:
    if isinstance(dim, (tuple, list)):
        raise TypeError(f"prod(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")
    return reduce_args(input, dim, keepdim, dtype)


PROD = reduction("prod", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("prod"),
                 lambda a, dim, keep, dtype: a.prod(axis=dim, keepdims=keep, dtype=accumulator(a, dtype)),
                 lambda m, dtype: dtype or sum_dtype(m.dtype), functions="prod", methods="prod", normalize=_prod_args)
NANSUM = reduction("nansum", "input, dim:dims=None, keepdim=False, *, dtype=None",
                   Reduction("sum", before="where(isnan(input), 0, input)"),
                   lambda a, dim, keep, dtype: np.nansum(a, axis=dim, keepdims=keep, dtype=accumulator(a, dtype)),
                   lambda m, dtype: _nansum_dtype(m, dtype), functions="nansum", methods="nansum")


def _nansum_dtype(m: Any, dtype: Any) -> Any:
    no_complex(m, lambda d: RuntimeError("nansum on CPU does not support complex inputs"))
    return dtype or sum_dtype(m.dtype)


COUNT_NONZERO = reduction("count_nonzero", "input, dim:dims=None", Reduction("sum", before="input != 0"),
                          lambda a, dim: np.asarray(np.count_nonzero(a, axis=dim)), lambda m: dt.int64,
                          rule=lambda m, dim: reduce_rule(lambda _: dt.int64)(m, dim, False),
                          normalize=lambda a, dim=None: (a, wrap_dims(dim, a.ndim)), functions="count_nonzero",
                          methods="count_nonzero", out=False)


def float_result(name: str) -> Any:
    def result(m: Any, dtype: Any = None) -> Any:
        d = dtype or m.dtype
        if d.category < 2:
            raise RuntimeError(f"{name}(): could not infer output dtype. Input dtype must be either a floating point or "
                               f"complex dtype. Got: {type_name(d)}")
        return d
    return result


def no_complex(m: Any, error: Any) -> None:
    """Raises `error` (made from the dtype's name) for a complex tensor."""
    if m.dtype.category == 3:
        raise error(type_name(m.dtype))


def _count(a: np.ndarray, dim: tuple[int, ...]) -> int:
    return math.prod(a.shape[d] for d in dim)


def _mean(a: np.ndarray, dim: tuple, keep: bool, dtype: Any) -> Any:
    acc = accumulator(a, dtype)
    return np.asarray(a.sum(axis=dim, keepdims=keep, dtype=acc)) / acc.type(_count(a, dim))


def mean_over(a: np.ndarray, axes: tuple[int, ...]) -> Any:
    """The mean over axes, which are kept; NaN over nothing, without the warning of NumPy's own."""
    return a.sum(axis=axes, keepdims=True) / a.dtype.type(_count(a, axes))


MEAN = reduction("mean", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum", after="acc / n"), _mean,
                 float_result("mean"), functions="mean", methods="mean")



@spelled("nanmean", "nanmean", MEAN)
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Any:
    """The mean of the elements that are not NaN."""
    from .api import into_out

    float_result("nanmean")(input, None)
    counts = call(SUM, (~input.isnan(), dim, keepdim, None))
    return into_out(out, call(NANSUM, (input, dim, keepdim, dtype)) / counts)


# -- extremes --------------------------------------------------------------------------------------------------------


def _needs_elements(name: str, rule: Any) -> Any:
    def checked(input: Any, dim: Any, keepdim: bool, *rest: Any) -> Spec:
        for d in dim if isinstance(dim, tuple) else (dim,):
            if input.shape and input.shape[d] == 0:
                if isinstance(dim, tuple) and len(dim) == len(input.shape) > 1 and not name.startswith("am"):
                    raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                                       f"reduction dim with the 'dim' argument.")
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
        return rule(input, dim, keepdim, *rest)
    return checked


def _ordered_dtype(name: str) -> Any:
    def result(m: Any) -> Any:
        no_complex(m, lambda d: NotImplementedError(f"\"{name}_values_cpu\" not implemented for '{d}'"))
        return m.dtype
    return result


_SAME = lambda m: m.dtype
AMAX = reduction("amax", "input, dim:dims=None, keepdim=False", Reduction("max"),
                 lambda a, dim, keep: a.max(axis=dim, keepdims=keep), _SAME, functions="amax", methods="amax",
                 rule=_needs_elements("amax", reduce_rule(_ordered_dtype("max"))))
AMIN = reduction("amin", "input, dim:dims=None, keepdim=False", Reduction("min"),
                 lambda a, dim, keep: a.min(axis=dim, keepdims=keep), _SAME, functions="amin", methods="amin",
                 rule=_needs_elements("amin", reduce_rule(_ordered_dtype("min"))))


def _arg_rule(name: str) -> Any:
    def rule(input: Any, dim: int, keepdim: bool) -> Spec:
        if name.startswith("arg") and input.dtype.category == 0:
            raise RuntimeError(f"{name}(): does not support bool input")
        no_complex(input, lambda d: RuntimeError(f"{name}(): does not support complex input"))
        if not input.shape:
            return Spec(dt.int64, ())
        return reduce_rule(lambda _: dt.int64)(input, (dim,), keepdim)
    return _needs_elements(name, rule)


def _one_dim(input: Any, dim: Any, keepdim: Any = False) -> tuple:
    return (input, wrap_dim(dim, input.ndim), bool(keepdim))


def _arg(f: Any) -> Any:
    return lambda a, dim, keep: np.asarray(f(a, axis=dim, keepdims=keep)) if a.ndim else np.zeros((), np.int64)


ARGMAX = reduction("argmax", "input, dim:dim, keepdim=False", Reduction("argmax"), _arg(np.argmax), lambda m: dt.int64,
                   normalize=_one_dim, rule=_arg_rule("argmax"), differentiable=False)
ARGMIN = reduction("argmin", "input, dim:dim, keepdim=False", Reduction("argmin"), _arg(np.argmin), lambda m: dt.int64,
                   normalize=_one_dim, rule=_arg_rule("argmin"), differentiable=False)


def _arg_api(op: Op, input: Any, dim: Any, keepdim: bool) -> Any:
    if dim is None:
        flat = call(op, (input.reshape(-1), 0, False))
        return flat.reshape((1,) * input.ndim) if keepdim else flat
    return call(op, (input, dim, keepdim))


@spelled("argmax", "argmax", ARGMAX)
def argmax(input: Any, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """Index of the (first) largest element, over all elements or along `dim`."""
    from .api import into_out

    return into_out(out, _arg_api(ARGMAX, input, dim, keepdim))


@spelled("argmin", "argmin", ARGMIN)
def argmin(input: Any, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """Index of the (first) smallest element, over all elements or along `dim`."""
    from .api import into_out

    return into_out(out, _arg_api(ARGMIN, input, dim, keepdim))


def _extreme(name: str, value_op: Op, index_op: Op, reduce: str, returns: type) -> Op:
    def rule(input: Any, dim: int, keepdim: bool) -> tuple:
        index = _arg_rule(name)(input, dim, keepdim)
        return (Spec(input.dtype, index.shape), index)

    def eager(a: np.ndarray, dim: int, keep: bool) -> tuple:
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        return getattr(a, reduce)(axis=dim, keepdims=keep), np.asarray(getattr(a, "arg" + reduce)(axis=dim, keepdims=keep))

    return operator(f"{name}_dim", "input, dim:dim, keepdim=False",
                    Composite(lambda a, dim, keep: (call(value_op, (a, (dim,), keep)), call(index_op, (a, dim, keep)))),
                    eager, rule, normalize=_one_dim, returns=returns)


MAX_DIM = _extreme("max", AMAX, ARGMAX, "max", ReturnMax)
MIN_DIM = _extreme("min", AMIN, ARGMIN, "min", ReturnMin)


def _max_api(input: Any, dim: Any, keepdim: bool, by_dim: Op, over_all: Op, two: str) -> Any:
    from .op import OPS
    from .promotion import is_tensor_like

    if dim is None:
        if input.numel() == 0:
            raise RuntimeError(f"{two[:3]}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                               f"reduction dim with the 'dim' argument.")
        return call(over_all, (input,))
    if is_tensor_like(dim):
        return call(OPS[two], (input, dim))
    return call(by_dim, (input, dim, keepdim))


@spelled("max", "max", MAX_DIM)
def max_(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None) -> Any:
    """max(x): the largest element. max(x, dim): (values, indices) along dim. max(x, other): element-wise maximum."""
    from .api import into_out

    return into_out(out, _max_api(input, other if other is not None else dim, keepdim, MAX_DIM, AMAX, "maximum"))


@spelled("min", "min", MIN_DIM)
def min_(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None) -> Any:
    """min(x): the smallest element. min(x, dim): (values, indices) along dim. min(x, other): element-wise minimum."""
    from .api import into_out

    return into_out(out, _max_api(input, other if other is not None else dim, keepdim, MIN_DIM, AMIN, "minimum"))


@spelled("aminmax", "aminmax", AMIN, out=True)
def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """(smallest, largest), over all elements or along dim."""
    if dim is None and input.numel() == 0:
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    d = None if dim is None else wrap_dim(dim, input.ndim)
    if d is not None and input.ndim and input.shape[d] == 0:
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    no_complex(input, lambda d: NotImplementedError(f"\"aminmax_cpu\" not implemented for '{d}'"))
    return ReturnAminmax(call(AMIN, (input, d, keepdim)), call(AMAX, (input, d, keepdim)))


# -- any, all --------------------------------------------------------------------------------------------------------
def _truth_args(input: Any, dim: Any = None, keepdim: Any = False) -> tuple:
    """Unlike the other reductions, any and all take an empty list of dimensions literally."""
    if isinstance(dim, (tuple, list)) and not dim:
        return (input, (), bool(keepdim))
    return reduce_args(input, dim, keepdim)


_TRUTH = lambda m: dt.uint8 if m.dtype is dt.uint8 else dt.bool_
ANY = reduction("any", "input, dim:dims=None, keepdim=False", Reduction("any", before="input != 0"),
                lambda a, dim, keep: np.any(a, axis=dim, keepdims=keep), _TRUTH, functions="any", methods="any",
                normalize=_truth_args)
ALL = reduction("all", "input, dim:dims=None, keepdim=False", Reduction("all", before="input != 0"),
                lambda a, dim, keep: np.all(a, axis=dim, keepdims=keep), _TRUTH, functions="all", methods="all",
                normalize=_truth_args)

# -- variance --------------------------------------------------------------------------------------------------------


def _var_composite(input: Any, dim: tuple, correction: Any, keepdim: bool) -> Any:
    if input.dtype.category == 3:
        raise NotImplementedError("the variance of complex numbers is computed by NumPy")
    wide = input.to(opmath(input.dtype))
    centred = wide - call(MEAN, (wide, dim, True, None))
    n: Any = 1
    for d in dim:
        n = n * input.shape[d]
    total = call(SUM, (centred * centred, dim, keepdim, None))
    degrees = n - correction
    if degrees < 0:
        degrees = 0
    return (total / degrees).to(input.dtype)


def _var(a: np.ndarray, dim: tuple, correction: Any, keep: bool) -> Any:
    wide = a.astype(np.float32) if a.dtype == np.float16 else a
    centred = wide - mean_over(wide, dim)
    degrees = max(_count(a, dim) - correction, 0)
    squares = np.square(centred) if centred.dtype.kind != "c" else np.square(centred.real) + np.square(centred.imag)
    return np.asarray(squares.sum(axis=dim, keepdims=keep)) / squares.dtype.type(degrees)


def _var_rule(name: str) -> Any:
    def rule(input: Any, dim: tuple, correction: Any, keepdim: bool) -> Spec:
        if input.dtype.category < 2:
            raise RuntimeError(f"{name} and std only support floating point and complex dtypes".replace("std and std", "std"))
        return reduce_rule(lambda m: dt.REAL_OF.get(m.dtype, m.dtype))(input, dim, keepdim)
    return rule


_VAR_SCHEMA = "input, dim:dims=None, correction:any=1, keepdim=False"
_var_args = lambda a, dim=None, correction=1, keepdim=False: (a, wrap_dims(dim, a.ndim), correction, bool(keepdim))
VAR = operator("var", _VAR_SCHEMA, Composite(_var_composite), _var, _var_rule("var"), normalize=_var_args)
STD = operator("std", _VAR_SCHEMA, Composite(lambda a, dim, c, keep: call(VAR, (a, dim, c, keep)).sqrt()),
               lambda a, dim, c, keep: np.sqrt(_var(a, dim, c, keep)), _var_rule("std"), normalize=_var_args)


def _spread(op: Op, input: Any, dim: Any, unbiased: Any, correction: Any, keepdim: bool) -> Any:
    if isinstance(dim, bool):                    # var(x, unbiased)
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    return call(op, (input, dim, correction, keepdim))


@spelled("var", "var", VAR, out=True)
def var(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """Variance; divides by n - correction (1 unless given; `unbiased=False` means 0)."""
    return _spread(VAR, input, dim, unbiased, correction, keepdim)


@spelled("std", "std", STD, out=True)
def std(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """Standard deviation: the square root of var."""
    return _spread(STD, input, dim, unbiased, correction, keepdim)


@spelled("var_mean", "", VAR)
def var_mean(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """(variance, mean)."""
    all_dims = None if isinstance(dim, bool) else dim
    return _spread(VAR, input, dim, unbiased, correction, keepdim), call(MEAN, (input, all_dims, keepdim, None))


@spelled("std_mean", "", STD)
def std_mean(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """(standard deviation, mean)."""
    all_dims = None if isinstance(dim, bool) else dim
    return _spread(STD, input, dim, unbiased, correction, keepdim), call(MEAN, (input, all_dims, keepdim, None))
