"""`obj.name`: Python's order of look-up, on values.

For instances: data descriptors of the class, the instance, other class attributes, `__getattr__`. What was found on a
class is guarded by identity of what is there (CLASS_ATTRIBUTE); that the instance does not shadow it, by
NOT_IN_INSTANCE. nn.Module keeps parameters, buffers and submodules in dictionaries that its `__getattr__` searches.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from ..guards.origin import AttrOrigin, GlobalOrigin, InstanceDictOrigin
from .signals import Break
from .values import (
    NONE,
    BuiltinMethodValue,
    BuiltinValue,
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    FunctionValue,
    IteratorValue,
    ListValue,
    MethodValue,
    ModuleValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    PartialValue,
    PropertyValue,
    PyModuleValue,
    RangeValue,
    SetValue,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
)

MODULE_STORES = ("_parameters", "_buffers", "_modules")
MISSING = object()


def get_attribute(ev: Any, obj: Value, name: str) -> Value:
    """`obj.name`. Raises AttributeError in the script."""
    found = find_attribute(ev, obj, name)
    if found is None:
        obj = ev.force(obj)
        what = f"type object '{obj.cls.__name__}'" if isinstance(obj, ClassValue) else \
            f"module '{obj.real.__name__}'" if isinstance(obj, PyModuleValue) else f"'{obj.type.__name__}' object"
        ev.raise_error(AttributeError, f"{what} has no attribute '{name}'")
        raise AssertionError
    return found


def find_attribute(ev: Any, obj: Value, name: str) -> Value | None:
    """`obj.name`, or None when there is no such attribute."""
    obj = ev.force(obj)
    if name == "__class__" and not isinstance(obj, ClassValue | SuperValue):
        from .reading import of_constant

        return of_constant(ev, obj.type)
    if isinstance(obj, ObjectValue):
        return of_object(ev, obj, name)
    rule = RULES.get(type(obj))
    if rule is None:
        raise Break("attribute", name=name, what=f"an object of class {obj.type.__name__}")
    return rule(ev, obj, name)


# -- instances ----
def class_lookup(cls: type, name: str) -> tuple[type | None, Any]:
    """The class in the MRO that defines `name`, and what its namespace holds."""
    for owner in cls.__mro__:
        if name in owner.__dict__:
            return owner, owner.__dict__[name]
    return None, None


def of_object(ev: Any, obj: ObjectValue, name: str) -> Value | None:
    cls = obj.cls
    getter = class_lookup(cls, "__getattribute__")[0]
    if getter is not object and getter not in (BaseException,) and obj.payload is None:
        raise Break("attribute", name=name, what=f"an object of class {cls.__name__}")
    if isinstance(obj, ExceptionValue) and name in ("args", "__cause__", "__context__", "__traceback__"):
        return of_exception(obj, name)
    stored = ev.class_stores
    owner, raw = class_lookup(cls, name)
    if owner is not None and owner in stored and name in stored[owner]:
        raw = MISSING
    if owner is not None and raw is not MISSING and is_data_descriptor(raw):
        if isinstance(raw, types.MemberDescriptorType):
            return slot(ev, obj, name)
        if name == "__dict__":
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
        return ev.existing(AttrOrigin(ev.pin(cls), name), raw, fixed=True)
    return missing_attribute(ev, obj, name)


def is_data_descriptor(raw: Any) -> bool:
    return has_get(raw) and (hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__"))


def has_get(raw: Any) -> bool:
    return hasattr(type(raw), "__get__")


def guard_class_attribute(ev: Any, obj: ObjectValue, name: str, raw: Any) -> None:
    ev.guard("CLASS_ATTRIBUTE", None, (obj.cls, name, raw), f"{obj.cls.__name__}.{name} is used")


def shadowable(ev: Any, obj: ObjectValue, name: str) -> None:
    """An existing instance might gain an attribute of this name, which would be found first."""
    if obj.real is not None and name not in obj.deleted and hasattr(obj.real, "__dict__"):
        ev.guard("NOT_IN_INSTANCE", obj.origin, name, f"{name} is found on the class")


def own_attribute(ev: Any, obj: ObjectValue, name: str) -> Value | None:
    """What the instance itself holds under `name`."""
    found = obj.attributes.get(name)
    if found is not None or obj.real is None or name in obj.deleted:
        return found
    held = getattr(obj.real, "__dict__", None)
    if held is None or name not in held:
        return None
    assert obj.origin is not None
    fixed = isinstance(obj, ModuleValue)
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
    """`obj.__dict__`: read-only view for objects made here, the existing dict else."""
    if obj.changed or obj.deleted or obj.real is None:
        from .containers import new_dict

        if obj.real is not None:
            raise Break("attribute", name="__dict__", what=f"a changed object of class {obj.cls.__name__}")
        return new_dict(ev, [(Const(k), v) for k, v in obj.attributes.items()])
    assert obj.origin is not None
    return ev.existing(AttrOrigin(obj.origin, "__dict__"), obj.real.__dict__)


def missing_attribute(ev: Any, obj: ObjectValue, name: str) -> Value | None:
    """Neither instance nor class has it: `__getattr__`, as nn.Module's does or as the user wrote it."""
    owner, raw = class_lookup(obj.cls, "__getattr__")
    if isinstance(obj, ModuleValue):
        found = registered(ev, obj, name)
        if found is not None:
            return found
        if owner is not None and getattr(owner, "__module__", "").startswith("torch."):
            owner = None
    if owner is not None and isinstance(raw, types.FunctionType):
        shadowable(ev, obj, name)
        guard_class_attribute(ev, obj, "__getattr__", raw)
        from .calls import call

        return call(ev, bind(ev, raw, obj, obj.cls, "__getattr__"), [Const(name)], {})
    if obj.payload is not None:
        return find_attribute(ev, obj.payload, name)
    if obj.real is not None and name not in obj.deleted:
        ev.guard("HASATTR", obj.origin, (name, False), "there is no such attribute")
    return None


