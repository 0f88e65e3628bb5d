"""Values that can be called or run: functions, methods, classes, partials, iterators and the recipes to make them again."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..guards.origin import Origin
from .values import NONE, Value


class FunctionValue(Value):
    """A Python function: an existing one (`real`), or one made by a `def` or `lambda` that was traced (`node`, `scope`)."""

    __slots__ = ("real", "node", "unit", "scope", "defaults", "kwdefaults", "name", "globals", "attributes", "qualname")

    def __init__(self, origin: Origin | None = None, real: types.FunctionType | None = None) -> None:
        super().__init__(origin)
        self.real = real
        self.node: Any = None
        self.unit: Any = None
        self.scope: Any = None
        self.defaults: list[Value] = []
        self.kwdefaults: dict[str, Value] = {}
        self.name = real.__name__ if real is not None else ""
        self.qualname = real.__qualname__ if real is not None else ""
        self.globals: Any = None
        self.attributes: dict[str, Value] = {}

    @property
    def type(self) -> type:
        return types.FunctionType


class MethodValue(Value):
    """A bound method: `function` called with `receiver` first."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Value, receiver: Value, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.function, self.receiver = function, receiver

    @property
    def type(self) -> type:
        return types.MethodType


class BuiltinMethodValue(Value):
    """`receiver.name` where the method is written in C or belongs to the tensor API: list.append, str.join, Tensor.sum."""

    __slots__ = ("receiver", "name")

    def __init__(self, receiver: Value, name: str) -> None:
        super().__init__(None)
        self.receiver, self.name = receiver, name

    @property
    def type(self) -> type:
        return types.BuiltinMethodType


class BuiltinValue(Value):
    """A callable written in C, or a function of the tensor API: called natively or by a rule of builtins.py."""

    __slots__ = ("real",)

    def __init__(self, real: Any, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.real = real

    @property
    def type(self) -> type:
        return type(self.real)


class PartialValue(Value):
    __slots__ = ("function", "args", "kwargs")

    def __init__(self, function: Value, args: list[Value], kwargs: dict[str, Value], origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.function, self.args, self.kwargs = function, args, kwargs

    @property
    def type(self) -> type:
        import functools

        return functools.partial


class SuperValue(Value):
    """`super(after, receiver)`: attributes are looked up in the receiver's MRO after `after`."""

    __slots__ = ("after", "receiver")

    def __init__(self, after: type, receiver: Value) -> None:
        super().__init__(None)
        self.after, self.receiver = after, receiver

    @property
    def type(self) -> type:
        return super


class IteratorValue(Value):
    """An iterator made while tracing. `step()` gives the next value or None at the end; `kind` is the class it stands for.
    `returned` is the value of a generator's `return`. `recipe`: how to make it again before its first step."""

    __slots__ = ("advance", "kind", "returned", "finished", "begun", "recipe", "close", "send", "throw")

    def __init__(self, step: Callable[[], Value | None], kind: type = types.GeneratorType) -> None:
        super().__init__(None)
        self.advance, self.kind = step, kind
        self.begun = False
        self.recipe: Any = None
        self.returned: Value = NONE
        self.finished = False
        self.close: Callable[[], None] | None = None
        self.send: Callable[[Value], Value | None] | None = None
        self.throw: Callable[[BaseException], Value | None] | None = None

    def step(self) -> Value | None:
        self.begun = True
        return self.advance()

    @property
    def type(self) -> type:
        return self.kind


class GeneratorCall:
    """Recipe of a generator: the call of a generator function."""

    __slots__ = ("args", "function", "kwargs")

    def __init__(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs

    def values(self) -> list[Value]:
        return [self.function, *self.args, *self.kwargs.values()]


class GeneratorExpression:
    """Recipe of a generator: the expression, the frame it stands in, its first iterable."""

    __slots__ = ("frame", "node", "source")

    def __init__(self, node: Any, frame: Any, source: Value) -> None:
        self.node, self.frame, self.source = node, frame, source

    def values(self) -> list[Value]:
        held = [self.frame.lookup(n) for n in self.names()]
        return [self.source, *(v.value for v in held if v.cell is None and v.value is not None)]

    def names(self) -> set[str]:
        """Variables of the functions around it that it mentions."""
        import ast

        return {n.id for n in ast.walk(self.node) if isinstance(n, ast.Name) and self.frame.lookup(n.id) is not None}


