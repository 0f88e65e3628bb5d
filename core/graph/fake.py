"""Tensors under capture: no elements, sizes possibly symbolic, each tied to a graph node.

A FakeTensor is a Tensor, so every method and function of the API works on it; `ops.call` sees the active tracer and
records a node. Whatever needs elements (`item()`, `bool(t)`, `tolist()`, `numpy()`) raises NeedsData, which the
evaluator turns into a graph break at that expression.
"""

from __future__ import annotations

from copy import copy  # Python's own, whatever the script puts in their places
from typing import Any

from ..ops.op import Op
from ..tensor.state import STATE
from ..tensor.tensor import Tensor
from .node import Graph, Node, Span


class NeedsData(Exception):
    """The elements of a tensor under capture were asked for. `what` names the access in words ("item()", "bool()")."""

    reason = "data-item"                        # of the break

    def __init__(self, what: str, tensor: Any = None) -> None:
        super().__init__(what)
        self.what = what
        self.tensor = tensor


class MarksInput(NeedsData):
    """An in-place operator makes an existing tensor require gradients."""

    reason = "gradient-mark"


class FakeTensor(Tensor):
    """`_meta` is a Spec, `_array` is None, `_node` is the graph node whose value it is."""

    __slots__ = ("_node",)
    _node: Node


FakeTensor.__name__ = FakeTensor.__qualname__ = Tensor.__name__       # what Python's own error texts call an operand


def fake(node: Node, spec: Any) -> FakeTensor:
    out = object.__new__(FakeTensor)
    out._array = None
    out._meta = spec
    out._node = node
    return out


class Tracer:
    """Records operators into `graph`. `span` and `module` are set by the evaluator before it runs a torch function."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.span: Span | None = None
        self.module = ""
        self.name_hint: str | None = None
        self.constants: dict[int, Node] = {}

    def record(self, op: Op, args: tuple) -> Any:
        """Infer the result's shape, add a node, return FakeTensor(s)."""
        args = self.lift_constants(args)
        if op.mutates and STATE.mode.grad_enabled:
            self.require_gradients(op, args[op.mutates[0]], args)
        spec = op.infer(*fakes_to(args, lambda t: t._meta))
        node = self.graph.add("op", op.name.rstrip("_") or op.name, op=op, args=fakes_to(args, lambda t: t._node),
                              spec=spec, span=self.span, module=self.module)
        if op.mutates:                          # the result is the argument itself
            return args[op.mutates[0]]
        if isinstance(spec, tuple):
            items = tuple(fake(self.graph.add("item", f"{node.name}_{i}", args=(node, i), spec=s, span=self.span,
                                              module=self.module), s) for i, s in enumerate(spec))
            return op.returns(*items) if op.returns is not None else items
        return fake(node, spec)

    def require_gradients(self, op: Op, target: FakeTensor, args: tuple) -> None:
        """As eager operators do: what is written over with a tensor that requires gradients requires them from then on."""
        meta: Any = target._meta
        if meta.dtype.category < 2:
            return
        if meta.requires_grad:
            if target._node.kind == "input" and meta.cls is not Tensor and meta.cls is not None:
                raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
            if target._node.kind == "input":    # whether it is a leaf is no part of the metadata: the operator itself asks
                raise MarksInput(f"{op.name}() into a tensor that requires gradients")
        if meta.requires_grad or not op.differentiable:
            return
        sources: list[Any] = []
        fakes_to(args, sources.append)
        if not any(t._meta.requires_grad for t in sources):
            return
        if target._node.kind == "input":        # an existing tensor: the operator itself marks it
            raise MarksInput(f"{op.name}() of a tensor that requires gradients into an existing one")
        marked = copy(meta)
        marked.requires_grad = True
        target._meta = marked
        target._node.spec = marked

    def lift_constants(self, args: Any) -> Any:
        """Real tensors met while tracing (made at capture time) become constant nodes."""
        if isinstance(args, Tensor) and not isinstance(args, FakeTensor):
            node = self.constants.get(id(args))
            if node is None:
                node = self.graph.add("constant", "constant", spec=args._meta, value=args)
                self.constants[id(args)] = node
            return fake(node, args._meta)
        if isinstance(args, tuple) and not hasattr(args, "_fields"):
            return type(args)(self.lift_constants(a) for a in args) if type(args) is not tuple \
                else tuple([self.lift_constants(a) for a in args])
        if isinstance(args, list):
            return [self.lift_constants(a) for a in args]
        return args

    def __enter__(self) -> Tracer:
        self._before = STATE.tracer
        STATE.tracer = self
        return self

    def __exit__(self, *exc: object) -> None:
        STATE.tracer = self._before


def fakes_to(value: Any, f: Any) -> Any:
    """The structure with every tensor replaced by f(tensor)."""
    if isinstance(value, Tensor):
        return f(value)
    if isinstance(value, tuple):
        items = [fakes_to(v, f) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        return [fakes_to(v, f) for v in value]
    if isinstance(value, dict):
        return {k: fakes_to(v, f) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(fakes_to(value.start, f), fakes_to(value.stop, f), fakes_to(value.step, f))
    return value