def registered(ev: Any, obj: ModuleValue, name: str) -> Value | None:
    """A parameter, buffer or submodule."""
    for store in MODULE_STORES:
        held = obj.real.__dict__.get(store)
        if held is not None and name in held:
            assert obj.origin is not None
            shadowable(ev, obj, name)
            found = ev.existing(InstanceDictOrigin(obj.origin, name, store), held[name], fixed=True)
            obj.attributes[name] = found
            return found
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
        assert isinstance(obj, ObjectValue)
        store_attribute(ev, obj, name, value)
        return value
    if isinstance(raw, functools.partialmethod):
        from .containers import dict_items, list_items

        bound = bind(ev, raw.func, obj, cls, name)
        args = list_items(ev, ev.force(ev.existing(ev.pin(raw.args), raw.args)))
        keywords = ev.force(ev.existing(ev.pin(raw.keywords), raw.keywords))
        return PartialValue(bound, list(args), {k.value: v for k, v in dict_items(ev, keywords)})  # type: ignore
    getter = class_lookup(type(raw), "__get__")[1]
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


# -- classes, modules, super ----
def of_class(ev: Any, obj: ClassValue, name: str) -> Value | None:
    cls = obj.cls
    from .reading import of_constant

    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return Const(getattr(cls, name))
    if name in ("__mro__", "__bases__"):
        return TupleValue([of_constant(ev, c) for c in getattr(cls, name)])
    import enum

    if isinstance(cls, enum.EnumMeta):
        member = cls.__members__.get(name)
        if member is not None:
            return Const(member)
    owner, raw = class_lookup(cls, name)
    if owner is not None and name in ev.class_stores.get(owner, {}):
        return ev.class_stores[owner][name]
    if owner is None:
        meta_owner, meta_raw = class_lookup(type(cls), name)
        if meta_owner is None:
            ev.guard("HASATTR", obj.origin or ev.pin(cls), (name, False), "there is no such attribute")
            return None
        if isinstance(meta_raw, types.FunctionType):
            return MethodValue(pinned(ev, meta_raw), obj)
        return BuiltinMethodValue(obj, name)
    library = cls.__module__ == "builtins" or cls.__module__.split(".")[0] in ("torch", "collections", "math", "functools")
    if isinstance(raw, types.FunctionType | staticmethod | classmethod | property):
        if not library:
            ev.guard("CLASS_ATTRIBUTE", None, (cls, name, raw), f"{cls.__name__}.{name} is used")
        if isinstance(raw, staticmethod):
            return pinned(ev, raw.__func__)
        if isinstance(raw, classmethod):
            return MethodValue(pinned(ev, raw.__func__), obj)
        return pinned(ev, raw)
    if has_get(raw) and not isinstance(raw, type):
        getter = getattr(cls, name)
        if isinstance(raw, types.ClassMethodDescriptorType):
            return BuiltinMethodValue(obj, name)
        return of_constant(ev, getter)
    if library and not isinstance(raw, list | dict | set):
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
            if owner is object:
                return BuiltinMethodValue(receiver, name)
            ev.guard("CLASS_ATTRIBUTE", None, (owner, name, raw), f"super().{name} is used")
            for before in after[:place]:
                if before.__module__.split(".")[0] != "torch":
                    ev.guard("DICT_CONTAINS", AttrOrigin(ev.pin(before), "__dict__"), (name, False), "looked up by super()")
            if isinstance(receiver, ClassValue):
                if isinstance(raw, classmethod):
                    return MethodValue(pinned(ev, raw.__func__), receiver)
                return pinned(ev, getattr(raw, "__func__", raw))
            if has_get(raw):
                return bind(ev, raw, receiver, cls, name)
            return ev.existing(AttrOrigin(ev.pin(owner), name), raw, fixed=True)
    return None


