"""Why an artifact does not fit a call: every guard that fails, expected and seen, in the script's words.

`failures_of(guard)` evaluates one guard without generated code and says what differs, down to the dimension, the field
of the mode, the key. It never raises: a value that cannot be fetched any more is a failure of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import InternalError
from ..tensor.meta import NO_MARKS
from ..tensor.state import STATE
from .facts import class_lookup, marks_allowed, same, same_keys, same_members, share_memory
from .guard import ABSENT, Failure, Guard
from .origin import Origin, SizeOrigin
from .read import Scope
from .words import column, function_name, keys_text, marks_text, type_name, value_text

# aspect of a Failure -> reason kind of dynamo_reference/README.md
ASPECTS: dict[str, str] = {
    "size": "tensor-size", "stride": "tensor-stride", "dtype": "tensor-dtype", "rank": "tensor-rank",
    "requires_grad": "tensor-requires-grad", "device": "tensor-dispatch-keys", "overlap": "tensor-aliasing",
    "aliasing": "object-aliasing", "symbolic": "symbolic", "value": "value", "none": "none", "type": "type",
    "identity": "identity", "length": "length", "keys": "dict-key", "members": "set-member", "attribute": "attribute",
    "marks": "dynamic-marking", "mode": "global-state",
}
LOOKS_INSIDE = frozenset({"SEQUENCE_LENGTH", "DICT_KEYS", "DICT_CONTAINS", "HASATTR", "SET_CONTENTS", "NOT_IN_INSTANCE",
                         "CLASS_ATTRIBUTE"})
Difference = tuple[str, str, str, str, int | None]       # where, aspect, expected, seen, dim


def kind_of_reason(failure: Failure) -> str:
    """The reason kind under which TorchDynamo's records list such a failure."""
    return ASPECTS.get(failure.aspect, "other")


def sentence(failure: Failure) -> str:
    """The failure in a sentence: "x.shape[0] was 32, is 48"."""
    if failure.aspect == "symbolic":
        return f"{failure.expected} was needed, {failure.seen}"
    if failure.aspect in ("keys", "attribute", "members", "aliasing", "overlap", "marks"):
        return f"{failure.where}: expected {failure.expected}, now {failure.seen}"
    return f"{failure.where} was {failure.expected}, is {failure.seen}"


def explain(guards: list[Guard], scope: Scope, bindings: dict[str, Origin]) -> list[Failure]:
    """Every failing guard of one artifact for one call; a tensor gives one Failure per thing that differs."""
    found: list[Failure] = []
    gone: set[Origin] = set()                              # what could not be fetched: said once
    foreign: set[Origin] = set()                           # of another type: reading in it could run foreign code
    for index, guard in enumerate(guards):
        o = guard.origin
        if o is not None and (any(p in gone or (p in foreign and p != o) for p in _prefixes(o))
                              or (o in foreign and guard.kind in LOOKS_INSIDE)):
            continue
        if guard.kind == "SHAPE_ENV" and any(p in foreign for n in guard.expected.free for p in _prefixes(bindings[n])):
            continue
        try:
            differences = list(DIFFERENCES[guard.kind](guard, scope, bindings))
        except Exception as problem:
            if o is not None:
                gone.add(o)
            where = o.text if o is not None else guard.kind
            differences = [(where, _aspect_of_missing(problem), expected_text(guard), _missing(problem), None)]
        if o is not None and guard.kind in ("TYPE_MATCH", "TENSOR_MATCH") \
                and any(aspect in ("type", "none", "rank") for _, aspect, *_ in differences):
            foreign.add(o)
        found += [Failure(index, guard, expected, seen, dim, where, aspect)
                  for where, aspect, expected, seen, dim in differences]
    return found


def holds(guard: Guard, scope: Scope, bindings: dict[str, Origin]) -> bool:
    """Whether one guard holds now. An exception while fetching means that it does not."""
    try:
        return next(iter(DIFFERENCES[guard.kind](guard, scope, bindings)), None) is None
    except Exception:
        return False


