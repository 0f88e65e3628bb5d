"""The Python functions of the API, made from the table: `torch.add`, `Tensor.add`, `Tensor.add_`, `Tensor.__radd__`.

A function is generated as source text with the operator's exact signature, so that calls cost no argument binding of
ours, `inspect.signature` tells the truth and keyword names work. Each carries `__op__`. Importing this module attaches
the methods to Tensor; `FUNCTIONS` maps full names ("torch.add") to functions, for the namespace a script sees.
"""

from __future__ import annotations

import functools
import linecache
from typing import Any

import numpy as np

from ..tensor.tensor import Tensor
from . import members
from .autocast import FLOAT32_FUNCTIONS, in_float32
from .declare import FUNCTIONS, METHODS
from .dims import unstar
from .op import OPS, Op, Param, call
from .promotion import number_category

_REFLECTED = {"__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__", "__rmod__", "__rpow__", "__rmatmul__",
              "__rand__", "__ror__", "__rxor__", "__rlshift__", "__rrshift__"}
_DUNDER_BINARY = _REFLECTED | {n.replace("__r", "__", 1) for n in _REFLECTED} | {
    n.replace("__r", "__i", 1) for n in _REFLECTED} | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
_NUMPY_NAMED = ("max", "min", "argmax", "argmin", "std", "var", "std_mean", "var_mean", "aminmax", "nanmean", "median",
                "nanmedian", "argsort", "diff", "norm", "squeeze", "split", "chunk", "unbind", "logsumexp", "unflatten",
                "repeat_interleave", "tensor_split")
_NUMBERS = frozenset((int, float, bool))
_COUNT = 0


class _Absent:
    """The default of a keyword that was not given."""

    def __repr__(self) -> str:
        return "<not given>"


ABSENT = _Absent()


def into_out(out: Any, result: Any) -> Any:
    """`result`, stored into `out` where a caller gave one (RuntimeError if it cannot be stored there)."""
    if out is None:
        return result
    if isinstance(out, (tuple, list)):
        for o, r in zip(out, result):
            into_out(o, r)
        return type(result)(*out) if hasattr(result, "_fields") else out
    from .declare import type_name
    from .inplace import COPY_
    from .promotion import can_cast

    if not can_cast(result.dtype, out.dtype):
        raise RuntimeError(f"result type {type_name(result.dtype)} can't be cast to the desired output type "
                           f"{type_name(out.dtype)}")
    if tuple(out.shape) != tuple(result.shape):
        out.resize_(tuple(result.shape))
    return call(COPY_, (out, result, False))


def operand(value: Any) -> bool:
    """Whether a value may stand beside a tensor in an arithmetic expression."""
    return isinstance(value, Tensor) or number_category(value) is not None or isinstance(value, np.ndarray)


def _other(value: Any) -> Any:
    """NumPy arrays beside a tensor become tensors."""
    if isinstance(value, np.ndarray):
        from .creation import as_tensor

        return as_tensor(value)
    return value


def _compile(name: str, text: str, scope: dict) -> Any:
    global _COUNT
    _COUNT += 1
    file = f"<guardscope api {_COUNT}: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"call": call, "into_out": into_out, "unstar": unstar, "operand": operand, "other_": _other, "Tensor": Tensor,
             "FAST": _NUMBERS, "absent": ABSENT,
             "__name__": "torch", **scope}
    exec(compile(text, file, "exec"), space)
    return space[name]


# NumPy's names of these parameters are keywords too.
_ALSO = {"dim": "axis", "keepdim": "keepdims"}


def _may_be_absent(params: tuple[Param, ...], p: Param) -> bool:
    """Whether a required parameter may be given under its other name: all positional ones after it have defaults."""
    return p.name in _ALSO and p.default is ... and all(
        q.default is not ... or q.keyword_only for q in params[params.index(p) + 1:])


def _aliases(params: tuple[Param, ...]) -> str:
    """Lines that let NumPy's keyword names stand for ours."""
    lines = ""
    for p in params:
        if p.name in _ALSO:
            lines += f"    if {_ALSO[p.name]} is not absent:\n        {p.name} = {_ALSO[p.name]}\n"
            if _may_be_absent(params, p):
                message = f"missing 1 required positional argument: '{p.name}'"
                lines += f"    if {p.name} is absent:\n        raise TypeError({message!r})\n"
    return lines