def of_module(ev: Any, obj: PyModuleValue, name: str) -> Value | None:
    real = obj.real
    from .reading import of_constant

    if is_library(real):
        if name not in vars(real) and not hasattr(real, name):
            return None
        ev.constant(f"{real.__name__}.{name}", "part of a library")
        found = ev.native(getattr, real, name)
        if isinstance(found, int | float | str | bool | type(None)) and not is_stable(real):
            return ev.existing(AttrOrigin(obj.origin or ev.pin(real), name), found, fixed=True)
        return of_constant(ev, found, library_origin(obj, name, ev))
    scope = ev.globals_of(vars(real))
    if name in scope.stored:
        return scope.stored[name]
    if name in scope.real:
        return ev.existing(GlobalOrigin(name, scope.name, scope.slot), scope.real[name], fixed=True)
    if "__getattr__" in scope.real and hasattr(real, name):
        return ev.existing(AttrOrigin(obj.origin or ev.pin(real), name), getattr(real, name))
    ev.guard("HASATTR", obj.origin or ev.pin(real), (name, False), "there is no such attribute")
    return None


def library_origin(obj: PyModuleValue, name: str, ev: Any) -> Any:
    """`torch.relu` as an origin, for rebuilding the function when it leaves the graph."""
    return AttrOrigin(obj.origin or ev.pin(obj.real), name)


def is_stable(module: types.ModuleType) -> bool:
    """Whether the plain values of a library module are constants (math.pi, torch.inf)."""
    return module.__name__.split(".")[0] in ("math", "cmath", "operator", "string", "torch")


def is_library(module: types.ModuleType) -> bool:
    import sys

    top = module.__name__.split(".")[0]
    file = getattr(module, "__file__", None)
    return top in sys.stdlib_module_names or top in ("torch", "numpy") or file is None or "site-packages" in file