def _prefixes(o: Origin) -> Iterator[Origin]:
    here: Origin | None = o
    while here is not None:
        yield here
        here = here.base


def _aspect_of_missing(problem: Exception) -> str:
    return "keys" if isinstance(problem, KeyError) else "length" if isinstance(problem, IndexError) else "attribute"


def _missing(problem: Exception) -> str:
    if isinstance(problem, KeyError):
        return f"no entry {value_text(problem.args[0]) if problem.args else ''}".rstrip()
    if isinstance(problem, IndexError):
        return "no such item"
    if isinstance(problem, AttributeError) and problem.name:
        return f"no attribute {problem.name!r}"
    if isinstance(problem, ValueError) and "ell is empty" in str(problem):
        return "not set"
    return f"{type(problem).__name__}: {problem}"


# -- one function per kind: yields what differs -----------------------------------------------------------------------
def _read(guard: Guard, scope: Scope) -> tuple[str, Any]:
    assert guard.origin is not None
    return guard.origin.text, scope.read(guard.origin)


def _tensor(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    e = guard.expected
    m = getattr(v, "_meta", None)
    if m is None:
        yield where, "none" if v is None else "type", type_name(e.cls), value_text(v), None
        return
    if m.cls is not e.cls:
        yield f"type({where})", "type", type_name(e.cls), type_name(m.cls), None
    if m.dtype is not e.dtype:
        yield f"{where}.dtype", "dtype", e.dtype.name, m.dtype.name, None
    if m.device is not e.device:
        yield f"{where}.device", "device", str(e.device), str(m.device), None
    if m.requires_grad != e.requires_grad:
        yield f"{where}.requires_grad", "requires_grad", str(e.requires_grad), str(m.requires_grad), None
    if len(m.shape) != len(e.sizes):
        yield f"{where}.ndim", "rank", str(len(e.sizes)), f"{len(m.shape)} (shape {_sizes(m.shape)})", None
    else:
        sized = True
        for d, (want, n) in enumerate(zip(e.sizes, m.shape)):
            if isinstance(want, int) and want != n:
                sized = False
                yield f"{where}.shape[{d}]", "size", str(want), str(n), d
        for d, (want, n) in enumerate(zip(e.strides, m.strides)):
            if sized and isinstance(want, int) and want != n:     # other sizes bring other strides: say the cause only
                yield f"{where}.stride({d})", "stride", str(want), str(n), d
    allowed = e.marks or NO_MARKS
    if not marks_allowed(m.marks, allowed):
        yield where, "marks", marks_text(allowed), marks_text(m.marks), None


def _sizes(shape: Any) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _type(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if type(v) is not guard.expected:
        none = v is None or guard.expected is type(None)
        yield where, "none" if none else "type", expected_text(guard), \
            "None" if v is None else type_name(type(v)), None


def _identity(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if v is not guard.expected:
        seen, expected = value_text(v), value_text(guard.expected)
        if seen == expected:
            seen = f"another {type_name(type(v))}" + ("" if seen.startswith("a ") else f", {seen}")
        yield where, "identity", expected, seen, None


def plain(v: Any) -> bool:
    """Whether comparing it runs nothing of the script's."""
    return type(v) in (bool, int, float, complex, str, bytes)


def _equals(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if not same(v, guard.expected):
        seen, expected = value_text(v), value_text(guard.expected)
        other_type = type(v) is not type(guard.expected)
        if other_type and (seen == expected or plain(v) and plain(guard.expected) and v == guard.expected):
            seen, expected = f"{seen} ({type_name(type(v))})", f"{expected} ({type_name(type(guard.expected))})"
        none = v is None or guard.expected is None
        yield where, "none" if none else "type" if other_type else "value", expected, seen, None


def _constant(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if v is not guard.expected:
        none = v is None or guard.expected is None
        yield where, "none" if none else "value", repr(guard.expected), value_text(v), None


def _function(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    code, names = guard.expected if isinstance(guard.expected, tuple) else (guard.expected, None)
    now = getattr(v, "__code__", None)
    if now is not code:
        seen, expected = value_text(v), function_name(code)
        if seen == expected and isinstance(now, type(code)) and column(now) != column(code):
            seen, expected = f"{seen} at column {column(now)}", f"{expected} at column {column(code)}"
        yield where, "identity", expected, seen if seen != expected else f"{seen}, defined anew", None
    elif names is not None and v.__globals__ is not names:
        expected, seen = str(names.get("__name__")), str(v.__globals__.get("__name__"))
        yield f"the module of {where}", "identity", expected, seen if seen != expected else f"{seen} with other variables", None


def _length(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if len(v) != guard.expected:
        yield f"len({where})", "length", str(guard.expected), str(len(v)), None


def _keys(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if not same_keys(v, guard.expected):
        expected, seen = keys_text(tuple(v), guard.expected)
        yield where, "keys", expected, seen, None


def _contains(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    key, wanted = guard.expected
    if (key in v) is not wanted:
        words = {True: f"with key {value_text(key)}", False: f"without key {value_text(key)}"}
        yield where, "keys", words[wanted], words[not wanted], None


def _hasattr(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    name, wanted = guard.expected
    if hasattr(v, name) is not wanted:
        words = {True: f"with attribute {name!r}", False: f"without attribute {name!r}"}
        yield where, "attribute", words[wanted], words[not wanted], None


def _not_in_instance(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    name, stores = (guard.expected, ("__dict__",)) if isinstance(guard.expected, str) else guard.expected
    for store in stores:
        own = getattr(v, store, {})
        if name in own:
            yield f"{where}.{name}", "attribute", "not set on the object itself", f"set there to {value_text(own[name])}", None


def class_start(guard: Guard, types: dict[Any, Any]) -> tuple[type, str, Any]:
    """Where the look-up of a CLASS_ATTRIBUTE guard starts: the object's own type when a TYPE_MATCH says it, so that a
    subclass that gains the attribute later is noticed."""
    cls, name, value = guard.expected
    own = types.get(guard.origin) if guard.origin is not None else None
    if isinstance(own, type) and own is not type and issubclass(own, cls):
        cls = own
    return cls, name, value


def _class_attribute(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    cls, name, value = guard.expected
    if guard.origin is not None:
        v = scope.read(guard.origin)
        own = v if isinstance(v, type) else type(v)
        if own is not type and issubclass(own, cls):
            cls = own
    _, owner = class_lookup(cls, name)
    where = f"{guard.origin.text if guard.origin is not None else type_name(cls)}.{name}"
    if owner is None:
        yield where, "attribute", value_text(value), f"no attribute {name!r}", None
    elif owner.__dict__[name] is not value:
        seen, expected = value_text(owner.__dict__[name]), value_text(value)
        yield where, "identity", expected, seen if seen != expected else f"{seen}, defined anew", None


def _alias(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    other = guard.expected
    if (v is scope.read(other)) is not (guard.kind == "OBJECT_ALIASING"):
        words = {True: f"the same object as {other.text}", False: f"another object than {other.text}"}
        wanted = guard.kind == "OBJECT_ALIASING"
        yield where, "aliasing", words[wanted], words[not wanted], None


def _overlap(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    other, wanted = guard.expected
    if share_memory(v, scope.read(other)) is not wanted:
        words = {True: f"shares memory with {other.text}", False: f"shares no memory with {other.text}"}
        yield where, "overlap", words[wanted], words[not wanted], None


def _symbolic(guard: Guard, scope: Scope, bindings: dict[str, Origin]) -> Iterator[Difference]:
    relation = guard.expected
    origins = {name: bindings[name] for name in sorted(relation.free)}
    values = {name: scope.read(o) for name, o in origins.items()}
    try:
        fine = all(type(v) in (int, float) for v in values.values()) and bool(relation.evaluate(values))
    except (ArithmeticError, ValueError):
        fine = False
    if fine:
        return
    names = {name: o.text for name, o in origins.items()}
    where = next(iter(names.values())) if len(names) == 1 else ", ".join(names.values())
    dims = [o.dim for o in origins.values() if isinstance(o, SizeOrigin)]
    yield (where, "symbolic", relation.python(names), ", ".join(f"{names[n]} is {value_text(values[n])}" for n in origins),
           dims[0] if len(origins) == 1 and dims else None)


def _not_nan(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if v != v:
        yield where, "value", "a float that is not NaN", value_text(v), None


def _mode(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    now, e = STATE.mode, guard.expected
    if now is e:
        return
    for field in e._fields:
        want, seen = getattr(e, field), getattr(now, field)
        if want is not seen and want != seen:
            yield MODES.get(field, field), "mode", value_text(want), value_text(seen), None


MODES = {"grad_enabled": "grad mode", "inference": "inference mode", "default_dtype": "default dtype",
         "default_device": "default device", "deterministic": "deterministic algorithms", "autocast": "autocast"}


def _set(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    where, v = _read(guard, scope)
    if not same_members(v, guard.expected):
        new, gone = set(v) - guard.expected, guard.expected - set(v)
        said = ([f"new: {value_text(new)}"] if new else []) + ([f"missing: {value_text(gone)}"] if gone else [])
        yield where, "members", value_text(set(guard.expected)), "; ".join(said) or value_text(v), None


def _present(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    _read(guard, scope)
    yield from ()


def _names(guard: Guard, scope: Scope, bindings: Any) -> Iterator[Difference]:
    for held in guard.expected:
        now = held.now()
        if now is held.value:
            continue
        if isinstance(held.namespace, type):
            yield held.text, "identity", _bases(held.value), _bases(now), None
        elif held.value is ABSENT:
            yield held.text, "attribute", "not defined", f"defined as {value_text(now)}", None
        elif now is ABSENT:
            yield held.text, "attribute", value_text(held.value), "deleted", None
        else:
            seen, expected = value_text(now), value_text(held.value)
            yield held.text, "identity", expected, seen if seen != expected else f"{seen}, defined anew", None


def _bases(order: tuple) -> str:
    return ", ".join(type_name(c) for c in order)


DIFFERENCES: dict[str, Callable[[Guard, Scope, Any], Iterator[Difference]]] = {
    "TENSOR_MATCH": _tensor, "TYPE_MATCH": _type, "ID_MATCH": _identity, "EQUALS_MATCH": _equals,
    "CONSTANT_MATCH": _constant, "FUNCTION_MATCH": _function, "SEQUENCE_LENGTH": _length, "DICT_KEYS": _keys,
    "DICT_CONTAINS": _contains, "HASATTR": _hasattr, "NOT_IN_INSTANCE": _not_in_instance,
    "CLASS_ATTRIBUTE": _class_attribute, "OBJECT_ALIASING": _alias, "NOT_ALIASING": _alias,
    "STORAGE_OVERLAP": _overlap, "SHAPE_ENV": _symbolic, "FLOAT_NOT_NAN": _not_nan, "GLOBAL_STATE": _mode,
    "SET_CONTENTS": _set, "NAMES_UNCHANGED": _names, "PRESENT": _present,
}


# -- what a guard says when nothing has failed ------------------------------------------------------------------------
def expected_text(guard: Guard) -> str:
    """The expected value in the script's words."""
    e, kind = guard.expected, guard.kind
    if kind == "TENSOR_MATCH":
        sizes = ", ".join("any" if not isinstance(n, int) else str(n) for n in e.sizes)
        return f"{e.dtype.name}[{sizes}] on {e.device}" + (", requires grad" if e.requires_grad else "")
    if kind == "TYPE_MATCH":
        return "None" if e is type(None) else type_name(e)
    if kind in ("FUNCTION_MATCH",):
        return function_name(e[0] if isinstance(e, tuple) else e)
    if kind == "DICT_KEYS":
        return f"keys {', '.join(map(value_text, e))}" if e else "no keys"
    if kind == "DICT_CONTAINS":
        return f"{'with' if e[1] else 'without'} key {value_text(e[0])}"
    if kind == "HASATTR":
        return f"{'with' if e[1] else 'without'} attribute {e[0]!r}"
    if kind == "CLASS_ATTRIBUTE":
        return f"{e[1]} is {value_text(e[2])}"
    if kind == "NOT_IN_INSTANCE":
        return f"{e if isinstance(e, str) else e[0]} not set on the object itself"
    if kind == "OBJECT_ALIASING":
        return f"the same object as {e.text}"
    if kind == "NOT_ALIASING":
        return f"another object than {e.text}"
    if kind == "STORAGE_OVERLAP":
        return f"{'shares memory' if e[1] else 'shares no memory'} with {e[0].text}"
    if kind == "SHAPE_ENV":
        return str(e)
    if kind == "FLOAT_NOT_NAN":
        return "not NaN"
    if kind == "PRESENT":
        return "something"
    if kind == "NAMES_UNCHANGED":
        return "; ".join(f"{h.text} not defined" if h.value is ABSENT else h.text for h in e)
    if kind == "GLOBAL_STATE":
        return ", ".join(f"{MODES.get(f, f)} {value_text(getattr(e, f))}" for f in e._fields)
    return value_text(e)


def condition_text(guard: Guard, bindings: dict[str, Origin]) -> str:
    """The whole condition as Python that a person reads: `k == 5`, `type(cfg) is Config`."""
    o = guard.origin.text if guard.origin is not None else ""
    e, kind = guard.expected, guard.kind
    if kind not in DIFFERENCES:
        raise InternalError(f"a guard has the kind {kind!r}, expected one of {', '.join(DIFFERENCES)}")
    if kind == "SHAPE_ENV":
        return e.python({n: bindings[n].text for n in e.free})
    if kind == "TYPE_MATCH":
        return f"type({o}) is {type_name(e)}"
    if kind == "EQUALS_MATCH":
        return f"{o} == {value_text(e)}"
    if kind in ("ID_MATCH", "CONSTANT_MATCH"):
        return f"{o} is {value_text(e)}"
    if kind == "FUNCTION_MATCH":
        return f"{o} runs {function_name(e[0] if isinstance(e, tuple) else e)}"
    if kind == "SEQUENCE_LENGTH":
        return f"len({o}) == {e}"
    if kind == "DICT_CONTAINS":
        return f"{value_text(e[0])} {'in' if e[1] else 'not in'} {o}"
    if kind == "HASATTR":
        return f"{'' if e[1] else 'not '}hasattr({o}, {e[0]!r})"
    if kind == "OBJECT_ALIASING":
        return f"{o} is {e.text}"
    if kind == "NOT_ALIASING":
        return f"{o} is not {e.text}"
    if kind == "SET_CONTENTS":
        return f"{o} == {value_text(set(e))}"
    if kind == "CLASS_ATTRIBUTE":
        return f"{o or type_name(e[0])}.{e[1]} is {value_text(e[2])}"
    if kind == "GLOBAL_STATE":
        return f"the modes are: {expected_text(guard)}"
    if kind == "PRESENT":
        return f"{o} exists"
    if kind == "NAMES_UNCHANGED":
        return f"as they were: {expected_text(guard)}"
    return f"{o}: {expected_text(guard)}"


__all__ = ["ASPECTS", "condition_text", "expected_text", "explain", "holds", "kind_of_reason", "sentence"]
