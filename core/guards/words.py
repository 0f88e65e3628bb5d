"""Values in the words of a script: short, and naming functions, lambdas, classes and modes as people know them."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import reprlib
import sys
import types
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from ..tensor.devices import device
from ..tensor.tensor import Tensor
from .facts import own_dict
from .guard import HEAP_TYPE


class Short(reprlib.Repr):
    """Shortened containers; what they hold is worded by `value_text`."""

    def repr_instance(self, x: Any, level: int) -> str:
        return super().repr_instance(x, level) if x is None or type(x) in SCALARS else value_text(x)


SCALARS = (bool, int, float, complex, str, bytes, slice, range)
_SHORT = Short()
_SHORT.maxstring = _SHORT.maxother = 60
_SHORT.maxtuple = _SHORT.maxlist = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxfrozenset = 6


def type_name(cls: Any) -> str:
    """int, torch.Tensor, model.Config: without the module for builtins and for the script itself."""
    module = getattr(cls, "__module__", "")
    name = getattr(cls, "__qualname__", None) or repr(cls)
    return name if module in ("builtins", "__main__", "") else f"{module}.{name}"


def code_place(code: types.CodeType) -> str:
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}"


def column(code: types.CodeType) -> int:
    """The column, from 1, at which the text of a function's body starts: tells lambdas of one line apart."""
    starts = [start for line, _, start, end in code.co_positions() if line == code.co_firstlineno and start is not None and end]
    return min(starts) + 1 if starts else 0


def api_name(f: Any) -> str:
    """`torch.mul`, `Tensor.__add__` for a function of the API, "" for any other. Its own spelling counts, not its
    operator's: torch.add and Tensor.__add__ share one."""
    module = getattr(f, "__module__", None)
    if not isinstance(module, str) or module.partition(".")[0] != "torch":
        return ""
    name = f.__name__
    if getattr(sys.modules.get(module), name, None) is f:      # one object may serve as torch.div and as Tensor.div
        return f"{module}.{name}"
    method = next((n for n in (name, name.rstrip("_")) if vars(Tensor).get(n) is f), None)
    return f"{module}.{name}" if method is None else f"Tensor.{method}"


def function_name(f: Any) -> str:
    """`scale (model.py:12)`, `lambda of model.py:30`, `torch.mul`."""
    if isinstance(f, types.FunctionType) and (spelled := api_name(f)):
        return spelled
    code = f if isinstance(f, types.CodeType) else getattr(f, "__code__", None)
    name = getattr(f, "__qualname__", None) or getattr(code, "co_qualname", None) or repr(f)
    if code is None:
        module = getattr(f, "__module__", None)
        return name if not module or module == "builtins" else f"{module}.{name}"
    if code.co_name == "<lambda>":
        return f"lambda of {code_place(code)}"
    return f"{name} ({code_place(code)})"


def error_text(problem: BaseException) -> str:
    """The text of an exception of the script's, as `str` gives it where that runs nothing of the script's: a text of its own,
    or of an argument's, might print, count or raise."""
    own = any(isinstance(vars(c).get(n), types.FunctionType) for c in type(problem).__mro__ for n in ("__str__", "__repr__"))
    args = problem.args if isinstance(problem.args, tuple) else ()
    if not own and all(a is None or type(a) in SCALARS for a in args):
        return str(problem)
    return ", ".join(a if type(a) is str else value_text(a) for a in args)


def value_text(v: Any) -> str:
    """A value by repr, shortened; a function by name and place; an object of the script's by its type. Never raises, and
    runs nothing of the script's: a `__repr__` of its own might print, count, or change what it is asked about."""
    if isinstance(v, types.FunctionType | types.CodeType):
        return function_name(v)
    if isinstance(v, types.BuiltinFunctionType | types.MethodType):
        return function_name(getattr(v, "__func__", v))
    if isinstance(v, type):
        return type_name(v)
    if isinstance(v, types.ModuleType):
        return f"module {v.__name__}"
    if isinstance(v, device):
        return str(v)
    cls = type(v)
    meta = getattr(cls, "_meta", None)
    if meta is not None and hasattr(v, "_meta"):
        return f"{cls.__name__} {v._meta!r}"
    if v is None or cls in (*SCALARS, tuple, list, dict, set, frozenset):
        return _SHORT.repr(v)
    if isinstance(v, enum.Enum):
        return f"{cls.__name__}.{vars(v).get('_name_')}"
    if isinstance(v, tuple) and hasattr(cls, "_fields"):
        return _call_text(cls, zip(cls._fields, v))
    if dataclasses.is_dataclass(cls) and dataclass_repr(cls):
        held = own_dict(v) or {}
        return _call_text(cls, ((f.name, held[f.name]) for f in dataclasses.fields(cls) if f.repr and f.name in held))
    written = cls.__repr__
    ours = isinstance(written, types.FunctionType) and (written.__module__ or "").partition(".")[0] in ("torch", "guardscope") \
        and not hasattr(cls, "_guardscope_module")             # whose text asks the script's extra_repr
    if ours or not cls.__flags__ & HEAP_TYPE and written is not object.__repr__ and not isinstance(v, Collection):
        with contextlib.suppress(Exception):
            return _shortened(" ".join(repr(v).split()))
    return f"a {type_name(cls)}"


def dataclass_repr(cls: type) -> bool:
    """Whether the class has the `__repr__` that dataclasses writes."""
    written = getattr(cls.__repr__, "__wrapped__", None)
    return isinstance(written, types.FunctionType) and written.__code__.co_filename == "<string>"


def _call_text(cls: type, fields: Iterable[tuple[str, Any]]) -> str:
    return _shortened(f"{cls.__qualname__}({', '.join(f'{name}={value_text(value)}' for name, value in fields)})")


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def keys_text(found: tuple, expected: tuple) -> tuple[str, str]:
    """(expected, seen) for the keys of a dict: what is new, what is missing, or the other order."""
    new = [k for k in found if k not in expected]
    gone = [k for k in expected if k not in found]
    if not new and not gone:
        return f"keys in the order {_list(expected)}", f"the order {_list(found)}"
    said = ([f"new: {_list(new)}"] if new else []) + ([f"missing: {_list(gone)}"] if gone else [])
    return f"keys {_list(expected)}", "; ".join(said)


def _list(items: Any) -> str:
    shown = [value_text(k) for k in items]
    return ", ".join(shown[:8]) + (f" and {len(shown) - 8} more" if len(shown) > 8 else "")


def marks_text(marks: Any) -> str:
    said = [f"{word} {sorted(getattr(marks, field), key=str)}" for field, word in
            (("dynamic", "dynamic"), ("maybe", "maybe dynamic"), ("static", "static"),
             ("unbacked", "unbacked")) if getattr(marks, field)]
    return "marked " + ", ".join(said) if said else "no marks"