# -- everything else ----
def of_tensor(ev: Any, obj: TensorValue, name: str) -> Value | None:
    from .torch_calls import run

    cls = type(obj.fake)
    found = inspect.getattr_static(cls, name, MISSING)
    held = getattr(obj.real, "__dict__", None) if obj.real is not None else None
    if held and name in held and (found is MISSING or not is_data_descriptor(found)):
        assert obj.origin is not None
        return ev.existing(InstanceDictOrigin(obj.origin, name), held[name])
    if name in ("grad", "grad_fn", "data_ptr", "_version", "_backward_hooks"):
        raise Break("attribute", name=name, what="a tensor")
    if found is MISSING:
        if obj.real is not None:
            ev.guard("HASATTR", obj.origin, (name, False), "there is no such attribute")
        return None
    if isinstance(found, types.FunctionType | staticmethod | types.MethodDescriptorType | types.WrapperDescriptorType) \
            or callable(found):
        return BuiltinMethodValue(obj, name)
    return run(ev, getattr, [obj.fake, name], {}, what=f"attribute {name}")


def of_const(ev: Any, obj: Const, name: str) -> Value | None:
    value = obj.value
    from .reading import of_constant

    if obj.symbolic:
        if name in ("real", "numerator"):
            return obj
        if name in ("imag", "denominator"):
            return Const(0 if name == "imag" else 1)
        return BuiltinMethodValue(obj, name) if hasattr(obj.type, name) else None
    import enum

    if isinstance(value, enum.Enum):
        if name in ("name", "_name_"):
            return Const(value.name)
        if name in ("value", "_value_"):
            return of_constant(ev, value.value) if not isinstance(value.value, list | dict | tuple) else \
                ev.existing(AttrOrigin(ev.pin(value, str(value)), "value"), value.value)
        owner, raw = class_lookup(type(value), name)
        if isinstance(raw, types.FunctionType | property | classmethod | staticmethod):
            ev.guard("CLASS_ATTRIBUTE", None, (type(value), name, raw), f"{type(value).__name__}.{name} is used")
            return bind(ev, raw, obj, type(value), name)
    if not hasattr(value, name):
        return None
    found = getattr(value, name)
    if callable(found) and not isinstance(found, type):
        return BuiltinMethodValue(obj, name)
    return of_constant(ev, found)


def of_tuple(ev: Any, obj: TupleValue, name: str) -> Value | None:
    cls: Any = obj.cls
    fields = getattr(cls, "_fields", ())
    if name in fields:
        return obj.items[fields.index(name)]
    owner, raw = class_lookup(cls, name)
    if isinstance(raw, types.FunctionType | property | classmethod | staticmethod) and name not in NAMED_TUPLE_METHODS \
            and not cls.__module__.startswith("torch") and "." not in cls.__module__[:1]:
        ev.guard("CLASS_ATTRIBUTE", None, (cls, name, raw), f"{cls.__name__}.{name} is used")
        return bind(ev, raw, obj, cls, name)
    if name in ("_fields", "__match_args__"):
        return TupleValue([Const(f) for f in getattr(cls, name)])
    return BuiltinMethodValue(obj, name) if owner is not None else None


NAMED_TUPLE_METHODS = ("_replace", "_asdict", "_make", "__new__", "__repr__", "__getnewargs__", "numel", "__getitem__",
                       "__add__", "__radd__", "__reduce__")


def of_container(ev: Any, obj: Any, name: str) -> Value | None:
    if isinstance(obj, DictValue) and name == "default_factory" and obj.factory is not None:
        return obj.factory
    if isinstance(obj, ListValue) and name == "maxlen":
        return Const(obj.maxlen)
    return BuiltinMethodValue(obj, name) if hasattr(obj.type, name) else None


