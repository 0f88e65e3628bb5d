"""`obj.name = value` and `del obj.name`: into the shadow of the object."""

from __future__ import annotations

import types
from typing import Any

from ..graph.fake import fake
from ..guards.guard import HEAP_TYPE
from ..guards.origin import InstanceDictOrigin
from ..tensor.meta import Spec
from .attribute_rules import is_library
from .attributes import (
    MODULE_STORES,
    bind,
    guard_class_attribute,
    guard_no_descriptor,
    has_get,
    has_set,
    own_attribute,
    pinned,
    settle_descriptor,
)
from .containers import dict_delete, dict_set
from .function_values import FunctionValue
from .relied import class_lookup, settled
from .signals import Break
from .values import ClassValue, Const, Entry, ModuleValue, ObjectValue, PyModuleValue, TensorValue, Value


# -- stores ----
def store_attribute(ev: Any, obj: ObjectValue, name: str, value: Value) -> None:
    """Put an attribute into the shadow of an instance."""
    if obj.namespace is not None and obj.real is not None:       # its __dict__ is in use: that is what changes
        dict_set(ev, obj.namespace, Const(name), value)
        return
    obj.attributes[name] = value
    obj.deleted.discard(name)
    obj.changed.pop(name, None)
    obj.changed[name] = None
    if obj.namespace is not None:
        obj.namespace.entries[name] = Entry(Const(name), value)
    ev.changed(obj)


def set_attribute(ev: Any, obj: Value, name: str, value: Value) -> None:
    """`obj.name = value`."""
    from .calls import call

    obj = ev.force(obj)
    if isinstance(obj, ModuleValue):
        set_on_module(ev, obj, name, value)
        return
    if isinstance(obj, ObjectValue):
        owner, setter = settled(ev, obj.cls, "__setattr__")
        if owner not in (object, BaseException):
            if not isinstance(setter, types.FunctionType) or setter.__code__.co_filename == "<string>":
                raise Break("attribute-set", name=name, what=f"an object of class {obj.cls.__name__}")
            guard_class_attribute(ev, obj, "__setattr__", setter)
            call(ev, bind(ev, setter, obj, obj.cls, "__setattr__"), [Const(name), value], {})
            return
        plain_set(ev, obj, name, value)
    elif isinstance(obj, ClassValue) and isinstance(obj.cls, type) and obj.cls.__flags__ & HEAP_TYPE:
        raw = obj.cls.__dict__.get(name)
        if type(obj.cls) is not type or raw is not None and has_get(raw):
            raise Break("attribute-set", name=name, what=f"class {obj.cls.__name__}")
        ev.class_stores.setdefault(obj.cls, {})[name] = value
        if obj.origin is None:
            obj.origin = ev.pin(obj.cls)
    elif isinstance(obj, FunctionValue):
        if obj.real is not None:
            raise Break("attribute-set", name=name, what=f"function {obj.name}")
        if name in ("__name__", "__qualname__"):
            setattr(obj, name.strip("_"), ev.force(value).value)
        obj.attributes[name] = value
    elif isinstance(obj, TensorValue) and name == "data" and obj.origin is not None:
        set_data(ev, obj, ev.force(value))
    elif isinstance(obj, PyModuleValue) and not is_library(obj.real):
        ev.globals_of(vars(obj.real)).stored[name] = value
    else:
        raise Break("attribute-set", name=name, what=f"an object of class {obj.type.__name__}")


def set_data(ev: Any, obj: TensorValue, value: Value) -> None:
    """`tensor.data = other` of an existing tensor: it goes on with the other's memory, and stays the same object."""
    if not isinstance(value, TensorValue) or value.fake._meta.dtype is not obj.fake._meta.dtype:
        raise Break("attribute-set", name="data", what=f"an object of class {obj.type.__name__}")
    before, after = obj.fake._meta, value.fake._meta
    ev.keep.append(obj.fake)               # ev.tensors knows it by its id
    obj.fake = fake(value.fake._node, Spec(after.dtype, after.shape, after.strides, after.device, before.requires_grad,
                                           before.cls))
    ev.tensors[id(obj.fake)] = obj
    ev.keep.append(obj.fake)
    ev.data_stores[id(obj)] = (obj, value)


