"""Reading existing objects: real object + origin -> value, with the guard that makes reuse safe.

Nothing is guarded before it is read, and only as far as it is read: a list's items stay lazy, a dict's keys are looked
up one by one, an object's attributes as well.
"""

from __future__ import annotations

import collections
import enum
import functools
import os
import types
from typing import Any

from ..graph.fake import FakeTensor
from ..guards.facts import own_dict
from ..guards.guard import HEAP_TYPE
from ..guards.origin import AttrOrigin, CellOrigin, InstanceDictOrigin, ItemOrigin, Origin, PinnedOrigin
from ..tensor.devices import device
from ..tensor.dtypes import dtype
from ..tensor.meta import Size
from ..tensor.tensor import Tensor
from .evaluator import Evaluator
from .function_values import BuiltinMethodValue, BuiltinValue, FunctionValue, MethodValue, PartialValue
from .graph_inputs import read_float, read_int, read_tensor
from .origins import CellObjectOrigin
from .relied import LIBRARIES, can_change, settled
from .signals import Break
from .values import (
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    ListValue,
    ModuleValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    PropertyValue,
    PyModuleValue,
    RangeValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
    Variable,
)

PLAIN = (int, float, complex, str, bytes, bool, type(None))
BUILTIN_CALLABLES = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
                     types.MethodWrapperType, types.ClassMethodDescriptorType)
DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
MUTABLE = (list, dict, set, collections.deque)


def read(ev: Evaluator, origin: Origin, real: Any, fixed: bool = False) -> Value:
    """Look at an existing object. `fixed`: an int here is a constant of the artifact."""
    cls = type(real)
    if cls is Const:
        return real
    if real is None or cls is bool or real is Ellipsis or real is NotImplemented:
        ev.guard("CONSTANT_MATCH" if real is None or cls is bool else "ID_MATCH", origin, real, "read here")
        return Const(real, origin)
    if cls is int:
        return read_int(ev, origin, real, fixed)
    if cls is float:
        return read_float(ev, origin, real)
    if cls in (str, bytes, complex):
        ev.guard("EQUALS_MATCH", origin, real, "its value is used")
        return Const(real, origin)
    if isinstance(real, dtype | device | enum.Enum):
        ev.guard("ID_MATCH", origin, real, "compared here")
        if isinstance(real, enum.Enum):
            ev.guard("TYPE_MATCH", origin, cls, "a member of this enum")
        return Const(real, origin)
    known = ev.objects.get(id(real))
    if known is not None and known.origin is not None:
        return alias(ev, origin, known)
    value = read_object(ev, origin, real, cls)
    if isinstance(value, TensorValue | ListValue | DictValue | SetValue | ObjectValue):
        ev.objects[id(real)] = value
        ev.keep.append(real)
        relate(ev, value)
    return value


def relate(ev: Evaluator, value: Value) -> None:
    """An object and its own `__dict__`, when both are read: what is stored in one is stored in the other."""
    if isinstance(value, ObjectValue):
        own = own_dict(value.real)
        holder, namespace = value, ev.objects.get(id(own))
        ev.namespaces[id(own)] = value
    else:
        holder, namespace = ev.namespaces.get(id(getattr(value, "real", None))), value          # type: ignore[assignment]
    if not isinstance(holder, ObjectValue) or not isinstance(namespace, DictValue) or holder.real is None:
        return
    if holder.changed or holder.deleted or namespace.changed or namespace.deleted:
        raise Break("attribute", name="__dict__", what=f"a changed object of class {holder.cls.__name__}")
    holder.namespace, namespace.holder = namespace, holder
    assert holder.origin is not None and namespace.origin is not None
    place = AttrOrigin(holder.origin, "__dict__")
    if namespace.origin != place:
        ev.guard("OBJECT_ALIASING", place, namespace.origin, f"the __dict__ of {holder.origin.text}")


def alias(ev: Evaluator, origin: Origin, known: Value) -> Value:
    """A second way to an object that was read before."""
    if origin != known.origin:
        ev.guard("OBJECT_ALIASING", origin, known.origin, "the same object")
    return known


