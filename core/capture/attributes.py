"""`obj.name`: Python's order of look-up, on values.

For instances: data descriptors of the class, the instance, other class attributes, `__getattr__`. What was found on a
class is guarded by identity of what is there (CLASS_ATTRIBUTE); that the instance does not shadow it, by
NOT_IN_INSTANCE. nn.Module keeps parameters, buffers and submodules in dictionaries that its `__getattr__` searches.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ..guards.facts import own_dict
from ..guards.origin import AttrOrigin, InstanceDictOrigin
from ..tensor.tensor import Tensor
from .function_values import BuiltinMethodValue, BuiltinValue, MethodValue, PartialValue, SuperValue
from .relied import can_change, class_lookup, not_before, settled
from .signals import Break
from .values import (
    NONE,
    ClassValue,
    Const,
    DictValue,
    Entry,
    ExceptionValue,
    ModuleValue,
    ObjectValue,
    PyModuleValue,
    TupleValue,
    Value,
    c_name,
)

MODULE_STORES = ("_parameters", "_buffers", "_modules")

MISSING = object()


def get_attribute(ev: Any, obj: Value, name: str, fallback: bool = True) -> Value:
    """`obj.name`. Raises AttributeError in the script. Without `fallback`, as object.__getattribute__ finds it: the class's
    `__getattr__` is not asked."""
    found = find_attribute(ev, obj, name, fallback)
    if found is None:
        obj = ev.force(obj)
        what = f"type object '{c_name(obj.cls)}'" if isinstance(obj, ClassValue) else \
            f"module '{obj.real.__name__}'" if isinstance(obj, PyModuleValue) else f"'{obj.c_name}' object"
        ev.raise_error(AttributeError, f"{what} has no attribute '{name}'")
        raise AssertionError
    return found


def find_attribute(ev: Any, obj: Value, name: str, fallback: bool = True) -> Value | None:
    """`obj.name`, or None when there is no such attribute."""
    obj = ev.force(obj)
    if name == "__class__" and not isinstance(obj, ClassValue | SuperValue):
        from .reading import of_constant

        tells_its_class(ev, obj.type)
        return of_constant(ev, obj.type)
    if isinstance(obj, ObjectValue):
        return of_object(ev, obj, name, fallback)
    from .attribute_rules import RULES

    rule = RULES.get(type(obj))
    if rule is None:
        raise Break("attribute", name=name, what=f"an object of class {obj.type.__name__}")
    found = held_itself(ev, obj, name)
    return found if found is not None else rule(ev, obj, name)


def tells_its_class(ev: Any, cls: type) -> None:
    """Break where the `__class__` of an instance may be another than its type: a class can define it, or find attributes in its
    own way. (That of a tensor is always its type.)"""
    for name in ("__class__", "__getattribute__") if can_change(cls) and not issubclass(cls, Tensor) else ():
        owner = settled(ev, cls, name)[0]
        if owner is not None and can_change(owner):
            raise Break("attribute", name="__class__", what=f"an object of class {cls.__name__}")


def held_itself(ev: Any, obj: Value, name: str) -> Value | None:
    """What an existing object that is no plain instance holds in a dictionary of its own (a staticmethod, a named tuple of a
    derived class have one); that it holds nothing of this name is guarded: it would be found first."""
    from .attribute_rules import HOLDERS

    if not isinstance(obj, HOLDERS) or obj.origin is None:
        return None
    real = getattr(obj, "real", None)
    real = ev.real_at(obj.origin) if real is None else real
    held = own_dict(real)
    if held is None or is_data_descriptor(class_lookup(type(real), name)[1]):
        return None
    if name in held:
        return ev.existing(InstanceDictOrigin(obj.origin, name), held[name], fixed=True)
    ev.guard("NOT_IN_INSTANCE", obj.origin, name, "it is found on the class, or nowhere")
    return None


# -- instances ----
def of_object(ev: Any, obj: ObjectValue, name: str, fallback: bool = True) -> Value | None:
    cls = obj.cls
    getter = settled(ev, cls, "__getattribute__")[0]
    if getter is not object and getter not in (BaseException,) and obj.payload is None:
        raise Break("attribute", name=name, what=f"an object of class {cls.__name__}")
    if isinstance(obj, ExceptionValue) and name in ("args", "__cause__", "__context__", "__traceback__"):
        return of_exception(obj, name)
    stored = ev.class_stores
    owner, raw = class_lookup(cls, name)
    for k in cls.__mro__ if stored else ():
        if name in stored.get(k, ()):
            owner, raw = k, MISSING
            break
        if k is owner:
            break
    if owner is not None and raw is not MISSING:
        settle_descriptor(ev, raw)
    if owner is not None and raw is not MISSING and is_data_descriptor(raw):
        if isinstance(raw, types.MemberDescriptorType) and raw.__name__ == name:
            settled(ev, cls, name)
            return slot(ev, obj, name)
        if name == "__dict__":
            settled(ev, cls, name)
            return instance_dict(ev, obj)
        guard_class_attribute(ev, obj, name, raw)
        return bind(ev, raw, obj, cls, name)
    found = own_attribute(ev, obj, name)
    if found is not None:
        return found
    if owner is not None:
        shadowable(ev, obj, name)
        if raw is MISSING:
            return stored[owner][name]
        if has_get(raw):
            guard_class_attribute(ev, obj, name, raw)
            return bind(ev, raw, obj, cls, name)
        plain_value(ev, cls, name, owner, raw)
        return ev.existing(AttrOrigin(ev.pin(cls), name), raw, fixed=True)
    return missing_attribute(ev, obj, name) if fallback else None


def is_data_descriptor(raw: Any) -> bool:
    return has_get(raw) and has_set(raw)


def has_set(raw: Any) -> bool:
    """Whether setting or deleting it through an instance runs code of its own."""
    return hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__")


def settle_descriptor(ev: Any, raw: Any) -> None:
    """What a class holds stays the kind of descriptor, or the plain value, that it is."""
    for name in ("__get__", "__set__", "__delete__"):
        settled(ev, type(raw), name)


def has_get(raw: Any) -> bool:
    """Whether looking it up through an instance runs code of its own."""
    return hasattr(type(raw), "__get__")


def guard_class_attribute(ev: Any, obj: ObjectValue, name: str, raw: Any) -> None:
    ev.guard("CLASS_ATTRIBUTE", None, (obj.cls, name, raw), f"{obj.cls.__name__}.{name} is used")


def guard_no_descriptor(ev: Any, obj: ObjectValue, name: str) -> None:
    """What the instance holds was found because its class has no data descriptor of that name; it might gain one."""
    owner, raw = class_lookup(obj.cls, name)
    if any(name in ev.class_stores.get(k, ()) for k in obj.cls.__mro__):
        return
    if owner is None or has_get(raw):
        settled(ev, obj.cls, name)
    else:
        plain_value(ev, obj.cls, name, owner, raw)


def plain_value(ev: Any, cls: type, name: str, owner: type, raw: Any) -> None:
    """The class holds a value that is no descriptor. It may change without harm, but not into a descriptor."""
    not_before(ev, cls, name, owner)
    if can_change(owner):
        ev.guard("TYPE_MATCH", InstanceDictOrigin(ev.pin(owner), name), type(raw), f"{name} is no descriptor")
    settled(ev, type(raw), "__get__")


def shadowable(ev: Any, obj: ObjectValue, name: str) -> None:
    """An existing instance might gain an attribute of this name, which would be found first."""
    if obj.real is not None and name not in obj.deleted and own_dict(obj.real) is not None:
        ev.guard("NOT_IN_INSTANCE", obj.origin, name, f"{name} is found on the class")


def own_attribute(ev: Any, obj: ObjectValue, name: str) -> Value | None:
    """What the instance itself holds under `name`."""
    found = obj.attributes.get(name)
    if found is not None or obj.real is None or name in obj.deleted:
        return found
    held = own_dict(obj.real)
    if held is None or name not in held:
        return None
    assert obj.origin is not None
    fixed = isinstance(obj, ModuleValue) and not getattr(ev.context.policy, "module_ints", False)
    guard_no_descriptor(ev, obj, name)
    found = ev.existing(InstanceDictOrigin(obj.origin, name), held[name], fixed=fixed)
    obj.attributes[name] = found
    return found


def slot(ev: Any, obj: ObjectValue, name: str) -> Value | None:
    found = obj.attributes.get(name)
    if found is not None or obj.real is None or name in obj.deleted:
        return found
    try:
        real = object.__getattribute__(obj.real, name)
    except AttributeError:
        ev.guard("HASATTR", obj.origin, (name, False), "an empty slot")
        return None
    assert obj.origin is not None
    found = obj.attributes[name] = ev.existing(AttrOrigin(obj.origin, name), real)
    return found


def instance_dict(ev: Any, obj: ObjectValue) -> Value:
    """`obj.__dict__`: of an object made here a dict that changes with its attributes, the existing dict else."""
    if obj.changed or obj.deleted or obj.real is None:
        if obj.real is not None:
            raise Break("attribute", name="__dict__", what=f"a changed object of class {obj.cls.__name__}")
        if any(isinstance(k.__dict__.get(n), types.MemberDescriptorType) for k in obj.cls.__mro__ for n in obj.attributes):
            raise Break("attribute", name="__dict__", what=f"an object of class {obj.cls.__name__}, which has slots")
        if obj.namespace is None:
            obj.namespace = DictValue({k: Entry(Const(k), v) for k, v in obj.attributes.items()})
            obj.namespace.holder = obj
        return obj.namespace
    assert obj.origin is not None
    return ev.existing(AttrOrigin(obj.origin, "__dict__"), own_dict(obj.real))


def missing_attribute(ev: Any, obj: ObjectValue, name: str) -> Value | None:
    """Neither instance nor class has it: `__getattr__`, as nn.Module's does or as the user wrote it."""
    owner, raw = settled(ev, obj.cls, "__getattr__")
    settled(ev, obj.cls, name)
    if isinstance(obj, ModuleValue) and owner is not None and getattr(owner, "__module__", "").startswith("torch."):
        return registered(ev, obj, name)
    if owner is not None and isinstance(raw, types.FunctionType):
        shadowable(ev, obj, name)
        guard_class_attribute(ev, obj, "__getattr__", raw)
        from .calls import call

        return call(ev, bind(ev, raw, obj, obj.cls, "__getattr__"), [Const(name)], {})
    if obj.payload is not None:
        return find_attribute(ev, obj.payload, name)
    shadowable(ev, obj, name)
    return None


