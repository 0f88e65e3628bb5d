"""Attributes of everything that is no instance of a class of the script's: tensors, classes, modules, functions, ..."""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import types
from typing import Any

from ..guards.facts import own_dict
from ..guards.guard import ABSENT
from ..guards.origin import AttrOrigin, GlobalOrigin, InstanceDictOrigin
from ..guards.words import value_text
from ..tensor.devices import device
from ..tensor.dtypes import dtype
from .attributes import MISSING, bind, class_lookup, find_attribute, has_get, is_data_descriptor, pinned, tells_its_class
from .function_values import (
    BuiltinMethodValue,
    BuiltinValue,
    FunctionValue,
    IteratorValue,
    MethodValue,
    PartialValue,
    SuperValue,
)
from .relied import LIBRARIES, can_change, library_name, made_by_namedtuple, note, settled, settled_in, settled_order
from .signals import Break
from .values import (
    NONE,
    ClassValue,
    Const,
    DictValue,
    ListValue,
    NativeValue,
    OpaqueValue,
    PropertyValue,
    PyModuleValue,
    RangeValue,
    SetValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


# -- classes, modules, super ----
def of_class(ev: Any, obj: ClassValue, name: str) -> Value | None:
    cls = obj.cls
    from .reading import of_constant

    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return ev.existing(AttrOrigin(ev.pin(cls), name), getattr(cls, name)) if can_change(cls) else Const(getattr(cls, name))
    if name in ("__mro__", "__bases__"):
        settled_order(ev, cls)
        return TupleValue([of_constant(ev, c) for c in getattr(cls, name)])
    if name == "__class__":
        return of_constant(ev, type(cls))
    import enum

    if isinstance(cls, enum.EnumMeta):
        member = cls.__members__.get(name)
        if isinstance(member, cls):
            return Const(member)
    if type(cls) is not type and can_change(type(cls)):
        meta_raw = settled(ev, type(cls), name)[1]
        if meta_raw is not None and is_data_descriptor(meta_raw):
            return bind(ev, meta_raw, obj, type(cls), name)
    owner, raw = class_lookup(cls, name)
    for k in cls.__mro__ if ev.class_stores else ():
        if name in ev.class_stores.get(k, {}):
            return ev.class_stores[k][name]
        if k is owner:
            break
    if owner is None:
        settled(ev, cls, name)
        meta_owner, meta_raw = settled(ev, type(cls), name)
        if meta_owner is None:
            if settled(ev, type(cls), "__getattr__")[0] is not None:
                raise Break("attribute", name=name, what=f"class {cls.__name__}, whose metaclass has a __getattr__")
            return None
        if isinstance(meta_raw, types.FunctionType):
            return MethodValue(pinned(ev, meta_raw), obj)
        if isinstance(meta_raw, types.GetSetDescriptorType | types.MemberDescriptorType):
            raise Break("attribute", name=name, what=f"class {cls.__name__}")              # int.__dict__, int.__base__
        if not can_change(meta_owner):
            return BuiltinMethodValue(obj, name)
        if has_get(meta_raw):
            return bind(ev, meta_raw, obj, type(cls), name)
        return ev.existing(AttrOrigin(ev.pin(meta_owner), name), meta_raw, fixed=True)
    library = cls.__module__ == "builtins" or cls.__module__.split(".")[0] in ("torch", "collections", "math", "functools")
    if isinstance(raw, types.FunctionType | staticmethod | classmethod | property):
        if library:
            settled(ev, cls, name)
        else:
            ev.guard("CLASS_ATTRIBUTE", None, (cls, name, raw), f"{cls.__name__}.{name} is used")
        if isinstance(raw, staticmethod):
            return pinned(ev, raw.__func__)
        if isinstance(raw, classmethod):
            return MethodValue(pinned(ev, raw.__func__), obj)
        return pinned(ev, raw)
    if has_get(raw) and not isinstance(raw, type):
        settled(ev, cls, name)
        getter = getattr(cls, name)
        if isinstance(raw, types.ClassMethodDescriptorType):
            return BuiltinMethodValue(obj, name)
        return of_constant(ev, getter)
    if library and not isinstance(raw, list | dict | set):
        settled(ev, cls, name)
        return of_constant(ev, raw)
    return ev.existing(AttrOrigin(obj.origin or ev.pin(cls), name), raw, fixed=True)


def of_super(ev: Any, obj: SuperValue, name: str) -> Value | None:
    receiver = obj.receiver
    cls = receiver.cls if isinstance(receiver, ClassValue) else receiver.type
    order = list(cls.__mro__)
    after = order[order.index(obj.after) + 1:]
    for place, owner in enumerate(after):
        if name in owner.__dict__:
            raw = owner.__dict__[name]
            settled_order(ev, cls)
            if owner is object:
                return BuiltinMethodValue(receiver, name)
            ev.guard("CLASS_ATTRIBUTE", None, (owner, name, raw), f"super().{name} is used")
            for before in after[:place]:
                settled_in(ev, before, name)
            if isinstance(receiver, ClassValue):
                if isinstance(raw, classmethod):
                    return MethodValue(pinned(ev, raw.__func__), receiver)
                return pinned(ev, getattr(raw, "__func__", raw))
            if has_get(raw):
                return bind(ev, raw, receiver, cls, name)
            return ev.existing(AttrOrigin(ev.pin(owner), name), raw, fixed=True)
    settled_order(ev, cls)
    for before in after:
        settled_in(ev, before, name)
    return None


def of_module(ev: Any, obj: PyModuleValue, name: str) -> Value | None:
    real = obj.real
    from .reading import of_constant

    if is_library(real):
        if name not in vars(real) and not hasattr(real, name):
            library_name(ev, real, name)
            return None
        ev.reads.setdefault(f"{real.__name__}.{name}", "checked")
        found = ev.native(getattr, real, name)
        if isinstance(found, int | float | str | bool | type(None)) and not is_stable(real):
            return ev.existing(AttrOrigin(obj.origin or ev.pin(real), name), found, fixed=True)
        library_name(ev, real, name)
        return of_constant(ev, found, library_origin(obj, name, ev))
    scope = ev.globals_of(vars(real))
    if name in scope.stored:
        return scope.stored[name]
    if name in scope.real:
        return ev.existing(GlobalOrigin(name, scope.name, scope.slot), scope.real[name], fixed=True)
    if "__getattr__" in scope.real and hasattr(real, name):
        return ev.existing(AttrOrigin(obj.origin or ev.pin(real), name), getattr(real, name))
    if hasattr(type(real), name) or hasattr(type(real), "__getattr__"):      # its __dict__, and what every object has
        raise Break("attribute", name=name, what="a module")
    ev.guard("HASATTR", obj.origin or ev.pin(real), (name, False), "there is no such attribute")
    return None


def library_origin(obj: PyModuleValue, name: str, ev: Any) -> Any:
    """`torch.relu` as an origin, for rebuilding the function when it leaves the graph."""
    return AttrOrigin(obj.origin or ev.pin(obj.real), name)


def is_stable(module: types.ModuleType) -> bool:
    """Whether the plain values of a library module are constants (math.pi, torch.inf)."""
    return module.__name__ in ("math", "cmath", "operator", "string", "torch")


def is_library(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return module.__name__.partition(".")[0] in LIBRARIES or isinstance(file, str) and "site-packages" in file


# -- everything else ----
def of_tensor(ev: Any, obj: TensorValue, name: str) -> Value | None:
    from ..tensor.tensor import Tensor
    from .reading import is_api_function
    from .torch_calls import run

    cls = type(obj.fake)
    found = inspect.getattr_static(cls, name, MISSING)
    held = own_dict(obj.real) if obj.real is not None else None
    if held and name in held and (found is MISSING or not is_data_descriptor(found)):
        assert obj.origin is not None
        return ev.existing(InstanceDictOrigin(obj.origin, name), held[name])
    if name in ("is_leaf", "retains_grad") and obj.fake._meta.requires_grad and obj.type is Tensor:
        raise Break("attribute", name=name, what="a tensor that requires grad")
    if name == "__doc__":
        return Const(obj.type.__doc__)
    if name in ("__dict__", "grad", "grad_fn", "data_ptr", "_version", "_backward_hooks", "__module__", "__annotations__",
                "__slots__"):
        raise Break("attribute", name=name, what="a tensor")
    if found is MISSING:
        settled(ev, obj.type, name)
        if obj.real is not None:
            ev.guard("HASATTR", obj.origin, (name, False), "there is no such attribute")
        return None
    settled(ev, obj.type, name)
    if isinstance(found, types.FunctionType) and not is_api_function(found):
        return MethodValue(pinned(ev, found), obj)
    if isinstance(found, types.FunctionType | staticmethod | types.MethodDescriptorType | types.WrapperDescriptorType) \
            or callable(found):
        return BuiltinMethodValue(obj, name)
    return run(ev, getattr, [obj.fake, name], {}, what=f"attribute {name}")


def of_const(ev: Any, obj: Const, name: str) -> Value | None:
    value = obj.value
    from .reading import of_constant

    if obj.symbolic:
        if not hasattr(obj.type, name):
            return None
        if name in ("real", "numerator"):
            return obj
        if name in ("imag", "denominator"):
            return Const(0 if name == "imag" else 1)
        return BuiltinMethodValue(obj, name) if hasattr(obj.type, name) else None
    import enum

    if isinstance(value, enum.Enum):
        tells_its_class(ev, type(value))
        settled(ev, type(value), name)
        stored = {"name": "_name_", "value": "_value_"}.get(name, name)
        if stored in ("_name_", "_value_") and class_lookup(type(value), name)[0] in (None, enum.Enum):
            place = InstanceDictOrigin(ev.pin(value, value_text(value)), stored)      # nobody changes it, but it can be changed
            return ev.existing(place, value.__dict__[stored], fixed=True)
        owner, raw = class_lookup(type(value), name)
        held = own_dict(value) or {}
        if name in held and not is_data_descriptor(raw):
            return ev.existing(InstanceDictOrigin(ev.pin(value, value_text(value)), name), held[name], fixed=True)
        note(ev, value, held, name, held.get(name, ABSENT), f"{value_text(value)}.{name}")
        if isinstance(raw, types.FunctionType | property | classmethod | staticmethod):
            ev.guard("CLASS_ATTRIBUTE", None, (type(value), name, raw), f"{type(value).__name__}.{name} is used")
            return bind(ev, raw, obj, type(value), name)
        if owner is not None and not has_get(raw):
            return ev.existing(AttrOrigin(ev.pin(type(value)), name), raw, fixed=True)
        settled(ev, type(value), name)
        own = settled(ev, type(value), "__getattr__")[0]
        if own is not None and can_change(own):
            raise Break("attribute", name=name, what=f"a member of {type(value).__name__}")
    if not hasattr(value, name):
        return None
    found = getattr(value, name)
    if callable(found) and not isinstance(found, type):
        return BuiltinMethodValue(obj, name)
    return of_constant(ev, found)


def of_tuple(ev: Any, obj: TupleValue, name: str) -> Value | None:
    cls: Any = obj.cls
    fields = getattr(cls, "_fields", ())
    owner, raw = settled(ev, cls, name)
    if name in fields and type(raw).__name__ == "_tuplegetter":
        return obj.items[fields.index(name)]
    own = isinstance(raw, types.FunctionType | property | classmethod | staticmethod) and not (
        name in NAMED_TUPLE_METHODS and made_by_namedtuple(raw))
    if own and not cls.__module__.startswith("torch") and "." not in cls.__module__[:1]:
        ev.guard("CLASS_ATTRIBUTE", None, (cls, name, raw), f"{cls.__name__}.{name} is used")
        return bind(ev, raw, obj, cls, name)
    if name in ("_fields", "__match_args__") and owner is not None:
        return TupleValue([Const(f) for f in getattr(cls, name)])
    return BuiltinMethodValue(obj, name) if owner is not None else None

NAMED_TUPLE_METHODS = ("_replace", "_asdict", "_make", "__new__", "__repr__", "__getnewargs__", "numel", "__getitem__",
                       "__add__", "__radd__", "__reduce__")


def of_container(ev: Any, obj: Any, name: str) -> Value | None:
    if isinstance(obj, DictValue) and name == "default_factory" and issubclass(obj.type, collections.defaultdict):
        return obj.factory or NONE
    if isinstance(obj, ListValue) and name == "maxlen" and issubclass(obj.type, collections.deque):
        return Const(obj.maxlen)
    return BuiltinMethodValue(obj, name) if hasattr(obj.type, name) else None


def of_function(ev: Any, obj: FunctionValue, name: str) -> Value | None:
    found = obj.attributes.get(name)
    if found is not None:
        return found
    if obj.real is None:
        if name in ("__name__", "__qualname__"):
            return Const(obj.name if name == "__name__" else obj.qualname)
        if name == "__defaults__":
            return TupleValue(list(obj.defaults)) if obj.defaults else NONE
        if name == "__module__":
            return Const(obj.globals.real.get("__name__"))
        if name in ("__doc__", "__annotations__", "__dict__", "__type_params__"):
            first = obj.node.body[0] if name == "__doc__" and isinstance(obj.node, ast.FunctionDef) else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                raise Break("attribute", name=name, what="a function made here")     # where and how it is kept varies
            return NONE if name == "__doc__" else DictValue({})
        if name in ("__code__", "__globals__", "__closure__"):
            raise Break("attribute", name=name, what="a function made here")
        return BuiltinMethodValue(obj, name) if hasattr(types.FunctionType, name) else None
    return instance_attribute(ev, obj, obj.real, name)


def of_method(ev: Any, obj: MethodValue, name: str) -> Value | None:
    if name == "__self__":
        return obj.receiver
    if name == "__func__":
        return obj.function
    return find_attribute(ev, obj.function, name)


def of_builtin(ev: Any, obj: BuiltinValue, name: str) -> Value | None:
    from .reading import of_constant

    if isinstance(obj.real, types.FunctionType):             # of the tensor API: written in Python, so it can be given others
        return instance_attribute(ev, obj, obj.real, name)
    if not hasattr(obj.real, name):
        return None
    return of_constant(ev, getattr(obj.real, name))


def of_slice(ev: Any, obj: SliceValue, name: str) -> Value | None:
    return getattr(obj, name) if name in ("start", "stop", "step") else own_method(obj, name)


def of_range(ev: Any, obj: RangeValue, name: str) -> Value | None:
    return Const(getattr(obj, name)) if name in ("start", "stop", "step") else own_method(obj, name)


def own_method(obj: Value, name: str) -> Value | None:
    """A method of a type written in C, if it has it."""
    return BuiltinMethodValue(obj, name) if hasattr(obj.type, name) else None


def of_partial(ev: Any, obj: PartialValue, name: str) -> Value | None:
    from .containers import new_dict

    if name == "func":
        return obj.function
    if name == "args":
        return TupleValue(list(obj.args))
    if name == "keywords":
        return new_dict(ev, [(Const(k), v) for k, v in obj.kwargs.items()])
    if obj.origin is None:
        return BuiltinMethodValue(obj, name) if hasattr(functools.partial, name) else None
    return instance_attribute(ev, obj, ev.real_at(obj.origin), name)


def instance_attribute(ev: Any, obj: Value, real: Any, name: str) -> Value | None:
    """What an existing function or partial holds in its own dictionary, or its class defines."""
    place = obj.origin or ev.pin(real)
    if hasattr(real, name):
        return ev.existing(AttrOrigin(place, name), getattr(real, name))
    ev.guard("HASATTR", place, (name, False), "there is no such attribute")
    return None


def of_native(ev: Any, obj: NativeValue, name: str) -> Value | None:
    from .reading import of_constant

    real = obj.real
    raw = settled(ev, type(real), name)[1]
    found = getattr(real, name, MISSING)
    if found is MISSING:
        if settled(ev, type(real), "__getattr__")[0] is not None or isinstance(raw, property):
            raise Break("attribute", name=name, what=f"an object of class {type(real).__name__}")
        if isinstance(raw, types.MemberDescriptorType) and obj.origin is not None:
            ev.guard("HASATTR", obj.origin, (name, False), "an empty slot")
        return None
    if isinstance(raw, types.FunctionType | types.MethodDescriptorType | types.WrapperDescriptorType | classmethod):
        return BuiltinMethodValue(obj, name)
    if obj.origin is not None and has_get(raw) and not isinstance(raw, staticmethod):         # a property or a slot
        if not isinstance(found, int | float | complex | str | bytes | dtype | device) and getattr(real, name) is not found:
            raise Break("attribute", name=name, what=f"an object of class {type(real).__name__}")
        return ev.existing(AttrOrigin(obj.origin, name), found, fixed=True)
    return BuiltinMethodValue(obj, name) if callable(found) else of_constant(ev, found)


def of_property(ev: Any, obj: PropertyValue, name: str) -> Value | None:
    found = getattr(obj.real, name, MISSING)
    if name == "__doc__" and obj.origin is not None:         # a property's can be changed
        return ev.existing(AttrOrigin(obj.origin, name), found)
    return None if found is MISSING else pinned(ev, found) if found is not None else NONE


def of_builtin_method(ev: Any, obj: BuiltinMethodValue, name: str) -> Value | None:
    if name == "__self__":
        return obj.receiver
    return Const(obj.name) if name in ("__name__", "__qualname__") else None


def of_opaque(ev: Any, obj: OpaqueValue, name: str) -> Value | None:
    raise Break("attribute", name=name, what=f"an object of class {obj.type.__name__}")

# Kinds of values whose objects may have a dictionary of their own, which their rules do not look at.
HOLDERS = TupleValue, NativeValue, PropertyValue

RULES: dict[type, Any] = {
    TensorValue: of_tensor, Const: of_const, TupleValue: of_tuple, ListValue: of_container, DictValue: of_container,
    SetValue: of_container, SliceValue: of_slice, RangeValue: of_range, FunctionValue: of_function, MethodValue: of_method,
    ClassValue: of_class, BuiltinValue: of_builtin, PyModuleValue: of_module, PartialValue: of_partial,
    SuperValue: of_super, IteratorValue: of_container, NativeValue: of_native, PropertyValue: of_property,
    BuiltinMethodValue: of_builtin_method, OpaqueValue: of_opaque,
}