# -- everything else ----
def read_object(ev: Evaluator, origin: Origin, real: Any, cls: type) -> Value:
    if isinstance(real, Tensor):
        if isinstance(real, FakeTensor):
            raise Break("read", what=origin.text)
        if not is_api_class(cls):                          # its methods may do anything, those with underscores too
            ev.guard("TYPE_MATCH", origin, cls, "a tensor of this class")
            return OpaqueValue(real, origin)
        return read_tensor(ev, origin, real)
    if isinstance(real, tuple):
        return read_tuple(ev, origin, real, cls)
    if cls is list or cls is collections.deque:
        ev.guard("TYPE_MATCH", origin, cls, "a sequence")
        value = ListValue([], origin, real, cls)
        value.maxlen = getattr(real, "maxlen", None)
        if cls is collections.deque:
            ev.guard("CONSTANT_MATCH" if value.maxlen is None else "EQUALS_MATCH", AttrOrigin(origin, "maxlen"), value.maxlen,
                     "its greatest length")
        return value
    if cls in DICTS or cls.__name__ == "TrackedDict":
        ev.guard("TYPE_MATCH", origin, cls, "a dict")
        own = own_dict(real)
        if own is not None:                                # an OrderedDict can be given a `keys` of its own, which dict() asks
            ev.guard("SEQUENCE_LENGTH", AttrOrigin(origin, "__dict__"), len(own), "attributes of its own")
            if own:
                return OpaqueValue(real, origin)
        found = DictValue({}, origin, real, cls)
        if cls is collections.defaultdict:
            found.factory = ev.existing(AttrOrigin(origin, "default_factory"), real.default_factory)
        elif cls is collections.Counter:
            found.factory = ClassValue(int)
        return found
    if cls in (set, frozenset):
        return read_set(ev, origin, real, cls)
    if cls is range:
        ev.guard("EQUALS_MATCH", origin, real, "a range")
        return RangeValue(real.start, real.stop, real.step, origin)
    if cls is slice:
        from .values import SliceValue

        ev.guard("TYPE_MATCH", origin, slice, "a slice")
        return SliceValue(*(ev.existing(AttrOrigin(origin, n), getattr(real, n)) for n in ("start", "stop", "step")),
                          origin=origin)
    if cls is functools.partial:
        return read_partial(ev, origin, real)
    if cls is types.MethodType:
        ev.guard("TYPE_MATCH", origin, cls, "a bound method")
        return MethodValue(ev.existing(AttrOrigin(origin, "__func__"), real.__func__),
                           ev.existing(AttrOrigin(origin, "__self__"), real.__self__), origin)
    if cls is types.FunctionType:
        return read_function(ev, origin, real)
    if isinstance(real, type):
        ev.guard("ID_MATCH", origin, real, "this class")
        if can_change(type(real)) and not is_of_library(type(real)):
            ev.guard("TYPE_MATCH", origin, type(real), "its metaclass")
        return ClassValue(real, origin)
    if isinstance(real, types.ModuleType):
        ev.guard("ID_MATCH", origin, real, "this module")
        if real.__name__.partition(".")[0] not in LIBRARIES:
            ev.guard("TYPE_MATCH", origin, cls, "modules can be given another class")
        return PyModuleValue(real, origin)
    if cls is types.BuiltinFunctionType and not isinstance(real.__self__, types.ModuleType | type(None)) \
            and not isinstance(real.__self__, type):
        return read_bound_builtin(ev, origin, real)
    if isinstance(real, BUILTIN_CALLABLES):
        ev.guard("ID_MATCH", origin, real, "this function")
        return BuiltinValue(real, origin)
    if isinstance(real, property | staticmethod | classmethod | functools.cached_property):
        ev.guard("ID_MATCH", origin, real, "this descriptor")
        ev.guard("TYPE_MATCH", origin, cls, "a descriptor of this class")
        return PropertyValue(real, origin)
    if isinstance(real, BaseException) and type(real.args) is tuple:
        return read_exception(ev, origin, real, cls)
    if is_module(real):
        ev.guard("TYPE_MATCH", origin, cls, "a module of this class")
        if "_guardscope_compiled" in cls.__dict__:          # what torch.compile made of a module: traced as the module
            held = InstanceDictOrigin(origin, "_orig_mod", "_modules")
            return read(ev, held, real.__dict__["_modules"]["_orig_mod"])
        return ModuleValue(cls, origin, real)
    if is_api_object(real):
        ev.guard("ID_MATCH", origin, real, "this object of the tensor API")
        ev.guard("TYPE_MATCH", origin, cls, "an object of this class")
        return NativeValue(real, None, origin)
    if cls is functools._lru_cache_wrapper:
        ev.guard("ID_MATCH", origin, real, "this cached function")
        return OpaqueValue(real, origin)
    if is_plain_object(cls):
        ev.guard("TYPE_MATCH", origin, cls, "an object of this class")
        return ObjectValue(cls, origin, real)
    ev.guard("TYPE_MATCH", origin, cls, "an object of this class")
    return OpaqueValue(real, origin)


