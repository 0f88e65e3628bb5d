"""Numbers read out of a tensor inside a graph: `t.item()`, `int(t)`, `float(t)` under fullgraph=True, or with
torch._dynamo.config.capture_scalar_outputs.

The graph gets a node of kind "scalar", at the place where the script reads; its value is a symbol (u0, u1, ...) of which
nothing is known, so that whatever would have to decide by it breaks the graph.
"""

from __future__ import annotations

from typing import Any

from ..graph.constants import known_elements
from ..graph.fake import fake
from ..tensor.dtypes import bool_
from .signals import Break
from .values import Const, TensorValue, Value


def read_scalar(ev: Any, tensor: TensorValue, what: str) -> Value:
    """The only element of a tensor as a symbolic number. Raises Break where numbers are not read inside graphs, and for
    tensors whose element is no int or float."""
    known = known_elements(tensor.fake, ev.graph)
    if known is not None and known.size == 1:
        return Const(known.item())
    spec = tensor.fake._meta
    whole = all(isinstance(n, int) and n == 1 for n in spec.shape)
    if not ev.context.scalar_outputs or not whole or spec.dtype is bool_ or spec.dtype.is_complex:
        raise Break("data-item", what=what)
    symbol = ev.env.data_symbol("float" if spec.dtype.is_floating_point else "int")
    tracer = ev.tracer
    tracer.span = ev.span()
    module = ev.frame.module_path if ev.frame is not None else ""
    node = ev.graph.add("scalar", str(symbol.expr), args=(tensor.fake._node,), spec=symbol, span=tracer.span, module=module)
    ev.graph.symbols[str(symbol.expr)] = ("value", node)
    ev.data[str(symbol.expr)] = TensorValue(fake(node, spec))
    return Const(symbol)