def plain_set(ev: Any, obj: ObjectValue, name: str, value: Value) -> None:
    """object.__setattr__: a descriptor of the class, else the instance."""
    if not through_descriptor(ev, obj, name, "__set__", [value]):
        needs_place(ev, obj, name)
        store_attribute(ev, obj, name, value)


def needs_place(ev: Any, obj: ObjectValue, name: str) -> None:
    """Raises AttributeError in the script where an object has neither a `__dict__` nor a slot for an attribute."""
    owner, raw = class_lookup(obj.cls, name)
    if obj.cls.__dictoffset__ or isinstance(raw, types.MemberDescriptorType):
        return
    alike = type(obj.cls.__name__, (), {"__slots__": (), **({} if owner is None else {name: None})})()
    ev.native(object.__setattr__, alike, name, None)              # fails in Python's own words


def through_descriptor(ev: Any, obj: ObjectValue, name: str, how: str, values: list[Value]) -> bool:
    """Set ("__set__") or delete ("__delete__") an attribute by what its class has for that; False if that is nothing, or a
    slot of this name, where the object keeps the value itself."""
    from .calls import call

    owner, raw = class_lookup(obj.cls, name)
    guard_no_descriptor(ev, obj, name)
    if owner is None:
        return False
    settle_descriptor(ev, raw)
    if not has_set(raw) or isinstance(raw, types.MemberDescriptorType) and raw.__name__ == name:
        return False
    guard_class_attribute(ev, obj, name, raw)
    if isinstance(raw, property):
        function, word = (raw.fset, "setter") if how == "__set__" else (raw.fdel, "deleter")
        if function is None:
            ev.raise_error(AttributeError, f"property '{name}' of '{obj.cls.__name__}' object has no {word}")
        call(ev, pinned(ev, function), [obj, *values], {})
        return True
    function = class_lookup(type(raw), how)[1]
    if function is None:
        ev.raise_error(AttributeError, how)
    if not isinstance(function, types.FunctionType):
        raise Break("attribute-set", name=name, what=f"an object of class {obj.cls.__name__}")
    call(ev, pinned(ev, function), [ev.existing(ev.pin(raw, name), raw), obj, *values], {})
    return True


def set_on_module(ev: Any, obj: ModuleValue, name: str, value: Value) -> None:
    owner, setter = settled(ev, obj.cls, "__setattr__")
    held = obj.real.__dict__
    value = ev.force(value)
    special = isinstance(value, ModuleValue) or isinstance(value, TensorValue) and value.type.__name__ == "Parameter"
    if special or any(name in held.get(s, ()) for s in ("_parameters", "_modules")) or name.startswith("_forward") \
            or not getattr(owner, "__module__", "").startswith("torch."):
        raise Break("attribute-set", name=name, what=f"module {obj.cls.__name__}")
    if through_descriptor(ev, obj, name, "__set__", [value]):
        return
    assert obj.origin is not None
    elsewhere = tuple(s for s in MODULE_STORES if name not in held.get(s, ()))
    ev.guard("NOT_IN_INSTANCE", obj.origin, (name, elsewhere), f"{name} is assigned")
    if len(elsewhere) < len(MODULE_STORES):
        ev.guard("DICT_CONTAINS", InstanceDictOrigin(obj.origin, "_buffers"), (name, True), f"{name} is a buffer")
    store_attribute(ev, obj, name, value)


def delete_attribute(ev: Any, obj: Value, name: str) -> None:
    """`del obj.name`."""
    obj = ev.force(obj)
    if not isinstance(obj, ObjectValue) or isinstance(obj, ModuleValue) \
            or settled(ev, obj.cls, "__delattr__")[0] not in (object, BaseException):
        raise Break("attribute-set", name=name, what=f"an object of class {obj.type.__name__}")
    if through_descriptor(ev, obj, name, "__delete__", []):
        return
    if own_attribute(ev, obj, name) is None:
        ev.raise_error(AttributeError, f"'{obj.c_name}' object has no attribute '{name}'")
    if obj.namespace is not None and obj.real is not None:
        dict_delete(ev, obj.namespace, Const(name))
        return
    obj.attributes.pop(name, None)
    obj.changed.pop(name, None)
    obj.deleted.add(name)
    if obj.namespace is not None:
        obj.namespace.entries.pop(name, None)
    ev.changed(obj)
