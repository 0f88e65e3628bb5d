"""The state of one capture: graph, guards, symbols, what was read, and what the script changed.

The rules for statements, expressions, calls and attributes live in modules of those names; they all take the evaluator
as their first argument. Guards are recorded here, at the moment something is read.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

from ..graph.fake import FakeTensor, NeedsData, Tracer
from ..graph.node import Graph, Span
from ..guards.guard import Guard, Held
from ..guards.origin import AttrOrigin, BuiltinOrigin, FunctionOrigin, GlobalOrigin, Origin, PinnedOrigin
from ..symbolic.shape_env import ShapeEnv
from ..symbolic.symint import Symbolic, SymBool
from ..tensor.state import STATE
from .context import CaptureContext
from .frames import Frame, Globals
from .relied import settle_enum
from .signals import Break, SkipFrame, UserRaise
from .values import NONE, Const, ExceptionValue, Lazy, TensorValue, Value, Variable


class Evaluator:
    """One attempt to capture one call of one unit. `broken`: points of the function at which the graph must end."""

    def __init__(self, unit: Any, function: types.FunctionType, context: CaptureContext,
                 broken: frozenset[tuple[int, str]] = frozenset()) -> None:
        self.unit, self.function, self.context, self.broken = unit, function, context, broken
        self.graph = Graph(unit.name if unit.name.isidentifier() else "graph")
        self.tracer = Tracer(self.graph)
        self.env = ShapeEnv(duck=context.policy.duck)
        self.env.span = self.span
        self.mode = STATE.mode
        self.guards: dict[Any, Guard] = {}
        self.names: dict[tuple[int, str], Held] = {}      # names relied on without an origin: see relied.py
        self.reads: dict[str, str] = {}
        self.lazies: dict[Origin, Lazy] = {}
        self.named: set[Origin | None] = set()     # closure variables whose name was evaluated
        self.objects: dict[int, Value] = {}        # id of a real object -> the value that stands for it
        self.namespaces: dict[int, Value] = {}     # id of the __dict__ of an existing object -> the object's value
        self.containers: dict[int, dict[str, Value]] = {}    # id of a container of modules made here -> its members
        self.keep: list[Any] = []                  # keeps those objects alive, so that ids stay theirs
        self.tensors: dict[int, TensorValue] = {}  # id of a fake tensor -> its value
        self.inputs: list[tuple[Any, Any]] = []    # (input node, real tensor or number)
        self.input_tensors: dict[Origin, Any] = {}
        self.cells: dict[int, Variable] = {}
        self.slots: dict[str, Any] = {}
        self.globals: dict[int, Globals] = {}
        self.pinned: dict[int, PinnedOrigin] = {}
        self.mutated: dict[int, Value] = {}        # values of existing objects that the script changed, in order
        self.written: list[Variable] = []          # existing cells that were stored to
        self.overlaps: list[TensorValue] = []      # input tensors written in place
        self.frame: Frame | None = None
        self.main: Frame | None = None
        self.contexts: list[Any] = []              # native context managers entered and not yet left
        self.generators: list[Any] = []
        self.class_stores: dict[type, dict[str, Value]] = {}
        self.mode_changed = False
        self.captured: set[str] = set()            # locals of the compiled function that functions made in it share
        self.kinds: dict[str, str] = {}
        self.handling: list[Value] = []            # exceptions being handled, innermost last
        self.data_stores: dict[int, tuple[TensorValue, TensorValue]] = {}   # `tensor.data = other` of existing tensors
        self.constants: set[Origin] = set()        # pinned objects of which nothing is guarded: see cached_calls.py
        self.cached: list[TensorValue] = []        # tensors that functools.lru_cache would keep
        self.data: dict[str, TensorValue] = {}     # symbol of a number read out of a tensor -> the value of its node
        self.continuations: list[str] = []         # the text of what follows a break
        self.born: dict[int, ast.expr] = {}        # id of a value -> the call in the compiled function that made it

    # -- places -------------------------------------------------------------------------------------------------------
    def span(self) -> Span | None:
        """Where the evaluator stands: in the innermost function that is the user's own."""
        frame = self.frame
        while frame is not None and not frame.is_user and frame.caller is not None:
            frame = frame.caller
        return frame.span() if frame is not None else None

    # -- guards -------------------------------------------------------------------------------------------------------
    def guard(self, kind: str, origin: Origin | None, expected: Any, why: str = "") -> None:
        """Record a condition, once."""
        if self.constants and origin is not None and origin.root in self.constants:
            return
        try:
            key = (kind, origin, type(expected), expected)
            known = key in self.guards
        except TypeError:
            key = (kind, origin, type(expected), id(expected))
            self.keep.append(expected)
            known = key in self.guards
        if not known:
            self.guards[key] = Guard(kind, origin, expected, self.span(), why)
            if origin is not None:
                self.reads.setdefault(origin.text, "checked")

    def constant(self, text: str, why: str) -> None:
        self.reads.setdefault(text, f"constant: {why}")

    # -- existing objects ---------------------------------------------------------------------------------------------
    def existing(self, origin: Origin, real: Any, fixed: bool = False) -> Lazy:
        """The value at `origin`, not looked at yet. The same origin gives the same value."""
        found = self.lazies.get(origin)
        if found is None or found.real is not real:
            found = self.lazies[origin] = Lazy(origin, real, fixed)
            self.keep.append(real)
        return found

    def force(self, value: Value) -> Value:
        """The value itself: a lazy one is read now, with its guards."""
        if type(value) is not Lazy:
            return value
        if value.known is None:
            from .reading import read

            assert value.origin is not None
            value.known = read(self, value.origin, value.real, value.fixed)
        return value.known

    def pin(self, obj: Any, name: str = "") -> PinnedOrigin:
        """An origin for an object that an earlier guard has identified."""
        found = self.pinned.get(id(obj))
        if found is None:
            name = name or getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None) or type(obj).__name__
            word = "".join(c if c.isalnum() else "_" for c in name.rsplit(".", 1)[-1]) or "object"
            slot = f"__{word}"
            number = 1
            while slot in self.slots:
                number += 1
                slot = f"__{word}_{number}"
            self.slots[slot] = obj
            self.keep.append(obj)
            found = self.pinned[id(obj)] = PinnedOrigin(slot, name, obj)
        return found

    def real_at(self, origin: Origin) -> Any:
        """The real object that was read at an origin (None if nothing was)."""
        found = self.lazies.get(origin)
        return found.real if found is not None else None

    # -- names --------------------------------------------------------------------------------------------------------
    def globals_of(self, function_globals: dict[str, Any]) -> Globals:
        found = self.globals.get(id(function_globals))
        if found is None:
            first = not self.globals
            slot = "__G" if first else f"__G_{len(self.globals)}"
            name = "" if first else str(function_globals.get("__name__", ""))
            found = self.globals[id(function_globals)] = Globals(slot, function_globals, name)
            self.slots[slot] = function_globals
        return found

    def load_global(self, scope: Globals, name: str) -> Value:
        if name in scope.stored:
            stored = scope.stored[name]
            if stored is not None:
                return stored
        elif name in scope.real:
            return self.existing(GlobalOrigin(name, scope.name, scope.slot), scope.real[name], fixed=True)
        namespace = scope.real.get("__builtins__", builtins)
        table = namespace if isinstance(namespace, dict) else vars(namespace)
        if name not in scope.real:
            where = AttrOrigin(FunctionOrigin(), "__globals__") if scope.slot == "__G" else \
                self.pin(scope.real, f"{scope.name}.__dict__")
            self.guard("DICT_CONTAINS", where, (name, False), f"{name} is not a global name")
        if name in table:
            self.guard("ID_MATCH", BuiltinOrigin(name), table[name], f"{name} is Python's own")
            return self.builtin(name, table[name])
        self.raise_error(NameError, f"name '{name}' is not defined")
        raise AssertionError

    def builtin(self, name: str, real: Any) -> Value:
        origin = BuiltinOrigin(name)
        self.constant(name, "built into Python")
        if name == "__debug__":
            return Const(real)
        from .reading import of_constant

        return of_constant(self, real, origin)

    # -- errors of the script's ---------------------------------------------------------------------------------------
    def raise_error(self, cls: type, *args: Any) -> None:
        """Raise an exception in the script."""
        raise UserRaise(ExceptionValue(cls, [Const(a) if not isinstance(a, Value) else a for a in args]))

    def native(self, work: Any, *args: Any, **kwargs: Any) -> Any:
        """Run plain Python on constants: its exceptions are the script's."""
        for a in (*args, *kwargs.values()):
            settle_enum(self, a)
        try:
            return work(*args, **kwargs)
        except (UserRaise, Break, SkipFrame):
            raise
        except NeedsData as needs:
            raise (Break("data-item", what=needs.what) if needs.what else Break("data-branch")) from None
        except RecursionError:
            raise
        except Exception as problem:
            # What symbolic numbers cannot do, or say in their own words, plain ones may: the error has to be theirs.
            if any(isinstance(a, Symbolic) for a in (*args, *kwargs.values())):
                return self.native(work, *map(self.settled_number, args),
                                   **{k: self.settled_number(v) for k, v in kwargs.items()})
            raise UserRaise(self.lift_exception(problem)) from None

    def settled_number(self, value: Any) -> Any:
        """A symbolic number as the plain one it is now, which becomes a condition; anything else as it is."""
        if not isinstance(value, Symbolic):
            return value
        return bool(value) if isinstance(value, SymBool) else self.env.specialise(value.expr, "an operation on it")

    def lift_exception(self, problem: BaseException) -> ExceptionValue:
        plain = (int, float, str, bytes, bool, type(None))
        return ExceptionValue(type(problem), [Const(a if isinstance(a, plain) else str(a)) for a in problem.args])

    # -- tensors ------------------------------------------------------------------------------------------------------
    def of_fake(self, fake: FakeTensor) -> TensorValue:
        """The value of a fake tensor; the same one for the same tensor, so that identity in the script holds."""
        found = self.tensors.get(id(fake))
        if found is None:
            found = self.tensors[id(fake)] = TensorValue(fake)
            self.keep.append(fake)
        return found

    # -- what the script changed --------------------------------------------------------------------------------------
    def changed(self, value: Value) -> None:
        """Note that an existing object was changed."""
        if value.origin is not None and id(value) not in self.mutated:
            self.mutated[id(value)] = value

    def name_node(self, value: Value, name: str) -> None:
        """Give the node of a freshly computed tensor the name it is assigned to in the script."""
        if type(value) is not TensorValue or self.frame is None or not self.frame.is_user:
            return
        node = value.node
        if node.kind in ("op", "item") and not getattr(node, "value", None) and name.isidentifier():
            node.value = "named"
            if node.name != name:
                node.name = self.graph.unique(name)

    def tracer_mode(self) -> Any:
        """The global modes as the script has switched them so far."""
        return STATE.mode

    def close(self) -> None:
        """Undo what tracing switched: modes, generators still suspended."""
        for generator in self.generators:
            generator.stop()
        STATE.mode = self.mode


def position(node: ast.AST) -> str:
    return f"line {getattr(node, 'lineno', '?')}"


__all__ = ["NONE", "Evaluator"]