def of_function(ev: Any, obj: FunctionValue, name: str) -> Value | None:
    found = obj.attributes.get(name)
    if found is not None:
        return found
    if name == "__name__":
        return Const(obj.name)
    if name == "__qualname__":
        return Const(obj.qualname)
    if obj.real is None:
        if name == "__defaults__":
            return TupleValue(list(obj.defaults)) if obj.defaults else NONE
        if name == "__module__":
            return Const(obj.globals.real.get("__name__"))
        if name in ("__doc__", "__annotations__", "__dict__", "__type_params__"):
            return NONE if name == "__doc__" else DictValue({})
        if name in ("__code__", "__globals__", "__closure__"):
            raise Break("attribute", name=name, what="a function made here")
        return BuiltinMethodValue(obj, name) if hasattr(types.FunctionType, name) else None
    if name in ("__module__", "__doc__"):
        return Const(getattr(obj.real, name))
    if hasattr(obj.real, name):
        return ev.existing(AttrOrigin(obj.origin, name), getattr(obj.real, name))
    ev.guard("HASATTR", obj.origin, (name, False), "there is no such attribute")
    return None


def of_method(ev: Any, obj: MethodValue, name: str) -> Value | None:
    if name == "__self__":
        return obj.receiver
    if name == "__func__":
        return obj.function
    return find_attribute(ev, obj.function, name)


def of_builtin(ev: Any, obj: BuiltinValue, name: str) -> Value | None:
    from .reading import of_constant

    if not hasattr(obj.real, name):
        return None
    return of_constant(ev, getattr(obj.real, name))


def of_slice(ev: Any, obj: SliceValue, name: str) -> Value | None:
    return getattr(obj, name) if name in ("start", "stop", "step") else BuiltinMethodValue(obj, name)


def of_range(ev: Any, obj: RangeValue, name: str) -> Value | None:
    return Const(getattr(obj, name)) if name in ("start", "stop", "step") else BuiltinMethodValue(obj, name)


def of_partial(ev: Any, obj: PartialValue, name: str) -> Value | None:
    from .containers import new_dict

    if name == "func":
        return obj.function
    if name == "args":
        return TupleValue(list(obj.args))
    if name == "keywords":
        return new_dict(ev, [(Const(k), v) for k, v in obj.kwargs.items()])
    return None


def of_exception(obj: ExceptionValue, name: str) -> Value:
    if name == "args":
        return TupleValue(list(obj.args))
    if name == "__traceback__" or obj.real is not None:
        raise Break("attribute", name=name, what="an exception")
    return (obj.cause if name == "__cause__" else obj.context) or NONE


def of_native(ev: Any, obj: NativeValue, name: str) -> Value | None:
    from .reading import of_constant

    if not hasattr(obj.real, name):
        return None
    found = getattr(obj.real, name)
    return BuiltinMethodValue(obj, name) if callable(found) else of_constant(ev, found)


def of_property(ev: Any, obj: PropertyValue, name: str) -> Value | None:
    found = getattr(obj.real, name, MISSING)
    return None if found is MISSING else pinned(ev, found) if found is not None else NONE


def of_builtin_method(ev: Any, obj: BuiltinMethodValue, name: str) -> Value | None:
    if name == "__self__":
        return obj.receiver
    return Const(obj.name) if name in ("__name__", "__qualname__") else None


def of_opaque(ev: Any, obj: OpaqueValue, name: str) -> Value | None:
    raise Break("attribute", name=name, what=f"an object of class {obj.type.__name__}")


RULES: dict[type, Any] = {
    TensorValue: of_tensor, Const: of_const, TupleValue: of_tuple, ListValue: of_container, DictValue: of_container,
    SetValue: of_container, SliceValue: of_slice, RangeValue: of_range, FunctionValue: of_function, MethodValue: of_method,
    ClassValue: of_class, BuiltinValue: of_builtin, PyModuleValue: of_module, PartialValue: of_partial,
    SuperValue: of_super, IteratorValue: of_container, NativeValue: of_native, PropertyValue: of_property,
    BuiltinMethodValue: of_builtin_method, OpaqueValue: of_opaque,
}


