"""Operators that combine over dimensions, and those composed of them: softmax, variance, norms, cumulative sums."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.state import STATE
from .declare import Spec, operator, reduce_args, reduce_rule, reduction, spelled, type_name
from .dims import wrap_dim, wrap_dims
from .op import Composite, Extern, Op, Reduction, call
from .promotion import opmath, sum_dtype

ReturnMax = namedtuple("max", ["values", "indices"])
ReturnMin = namedtuple("min", ["values", "indices"])
ReturnVarMean = namedtuple("var_mean", ["var", "mean"])
ReturnStdMean = namedtuple("std_mean", ["std", "mean"])
for _t in (ReturnMax, ReturnMin, ReturnVarMean, ReturnStdMean):
    _t.__module__ = "torch.return_types"


def _accumulator(array: np.ndarray, dtype: Any) -> np.dtype:
    """The NumPy dtype sums are accumulated in."""
    wanted = dtype.numpy if dtype is not None else array.dtype
    if dtype is dt.bool_:
        return wanted
    if wanted == np.float16:
        return np.dtype(np.float32)
    return wanted if wanted.kind == "f" else np.dtype(np.int64)


# -- sum, product, mean ----------------------------------------------------------------------------------------------
SUM = reduction("sum", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum"),
                lambda a, dim, keep, dtype: a.sum(axis=dim, keepdims=keep, dtype=_accumulator(a, dtype)),
                lambda m, dtype: dtype or sum_dtype(m.dtype), functions="sum", methods="sum")
PROD = reduction("prod", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("prod"),
                 lambda a, dim, keep, dtype: a.prod(axis=dim, keepdims=keep, dtype=_accumulator(a, dtype)),
                 lambda m, dtype: dtype or sum_dtype(m.dtype), functions="prod", methods="prod")
NANSUM = reduction("nansum", "input, dim:dims=None, keepdim=False, *, dtype=None",
                   Reduction("sum", before="where(isnan(input), 0, input)"),
                   lambda a, dim, keep, dtype: np.nansum(a, axis=dim, keepdims=keep, dtype=_accumulator(a, dtype)),
                   lambda m, dtype: dtype or sum_dtype(m.dtype), functions="nansum", methods="nansum")
COUNT_NONZERO = reduction("count_nonzero", "input, dim:dims=None", Reduction("sum", before="input != 0"),
                          lambda a, dim: np.asarray(np.count_nonzero(a, axis=dim)), lambda m: dt.int64,
                          rule=lambda m, dim: reduce_rule(lambda _: dt.int64)(m, dim, False),
                          normalize=lambda a, dim=None: (a, wrap_dims(dim, a.ndim)), functions="count_nonzero",
                          methods="count_nonzero", out=False)


def _float_result(name: str) -> Any:
    def result(m: Any, dtype: Any = None) -> Any:
        d = dtype or m.dtype
        if d.category != 2:
            raise RuntimeError(f"{name}(): could not infer output dtype. Input dtype must be either a floating point or "
                               f"complex dtype. Got: {type_name(d)}")
        return d
    return result


def _count(a: np.ndarray, dim: tuple[int, ...]) -> int:
    return math.prod(a.shape[d] for d in dim)


def _mean(a: np.ndarray, dim: tuple, keep: bool, dtype: Any) -> Any:
    acc = _accumulator(a, dtype)
    return np.asarray(a.sum(axis=dim, keepdims=keep, dtype=acc)) / acc.type(_count(a, dim))


MEAN = reduction("mean", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum", after="acc / n"), _mean,
                 _float_result("mean"), functions="mean", methods="mean")



@spelled("nanmean", "nanmean", MEAN)
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Any:
    """The mean of the elements that are not NaN."""
    _float_result("nanmean")(input, None)
    counts = call(SUM, (~input.isnan(), dim, keepdim, None))
    return call(NANSUM, (input, dim, keepdim, dtype)) / counts


# -- extremes --------------------------------------------------------------------------------------------------------


def _needs_elements(name: str, rule: Any) -> Any:
    def checked(input: Any, dim: Any, keepdim: bool, *rest: Any) -> Spec:
        for d in dim if isinstance(dim, tuple) else (dim,):
            if input.shape and isinstance(input.shape[d], int) and input.shape[d] == 0:
                if isinstance(dim, tuple) and len(dim) == len(input.shape) > 1:
                    raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                                       f"reduction dim with the 'dim' argument.")
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
        return rule(input, dim, keepdim, *rest)
    return checked


_SAME = lambda m: m.dtype
AMAX = reduction("amax", "input, dim:dims=None, keepdim=False", Reduction("max"),
                 lambda a, dim, keep: a.max(axis=dim, keepdims=keep), _SAME, functions="amax", methods="amax",
                 rule=_needs_elements("amax", reduce_rule(_SAME)))
AMIN = reduction("amin", "input, dim:dims=None, keepdim=False", Reduction("min"),
                 lambda a, dim, keep: a.min(axis=dim, keepdims=keep), _SAME, functions="amin", methods="amin",
                 rule=_needs_elements("amin", reduce_rule(_SAME)))


def _arg_rule(name: str) -> Any:
    def rule(input: Any, dim: int, keepdim: bool) -> Spec:
        if name.startswith("arg") and input.dtype.category == 0:
            raise RuntimeError(f"{name}(): does not support bool input")
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


@spelled("aminmax", "aminmax", AMIN)
def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """(smallest, largest), over all elements or along dim."""
    Both = namedtuple("aminmax", ["min", "max"])
    return Both(call(AMIN, (input, dim, keepdim)), call(AMAX, (input, dim, keepdim)))


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
    wide = input.to(opmath(input.dtype))
    centred = wide - call(MEAN, (wide, dim, True, None))
    n: Any = 1
    for d in dim:
        n = n * input.shape[d]
    total = call(SUM, (centred * centred, dim, keepdim, None))
    degrees = n - correction
    if isinstance(degrees, (int, float)) and degrees < 0:
        degrees = 0
    return (total / degrees).to(input.dtype)


def _var(a: np.ndarray, dim: tuple, correction: Any, keep: bool) -> Any:
    wide = a.astype(np.float32) if a.dtype == np.float16 else a
    centred = wide - wide.mean(axis=dim, keepdims=True)
    degrees = max(_count(a, dim) - correction, 0)
    return np.asarray(np.square(centred).sum(axis=dim, keepdims=keep)) / wide.dtype.type(degrees)


def _var_rule(name: str) -> Any:
    def rule(input: Any, dim: tuple, correction: Any, keepdim: bool) -> Spec:
        if input.dtype.category != 2:
            raise RuntimeError(f"{name} and std only support floating point and complex dtypes".replace("std and std", "std"))
        return reduce_rule(_SAME)(input, dim, keepdim)
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


@spelled("var", "var", VAR)
def var(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """Variance; divides by n - correction (1 unless given; `unbiased=False` means 0)."""
    return _spread(VAR, input, dim, unbiased, correction, keepdim)


@spelled("std", "std", STD)
def std(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """Standard deviation: the square root of var."""
    return _spread(STD, input, dim, unbiased, correction, keepdim)


@spelled("var_mean", "", VAR)
def var_mean(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """(variance, mean)."""
    all_dims = None if isinstance(dim, bool) else dim
    return ReturnVarMean(_spread(VAR, input, dim, unbiased, correction, keepdim), call(MEAN, (input, all_dims, keepdim, None)))


@spelled("std_mean", "", STD)
def std_mean(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """(standard deviation, mean)."""
    all_dims = None if isinstance(dim, bool) else dim
    return ReturnStdMean(_spread(STD, input, dim, unbiased, correction, keepdim), call(MEAN, (input, all_dims, keepdim, None)))


# -- softmax and its kin ---------------------------------------------------------------------------------------------


def _softmax_args(input: Any, dim: Any, dtype: Any = None) -> tuple:
    return (input, wrap_dim(dim, input.ndim), dtype)


def _softmax_rule(name: str) -> Any:
    def rule(input: Any, dim: int, dtype: Any) -> Spec:
        d = dtype or input.dtype
        if d.category != 2:
            raise NotImplementedError(f'"{name}_lastdim_kernel_impl" not implemented for \'{type_name(d)}\'')
        return Spec(d, input.shape)
    return rule


def _wide(a: np.ndarray, dtype: Any) -> np.ndarray:
    a = a.astype(dtype.numpy) if dtype is not None else a
    return a.astype(np.float32) if a.dtype == np.float16 else a


def _peak(a: np.ndarray, dim: int) -> np.ndarray:
    return a.max(axis=dim, keepdims=True) if a.size else np.zeros(1, a.dtype)


def _softmax(a: np.ndarray, dim: int, dtype: Any) -> Any:
    a = _wide(a, dtype)
    if not a.ndim:
        return np.exp(a - a)
    e = np.exp(a - _peak(a, dim))
    return e / e.sum(axis=dim, keepdims=True)


def _log_softmax(a: np.ndarray, dim: int, dtype: Any) -> Any:
    a = _wide(a, dtype)
    if not a.ndim:
        return a - a
    shifted = a - _peak(a, dim)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def _softmax_composite(input: Any, dim: int, dtype: Any) -> Any:
    result = dtype or input.dtype
    x = input.to(opmath(result))
    if not x.ndim:
        return (x - x).exp().to(result)
    e = (x - call(AMAX, (x, (dim,), True))).exp()
    return (e / call(SUM, (e, (dim,), True, None))).to(result)


def _log_softmax_composite(input: Any, dim: int, dtype: Any) -> Any:
    result = dtype or input.dtype
    x = input.to(opmath(result))
    if not x.ndim:
        return (x - x).to(result)
    shifted = x - call(AMAX, (x, (dim,), True))
    return (shifted - call(SUM, (shifted.exp(), (dim,), True, None)).log()).to(result)


SOFTMAX = operator("softmax", "input, dim, dtype=None", Composite(_softmax_composite), _softmax, _softmax_rule("softmax"),
                   normalize=_softmax_args, functions="softmax special.softmax", methods="softmax")
LOG_SOFTMAX = operator("log_softmax", "input, dim, dtype=None", Composite(_log_softmax_composite), _log_softmax,
                       _softmax_rule("log_softmax"), normalize=_softmax_args,
                       functions="log_softmax special.log_softmax", methods="log_softmax")


def _implicit(ndim: int) -> int:
    return 0 if ndim in (0, 1, 3) else 1


@spelled("F.softmax", "", SOFTMAX)
def f_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(x) normalised to sum 1 along dim."""
    return call(SOFTMAX, (input, _implicit(input.ndim) if dim is None else dim, dtype))