def registered(ev: Any, obj: ModuleValue, name: str) -> Value | None:
    """A parameter, buffer or submodule."""
    assert obj.origin is not None
    searched = ["__dict__"]
    for store in MODULE_STORES:
        held = obj.real.__dict__.get(store)
        if held is not None and name not in held:
            searched.append(store)
        elif held is not None:
            ev.guard("NOT_IN_INSTANCE", obj.origin, (name, tuple(searched)), f"{name} is found in {store}")
            found = ev.existing(InstanceDictOrigin(obj.origin, name, store), held[name], fixed=True)
            obj.attributes[name] = found
            return found
    if name not in obj.deleted:
        ev.guard("NOT_IN_INSTANCE", obj.origin, (name, tuple(searched)), "there is no such attribute")
    return None


def bind(ev: Any, raw: Any, obj: Value, cls: type, name: str) -> Value:
    """What an attribute found on a class gives when looked up through `obj`."""
    from .calls import call
    from .reading import is_api_function

    if isinstance(raw, types.FunctionType):
        if is_api_function(raw) and not isinstance(obj, ModuleValue):
            return MethodValue(BuiltinValue(raw, ev.pin(raw)), obj)
        return MethodValue(pinned(ev, raw), obj)
    if isinstance(raw, staticmethod):
        return pinned(ev, raw.__func__)
    if isinstance(raw, classmethod):
        return MethodValue(pinned(ev, raw.__func__), class_value(ev, cls))
    if isinstance(raw, property):
        if raw.fget is None:
            ev.raise_error(AttributeError, f"property '{name}' of '{cls.__name__}' object has no getter")
        return call(ev, pinned(ev, raw.fget), [obj], {})
    if isinstance(raw, functools.cached_property):
        value = call(ev, pinned(ev, raw.func), [obj], {})
        from .attribute_stores import store_attribute

        assert isinstance(obj, ObjectValue)
        store_attribute(ev, obj, name, value)
        return value
    if isinstance(raw, functools.partialmethod):
        from .containers import dict_items, list_items

        bound = bind(ev, raw.func, obj, cls, name)
        args = list_items(ev, ev.force(ev.existing(ev.pin(raw.args), raw.args)))
        keywords = ev.force(ev.existing(ev.pin(raw.keywords), raw.keywords))
        return PartialValue(bound, list(args), {k.value: v for k, v in dict_items(ev, keywords)})  # type: ignore
    getter = settled(ev, type(raw), "__get__")[1]
    if isinstance(getter, types.FunctionType):
        descriptor = ev.existing(ev.pin(raw, name), raw)
        return call(ev, pinned(ev, getter), [descriptor, obj, class_value(ev, cls)], {})
    if isinstance(raw, types.MethodDescriptorType | types.WrapperDescriptorType):
        return BuiltinMethodValue(obj, name)
    if isinstance(raw, types.BuiltinFunctionType):
        return BuiltinValue(raw, ev.pin(raw))
    raise Break("attribute", name=name, what=f"an object of class {cls.__name__}")


def pinned(ev: Any, real: Any) -> Value:
    """A value for an object whose identity a guard has checked."""
    return ev.force(ev.existing(ev.pin(real), real))


def class_value(ev: Any, cls: type) -> ClassValue:
    return ClassValue(cls, ev.pin(cls))


def of_exception(obj: ExceptionValue, name: str) -> Value:
    if name == "args":
        return TupleValue(list(obj.args))
    if name == "__traceback__" or obj.real is not None:
        raise Break("attribute", name=name, what="an exception")
    return (obj.cause if name == "__cause__" else obj.context) or NONE
