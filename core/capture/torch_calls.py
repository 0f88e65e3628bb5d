"""Calling the tensor API while tracing: values lowered to plain Python with fake tensors, results lifted back.

The API runs as it does eagerly; every operator it reaches records a node, because the tracer is active.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

from ..errors import NotYetSupported
from ..graph.fake import FakeTensor, NeedsData
from ..symbolic.symint import Symbolic
from ..tensor.devices import device
from ..tensor.dtypes import dtype
from ..tensor.meta import Size
from ..tensor.tensor import Tensor
from .containers import complete, list_items, new_dict, new_set
from .function_values import BuiltinValue
from .relied import settle_enum, settled
from .signals import Break, UserRaise
from .values import (
    ClassValue,
    Const,
    DictValue,
    ListValue,
    NativeValue,
    RangeValue,
    SetValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


class CannotLower(Exception):
    """A value has no plain Python form (a user's object or function)."""


# What changes a tensor's metadata or identity in place, or starts a backward pass: run natively, never in a graph.
NEVER_TRACED = {
    "requires_grad_": "attribute-set", "resize_": "attribute-set", "set_": "attribute-set", "t_": "attribute-set",
    "squeeze_": "attribute-set", "unsqueeze_": "attribute-set", "transpose_": "attribute-set", "swapaxes_": "attribute-set",
    "retain_grad": "backward", "backward": "backward", "register_hook": "backward", "numpy": "data-item",
    "data_ptr": "data-item", "__array__": "data-item", "storage": "data-item", "untyped_storage": "data-item",
    "storage_offset": "data-item", "is_set_to": "data-item", "share_memory_": "attribute-set", "as_subclass": "construct",
}


def lower(ev: Any, value: Value) -> Any:
    """Plain Python for a value. Raises CannotLower."""
    value = ev.force(value)
    if isinstance(value, Const):
        settle_enum(ev, value.value)
        return value.value
    if isinstance(value, TensorValue):
        return value.fake
    if isinstance(value, TupleValue):
        items = [lower(ev, v) for v in value.items]
        if value.cls is tuple:
            return tuple(items)
        return value.cls(*items) if hasattr(value.cls, "_fields") else value.cls(items)
    if isinstance(value, ListValue):
        if value.cls is collections.deque:
            raise CannotLower("a deque")
        return [lower(ev, v) for v in list_items(ev, value)]
    if isinstance(value, DictValue):
        return {lower(ev, e.key): lower(ev, e.value) for e in complete(ev, value).values()}
    if isinstance(value, SliceValue):
        return slice(lower(ev, value.start), lower(ev, value.stop), lower(ev, value.step))
    if isinstance(value, RangeValue):
        return range(value.start, value.stop, value.step)
    if isinstance(value, SetValue):
        return value.cls(lower(ev, v) for v in value.items.values())
    if isinstance(value, ClassValue):
        return value.cls
    if isinstance(value, NativeValue | BuiltinValue):
        return value.real
    raise CannotLower(f"an object of class {value.type.__name__}")


def lift(ev: Any, raw: Any) -> Value:
    """The value of something that the API returned."""
    if isinstance(raw, FakeTensor):
        return ev.of_fake(raw)
    if isinstance(raw, Tensor):
        return ev.of_fake(ev.tracer.lift_constants(raw))
    if raw is None or isinstance(raw, int | float | complex | str | bytes | dtype | device | Symbolic) \
            or raw is Ellipsis or raw is NotImplemented:
        return Const(raw)
    if isinstance(raw, tuple):
        cls = type(raw) if type(raw) is Size or hasattr(type(raw), "_fields") else tuple
        return TupleValue([lift(ev, v) for v in raw], cls)
    if isinstance(raw, list):
        return ListValue([lift(ev, v) for v in raw])
    if isinstance(raw, dict):
        return new_dict(ev, [(lift(ev, k), lift(ev, v)) for k, v in raw.items()])
    if isinstance(raw, set | frozenset):
        return new_set(ev, [lift(ev, v) for v in raw], type(raw))
    if isinstance(raw, range):
        return RangeValue(raw.start, raw.stop, raw.step)
    if isinstance(raw, slice):
        return SliceValue(lift(ev, raw.start), lift(ev, raw.stop), lift(ev, raw.step))
    if isinstance(raw, types.GeneratorType | map | zip | filter) or hasattr(raw, "__next__"):
        return ListValue([lift(ev, v) for v in raw])
    from .reading import of_constant

    return of_constant(ev, raw)


def run(ev: Any, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], what: str = "") -> Value:
    """Call `function` natively on plain Python under the tracer."""
    tracer = ev.tracer
    tracer.span = ev.span()
    tracer.module = ev.frame.module_path if ev.frame is not None else ""
    what = what or name_of(function)
    if getattr(function, "__module__", None) == "_operator" or function is abs:
        rely_on_operator(ev, function, args)
    try:
        with tracer:
            raw = function(*args, **kwargs)
    except NeedsData as needs:
        raise Break(needs.reason, what=needs.what or what) from None          # also a number that was read before
    except NotYetSupported as missing:
        raise Break("call-unknown", what=f"{what} ({missing})") from None
    except (UserRaise, Break, RecursionError):
        raise
    except Exception as problem:
        raised = UserRaise(ev.lift_exception(problem))
        raised.value.of_api = True
        if has_symbols(args) or has_symbols(tuple(kwargs.values())):
            raised.value.asked_at = (ev.main.point, {"what": f"{what}, which raises {type(problem).__name__},"})
        raise raised from None
    return lift(ev, raw)