def also_numpy_names(fn: Any) -> Any:
    """A hand-written function of `dim` and `keepdim` that also takes axis= and keepdims=."""
    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for name, other in _ALSO.items():
                if other in kwargs and name not in kwargs:
                    kwargs[name] = kwargs.pop(other)
        return fn(*args, **kwargs)

    return run


def _signature(params: tuple[Param, ...], first: str, out: bool, scope: dict) -> str:
    parts = []
    starred = False
    for i, p in enumerate(params):
        if p.keyword_only and not starred:
            parts.append("*")
            starred = True
        name = first if i == 0 and first else p.name
        if p.default is ...:
            parts.append(f"{name}=absent" if _may_be_absent(params, p) else name)
        else:
            scope[f"_{i}"] = p.default
            parts.append(f"{name}={p.default!r}" if p.default is None or isinstance(p.default, (bool, int, float, str, tuple))
                         else f"{name}=_{i}")
    also = [f"{_ALSO[p.name]}=absent" for p in params if p.name in _ALSO]
    if out or also:
        parts += ([] if starred else ["*"]) + (["out=None"] if out else []) + also
    return ", ".join(parts)


def make_function(op: Op, name: str) -> Any:
    """torch.name: the operator with its arguments in order, and `out=` where it has one."""
    scope: dict[str, Any] = {"_op": op}
    args = "".join(f"{p.name}, " for p in op.params)
    result = f"call(_op, ({args}))"
    body = f"    return into_out(out, {result})" if op.out else f"    return {result}"
    if op.out:
        body = f"    if out is None:\n        return {result}\n{body}"
    body = _aliases(op.params) + body
    return _finish(op, name, f"def {name}({_signature(op.params, '', op.out, scope)}):\n{body}\n", scope)


def make_method(op: Op, name: str) -> Any:
    """Tensor.name: argument 0 is self; reflected operators exchange the first two arguments."""
    scope: dict[str, Any] = {"_op": op}
    rest = [p.name for p in op.params[1:]]
    if name in _DUNDER_BINARY and len(op.params) >= 2:
        other = op.params[1].name
        pair = f"{other}, self" if name in _REFLECTED else f"self, {other}"
        defaults = "".join(f", {p.default!r}" for p in op.params[2:])
        text = (f"def {name}(self, {other}):\n"
                f"    if type({other}) not in FAST and not isinstance({other}, Tensor):\n"
                f"        if not operand({other}):\n            return NotImplemented\n"
                f"        {other} = other_({other})\n"
                f"    return call(_op, ({pair}{defaults}))\n")
        return _finish(op, name, text, scope)
    if len(op.params) > 1 and op.params[1].star:
        star = op.params[1].name
        more = "".join(f", {p.name}={p.default!r}" for p in op.params[2:])
        text = (f"def {name}(self, *{star}_, {star}=None{more}):\n"
                f"    return call(_op, (self, unstar({star}_, {star}, {star!r}){''.join(', ' + r for r in rest[1:])}))\n")
        return _finish(op, name, text, scope)
    text = (f"def {name}({_signature(op.params, 'self', False, scope)}):\n{_aliases(op.params)}"
            f"    return call(_op, (self, {''.join(r + ', ' for r in rest)}))\n")
    return _finish(op, name, text, scope)


def _finish(op: Op, name: str, text: str, scope: dict) -> Any:
    fn = _compile(name, text, scope)
    fn.__op__ = op
    fn.__generated__ = True
    fn.__doc__ = op.doc or f"{op.name}{tuple(p.name for p in op.params)}"
    fn.__module__ = "torch"
    return fn


def build() -> None:
    """Make every function of the table and attach the methods to Tensor."""
    from . import table  # noqa: F401  declares the operators

    for op in list(OPS.values()):
        for full in op.functions:
            FUNCTIONS[full] = make_function(op, full.rsplit(".", 1)[-1])
        for name in op.methods:
            METHODS[name] = make_method(op, name)
    for name in _NUMPY_NAMED:
        for names, key in ((FUNCTIONS, f"torch.{name}"), (METHODS, name)):
            if key in names and not hasattr(names[key], "__generated__"):
                names[key] = also_numpy_names(names[key])
    for full, fn in FUNCTIONS.items():
        if full.rsplit(".", 1)[-1] in FLOAT32_FUNCTIONS:
            FUNCTIONS[full] = in_float32(fn)
    METHODS.update(members.METHODS)
    for name, fn in METHODS.items():
        setattr(Tensor, name, fn)
    for name, prop in members.PROPERTIES.items():
        setattr(Tensor, name, prop)


build()
