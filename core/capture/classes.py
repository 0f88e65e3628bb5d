"""Calling a class: builtin types, exceptions, named tuples, dataclasses, the script's own classes, the API's objects."""

from __future__ import annotations

import collections
import enum
import types
from typing import Any

from ..guards.guard import HEAP_TYPE
from ..tensor.devices import device
from ..tensor.dtypes import dtype
from ..tensor.tensor import Tensor
from .attributes import bind, guard_class_attribute
from .builtin_types import BUILTIN_TYPES, collection
from .calls import call, positional_defaults
from .function_values import FunctionValue
from .iterate import items_of
from .native import call_class
from .reading import is_api_class, is_plain_object, keeps_tuple_methods
from .relied import can_change, settled
from .signals import Break
from .signatures import fitted
from .torch_calls import lower
from .values import NONE, ClassValue, Const, DictValue, ExceptionValue, ListValue, ObjectValue, TupleValue, Value


def instantiate(ev: Any, callee: ClassValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`cls(*args)`."""
    cls = callee.cls
    rule = BUILTIN_TYPES.get(cls)
    if rule is not None:
        if fitted(cls, args, kwargs) is None:
            raise Break("construct", what=f"an object of class {cls.__name__} from arguments that do not fit")
        return rule(ev, args, kwargs)
    from .iteration_tools import CLASS_RULES

    rule = CLASS_RULES.get(cls)
    if rule is not None:
        return rule(ev, args, kwargs)
    if isinstance(cls, enum.EnumMeta):
        return Const(ev.native(cls, *[lower(ev, a) for a in args]))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return named_tuple(ev, cls, args, kwargs)
    if issubclass(cls, BaseException):
        return exception(ev, cls, args, kwargs)
    if cls in (dtype, device) or issubclass(cls, Tensor) or is_api_class(cls):
        return call_class(ev, cls, args, kwargs)
    if cls in (collections.OrderedDict, collections.Counter, collections.defaultdict, collections.deque):
        if fitted(cls, args, kwargs) is None:
            raise Break("construct", what=f"an object of class {cls.__name__} from arguments that do not fit")
        return collection(ev, cls, args, kwargs)
    if type(cls).__call__ is not type.__call__ or not is_plain_or_payload(cls) or getattr(cls, "_guardscope_module", False):
        raise Break("construct", what=f"an object of class {cls.__name__}")
    return user_object(ev, cls, args, kwargs)


def is_plain_or_payload(cls: type) -> bool:
    if is_plain_object(cls):
        return True
    return issubclass(cls, list | dict) and all(
        b in (list, dict, object) or b.__flags__ & HEAP_TYPE for b in cls.__mro__)


def user_object(ev: Any, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """An instance of a class of the script's: `object.__new__`, then its `__init__` traced."""
    settled(ev, type(cls), "__call__")
    owner, new = settled(ev, cls, "__new__")
    if owner is not object and owner not in (list, dict):
        if not isinstance(new, staticmethod) or not isinstance(new.__func__, types.FunctionType) \
                or (owner is not None and owner.__module__ == "typing"):
            if owner is not None and owner.__module__ == "typing":
                owner = object
            else:
                raise Break("construct", what=f"an object of class {cls.__name__}")
        else:
            from .attributes import pinned

            ev.guard("CLASS_ATTRIBUTE", None, (cls, "__new__", new), f"{cls.__name__} is created")
            made = ev.force(call(ev, pinned(ev, new.__func__), [ClassValue(cls, ev.pin(cls)), *args], kwargs))
            if not issubclass(made.type, cls):
                return made
            return initialise(ev, made, cls, args, kwargs)
    abstract = getattr(cls, "__abstractmethods__", None)
    if abstract:
        ev.raise_error(TypeError, f"Can't instantiate abstract class {cls.__name__} with abstract method"
                                  f"{'s' if len(abstract) > 1 else ''} {', '.join(sorted(abstract))}")
    return initialise(ev, bare_object(cls), cls, args, kwargs)


def bare_object(cls: type) -> ObjectValue:
    """What `object.__new__(cls)` gives."""
    made = ObjectValue(cls)
    if issubclass(cls, list):
        made.payload = ListValue([])
    elif issubclass(cls, dict):
        made.payload = DictValue({})
    return made


def initialise(ev: Any, made: Value, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    owner, raw = settled(ev, cls, "__init__")
    if owner is object:
        # object.__init__ minds arguments only where __new__ is object's as well.
        if (args or kwargs) and settled(ev, cls, "__new__")[0] is object:
            ev.raise_error(TypeError, f"{cls.__name__}() takes no arguments")
        return made
    assert isinstance(made, ObjectValue)
    if owner in (list, dict):
        assert owner is not None
        if fitted(owner, args, kwargs) is None:
            raise Break("construct", what=f"an object of class {cls.__name__} from arguments that do not fit")
        made.payload = BUILTIN_TYPES[owner](ev, args, kwargs)
        return made
    guard_class_attribute(ev, made, "__init__", raw)
    if is_generated_init(cls, owner, raw):
        dataclass_init(ev, made, cls, raw, args, kwargs)
        return made
    if not isinstance(raw, types.FunctionType):
        raise Break("construct", what=f"an object of class {cls.__name__}")
    result = ev.force(call(ev, bind(ev, raw, made, cls, "__init__"), args, kwargs))
    if not (isinstance(result, Const) and result.value is None):
        ev.raise_error(TypeError, f"__init__() should return None, not '{result.c_name}'")
    return made


# -- dataclasses ----
def is_generated_init(cls: type, owner: type | None, raw: Any) -> bool:
    """Whether `__init__` was written by @dataclass: it has no source, but its fields say what it does."""
    return owner is not None and "__dataclass_fields__" in owner.__dict__ and isinstance(raw, types.FunctionType) \
        and raw.__code__.co_filename == "<string>" and raw.__qualname__ == f"{owner.__qualname__}.__init__"


def dataclass_init(ev: Any, made: ObjectValue, cls: type, raw: Any, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Assign the fields as the generated `__init__` would, then call `__post_init__`."""
    import dataclasses

    from .attribute_stores import plain_set, set_attribute
    from .attributes import pinned

    store = plain_set if cls.__dataclass_params__.frozen else set_attribute    # type: ignore[attr-defined]

    fields = [f for f in cls.__dataclass_fields__.values()  # type: ignore[attr-defined]
              if f._field_type is not dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]
    taken = [f for f in fields if f.init]
    plain = [f.name for f in taken if not f.kw_only]
    if len(args) > len(plain):
        ev.raise_error(TypeError, f"{cls.__name__}.__init__() takes from 1 to {len(plain) + 1} positional arguments but "
                                  f"{len(args) + 1} were given")
    given = dict(zip(plain, args))
    for name, value in kwargs.items():
        if name in given or name not in {f.name for f in taken}:
            what = "multiple values for argument" if name in given else "an unexpected keyword argument"
            ev.raise_error(TypeError, f"{cls.__name__}.__init__() got {what} '{name}'")
        given[name] = value
    posted: list[Value] = []
    for f in fields:
        init_only = f._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
        if f.name in given:
            value = given[f.name]
        elif f.default is not dataclasses.MISSING:
            value = ev.existing(ev.pin(f.default, f"default of {f.name}"), f.default, fixed=True)
        elif f.default_factory is not dataclasses.MISSING:
            value = call(ev, pinned(ev, f.default_factory), [], {})
        elif f.init:
            ev.raise_error(TypeError, f"{cls.__name__}.__init__() missing 1 required positional argument: '{f.name}'")
            raise AssertionError
        else:
            continue
        if init_only:
            posted.append(value)
        else:
            store(ev, made, f.name, value)
    owner, post = settled(ev, cls, "__post_init__")
    if post is not None:
        call(ev, bind(ev, post, made, cls, "__post_init__"), posted, {})


def named_tuple(ev: Any, cls: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """An instance of a named tuple; the API's return types take one sequence."""
    fields: tuple[str, ...] = cls._fields
    if (cls.__module__ or "").startswith("torch.return_types") and len(args) == 1 and len(fields) != 1:
        return TupleValue(items_of(ev, args[0]), cls)
    new = cls.__new__
    settled(ev, cls, "__new__")
    if not keeps_tuple_methods(ev, cls):
        raise Break("construct", what=f"an object of class {cls.__name__}")
    code = getattr(new, "__code__", None)
    if code is None or not code.co_filename.startswith("<"):
        raise Break("construct", what=f"an object of class {cls.__name__}")
    fields = code.co_varnames[1:code.co_argcount]              # whatever has become of cls._fields
    defaults = positional_defaults(ev, FunctionValue(ev.pin(new, "new"), new))
    has = dict(zip(fields[len(fields) - len(defaults):], defaults))
    given = dict(zip(fields, args))
    if len(args) > len(fields):
        ev.raise_error(TypeError, f"{cls.__name__}.__new__() takes {len(fields) + 1} positional arguments but "
                                  f"{len(args) + 1} were given")
    for name, value in kwargs.items():
        if name in given or name not in fields:
            what = "multiple values for argument" if name in given else "an unexpected keyword argument"
            ev.raise_error(TypeError, f"{cls.__name__}.__new__() got {what} '{name}'")
        given[name] = value
    for name in fields:
        if name not in given:
            if name not in has:
                ev.raise_error(TypeError, f"{cls.__name__}.__new__() missing 1 required positional argument: '{name}'")
            given[name] = has[name]
    return TupleValue([given[name] for name in fields], cls)


def exception(ev: Any, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """An exception object; an `__init__` of the user's is traced."""
    maker = settled(ev, cls, "__new__")[0]
    if type(cls).__call__ is not type.__call__ or maker is not None and can_change(maker):
        raise Break("construct", what=f"an exception of class {cls.__name__}")
    made = ExceptionValue(cls, list(args))
    owner, raw = settled(ev, cls, "__init__")
    if owner is not None and isinstance(raw, types.FunctionType):
        guard_class_attribute(ev, made, "__init__", raw)
        call(ev, bind(ev, raw, made, cls, "__init__"), args, kwargs)
    elif kwargs:
        ev.raise_error(TypeError, f"{cls.__name__}() takes no keyword arguments")
    elif issubclass(cls, StopIteration):
        made.attributes["value"] = args[0] if args else NONE
    return made
