"""torch.compile's result: a function with the original's exact signature that dispatches to artifacts.

The signature is generated, because `*args, **kwargs` and inspect.Signature.bind cost more than the rest of a reused
call. Defaults are fetched from the original at each call: they can be replaced at run time.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ..capture.residual.chain import drive
from ..capture.unit import Unit, unit_of
from ..errors import ScriptError, Unsupported
from ..events.recorder import RECORDER
from ..source.locate import NoSource
from .artifact import Options
from .backends import resolve
from .cache import compile_text
from .runtime import Runtime

MISSING = object()


def compile_function(function: types.FunctionType, options: Options) -> Callable[..., Any]:
    """The compiled form of a Python function. A function without proven source runs as it is, and the session says so."""
    resolve(options.backend)
    runtime = Runtime(options)
    unit = unit_of(function)
    if isinstance(unit, NoSource):
        if options.fullgraph:
            raise Unsupported(f"fullgraph=True, and {function.__qualname__} cannot be captured: {unit.reason}")
        return _uncompiled(function, unit.reason)
    wrapper = _exact_wrapper(function, unit, runtime)
    functools.update_wrapper(wrapper, function)
    wrapper._guardscope_compiled = function          # type: ignore[attr-defined]
    wrapper._torchdynamo_orig_callable = function    # type: ignore[attr-defined]
    wrapper._guardscope_options = options            # type: ignore[attr-defined]
    return wrapper


def _uncompiled(function: types.FunctionType, reason: str) -> Callable[..., Any]:
    told: list[bool] = []

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not told:
            told.append(True)
            RECORDER.event("not_compiled", f"{function.__qualname__} runs as plain Python: {reason}", {})
        return function(*args, **kwargs)

    wrapper._guardscope_compiled = function          # type: ignore[attr-defined]
    wrapper._torchdynamo_orig_callable = function    # type: ignore[attr-defined]
    return wrapper


def _exact_wrapper(function: types.FunctionType, unit: Unit, runtime: Runtime) -> Callable[..., Any]:
    """Generate `def wrapper(<the function's parameters>)` whose body fills defaults and dispatches."""
    spec = function.__code__
    names = spec.co_varnames
    plain = names[:spec.co_argcount]
    only = names[spec.co_argcount:spec.co_argcount + spec.co_kwonlyargcount]
    rest = list(names[spec.co_argcount + spec.co_kwonlyargcount:])
    star = rest.pop(0) if spec.co_flags & 0x04 else None
    double = rest.pop(0) if spec.co_flags & 0x08 else None
    with_default = len(function.__defaults__ or ())
    first_default = len(plain) - with_default
    parts, fill = [], []
    for i, name in enumerate(plain):
        if i >= first_default:
            parts.append(f"{name}=__missing")
            fill += default_lines(name, f"__fn.__defaults__[{i - len(plain)}]")
        else:
            parts.append(name)
        if i + 1 == spec.co_posonlyargcount:
            parts.append("/")
    if star is not None:
        parts.append(f"*{star}")
    elif only:
        parts.append("*")
    for name in only:
        if name in (function.__kwdefaults__ or {}):
            parts.append(f"{name}=__missing")
            fill += default_lines(name, f"__fn.__kwdefaults__[{name!r}]")
        else:
            parts.append(name)
    if double is not None:
        parts.append(f"**{double}")
    passed = ", ".join(["__fn", *unit.params])
    name = function.__name__ if function.__name__.isidentifier() else "compiled"
    given = f"({pairs(plain)}), {star or '()'}, ({pairs(only)}), {double or '{}'}"
    lines = [f"def {name}({', '.join(parts)}):", "    if __fn.__code__ is not __code:", f"        return __moved({given})",
             *fill]
    if unit.is_generator:
        lines += [f"    return __drive(__dispatcher.run, __fn, ({', '.join(unit.params)}{',' if unit.params else ''}))"]
    elif RECORDER.record_results:
        lines += [f"    return __with_results(__dispatcher.run, {passed})"]
    else:
        lines += [f"    return __dispatcher.run({passed})"]
    namespace = {"__fn": function, "__missing": MISSING, "__dispatcher": runtime.dispatcher(unit, function.__globals__),
                 "__with_results": with_results, "__code": function.__code__, "__moved": Moved(function, runtime.options),
                 "__absent": absent, "__drive": drive}
    return compile_text("\n".join(lines) + "\n", f"<compiled {function.__qualname__}>", namespace, name)


def pairs(names: Any) -> str:
    return "".join(f"({n!r}, {n}), " for n in names)


def default_lines(name: str, text: str) -> list[str]:
    """Statements that fetch a parameter's default where none was given."""
    return [f"    if {name} is __missing:", "        try:", f"            {name} = {text}",
            "        except (TypeError, LookupError):", f"            raise __absent(__fn, {name!r}) from None"]


def absent(function: types.FunctionType, name: str) -> TypeError:
    """What Python raises when the default of an argument that is not given was taken away."""
    kind = "keyword-only" if name in function.__code__.co_varnames[function.__code__.co_argcount:] else "positional"
    return TypeError(f"{function.__qualname__}() missing 1 required {kind} argument: {name!r}")


