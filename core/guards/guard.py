"""Guards as data: what must hold for an artifact to be reused, where it was read in the script, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph.node import Span
from .origin import Origin

# The kinds, under the names people know from TorchDynamo. `expected` holds what the second column says.
KINDS: dict[str, str] = {
    "TENSOR_MATCH": "a TensorExpectation: class, dtype, device, requires_grad, sizes, strides (None = symbolic), marks",
    "TYPE_MATCH": "the exact type",
    "ID_MATCH": "the object itself (`is`)",
    "EQUALS_MATCH": "a constant of the same type and value (NaN equals NaN, -0.0 differs from 0.0)",
    "CONSTANT_MATCH": "True, False or None (`is`)",
    "FUNCTION_MATCH": "the code object of a Python function (`f.__code__ is C`), or (code, the dict of its global names)",
    "SEQUENCE_LENGTH": "len() of a list, tuple, range, dict or set",
    "DICT_KEYS": "the tuple of keys, in order",
    "DICT_CONTAINS": "(key, True or False)",
    "HASATTR": "(name, True or False)",
    "NOT_IN_INSTANCE": "a name that must not be in the instance's __dict__, or (name, stores) for several of its dicts",
    "CLASS_ATTRIBUTE": "(class to look in, name, the very object that is found there along its MRO)",
    "OBJECT_ALIASING": "another Origin that is the same object",
    "NOT_ALIASING": "another Origin that is a different object",
    "STORAGE_OVERLAP": "(other Origin, whether the two tensors share memory)",
    "SHAPE_ENV": "a relation over symbols, made by ShapeEnv",
    "FLOAT_NOT_NAN": "the float is not NaN",
    "GLOBAL_STATE": "the interned Mode",
    "SET_CONTENTS": "the frozenset of a set's members",
    "PRESENT": "nothing: it is enough that there is something to fetch (it was named, or is handed on, unread)",
    "NAMES_UNCHANGED": "a tuple of Held: names of libraries and classes that nobody may have replaced, added or removed",
}


@dataclass(frozen=True, slots=True)
class TensorExpectation:
    """What a tensor must look like. Sizes and strides are ints where static and None where a symbol covers them."""

    cls: type
    dtype: Any
    device: Any
    requires_grad: bool
    sizes: tuple
    strides: tuple
    marks: Any


class Absent:
    """Stands for a name that a namespace does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()
HEAP_TYPE = 1 << 9           # Py_TPFLAGS_HEAPTYPE: made by a class statement, so its attributes can be assigned


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What a namespace held under `name` at capture: an object, compared by identity, or ABSENT. `namespace` is a dict,
    the `__dict__` of a class, or, with the name "__mro__", a class whose order of bases is meant. `text`: "torch.relu"."""

    namespace: Any
    name: str
    value: Any
    text: str

    def now(self) -> Any:
        """What is there now."""
        return self.namespace.__mro__ if isinstance(self.namespace, type) else self.namespace.get(self.name, ABSENT)


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """One condition. `span`: where the value was read. `why`: a clause for people ("size used in a branch")."""

    kind: str
    origin: Origin | None
    expected: Any
    span: Span | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """One guard that does not hold for a call: `expected` and `seen` are texts in the script's words.

    `where`: what differs, as the script would write it ("x.shape[0]", "x.dtype", "cfg.alpha"). `aspect`: which fact of
    it, one of explain.ASPECTS ("size", "dtype", "value", ...)."""

    index: int
    guard: Guard
    expected: str
    seen: str
    dim: int | None = None
    where: str = ""
    aspect: str = "value"