@spelled("F.softmin", "", SOFTMAX)
def f_softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax of -x."""
    return call(SOFTMAX, (-input, _implicit(input.ndim) if dim is None else dim, dtype))


@spelled("F.log_softmax", "", LOG_SOFTMAX)
def f_log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """log of softmax, without overflow."""
    return call(LOG_SOFTMAX, (input, _implicit(input.ndim) if dim is None else dim, dtype))


def _lse_composite(input: Any, dim: tuple, keepdim: bool) -> Any:
    result = input.dtype if input.dtype.category == 2 else STATE.mode.default_dtype
    x = input.to(opmath(result))
    peak = call(AMAX, (x, dim, True))
    peak = peak.masked_fill(peak.abs() == math.inf, 0)
    out = call(SUM, ((x - peak).exp(), dim, True, None)).log() + peak
    return (out if keepdim else call(AMAX, (out, dim, False))).to(result)


def _lse(a: np.ndarray, dim: tuple, keep: bool) -> Any:
    a = _wide(a, None) if a.dtype.kind == "f" else a.astype(STATE.mode.default_dtype.numpy)
    peak = a.max(axis=dim, keepdims=True) if a.size else np.zeros((), a.dtype)
    peak = np.where(np.isfinite(peak), peak, 0)
    out = np.log(np.exp(a - peak).sum(axis=dim, keepdims=keep))
    return out + (peak if keep or not a.size else peak.reshape(np.shape(out)))


LOGSUMEXP = reduction("logsumexp", "input, dim:dims, keepdim=False", Composite(_lse_composite), _lse,
                      lambda m: m.dtype if m.dtype.category == 2 else STATE.mode.default_dtype,
                      functions="logsumexp special.logsumexp", methods="logsumexp")

# -- norms -----------------------------------------------------------------------------------------------------------
_norm_dtype = lambda m, dtype=None: _float_result("linalg.vector_norm")(m, dtype)
_cast = lambda a, dtype: a.astype(_accumulator(a, dtype))
NORM2 = reduction("norm2", "input, dim:dims=None, keepdim=False, *, dtype=None",
                  Reduction("sum", before="input * input", after="sqrt(acc)"),
                  lambda a, dim, keep, dtype: np.sqrt(np.square(_cast(a, dtype)).sum(axis=dim, keepdims=keep)), _norm_dtype)
NORM1 = reduction("norm1", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum", before="abs(input)"),
                  lambda a, dim, keep, dtype: np.abs(_cast(a, dtype)).sum(axis=dim, keepdims=keep), _norm_dtype)


@spelled("linalg.vector_norm", "", NORM2)
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Any:
    """The ord-norm of the elements (over dim): (sum |x|**ord) ** (1/ord), with its limits for inf, -inf and 0."""
    _float_result("linalg.vector_norm")(x, dtype)
    if ord == 2:
        return call(NORM2, (x, dim, keepdim, dtype))
    if ord == 1:
        return call(NORM1, (x, dim, keepdim, dtype))
    x = x.to(dtype) if dtype is not None else x
    if ord == math.inf:
        return call(AMAX, (x.abs(), dim, keepdim))
    if ord == -math.inf:
        return call(AMIN, (x.abs(), dim, keepdim))
    if ord == 0:
        return call(SUM, ((x != 0).to(x.dtype), dim, keepdim, None))
    return call(SUM, (x.abs() ** ord, dim, keepdim, None)) ** (1.0 / ord)


@spelled("norm", "norm", NORM2)
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None) -> Any:
    """torch.norm: the p-norm of all elements or over dim ("fro" and None are the 2-norm)."""
    if p == "nuc":
        from ..errors import NotYetSupported
        raise NotYetSupported("torch.norm(p='nuc') does not exist yet; p='fro' and any number do.")
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


@spelled("linalg.norm", "", NORM2)
def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: Any = None, dtype: Any = None) -> Any:
    """torch.linalg.norm for vectors and for the Frobenius norm of matrices."""
    if isinstance(ord, (int, float)) and dim is None and A.ndim > 1:
        from ..errors import NotYetSupported
        raise NotYetSupported("torch.linalg.norm of a matrix with a numeric ord does not exist yet; "
                              "torch.linalg.vector_norm and ord='fro' do.")
    return vector_norm(A, 2 if ord in ("fro", None) else ord, dim, keepdim, dtype=dtype)


@spelled("F.normalize", "", NORM2)
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """x / max(||x||_p, eps) along dim."""
    return input / vector_norm(input, p, dim, True).clamp_min(eps)


@spelled("dist", "dist", NORM2)
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The p-norm of input - other."""
    return vector_norm(input - other, p)