def has_tensor(value: Any) -> bool:
    """Whether a tensor is in here."""
    if isinstance(value, dict):
        return any(map(has_tensor, value.values())) or any(map(has_tensor, value))
    if isinstance(value, tuple | list | set | frozenset):
        return any(map(has_tensor, value))
    return isinstance(value, Tensor)


def has_symbols(value: Any) -> bool:
    """Whether a number or a size in here is symbolic."""
    if isinstance(value, FakeTensor):
        return any(not isinstance(n, int) for n in (*value._meta.shape, *value._meta.strides))
    if isinstance(value, tuple | list):
        return any(map(has_symbols, value))
    return isinstance(value, Symbolic)


REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def rely_on_operator(ev: Any, function: Callable[..., Any], args: list[Any]) -> None:
    """`x + y` calls `Tensor.__add__`, which someone may replace. Breaks where somebody has: it is code of the script's."""
    from .reading import is_api_function

    stem = function.__name__.strip("_")
    for place, operand in enumerate(args[:2]):
        if isinstance(operand, FakeTensor):
            name = stem if place == 0 else REFLECTED.get(stem, f"r{stem}")
            found = settled(ev, operand._meta.cls or Tensor, f"__{name}__")[1]
            if isinstance(found, types.FunctionType) and not is_api_function(found):
                raise Break("operator", name=f"__{name}__", what="a tensor whose class was changed")


def call_api(ev: Any, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value], what: str = "") -> Value:
    """Call a function of the tensor API on values."""
    what = what or name_of(function)
    try:
        plain = [lower(ev, a) for a in args]
        named = {k: lower(ev, v) for k, v in kwargs.items()}
    except CannotLower as problem:
        raise Break("call-unknown", what=f"{what} with {problem}") from None
    return run(ev, function, plain, named, what)


def tensor_method(ev: Any, receiver: TensorValue, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`x.name(*args)`."""
    reason = NEVER_TRACED.get(name)
    if reason is not None:
        raise Break(reason, what=f"Tensor.{name}()", name=name)
    if name == "item" and not args and not kwargs:
        from .data_scalars import read_scalar

        return read_scalar(ev, receiver, "Tensor.item()")
    if name == "tolist" or name == "item":
        raise Break("data-item", what=f"Tensor.{name}()")
    if name == "type" and not args and not kwargs:
        return run(ev, receiver.fake.type, [], {}, "Tensor.type")
    return call_api(ev, getattr(receiver.fake, name), args, kwargs, f"Tensor.{name}")


def name_of(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__
    module = getattr(function, "__module__", None)
    if module in (None, "builtins") or module.startswith("guardscope") or ".core." in module:
        return str(name)
    return f"{module}.{name}"
