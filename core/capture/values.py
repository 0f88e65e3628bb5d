"""What the evaluator computes with: one class per kind of Python value.

A value is *existing* (it has an origin: an expression that fetches the real object again, so that what was read of it
can be guarded) or *new* (made while tracing: it must be rebuilt if it leaves the graph). Nothing real is ever changed:
lists, dicts and objects that exist are shadowed here, and what the script did to them is replayed by the entry.
"""

from __future__ import annotations

import ctypes
import types
from typing import Any

from ..guards.origin import Origin
from ..symbolic.symint import Symbolic

NAME_AT = tuple.__basicsize__            # tp_name follows the head that all objects of variable size have


def c_name(cls: type) -> str:
    """How Python's own errors name a class: with its module if it is written in C (`array.array`), else without."""
    name = ctypes.c_char_p.from_address(id(cls) + NAME_AT).value
    return cls.__name__ if name is None else name.decode()


class Value:
    """Base. `origin` is None for what was made while tracing. `type` is the class that `type(v)` gives in the script."""

    __slots__ = ("origin",)
    origin: Origin | None

    def __init__(self, origin: Origin | None = None) -> None:
        self.origin = origin

    @property
    def type(self) -> type:
        raise NotImplementedError

    @property
    def c_name(self) -> str:
        """Its class, as Python's own errors name it."""
        return c_name(self.type)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.origin.text if self.origin is not None else 'new'}>"


class Lazy(Value):
    """An existing object that nobody has looked at: it may be passed on and returned without a guard."""

    __slots__ = ("real", "known", "fixed")

    def __init__(self, origin: Origin, real: Any, fixed: bool = False) -> None:
        super().__init__(origin)
        self.real = real
        self.known: Value | None = None
        self.fixed = fixed            # an int read here never becomes symbolic (nn.Module attributes, class attributes)

    @property
    def type(self) -> type:
        raise AssertionError("a lazy value must be read first")


