"""Guards written as Python: one commented `if ...: return index` each, every value fetched once.

Names that the generated code adds start with a prefix that no parameter has, so a script may call its parameters what
it likes (`len`, `type`, `__v0`).
"""

from __future__ import annotations

import builtins
import contextlib
import itertools
import math
import re
import types
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..symbolic.text import MATH
from ..tensor.meta import NO_MARKS
from ..tensor.state import STATE
from . import facts
from .explain import class_start, condition_text
from .guard import ABSENT, Guard, TensorExpectation
from .order import other_origins, prefixes, rank
from .origin import (
    ArgOrigin,
    AttrOrigin,
    BuiltinOrigin,
    CellOrigin,
    DictKeyOrigin,
    FunctionOrigin,
    GlobalOrigin,
    InstanceDictOrigin,
    ItemOrigin,
    Origin,
    PinnedOrigin,
    SizeOrigin,
    TypeOrigin,
)
from .read import HELPERS, foreign_code

FUNCTIONS = {"math": MATH, "max": max, "min": min, "abs": abs, "round": round, "int": int, "float": float}
PLAIN = (int, str, bool, bytes, type(None))       # constants that are written out; others get a name


class Writer:
    """Lines of one function at a time; the namespace is shared by all functions of a program."""

    def __init__(self, params: list[str], guards: list[Guard], bindings: dict[str, Origin],
                 slots: dict[str, dict]) -> None:
        self.prefix = "__"
        while any(p.startswith(self.prefix) for p in params):
            self.prefix += "_"
        self.bindings, self.slots = bindings, slots
        self.namespace: dict[str, Any] = {}
        self.types = {g.origin: g.expected for g in guards if g.kind == "TYPE_MATCH" and g.expected is not type}
        self.types |= {g.origin: g.expected for g in guards if g.kind == "ID_MATCH" and isinstance(g.expected, type)}
        self._names: dict[tuple, str] = {}
        self._uses = Counter((g.origin, s) for g in guards if g.kind == "NOT_IN_INSTANCE"
                             for s in (("__dict__",) if isinstance(g.expected, str) else g.expected[1]))
        reached = {o for g in guards for start in (g.origin, *other_origins(g)) if start is not None
                   for o in (start, *prefixes(start))}
        self._uses.update((o.of, o.slot) for o in reached if isinstance(o, InstanceDictOrigin))
        self._namespaces: dict[type, Any] = {}

    # -- lines --------------------------------------------------------------------------------------------------------
    def begin(self, name: str, call: str) -> None:
        self._lines = [f"def {name}({call}):"]
        self._indent = "    "
        self._values: dict[Origin, str] = {}
        self._metas: dict[Origin, str] = {}
        self._stores: dict[tuple[Origin, str], str] = {}
        self._sizes: dict[Origin, str] = {}               # SizeOrigin -> local
        self._temporaries = 0

    def line(self, text: str) -> None:
        self._lines.append(self._indent + text)

    @contextlib.contextmanager
    def indented(self) -> Iterator[None]:
        self._indent += "    "
        yield
        self._indent = self._indent[:-4]

    def text(self) -> str:
        return "\n".join(self._lines)

    # -- names --------------------------------------------------------------------------------------------------------
    def constant(self, stem: str, value: Any) -> str:
        """The name of a constant in the namespace; the same object keeps its name."""
        key = (stem, id(value))
        name = self._names.get(key)
        if name is None:
            name = f"{self.prefix}{stem}"
            name = next(n for n in itertools.chain([name], (f"{name}_{k}" for k in itertools.count(1)))
                        if n not in self.namespace)
            self._names[key] = name
            self.namespace[name] = value                   # keeps it alive, so its id stays its own
        return name

    def namespace_of(self, cls: type) -> str:
        """The name of the class's namespace: one view object for good (`cls.__dict__` makes a new view each time)."""
        view = self._namespaces.setdefault(cls, cls.__dict__)
        return self.constant("dict_of_" + _clean(cls.__name__), view)

    def helper(self, function: Callable[..., Any]) -> str:
        return self.constant(function.__name__, function)

    def literal(self, value: Any) -> str:
        return repr(value) if type(value) in PLAIN else self.constant(_stem(value), value)

    def temporary(self, value: str) -> str:
        name = f"{self.prefix}v{self._temporaries}"
        self._temporaries += 1
        self.line(f"{name} = {value}")
        return name

    # -- fetching -----------------------------------------------------------------------------------------------------
    def fetch(self, o: Origin) -> str:
        """The local that holds what `o` names; emits the fetch the first time."""
        if isinstance(o, ArgOrigin):
            return o.name
        if isinstance(o, FunctionOrigin):
            return "__fn"
        if isinstance(o, SizeOrigin):
            return self._size(o)
        if isinstance(o, PinnedOrigin):
            return self.constant(_stem(o.obj), o.obj)
        found = self._values.get(o)
        if found is None:
            found = self._values[o] = self.temporary(self._code(o))
        return found

    def _code(self, o: Origin) -> str:
        if isinstance(o, GlobalOrigin):
            return f"{self._slot(o.slot)}[{o.name!r}]"
        if isinstance(o, BuiltinOrigin):
            return f"{self.constant('builtins', builtins.__dict__)}[{o.name!r}]"
        base = self.fetch(o.base) if o.base is not None else ""
        if isinstance(o, CellOrigin):
            return f"{base}.__closure__[{o.index}].cell_contents"
        if isinstance(o, AttrOrigin) and o.name.isidentifier():
            return f"{base}.{o.name}"
        if isinstance(o, InstanceDictOrigin):
            return f"{self.store(o.of, o.slot)}[{o.name!r}]"
        if isinstance(o, ItemOrigin):
            return f"{base}[{self.literal(o.key)}]"
        if isinstance(o, DictKeyOrigin):
            return f"{self.constant('list', list)}({base})[{o.index}]"
        if isinstance(o, TypeOrigin):
            return f"{self.constant('type', type)}({base})"
        parts: dict[str, str] = {}                         # stand-in -> local, so that a parameter may be called `list`

        def stand_in(part: Origin) -> str:
            name = f"__part{len(parts)}__"
            parts[name] = self.fetch(part)
            return name

        def local(m: re.Match) -> str:
            name = m[0]
            return parts.get(name) or (self._slot(name) if name in (*self.slots, *HELPERS, "__G") else name)

        return re.sub(r"(?<![\w.'\"])[A-Za-z_]\w*", local, foreign_code(o, stand_in))

    def _slot(self, name: str) -> str:
        """The globals dict or pinned object of that name. `__G` is the running function's own."""
        if name == "__G" or (name not in self.slots and name not in HELPERS):
            return "__fn.__globals__"
        return self.constant(f"slot{name}", self.slots[name] if name in self.slots else HELPERS[name])

    def meta(self, o: Origin) -> str:
        found = self._metas.get(o)
        if found is None:
            found = self._metas[o] = self.temporary(f"{self.fetch(o)}._meta")
        return found

    def store(self, o: Origin, slot: str) -> str:
        """The local that holds `o.__dict__`, `o._modules`, ...; fetched once where it is used more than once."""
        base = self.fetch(o)
        if self._uses.get((o, slot), 0) < 2:
            return f"{base}.{slot}"
        found = self._stores.get((o, slot))
        if found is None:
            found = self._stores[o, slot] = self.temporary(f"{base}.{slot}")
        return found

    def _size(self, o: SizeOrigin) -> str:
        if o not in self._sizes:                           # Size.__getitem__ is Python code: go around it
            m = self.meta(o.of)
            row = f"{self.constant('item', tuple.__getitem__)}({m}.shape, {o.dim})" if o.kind == "size" \
                else f"{m}.strides[{o.dim}]"
            self._sizes[o] = self.temporary(row)
        return self._sizes[o]

    # -- guards -------------------------------------------------------------------------------------------------------
    def guard(self, index: int, g: Guard) -> None:
        place = f"  {Path(g.span.file).name}:{g.span.line}" if g.span is not None else ""
        why = f": {' '.join(g.why.split())}" if g.why else ""
        said = " ".join(condition_text(g, self.bindings).split())
        self.line(f"# {index}  {g.kind}  {said if len(said) < 160 else said[:157] + '...'}{place}{why}")
        if g.kind == "TENSOR_MATCH":
            self._tensor(index, g)
            return
        if g.kind == "PRESENT":
            assert g.origin is not None
            self.fetch(g.origin)                           # raises when it is gone
            return
        if g.kind == "NAMES_UNCHANGED":
            self._names_unchanged(index, g)
            return
        self.line(f"if {self.failing(g)}: return {index}")

    def failing(self, g: Guard) -> str:
        """The condition under which the guard fails; emits the fetches that it needs."""
        kind, e = g.kind, g.expected
        if kind == "GLOBAL_STATE":
            return f"{self.constant('STATE', STATE)}.mode is not {self.constant('MODE', e)}"
        if kind == "SHAPE_ENV":
            names = {n: self.fetch(self.bindings[n]) for n in sorted(e.free)}
            text = e.python(names)
            for used, value in FUNCTIONS.items():
                if f"{used}(" in text or f"{used}." in text:
                    text = re.sub(rf"(?<![\w.]){used}(?=[(.])", self.constant(used, value), text)
            return f"not ({text})"
        if kind == "CLASS_ATTRIBUTE":
            return self._class_attribute(g)
        assert g.origin is not None
        v = self.fetch(g.origin)
        if kind == "TYPE_MATCH":
            return f"{self.constant('type', type)}({v}) is not {self.constant(_stem(e), e)}"
        if kind == "CONSTANT_MATCH":
            return f"{v} is not {e!r}" if e is None or type(e) is bool else f"{v} is not {self.constant(_stem(e), e)}"
        if kind == "ID_MATCH":
            return f"{v} is not {self.constant(_stem(e), e)}"
        if kind == "EQUALS_MATCH":
            return self._differs(v, e)
        if kind == "FUNCTION_MATCH":
            code, names = e if isinstance(e, tuple) else (e, None)
            test = f"{v}.__code__ is not {self.constant('code_' + _clean(code.co_name), code)}"
            return test if names is None else f"{test} or {v}.__globals__ is not {self.constant('globals', names)}"
        if kind == "SEQUENCE_LENGTH":
            return f"{self.constant('len', len)}({v}) != {e!r}"
        if kind == "DICT_KEYS":
            if not e:
                return f"{self.constant('len', len)}({v}) != 0"
            return f"not {self.helper(facts.same_keys)}({v}, {self.constant('keys', e)})"
        if kind == "DICT_CONTAINS":
            return f"{self.literal(e[0])} {'not in' if e[1] else 'in'} {v}"
        if kind == "HASATTR":
            return f"{'not ' if e[1] else ''}{self.constant('hasattr', hasattr)}({v}, {e[0]!r})"
        if kind == "NOT_IN_INSTANCE":
            name, stores = (e, ("__dict__",)) if isinstance(e, str) else e
            return " or ".join(f"{name!r} in {self.store(g.origin, s)}" for s in stores)
        if kind in ("OBJECT_ALIASING", "NOT_ALIASING"):
            return f"{v} {'is not' if kind == 'OBJECT_ALIASING' else 'is'} {self.fetch(e)}"
        if kind == "STORAGE_OVERLAP":
            return f"{self.helper(facts.share_memory)}({v}, {self.fetch(e[0])}) is not {e[1]}"
        if kind == "FLOAT_NOT_NAN":
            return f"{v} != {v}"
        return f"not {self.helper(facts.same_members)}({v}, {self.constant('members', e)})"     # SET_CONTENTS

    def _differs(self, v: str, e: Any) -> str:
        kind = f"{self.constant('type', type)}({v}) is not"
        if e is None or type(e) is bool:
            return f"{v} is not {e!r}"
        if type(e) in (int, str, bytes):
            return f"{kind} {self.constant(type(e).__name__, type(e))} or {v} != {e!r}"
        if type(e) is float:
            text = f"{kind} {self.constant('float', float)} or "
            if math.isnan(e):
                return f"{text}{v} == {v}"
            if e == 0:
                return f"{text}{v} != 0.0 or {self.constant('copysign', math.copysign)}(1.0, {v}) != " \
                       f"{math.copysign(1.0, e)}"
            return f"{text}{v} != {self.literal(e) if math.isinf(e) else repr(e)}"
        name = self.constant(_stem(e), e)
        return f"{v} is not {name} and not {self.helper(facts.same)}({v}, {name})"

    def _class_attribute(self, g: Guard) -> str:
        cls, name, value = class_start(g, self.types)
        held = self.constant("found_" + _clean(name), value)
        known = g.origin is None or g.origin in self.types
        if not known:
            return f"{self.helper(_find)}({self.fetch(g.origin)}, {name!r}) is not {held}"      # type: ignore[arg-type]
        before, owner = facts.class_lookup(cls, name)
        if owner is None:
            return "True"
        own = self.namespace_of(owner)
        tests = [f"{name!r} in {self.namespace_of(k)}" for k in before]
        mro = self.constant("mro_of_" + cls.__name__, cls.__mro__)
        return " or ".join([*tests, f"{own}.get({name!r}) is not {held}",
                            f"{self.constant(_stem(cls), cls)}.__mro__ is not {mro}"])

    def _names_unchanged(self, index: int, g: Guard) -> None:
        """One test per name, several to a line. A name that is gone raises KeyError, which counts as a failure."""
        tests = []
        for held in g.expected:
            if isinstance(held.namespace, type):
                where = self.constant(_stem(held.namespace), held.namespace)
                tests.append(f"{where}.__mro__ is not {self.constant('mro_of_' + _clean(held.namespace.__name__), held.value)}")
                continue
            where = self.constant("dict_of_" + _clean(held.text.rpartition(".")[0]), held.namespace)
            tests.append(f"{held.name!r} in {where}" if held.value is ABSENT else
                         f"{where}[{held.name!r}] is not {self.constant('held_' + _clean(held.name), held.value)}")
        for start in range(0, len(tests), 4):
            self.line(f"if {' or '.join(tests[start:start + 4])}: return {index}")

    def _tensor(self, index: int, g: Guard) -> None:
        e: TensorExpectation = g.expected
        assert g.origin is not None
        if rank(g) == 1:
            metas = facts.accepted_metas(e)
            if metas is not None:
                v = self.fetch(g.origin)
                m = self._metas.get(g.origin, f"{v}._meta")
                test = f"{m} is not {self.constant('meta', next(iter(metas)))}" if len(metas) == 1 else \
                    f"{m} not in {self.constant('metas', metas)}"
                self.line(f"if {test}: return {index}")
                return
        m = self.meta(g.origin)
        c = self.constant
        tests = [f"{m}.cls is not {c(_stem(e.cls), e.cls)}", f"{m}.dtype is not {c(e.dtype.name, e.dtype)}",
                 f"{m}.device is not {c('device', e.device)}",
                 f"{'not ' if e.requires_grad else ''}{m}.requires_grad", f"{m}.ndim != {len(e.sizes)}",
                 f"{m}.marks is not {c('NO_MARKS', NO_MARKS)} and not "
                 f"{self.helper(facts.marks_allowed)}({m}.marks, {c('marks', e.marks or NO_MARKS)})"]
        self.line(f"if {' or '.join(tests)}: return {index}")
        symbolic = {o for o in self.bindings.values() if isinstance(o, SizeOrigin) and o.of == g.origin}
        self._row(index, m, "shape", e.sizes, g.origin, "size", symbolic)
        self._row(index, m, "strides", e.strides, g.origin, "stride", symbolic)

    def _row(self, index: int, m: str, field: str, wanted: tuple, origin: Origin, kind: str, symbolic: set) -> None:
        """Unpack sizes or strides once: static ones are compared here, symbolic ones are kept for the relations."""
        fixed = [(d, n) for d, n in enumerate(wanted) if isinstance(n, int)]
        if not fixed and not any(o.kind == kind for o in symbolic):
            return
        names = [f"{self.prefix}v{self._temporaries + d}" for d in range(len(wanted))]
        self._temporaries += len(wanted)
        if not names:
            return
        self.line(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {m}.{field}")
        for d, name in enumerate(names):
            self._sizes[SizeOrigin(origin, d, kind)] = name
        if fixed:
            self.line(f"if {' or '.join(f'{names[d]} != {n}' for d, n in fixed)}: return {index}")


def _find(v: Any, name: str) -> Any:
    cls = v if isinstance(v, type) else type(v)
    owner = facts.class_lookup(cls, name)[1]
    return owner.__dict__[name] if owner is not None else _find


def _clean(name: str) -> str:
    return "".join(ch if ch.isalnum() or ch == "_" else "_" for ch in name)


def _stem(value: Any) -> str:
    """A telling name for a constant: the class's own name for a class, else that of its type."""
    if isinstance(value, type):
        return "type_" + _clean(value.__name__)
    if isinstance(value, types.ModuleType):
        return "module_" + _clean(value.__name__)
    named = isinstance(value, types.FunctionType | types.BuiltinFunctionType)
    return "the_" + _clean((value if named else type(value)).__name__)


__all__ = ["Writer"]