# -- stores ----
def store_attribute(ev: Any, obj: ObjectValue, name: str, value: Value) -> None:
    """Put an attribute into the shadow of an instance."""
    obj.attributes[name] = value
    obj.deleted.discard(name)
    obj.changed.pop(name, None)
    obj.changed[name] = None
    ev.changed(obj)


def set_attribute(ev: Any, obj: Value, name: str, value: Value) -> None:
    """`obj.name = value`."""
    from .calls import call

    obj = ev.force(obj)
    if isinstance(obj, ModuleValue):
        set_on_module(ev, obj, name, value)
        return
    if isinstance(obj, ObjectValue):
        owner, setter = class_lookup(obj.cls, "__setattr__")
        if owner not in (object, BaseException):
            if not isinstance(setter, types.FunctionType) or setter.__code__.co_filename == "<string>":
                raise Break("attribute-set", name=name, what=f"an object of class {obj.cls.__name__}")
            guard_class_attribute(ev, obj, "__setattr__", setter)
            call(ev, bind(ev, setter, obj, obj.cls, "__setattr__"), [Const(name), value], {})
            return
        plain_set(ev, obj, name, value)
    elif isinstance(obj, ClassValue) and isinstance(obj.cls, type) and obj.cls.__flags__ & (1 << 9):
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
    elif isinstance(obj, PyModuleValue) and not is_library(obj.real):
        ev.globals_of(vars(obj.real)).stored[name] = value
    else:
        raise Break("attribute-set", name=name, what=f"an object of class {obj.type.__name__}")


def plain_set(ev: Any, obj: ObjectValue, name: str, value: Value) -> None:
    """object.__setattr__: a data descriptor of the class, else the instance."""
    from .calls import call

    raw = class_lookup(obj.cls, name)[1]
    if raw is not None and is_data_descriptor(raw) and not isinstance(raw, types.MemberDescriptorType):
        guard_class_attribute(ev, obj, name, raw)
        if isinstance(raw, property):
            if raw.fset is None:
                ev.raise_error(AttributeError, f"property '{name}' of '{obj.cls.__name__}' object has no setter")
            call(ev, pinned(ev, raw.fset), [obj, value], {})
            return
        setter = class_lookup(type(raw), "__set__")[1]
        if isinstance(setter, types.FunctionType):
            call(ev, pinned(ev, setter), [ev.existing(ev.pin(raw, name), raw), obj, value], {})
            return
        raise Break("attribute-set", name=name, what=f"an object of class {obj.cls.__name__}")
    store_attribute(ev, obj, name, value)


def set_on_module(ev: Any, obj: ModuleValue, name: str, value: Value) -> None:
    owner, setter = class_lookup(obj.cls, "__setattr__")
    held = obj.real.__dict__
    value = ev.force(value)
    special = isinstance(value, ModuleValue) or isinstance(value, TensorValue) and value.type.__name__ == "Parameter"
    if special or any(name in held.get(s, ()) for s in ("_parameters", "_modules")) or name.startswith("_forward") \
            or not getattr(owner, "__module__", "").startswith("torch."):
        raise Break("attribute-set", name=name, what=f"module {obj.cls.__name__}")
    raw = class_lookup(obj.cls, name)[1]
    if raw is not None and is_data_descriptor(raw):
        plain_set(ev, obj, name, value)
        return
    store_attribute(ev, obj, name, value)


def delete_attribute(ev: Any, obj: Value, name: str) -> None:
    """`del obj.name`."""
    obj = ev.force(obj)
    if not isinstance(obj, ObjectValue) or isinstance(obj, ModuleValue) \
            or class_lookup(obj.cls, "__delattr__")[0] not in (object, BaseException):
        raise Break("attribute-set", name=name, what=f"an object of class {obj.type.__name__}")
    if own_attribute(ev, obj, name) is None:
        ev.raise_error(AttributeError, f"'{obj.cls.__name__}' object has no attribute '{name}'")
    obj.attributes.pop(name, None)
    obj.changed.pop(name, None)
    obj.deleted.add(name)
    ev.changed(obj)