# -- cumulative ------------------------------------------------------------------------------------------------------


def _cumulative(name: str, f: Any) -> Op:
    def eager(a: np.ndarray, dim: int, dtype: Any) -> Any:
        acc = _accumulator(a, dtype)
        return f(a, axis=dim, dtype=acc) if a.ndim else a.astype(acc)

    return operator(name, "input, dim, *, dtype=None", Extern(), eager,
                    lambda m, dim, dtype: Spec(dtype or sum_dtype(m.dtype), m.shape),
                    normalize=lambda a, dim, dtype=None: (a, wrap_dim(dim, a.ndim), dtype), functions=name, methods=name,
                    out=True)


CUMSUM = _cumulative("cumsum", np.cumsum)
CUMPROD = _cumulative("cumprod", np.cumprod)


def _running(name: str, better: Any, returns: type) -> Op:
    def eager(a: np.ndarray, dim: int) -> tuple:
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        values = better.accumulate(a, axis=dim)
        at = np.broadcast_to(np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)]), a.shape)
        new = (a == values) | (np.isnan(a) if a.dtype.kind == "f" else False)
        return values, np.maximum.accumulate(np.where(new, at, 0), axis=dim)

    return operator(name, "input, dim", Extern(), eager, lambda m, dim: (Spec(m.dtype, m.shape), Spec(dt.int64, m.shape)),
                    normalize=lambda a, dim: (a, wrap_dim(dim, a.ndim)), functions=name, methods=name, returns=returns)


_running("cummax", np.maximum, namedtuple("cummax", ["values", "indices"]))
_running("cummin", np.minimum, namedtuple("cummin", ["values", "indices"]))

LOGCUMSUMEXP = operator("logcumsumexp", "input, dim", Extern(),
                        lambda a, dim: np.logaddexp.accumulate(_wide(a, None), axis=dim) if a.ndim else a,
                        lambda m, dim: Spec(m.dtype, m.shape), functions="logcumsumexp", methods="logcumsumexp",
                        normalize=lambda a, dim: (a, wrap_dim(dim, a.ndim)))
