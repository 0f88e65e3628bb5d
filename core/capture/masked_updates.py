"""`x[mask] += w` without asking how many elements the mask selects: x takes x + w where the mask is true.

That is right where w does not depend on the selection: a number, or a tensor that broadcasts over one selected element.
"""

from __future__ import annotations

import ast
import operator
from typing import Any

from ..tensor.dtypes import bool_
from .expressions import evaluate
from .frames import Frame
from .torch_calls import lower, run
from .values import Const, TensorValue, Value

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def update_where(ev: Any, frame: Frame, s: ast.AugAssign, obj: Value, key: Value) -> bool:
    """Do `obj[key] op= value` so, if it can be done; False leaves everything as it was."""
    obj, key = ev.force(obj), ev.force(key)
    function = OPERATORS.get(type(s.op))
    if function is None or not isinstance(obj, TensorValue) or not isinstance(key, TensorValue) or not only_reads(s.value):
        return False
    x, mask = obj.fake, key.fake
    rest = x.ndim - mask.ndim
    if mask.dtype is not bool_ or not x.dtype.is_floating_point or mask.ndim == 0 or rest < 0 \
            or any(a != b for a, b in zip(mask.shape, x.shape)):
        return False
    value = ev.force(evaluate(ev, frame, s.value))
    if isinstance(value, TensorValue):
        w = value.fake
        if w.dtype.is_complex or w.ndim > rest + 1 or w.ndim == rest + 1 and w.shape[0] != 1:
            return False
    elif not isinstance(value, Const) or value.type not in (int, float, bool):
        return False

    def update(x: Any, mask: Any, w: Any) -> Any:
        wide = mask.reshape(tuple(mask.shape) + (1,) * rest)
        row = w.reshape(tuple(w.shape)[1:]) if isinstance(value, TensorValue) and w.ndim > rest else w
        x.copy_(function(x, row).to(x.dtype).where(wide, x))
        return x

    frame.at(s, "op")
    run(ev, update, [x, mask, lower(ev, value)], {}, "an update where a mask is true")
    return True


def only_reads(node: ast.expr) -> bool:
    """Whether evaluating it twice is the same as once: names, attributes, items, numbers."""
    if isinstance(node, ast.Attribute):
        return only_reads(node.value)
    if isinstance(node, ast.Subscript):
        return only_reads(node.value) and only_reads(node.slice)
    if isinstance(node, ast.Slice):
        return all(part is None or only_reads(part) for part in (node.lower, node.upper, node.step))
    return isinstance(node, ast.Name | ast.Constant)
