"""torch._foreach_*: one operator over lists of tensors, a loop here. In-place forms change the tensors of the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.api import METHODS

_UNARY = ("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma",
          "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt",
          "tan", "tanh", "trunc")
_BINARY = ("add", "sub", "mul", "div", "pow", "clamp_min", "clamp_max")


def _spread(value: Any, n: int) -> list[Any]:
    if isinstance(value, (tuple, list)):
        if len(value) != n:
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {n} and {len(value)}")
        return list(value)
    return [value] * n


def _each(name: str, method: str, inplace: bool) -> Callable[..., Any]:
    def run(self: Any, *others: Any, **options: Any) -> Any:
        rows = zip(self, *[_spread(o, len(self)) for o in others])
        done = [METHODS[method](*row, **options) for row in rows]
        return None if inplace else tuple(done)

    run.__name__ = name
    run.__doc__ = f"Tensor.{method} of every tensor of a list."
    return run


def _norm(tensors: Any, ord: Any = 2, dtype: Any = None) -> tuple:
    """The norm of every tensor."""
    return tuple([t.norm(ord, dtype=dtype) for t in tensors])


def _copy(self: Any, src: Any, non_blocking: bool = False) -> None:
    """Every tensor overwritten with its partner."""
    for t, s in zip(self, src):
        t.copy_(s)


def _zero(self: Any) -> None:
    """Every tensor set to zero."""
    for t in self:
        t.zero_()


NAMES: dict[str, Any] = {"_foreach_norm": _norm, "_foreach_copy_": _copy, "_foreach_zero_": _zero}
for _n in (*_UNARY, *_BINARY):
    NAMES[f"_foreach_{_n}"] = _each(f"_foreach_{_n}", _n, False)
    if _n + "_" in METHODS:
        NAMES[f"_foreach_{_n}_"] = _each(f"_foreach_{_n}_", _n + "_", True)
for _n, _m in (
    ("maximum", "clamp_min"),
    ("minimum", "clamp_max"),
    ("lerp", "lerp"),
    ("addcmul", "addcmul"),
    ("addcdiv", "addcdiv"),
):
    NAMES[f"_foreach_{_n}"] = _each(f"_foreach_{_n}", _m, False)
    NAMES[f"_foreach_{_n}_"] = _each(f"_foreach_{_n}_", _m + "_", True)
