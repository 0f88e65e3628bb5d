"""torch.library: operators of a script's own. They are Python functions here, traced through by torch.compile.

custom_op, register_fake and their kin keep what they are given; the function itself is what runs. Derivatives are kept
for the time when gradients exist.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .naming import module_getattr, present

_DEFINED: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """What @custom_op makes of a function: callable as before, with registrations that are kept."""

    def __init__(self, name: str, fn: Callable[..., Any]) -> None:
        self._qualname, self._fn = name, fn
        self._kept: dict[str, Any] = {}
        self.__name__, self.__doc__ = getattr(fn, "__name__", name), fn.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._fn(*args, **kwargs)

    def register_fake(self, fn: Any) -> Any:
        """Sizes of results come from running the function: kept only."""
        return self._keep("fake", fn)

    def register_kernel(self, device_types: Any, fn: Any = None) -> Any:
        """A version for a device; one for the CPU takes the function's place."""
        def take(kernel: Any) -> Any:
            names = [device_types] if isinstance(device_types, str) else list(device_types or ["cpu"])
            if "cpu" in names:
                self._fn = kernel
            return kernel

        return take if fn is None else take(fn)

    def register_autograd(self, backward: Any, *, setup_context: Any = None) -> None:
        """Kept for the time when gradients exist."""
        self._keep("autograd", (backward, setup_context))

    def register_vmap(self, fn: Any = None) -> Any:
        """Kept only."""
        return self._keep("vmap", fn)

    def _keep(self, what: str, value: Any) -> Any:
        self._kept[what] = value
        return value


def custom_op(name: str, fn: Any = None, /, *, mutates_args: Any = (), device_types: Any = None, schema: str | None = None,
              tags: Any = None) -> Any:
    """@custom_op("lib::name", mutates_args=()): the function under a name. ValueError for a name without "::"."""
    if "::" not in name:
        raise ValueError(f"custom_op(name={name!r}): the name must have the form 'namespace::name'")

    def make(f: Any) -> CustomOpDef:
        made = _DEFINED[name] = CustomOpDef(name, f)
        return made

    return make if fn is None else make(fn)


def defined(name: str) -> Any:
    """The operator that custom_op or Library.define made under "namespace::name", or None."""
    return _DEFINED.get(name)


def triton_op(name: str, fn: Any = None, /, *, mutates_args: Any = (), schema: str | None = None) -> Any:
    """As custom_op."""
    return custom_op(name, fn, mutates_args=mutates_args)


def _register(what: str) -> Callable[..., Any]:
    def register(op: Any, fn: Any = None, /, **options: Any) -> Any:
        target = op if isinstance(op, CustomOpDef) else _DEFINED.get(op)

        def take(f: Any) -> Any:
            if target is not None:
                target._keep(what, f)
            return f

        return take if fn is None else take(fn)

    register.__name__ = f"register_{what}"
    register.__doc__ = "Kept with the operator: the function itself is what runs."
    return register


register_fake = _register("fake")
register_autograd = _register("autograd")
register_vmap = _register("vmap")
impl_abstract = register_fake


def register_kernel(op: Any, device_types: Any, fn: Any = None, /, *, lib: Any = None) -> Any:
    """A version of an operator for a device."""
    target = op if isinstance(op, CustomOpDef) else _DEFINED[op]
    return target.register_kernel(device_types, fn)


def impl(qualname: str, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """The function of an operator that `define` has named."""
    def take(f: Any) -> Any:
        if qualname not in _DEFINED:
            _DEFINED[qualname] = CustomOpDef(qualname, f)
        elif isinstance(types, str) and types.lower() in ("cpu", "default", "compositeexplicitautograd"):
            _DEFINED[qualname]._fn = f
        return f

    return take if func is None else take(func)


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Name an operator; `impl` gives its function."""


class Library:
    """A namespace of operators: define(schema) and impl(name, function)."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        self.ns, self.kind = ns, kind

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Name an operator by its schema; its name is returned."""
        return schema.partition("(")[0]

    def impl(self, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
        """The function of an operator."""
        name = op_name if isinstance(op_name, str) else getattr(op_name, "__name__", str(op_name))
        full = name if "::" in name else f"{self.ns}::{name.partition('.')[0]}"
        if dispatch_key.lower() in ("", "cpu", "compositeexplicitautograd", "compositeimplicitautograd"):
            _DEFINED[full] = CustomOpDef(full, fn)


def opcheck(*args: Any, **kwargs: Any) -> dict[str, str]:
    """Nothing to check: operators are plain functions."""
    return {}


def wrap_triton(kernel: Any) -> Any:
    """The kernel itself."""
    return kernel


present(globals())
__getattr__ = module_getattr(globals())
