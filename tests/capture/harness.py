"""Running captured functions without the engine: capture, check by interpreting the graph, compare with plain Python."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any

from guardscope.core.capture.capture import CaptureContext, Captured, SkipFrame, capture
from guardscope.core.capture.unit import Unit, unit_of
from guardscope.core.graph.interpret import Interpreter
from guardscope.core.guards import compile as guard_compiler


class Policy:
    """Sizes: `sizes` dynamic everywhere or not; numbers likewise."""

    def __init__(self, sizes: bool = False, numbers: bool = False, duck: bool = False) -> None:
        self.sizes, self.numbers, self.duck = sizes, numbers, duck

    def size_is_dynamic(self, origin: Any, dim: int, size: int, tensor: Any) -> bool:
        return self.sizes and size > 1

    def int_is_dynamic(self, origin: Any, value: int) -> bool:
        return self.numbers

    def float_is_dynamic(self, origin: Any, value: float) -> bool:
        return self.numbers


@dataclass
class Engine:
    """A cache per code object and nothing else: no limits, no recompile policy. `log` tells what happened."""

    policy: Policy = field(default_factory=Policy)
    artifacts: dict[int, list] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    captured: list[Captured] = field(default_factory=list)
    skipped: list[SkipFrame] = field(default_factory=list)
    keep: list[Any] = field(default_factory=list)

    def run(self, unit: Unit, fn: Any, args: tuple) -> Any:
        known = self.artifacts.setdefault(id(unit.code), [])
        self.keep.append(unit)
        for program, entry in known:
            if program.check(fn, *args) is None:
                self.log.append(f"reuse {unit.name}")
                return entry(fn, *args)
        context = CaptureContext(policy=self.policy, rt=self, strict=True)
        try:
            captured = capture(unit, fn, dict(zip(unit.params, args)), context)
        except SkipFrame as skip:
            self.log.append(f"skip {unit.name}")
            self.skipped.append(skip)
            return self.native(unit, fn, args)
        self.captured.append(captured)
        program = guard_compiler.build(captured.guards, captured.env, list(unit.params), captured.globals_slots)
        assert program.check(fn, *args) is None, program.explain(fn, *args)
        entry = captured.make_entry(Interpreter(captured.graph) if captured.graph.operations else None)
        known.append((program, entry))
        self.log.append(f"{'compile' if len(known) == 1 else 'recompile'} {unit.name}")
        return entry(fn, *args)

    def native(self, unit: Unit, fn: Any, args: tuple) -> Any:
        given = dict(zip(unit.params, args))
        spec = unit.node.args
        positional = [given[a.arg] for a in (*spec.posonlyargs, *spec.args)]
        if spec.vararg is not None:
            positional += list(given[spec.vararg.arg])
        keywords = {a.arg: given[a.arg] for a in spec.kwonlyargs}
        if spec.kwarg is not None:
            keywords.update(given[spec.kwarg.arg])
        return fn(*positional, **keywords)

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    def resume(self, unit: Unit, fn: Any) -> Any:
        return lambda *values: self.run(unit, fn, values)

    def __call__(self, fn: types.FunctionType, *args: Any, **kwargs: Any) -> Any:
        """Call `fn` compiled."""
        import inspect

        unit = unit_of(fn)
        assert isinstance(unit, Unit), unit
        bound = inspect.signature(fn).bind(*args, **kwargs)
        bound.apply_defaults()
        return self.run(unit, fn, tuple(bound.arguments[p] for p in unit.params))


def plain(value: Any) -> Any:
    """Results as comparable data."""
    from guardscope.core.tensor.tensor import Tensor

    if isinstance(value, Tensor):
        return ("tensor", value.dtype.name, tuple(value.shape), value._meta.requires_grad, value._array.tolist())
    if isinstance(value, tuple | list):
        return (type(value).__name__, [plain(v) for v in value])
    if isinstance(value, dict):
        return (type(value).__name__, [(k, plain(v)) for k, v in value.items()])
    if hasattr(value, "__dict__") and not isinstance(value, type | types.FunctionType):
        return (type(value).__name__, plain(vars(value)))
    return value