class Const(Value):
    """An immutable Python value known now: number (also SymInt, SymFloat, SymBool), str, bytes, None, dtype, device, enum
    member, slice bounds aside. Two Consts of equal value are interchangeable."""

    __slots__ = ("value",)

    def __init__(self, value: Any, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.value = value

    @property
    def symbolic(self) -> bool:
        return isinstance(self.value, Symbolic)

    @property
    def type(self) -> type:
        if self.symbolic:
            return {"SymInt": int, "SymFloat": float, "SymBool": bool}[type(self.value).__name__]
        return type(self.value)

    def __repr__(self) -> str:
        return f"<Const {self.value!r}>"


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


class TensorValue(Value):
    """A tensor under capture. `fake` carries the graph node; `real` is the existing tensor, if it is one. `looked`: whether
    anything but its class was used so far."""

    __slots__ = ("_fake", "looked", "real")

    def __init__(self, fake: Any, origin: Origin | None = None, real: Any = None) -> None:
        super().__init__(origin)
        self._fake, self.real, self.looked = fake, real, False

    @property
    def fake(self) -> Any:
        self.looked = True
        return self._fake

    @fake.setter
    def fake(self, fake: Any) -> None:
        self._fake = fake

    @property
    def node(self) -> Any:
        """The graph's node, without a look at the tensor."""
        return self._fake._node

    @property
    def type(self) -> type:
        from ..tensor.tensor import Tensor

        return self._fake._meta.cls or Tensor

    def __repr__(self) -> str:
        return f"<Tensor {self._fake._node.name} {self._fake._meta!r}>"


class TupleValue(Value):
    """A tuple, or an instance of a tuple subclass (torch.Size, a named tuple): `cls` is its class."""

    __slots__ = ("items", "cls", "attributes")

    def __init__(self, items: list[Value], cls: type = tuple, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.items, self.cls = items, cls

    @property
    def type(self) -> type:
        return self.cls


class ListValue(Value):
    """A list (or collections.deque). For an existing one `loaded` says whether its length and items were read; until
    then `added` collects what was appended, which needs neither."""

    __slots__ = ("items", "real", "loaded", "added", "changed", "cls", "maxlen")

    def __init__(self, items: list[Value], origin: Origin | None = None, real: Any = None, cls: type = list) -> None:
        super().__init__(origin)
        self.items, self.real, self.cls = items, real, cls
        self.loaded = real is None
        self.added: list[Value] = []
        self.changed = False
        self.maxlen: int | None = None

    @property
    def type(self) -> type:
        return self.cls


class Entry:
    """One key of a dict with its value."""

    __slots__ = ("key", "value")

    def __init__(self, key: Value, value: Value) -> None:
        self.key, self.value = key, value


class DictValue(Value):
    """A dict, OrderedDict, defaultdict or Counter. Of an existing one, `entries` holds what was looked up or stored, and
    `complete` says whether all keys were read, in order."""

    __slots__ = ("entries", "real", "complete", "absent", "changed", "cls", "factory", "deleted", "unordered", "holder")

    def __init__(self, entries: dict[Any, Entry], origin: Origin | None = None, real: Any = None,
                 cls: type = dict) -> None:
        super().__init__(origin)
        self.entries, self.real, self.cls = entries, real, cls
        self.complete = real is None
        self.absent: set[Any] = set()
        self.deleted: dict[Any, Value] = {}
        self.changed: dict[Any, None] = {}      # keys stored, in order
        self.factory: Value | None = None
        self.unordered: tuple[DictValue, ...] = ()   # existing dicts whose order decides this one's, not guarded yet
        self.holder: ObjectValue | None = None       # the new object whose __dict__ this is

    @property
    def type(self) -> type:
        return self.cls


class Keywords(dict):
    """Keyword arguments on their way into a call; `unordered` as in DictValue."""

    unordered: tuple[DictValue, ...] = ()


class DictViewValue(ListValue):
    """A view of a dict's keys, values or items: iterates over what the dict holds when iterated."""

    __slots__ = ("of", "what")

    def __init__(self, of: DictValue, what: str) -> None:
        super().__init__([], cls=type({}.items()) if what == "items" else type({}.keys()) if what == "keys"
                         else type({}.values()))
        self.of, self.what = of, what
        self.loaded = True

    @property
    def items(self) -> list[Value]:
        entries = self.of.entries.values()
        if self.what == "keys":
            return [e.key for e in entries]
        return [e.value for e in entries] if self.what == "values" else [TupleValue([e.key, e.value]) for e in entries]

    @items.setter
    def items(self, value: list[Value]) -> None:
        pass


class SetValue(Value):
    """A set or frozenset of values that compare by value or identity: internal key -> value."""

    __slots__ = ("items", "cls", "real", "changed")

    def __init__(self, items: dict[Any, Value], cls: type = set, origin: Origin | None = None, real: Any = None) -> None:
        super().__init__(origin)
        self.items, self.cls, self.real, self.changed = items, cls, real, False

    @property
    def type(self) -> type:
        return self.cls


class SliceValue(Value):
    __slots__ = ("start", "stop", "step")

    def __init__(self, start: Value, stop: Value, step: Value, *, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.start, self.stop, self.step = start, stop, step

    @property
    def type(self) -> type:
        return slice


class RangeValue(Value):
    """A range; its bounds may be symbolic until it is iterated."""

    __slots__ = ("start", "stop", "step")

    def __init__(self, start: Any, stop: Any, step: Any, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.start, self.stop, self.step = start, stop, step

    @property
    def type(self) -> type:
        return range


class ObjectValue(Value):
    """An instance of a Python class. `attributes` is what was read from or written to its __dict__ (or slots); `absent`
    names that were seen not to be there; `changed` maps written names to None, in order."""

    __slots__ = ("cls", "real", "attributes", "absent", "changed", "deleted", "payload", "namespace")

    def __init__(self, cls: type, origin: Origin | None = None, real: Any = None) -> None:
        super().__init__(origin)
        self.cls, self.real = cls, real
        self.attributes: dict[str, Value] = {}
        self.absent: set[str] = set()
        self.changed: dict[str, None] = {}
        self.deleted: set[str] = set()
        self.namespace: DictValue | None = None  # the __dict__ of a new object, once somebody asked for it
        self.payload: Value | None = None       # the list/dict part of an instance of a subclass of list or dict

    @property
    def type(self) -> type:
        return self.cls


class ModuleValue(ObjectValue):
    """An nn.Module that exists. `path` is its dotted name as shown on graph nodes."""

    __slots__ = ("path",)

    def __init__(self, cls: type, origin: Origin, real: Any, path: str = "") -> None:
        super().__init__(cls, origin, real)
        self.path = path


class ExceptionValue(ObjectValue):
    """An exception instance made while tracing; `args` are the constructor's."""

    __slots__ = ("args", "cause", "context", "suppress", "of_api", "asked_at")

    def __init__(self, cls: type, args: list[Value]) -> None:
        super().__init__(cls)
        self.args = args
        self.cause: Value | None = None
        self.context: Value | None = None
        self.suppress = False
        self.of_api = False           # raised by the tensor API, not by the script
        self.asked_at: Any = None     # (point, facts of the break) when its text may name symbols: nothing may look at it


class Variable:
    """A local variable: what functions nested in its frame share. For an existing closure cell `cell` is the real one and
    `origin` says where it is; `stored` is set when the script assigned to it."""

    __slots__ = ("name", "value", "cell", "origin", "stored", "known")

    def __init__(self, name: str, value: Value | None = None, cell: Any = None, origin: Origin | None = None) -> None:
        self.name, self.value, self.cell, self.origin = name, value, cell, origin
        self.stored = False


class ClassValue(Value):
    __slots__ = ("cls",)

    def __init__(self, cls: type, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.cls = cls

    @property
    def type(self) -> type:
        return type(self.cls)


class PyModuleValue(Value):
    __slots__ = ("real",)

    def __init__(self, real: types.ModuleType, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.real = real

    @property
    def type(self) -> type:
        return type(self.real)


class PropertyValue(Value):
    """A property object, or another descriptor that exists."""

    __slots__ = ("real",)

    def __init__(self, real: Any, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.real = real

    @property
    def type(self) -> type:
        return type(self.real)


class NativeValue(Value):
    """An object of the tensor API made natively while tracing (a context manager such as torch.no_grad(), a Generator):
    `rebuild` is (callable, args, kwargs) to make it again."""

    __slots__ = ("real", "rebuild")

    def __init__(self, real: Any, rebuild: tuple | None = None, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.real, self.rebuild = real, rebuild

    @property
    def type(self) -> type:
        return type(self.real)


class OpaqueValue(Value):
    """An existing object that the evaluator knows only by type: it may be passed on; using it breaks the graph."""

    __slots__ = ("real",)

    def __init__(self, real: Any, origin: Origin) -> None:
        super().__init__(origin)
        self.real = real

    @property
    def type(self) -> type:
        return type(self.real)
