"""Objects and functions of the tensor API that are called natively while tracing, and what they may be used for."""

from __future__ import annotations

from typing import Any

from ..tensor.devices import device
from ..tensor.dtypes import dtype
from ..tensor.tensor import Tensor
from .signals import Break
from .torch_calls import CannotLower, call_api, has_tensor, lift, lower, name_of
from .values import DictValue, ModuleValue, NativeValue, Value


def is_context_class(cls: type) -> bool:
    return hasattr(cls, "__enter__") and hasattr(cls, "__exit__")


def call_class(ev: Any, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Instantiate a class of the tensor API."""
    what = name_of(cls)
    if issubclass(cls, Tensor):
        if cls is Tensor:
            return call_api(ev, cls, args, kwargs, what)
        raise Break("construct", what=f"a {what}")
    if cls.__name__ == "Generator":                 # a new one at every call
        raise Break("random", what=f"{what}()")
    if getattr(cls, "_guardscope_module", False):
        made = container_of_modules(ev, cls, args, kwargs)
        if made is not None:
            return made
        raise Break("construct", what=f"a module ({cls.__name__})")
    try:
        plain = [lower(ev, a) for a in args]
        named = {k: lower(ev, v) for k, v in kwargs.items()}
    except CannotLower as problem:
        raise Break("construct", what=f"{what} with {problem}") from None
    before = ev.tracer_mode()
    made = ev.native(cls, *plain, **named)
    if isinstance(made, Tensor | dtype | device):
        return lift(ev, made)
    if not is_context_class(cls):
        if has_tensor((plain, named)):
            raise Break("construct", what=f"a {what}")
        return NativeValue(made, (cls, tuple(args), dict(kwargs)))
    value = NativeValue(made, (cls, tuple(args), dict(kwargs)))
    if ev.tracer_mode() is not before:              # set_grad_enabled(False) switches as soon as it is made
        ev.mode_changed = True
    return value


def container_of_modules(ev: Any, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A ModuleList or Sequential of existing modules (`self.layers[:n]`): made now, and kept by the artifact to be traced. Its
    members are known under their own origins, so that reading them through the container guards that they are the same.
    Where the script keeps it, another one is made at every call."""
    from .containers import dict_items
    from .iterate import items_of

    if cls.__name__ not in ("ModuleList", "Sequential") or kwargs or not args:
        return None
    first = ev.force(args[0])
    if isinstance(first, DictValue):
        named = {str(lower(ev, k)): ev.force(v) for k, v in dict_items(ev, first)}
    else:
        given = args if cls.__name__ == "Sequential" else items_of(ev, first)
        named = {str(i): ev.force(v) for i, v in enumerate(given)}
    if not all(isinstance(m, ModuleValue) and m.origin is not None and m.real is not None for m in named.values()):
        return None
    real = cls()
    for name, module in named.items():
        real.add_module(name, module.real)
    ev.containers[id(real)] = named
    return ev.force(ev.existing(ev.pin(real, cls.__name__), real))


def call_native(ev: Any, callee: NativeValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call an object of the API that is callable."""
    real = callee.real
    if is_context_class(type(real)):                     # whatever it is given, it keeps
        raise Break("construct", what=f"a function decorated with {name_of(type(real))}")
    if isinstance(real, type):
        return call_class(ev, real, args, kwargs)
    return call_api(ev, real, args, kwargs)
