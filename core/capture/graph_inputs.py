"""Numbers and tensors that are read: constants with a guard, or inputs of the graph."""

from __future__ import annotations

import keyword
from typing import Any

from ..graph.fake import fake
from ..guards.guard import TensorExpectation
from ..guards.origin import ArgOrigin, ItemOrigin, Origin, SizeOrigin
from ..symbolic.expr import const
from ..symbolic.relations import le
from ..symbolic.shape_env import stride_expressions
from ..tensor.meta import Size, Spec
from ..tensor.tensor import Tensor
from .evaluator import Evaluator
from .values import Const, TensorValue, Value


# -- numbers ----
def read_int(ev: Evaluator, origin: Origin, real: int, fixed: bool) -> Value:
    if not fixed and abs(real) < 2**62 and (ev.context.policy.int_is_dynamic(origin, real) or varies(ev, origin)):
        return symbol_input(ev, origin, real, "int")
    ev.guard("EQUALS_MATCH", origin, real, "its value is used")
    return Const(real, origin)


def varies(ev: Evaluator, origin: Origin) -> bool:
    """Whether a number comes from the item of a loop that the graph breaks in: the next pass has another one."""
    name, held = ev.unit.varying if getattr(ev.context.policy, "items_vary", False) else "", origin
    while name and isinstance(held, ItemOrigin):
        held = held.of
    return bool(name) and isinstance(held, ArgOrigin) and held.name == name


def read_float(ev: Evaluator, origin: Origin, real: float) -> Value:
    if ev.context.policy.float_is_dynamic(origin, real):
        ev.guard("FLOAT_NOT_NAN", origin, None, "a symbolic float")
        return symbol_input(ev, origin, real, "float")
    ev.guard("EQUALS_MATCH", origin, real, "its value is used")
    return Const(real, origin)


def symbol_input(ev: Evaluator, origin: Origin, real: Any, kind: str) -> Value:
    """A number that becomes a scalar input of the graph."""
    ev.guard("TYPE_MATCH", origin, type(real), "a symbolic number")
    symbol = ev.env.new_symbol(origin, real, kind)
    name = str(symbol.expr)
    if name not in ev.graph.symbols:
        node = ev.graph.add("input", input_name(origin), spec=symbol, origin=origin)
        ev.graph.symbols[name] = ("value", node)
        ev.inputs.append((node, real))
    ev.reads[origin.text] = "input"
    return Const(symbol, origin)


def input_name(origin: Origin) -> str:
    """A name for a graph input that a reader recognises: `x`, `weight`, `xs_0`."""
    text = origin.text
    for prefix in ("self.",):
        text = text.removeprefix(prefix)
    word = "".join(c if c.isalnum() else "_" for c in text).strip("_")
    while "__" in word:
        word = word.replace("__", "_")
    return word if word.isidentifier() and not keyword.iskeyword(word) else f"input_{word}"


# -- tensors ----
def read_tensor(ev: Evaluator, origin: Origin, real: Tensor) -> Value:
    """A tensor becomes a graph input; its metadata is guarded, except the sizes and strides that become symbols."""
    meta = real._meta
    policy = ev.context.policy
    fixed = is_parameter(real) or origin_in_module(ev, origin)
    shape: list[Any] = []
    for dim, size in enumerate(meta.shape):
        if not fixed and size != 0 and policy.size_is_dynamic(origin, dim, size, real):
            shape.append(ev.env.new_symbol(SizeOrigin(origin, dim), size, "unbacked" if dim in meta.marks.unbacked else "size"))
        else:
            shape.append(size)
    for dim, low, high in meta.marks.ranges:
        keep_in_range(ev, shape[dim], low, high)
    symbolic = any(not isinstance(n, int) for n in shape)
    strides: tuple = tuple(meta.strides)
    varying = stride_changes(ev, origin, real) if not fixed else ()
    if symbolic or varying:
        strides = stride_expressions(shape, strides, ev.env, origin, varying)
    ev.guard("TENSOR_MATCH", origin, TensorExpectation(
        meta.cls, meta.dtype, meta.device, meta.requires_grad, tuple(n if isinstance(n, int) else None for n in shape),
        tuple(n if isinstance(n, int) else None for n in strides), meta.marks), "a tensor of this kind")
    spec = Spec(meta.dtype, Size(shape), strides, meta.device, meta.requires_grad, meta.cls)
    spec.marks = meta.marks
    node = ev.graph.add("input", input_name(origin), spec=spec, origin=origin)
    for kind, items in (("size", shape), ("stride", strides)):
        for dim, n in enumerate(items):
            if not isinstance(n, int):
                symbol = ev.env.new_symbol(SizeOrigin(origin, dim, kind), 0) if kind == "size" else n
                name = str(symbol.expr)
                if symbol.expr.op == "sym" and name not in ev.graph.symbols:
                    ev.graph.symbols[name] = (kind, node, dim)
    made = fake(node, spec)
    value = ev.tensors[id(made)] = TensorValue(made, origin, real)
    ev.inputs.append((node, real))
    ev.input_tensors[origin] = real
    ev.reads[origin.text] = "input"
    return value


FROM_MARK = "mark_dynamic gave this range"


def keep_in_range(ev: Evaluator, size: Any, low: int | None, high: int | None) -> None:
    """mark_dynamic(min=, max=): the artifact is for sizes in this range only."""
    if not isinstance(size, int) and (low or 0) <= size.hint and (high is None or size.hint <= high):
        ev.env.assume(le(const(low or 0), size.expr), FROM_MARK)
        if high is not None:
            ev.env.assume(le(size.expr, const(high)), FROM_MARK)


def stride_changes(ev: Evaluator, origin: Origin, real: Tensor) -> tuple[int, ...]:
    """Dimensions whose stride the policy wants symbolic (a policy without an opinion has none)."""
    ask = getattr(ev.context.policy, "stride_is_dynamic", None)
    if ask is None:
        return ()
    return tuple(d for d, s in enumerate(real._meta.strides) if ask(origin, d, s, real))


def is_parameter(real: Any) -> bool:
    return any(c.__name__ == "Parameter" and c.__module__.startswith("torch") for c in type(real).__mro__)


def origin_in_module(ev: Evaluator, origin: Origin) -> bool:
    """Whether a tensor is kept by an nn.Module (a buffer): its sizes are static."""
    return getattr(origin, "slot", "") in ("_parameters", "_buffers")