def read_exception(ev: Evaluator, origin: Origin, real: BaseException, cls: type) -> Value:
    """An exception object, as a native step leaves it behind."""
    ev.guard("TYPE_MATCH", origin, cls, "an exception of this class")
    place = AttrOrigin(origin, "args")
    ev.guard("SEQUENCE_LENGTH", place, len(real.args), "the exception's arguments")
    value = ExceptionValue(cls, [ev.existing(ItemOrigin(place, i), a) for i, a in enumerate(real.args)])
    value.origin, value.real = origin, real
    return value


def read_bound_builtin(ev: Evaluator, origin: Origin, real: Any) -> Value:
    """`xs.append` kept in a variable: the name and the object it is bound to are guarded, not the bound method itself."""
    ev.guard("TYPE_MATCH", origin, type(real), "a bound method")
    ev.guard("EQUALS_MATCH", AttrOrigin(origin, "__name__"), real.__name__, "a bound method")
    value = BuiltinMethodValue(ev.existing(AttrOrigin(origin, "__self__"), real.__self__), real.__name__)
    value.origin = origin
    return value


def is_module(real: Any) -> bool:
    return bool(getattr(type(real), "_guardscope_module", False))


def is_api_object(real: Any) -> bool:
    if isinstance(real, Tensor) or is_module(real):
        return False
    return is_api_class(type(real)) or ".torch_api" in (type(real).__module__ or "")


def is_of_library(cls: type) -> bool:
    """A class of Python's library or of the tensor API."""
    return (cls.__module__ or "").partition(".")[0] in LIBRARIES


def is_api_class(cls: type) -> bool:
    """A class of the tensor API whose objects are made and used natively."""
    module = cls.__module__ or ""
    return (module == "torch" or module.startswith("torch.")) and not module.startswith(TRACED_MODULES)


def is_plain_object(cls: type) -> bool:
    """Whether instances of `cls` keep everything in their __dict__ and slots: written in Python down to object."""
    for base in cls.__mro__:
        if base is object or base.__module__ in ("typing", "abc", "collections.abc", "_collections_abc"):
            continue
        if not base.__flags__ & HEAP_TYPE:              # made by a class statement
            return False
        if base.__module__ in ("_io", "re", "threading", "_thread", "decimal", "_decimal", "socket", "numpy"):
            return False
    return not issubclass(cls, BaseException) and not hasattr(cls, "__array_interface__")


def read_tuple(ev: Evaluator, origin: Origin, real: tuple, cls: type) -> Value:
    if cls is tuple or cls is Size or hasattr(cls, "_fields") and keeps_tuple_methods(ev, cls):
        ev.guard("TYPE_MATCH", origin, cls, "a tuple")
        ev.guard("SEQUENCE_LENGTH", origin, len(real), "its length is used")
        return TupleValue([ev.existing(ItemOrigin(origin, i), v) for i, v in enumerate(real)], cls, origin)
    ev.guard("TYPE_MATCH", origin, cls, "an object of this class")
    return OpaqueValue(real, origin)


TUPLE_METHODS = ("__iter__", "__getitem__", "__len__", "__eq__", "__hash__", "__contains__", "__add__", "__mul__", "__bool__",
                 "__getattribute__")


def keeps_tuple_methods(ev: Evaluator, cls: type) -> bool:
    """Whether a named tuple behaves as a tuple: its class may define methods, but not these."""
    if (cls.__module__ or "").startswith("torch.return_types"):
        return True
    return all(settled(ev, cls, name)[0] in (tuple, object, None) for name in TUPLE_METHODS)


def read_set(ev: Evaluator, origin: Origin, real: Any, cls: type) -> Value:
    if not all(isinstance(m, (*PLAIN, enum.Enum, dtype, device)) for m in real):
        ev.guard("TYPE_MATCH", origin, cls, "a set")
        return OpaqueValue(real, origin)
    ev.guard("TYPE_MATCH", origin, cls, "a set")
    ev.guard("SET_CONTENTS", origin, frozenset(real), "its members are used")
    from .containers import key_of

    return SetValue({key_of(ev, Const(m)): Const(m) for m in real}, cls, origin, real)


def read_partial(ev: Evaluator, origin: Origin, real: functools.partial) -> Value:
    ev.guard("TYPE_MATCH", origin, functools.partial, "a partial")
    args = ev.existing(AttrOrigin(origin, "args"), real.args)
    keywords = ev.existing(AttrOrigin(origin, "keywords"), real.keywords)
    from .containers import dict_items, list_items

    return PartialValue(ev.existing(AttrOrigin(origin, "func"), real.func), list(list_items(ev, ev.force(args))),
                        {k.value: v for k, v in dict_items(ev, ev.force(keywords))},  # type: ignore[attr-defined]
                        origin)