class Moved:
    """A call of a function whose `__code__` was replaced after it was compiled: it is compiled again, as what it is now."""

    def __init__(self, function: types.FunctionType, options: Options) -> None:
        self.function, self.options = function, options
        self.code: types.CodeType | None = None
        self.wrapper: Callable[..., Any] = function

    def __call__(self, plain: tuple, star: tuple, only: tuple, double: dict[str, Any]) -> Any:
        if self.function.__code__ is not self.code:
            self.code, self.wrapper = self.function.__code__, compile_function(self.function, self.options)
        ahead = next((i for i, pair in enumerate(plain) if pair[1] is MISSING), len(plain))
        keywords = {name: value for name, value in (*plain[ahead:], *only) if value is not MISSING}
        return self.wrapper(*(value for _, value in plain[:ahead]), *star, **keywords, **double)


_depth = 0


def with_results(run: Callable[..., Any], *args: Any) -> Any:
    """Run, and record checksums of a top-level call's result (only with the option that asks for them)."""
    global _depth
    _depth += 1
    try:
        result = run(*args)
    finally:
        _depth -= 1
    if _depth == 0:
        RECORDER.result({"tensors": checksums(result)})
    return result


def checksums(result: Any) -> list[dict[str, Any]]:
    """dtype, shape and sums of every tensor in a result, in float64: sum, sum of absolute values, and a sum weighted by
    i % 13 + 1 (row-major), which depends on the order of elements."""
    import numpy as np

    from ..tensor.tensor import Tensor

    found: list[dict[str, Any]] = []

    def visit(value: Any, path: str) -> None:
        if isinstance(value, Tensor):
            row = {"path": path, "dtype": value.dtype.name, "shape": list(value.shape), "device": value.device.type,
                   "requires_grad": value._meta.requires_grad}
            if value._array is not None:
                flat = np.asarray(value._array, dtype=np.float64).ravel()
                weights = np.arange(flat.size) % 13 + 1
                row.update(sum=float(flat.sum()), abs_sum=float(np.abs(flat).sum()), wsum=float((flat * weights).sum()))
            found.append(row)
        elif isinstance(value, dict):
            for key, item in value.items():
                visit(item, f"{path}[{key!r}]")
        elif isinstance(value, tuple | list):
            for i, item in enumerate(value):
                visit(item, f"{path}[{i}]")
        elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
            for name in value.__dataclass_fields__:
                visit(getattr(value, name), f"{path}.{name}")

    visit(result, "")
    return found


def compile_callable(target: Any, options: Options) -> Any:
    """torch.compile for everything that is not an nn.Module: functions, bound methods, callable objects, torch functions.

    Raises ScriptError when `target` is not callable.
    """
    if isinstance(target, types.FunctionType):
        inner = getattr(target, "_guardscope_compiled", None)
        if getattr(target, "_torchdynamo_disable", False):       # torch.compile says it anew
            inner = target._torchdynamo_orig_callable            # type: ignore[attr-defined]
        if inner is not None:                # compiling what is compiled already: start from the original
            return compile_callable(inner, options)
        if getattr(target, "__op__", None) is not None or _is_library(target):
            return compile_function(_trampoline(target), options)
        return compile_function(target, options)
    if isinstance(target, types.MethodType):
        bound = compile_callable(target.__func__, options)
        receiver = target.__self__

        @functools.wraps(target)
        def method(*args: Any, **kwargs: Any) -> Any:
            return bound(receiver, *args, **kwargs)

        method._guardscope_compiled = target         # type: ignore[attr-defined]
        return method
    if callable(target):
        if isinstance(target, type) or not isinstance(_call_of(target), types.FunctionType):
            return compile_function(_trampoline(target), options)
        return _compiled_object(target, options)
    raise ScriptError(f"torch.compile got {type(target).__name__}, expected a function, a method, a callable object or an "
                      "nn.Module")


def _call_of(target: Any) -> Any:
    """What calling an object runs: its class's `__call__`, unbound."""
    return next((vars(c)["__call__"] for c in type(target).__mro__ if "__call__" in vars(c)), None)


def _compiled_object(target: Any, options: Options) -> Callable[..., Any]:
    """A callable object, compiled through its class's `__call__`, whichever that is when it is called."""
    compiled: dict[Any, Callable[..., Any]] = {}

    def current() -> Callable[..., Any]:
        call = _call_of(target)
        if not isinstance(call, types.FunctionType):
            return target                            # no Python function any more: Python says what to do
        if call not in compiled:
            compiled[call] = compile_callable(types.MethodType(call, target), options)
        return compiled[call]

    @functools.wraps(current(), assigned=("__name__", "__qualname__", "__doc__"), updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        return current()(*args, **kwargs)

    called._guardscope_compiled = target             # type: ignore[attr-defined]
    return called


def _is_library(function: types.FunctionType) -> bool:
    from .runtime import is_compilable_file

    return not is_compilable_file(function.__code__.co_filename)


def _trampoline(target: Any) -> types.FunctionType:
    from .trampoline import through

    return through(target)