def read_function(ev: Evaluator, origin: Origin, real: types.FunctionType) -> Value:
    """Functions of the user's are guarded by their code (other closures of one factory are accepted, their cells being
    guarded one by one); functions that run natively, by identity."""
    if is_api_function(real) or getattr(real, "_guardscope_disable", None) is not None:
        ev.guard("ID_MATCH", origin, real, "this function")
        return BuiltinValue(real, origin)
    compiled = real.__dict__.get("_guardscope_compiled")
    if compiled is not None:
        ev.guard("ID_MATCH", origin, real, "this compiled function")
        return read(ev, ev.pin(compiled), compiled)
    if not isinstance(origin, PinnedOrigin):
        ev.guard("TYPE_MATCH", origin, types.FunctionType, "a function")
    code = real.__code__                 # one code object may run over the names of several modules
    expected = code if isinstance(origin, PinnedOrigin) else (code, real.__globals__)
    ev.guard("FUNCTION_MATCH", origin, expected, "a function with this code")
    return FunctionValue(origin, real)


def is_api_function(real: Any) -> bool:
    """A function of the tensor API that runs natively on fake tensors. Methods of nn.Module classes are traced instead."""
    file = real.__code__.co_filename
    if "__op__" in real.__dict__:
        return True                         # generated from the table of operators: it has no file
    if not (file.startswith(OURS) and not file.startswith(CAPTURE)):
        return False
    inner = real.__dict__.get("__wrapped__")
    if file.endswith("trampoline.py") or inner is not None and not is_api_function(unwrapped(inner)):
        return False                        # the user's function under a decorator of ours
    if file.startswith(TRACED):
        return False
    owner = real.__qualname__.split(".")[0]
    found = real.__globals__.get(owner) if "." in real.__qualname__ else None
    return not (isinstance(found, type) and getattr(found, "_guardscope_module", False))


def unwrapped(function: Any) -> Any:
    """The Python function in a bound method or compiled wrapper."""
    function = getattr(function, "__func__", function)
    return function if isinstance(function, types.FunctionType) else is_api_function


OURS = __file__.rsplit("capture", 1)[0]
CAPTURE = __file__.rsplit("reading.py", 1)[0]
# Parts of the API written in Python that take callables and modules: their functions and objects are traced, not called.
TRACED_PARTS = ("nn/utils/", "nn/packing.py", "utils/", "distributions/", "func.py", "autograd/function.py")
TRACED = tuple(os.path.join(OURS, "torch_api", *part.split("/")) for part in TRACED_PARTS)
TRACED_MODULES = ("torch.nn.utils.", "torch.utils.", "torch.distributions", "torch.autograd.function")


def closure_variables(ev: Evaluator, function: FunctionValue) -> dict[str, Variable]:
    """The cells of an existing function as variables; one variable per real cell."""
    real = function.real
    out: dict[str, Variable] = {}
    if real is None or real.__closure__ is None:
        return out
    assert function.origin is not None
    for index, (name, cell) in enumerate(zip(real.__code__.co_freevars, real.__closure__)):
        place = CellObjectOrigin(function.origin, index, name)
        variable = ev.cells.get(id(cell))
        if variable is None:
            variable = ev.cells[id(cell)] = Variable(name, None, cell, place)
            ev.keep.append(cell)
            try:
                contents = cell.cell_contents
            except ValueError:
                variable.value = None
            else:
                variable.value = ev.existing(CellOrigin(function.origin, index, name), contents)
        elif variable.origin != place:
            assert variable.origin is not None
            ev.guard("OBJECT_ALIASING", place, variable.origin, "the same closure variable")
        out[name] = variable
    return out


def of_constant(ev: Evaluator, real: Any, origin: Origin | None = None) -> Value:
    """A value for an object that is known without a guard: of Python's own, of the tensor API, or pinned before."""
    if isinstance(real, (*PLAIN, dtype, device, enum.Enum)) or real is Ellipsis or real is NotImplemented:
        return Const(real, origin)
    if isinstance(real, type):
        return ClassValue(real, origin)
    if isinstance(real, types.ModuleType):
        return PyModuleValue(real, origin)
    if isinstance(real, types.FunctionType) and not is_api_function(real):
        compiled = real.__dict__.get("_guardscope_compiled")
        if compiled is not None and isinstance(compiled, types.FunctionType):
            real = compiled
        return FunctionValue(origin or ev.pin(real), real)
    if callable(real) and isinstance(real, (*BUILTIN_CALLABLES, types.FunctionType)):
        return BuiltinValue(real, origin)
    if is_api_object(real):
        return NativeValue(real, None, origin or ev.pin(real))
    return ev.existing(ev.pin(real), real)
