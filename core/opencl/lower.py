"""Graph -> recipes: what each node computes, told per node and before any decision about kernels.

A recipe is Point (an expression over operands), Combine (a reduction), Alias (a view: the elements of another value at
other places), Pieces (a copy of such elements: cat, flip), or Host (NumPy computes it, or it is a real view of memory).
Anything that a kernel cannot reproduce exactly is Host, so a graph always lowers.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ..graph.node import Graph, Node, walk_nodes
from ..ops.evaluate_expr import names_in, parse_expr
from ..ops.op import Extern, Pointwise, Reduction, Template, View
from ..ops.promotion import is_tensor_like, op_dtypes
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from .effects import visible_writes
from .given import DIVISION, Given, is_power_of_two
from .moves import flipped, joined, view_index
from .places import Index
from .sizes import Size, dense_order, is_one, same, same_shape, shape_of, strides_of

TRANSCENDENTAL = frozenset((
    "exp", "exp_below", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
    "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "normal_cdf", "erfc", "sigmoid", "pow", "hypot"))
DIVISIONS = frozenset(("floordiv", "remainder", "truncdiv", "fmod"))

SCATTERS = frozenset(("scatter_", "scatter_add_", "index_add_", "index_copy_", "index_put_"))
ON_TRUTH_VALUES = frozenset((
    "sign", "abs", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite", "signbit", "pow", "maximum", "minimum",
    "fmax", "fmin", "where", "logical_and", "logical_or", "logical_xor", "logical_not"))


@dataclass(frozen=True, slots=True)
class Along:
    """As an operand: the position of the element along dimension `dim`."""

    dim: int


@dataclass(slots=True)
class Operand:
    """An operand of an expression: a node, a number, a symbolic scalar or a position, converted to `dtype` first (None: as
    it is). `given`: a number that is an argument of the kernel (given.py)."""

    value: Any
    dtype: dtype | None
    given: bool = False


@dataclass(slots=True)
class Point:
    """result = result_dtype(expr(operands converted))."""

    node: Node
    expr: str
    operands: dict[str, Operand]
    compute: dtype
    result: dtype

    @property
    def costly(self) -> bool:
        return not _calls(self.expr).isdisjoint(TRANSCENDENTAL)


@dataclass(slots=True)
class Combine:
    """result = after(combine over dims of before(source))."""

    node: Node
    source: Node
    dims: tuple[int, ...]
    keepdim: bool
    combine: str
    before: str
    after: str
    accumulate: dtype
    result: dtype


@dataclass(slots=True)
class Alias:
    """Element (i0, i1, ...) of `node` is the element of `base` at `dims`, an index told in dimensions of `node`."""

    node: Node
    base: Node
    dims: Index


@dataclass(slots=True)
class Piece:
    """From position `start` on an element (i0, i1, ...) is the element of `base` at `index`."""

    base: Node
    start: Size
    index: Index


@dataclass(slots=True)
class Pieces:
    """Pieces one after the other along `dim`, converted to `result`."""

    node: Node
    dim: int
    pieces: list[Piece]
    result: dtype
    costly = False


@dataclass(slots=True)
class Host:
    """kind: "view" (a NumPy view of real memory), "matmul" (a template), "extern" (NumPy). `why` is for the reader."""

    node: Node
    kind: str
    why: str


Recipe = Point | Combine | Alias | Pieces | Host


@dataclass(slots=True)
class Recipes:
    """The graph, a recipe per op node, and per node the number of the stretch between in-place operations it is in; the
    ids of those operations (only the ones that something else may see)."""

    graph: Graph
    of: dict[int, Recipe]
    region: dict[int, int]
    writes: set[int]

    def __getitem__(self, node: Node) -> Recipe | None:
        return self.of.get(id(node))


def is_scalar_node(node: Node) -> bool:
    """A graph input that is a number, not a tensor."""
    return node.kind == "input" and not is_tensor_like(node.spec)


def recipes(graph: Graph, fp64: bool, given: Given) -> Recipes:
    """A recipe for every operator of a graph without composites. `fp64`: the device computes in double precision."""
    out = Recipes(graph, {}, {}, visible_writes(graph))
    region = 0
    mutating = bool(out.writes)
    for node in graph.nodes:
        if node.kind == "op":
            assert node.op is not None
            if node.op.mutates and id(node) not in out.writes:
                out.of[id(node)] = Host(node, "scatter" if node.op.name in SCATTERS else "extern", "writes to a copy in place")
                out.region[id(node)] = region
                continue
            if node.op.mutates:
                region += 1
                out.region[id(node)] = region
                region += 1
                out.of[id(node)] = Host(node, "extern", "writes in place")
                continue
            out.of[id(node)] = _recipe(node, fp64, mutating, given)
        elif node.kind == "item":
            out.of[id(node)] = Host(node, "item", "")
        out.region[id(node)] = region
    return out


def _recipe(node: Node, fp64: bool, mutating: bool, given: Given) -> Recipe:
    op = node.op
    assert op is not None
    lower = op.lower
    if not op.random and not isinstance(node.spec, tuple):
        if isinstance(lower, View):
            alias = None if mutating or not node.spec.dtype.opencl else _alias(node)
            return alias or Host(node, "view", "")
        touched = [node.spec.dtype, *(n.spec.dtype for n in walk_nodes(node.args) if is_tensor_like(n.spec))]
        if not all(d.opencl for d in touched):
            return Host(node, "extern", "no kernels of this dtype")
        if not fp64 and dt.float64 in touched:
            return Host(node, "extern", "the device has no double precision")
        if op.name in _MADE and (made := _MADE[op.name](node, fp64)) is not None:
            return made
        if isinstance(lower, Template):
            return Host(node, lower.name, "")
        if isinstance(lower, Pointwise):
            return _point(node, lower, given) or Host(node, "extern", "no kernel for these arguments")
        if isinstance(lower, Reduction):
            return _combine(node, lower) or Host(node, "extern", "no kernel for these arguments")
    if isinstance(lower, View):
        return Host(node, "view", "")
    why = "random" if op.random else "computed by NumPy" if isinstance(lower, Extern) else "could not be written out"
    return Host(node, "extern", why)


# -- pointwise -------------------------------------------------------------------------------------------------------
def _spec_args(node: Node) -> tuple:
    return tuple([a.spec if isinstance(a, Node) else a for a in node.args])


def _point(node: Node, lower: Pointwise, given: Given) -> Point | None:
    op, expr = node.op, lower.expr
    assert op is not None
    found = op_dtypes(op, _spec_args(node))
    used = names_in(expr)
    operands: dict[str, Operand] = {}
    for i, (param, value) in enumerate(zip(op.params, node.args)):
        if param.name not in used:
            continue
        tensor = isinstance(value, Node) and is_tensor_like(value.spec)
        if tensor:
            keep = op.promote_over is not None and i not in op.promote_over
            operands[param.name] = Operand(value, None if keep else found.compute)
        elif _is_number(value) or isinstance(value, Node):
            if not _fits(value, found.compute):
                return None
            given_one = given(node, value, expr, found.compute)
            if given_one and expr == DIVISION and param.name == "other" and is_power_of_two(value):
                expr, value = "input * other", 1 / value            # the same result, without dividing
            operands[param.name] = Operand(value, found.compute, given_one)
        else:
            return None
    if used - operands.keys():
        return None
    if found.compute is dt.bool_ and not _calls(lower.expr) <= ON_TRUTH_VALUES:
        return None
    if found.compute.category < 2 and not _divides_safely(lower.expr, operands):
        return None
    if not _is_dense(node) or not all(_strided(o.value) for o in operands.values()):
        return None
    return Point(node, expr, operands, found.compute, found.result)


def _is_dense(node: Node) -> bool:
    """Whether a value's memory has no gaps, which is what kernels write."""
    shape = shape_of(node.spec)
    return dense_order(shape, strides_of(node.spec)) is not None or _is_empty(shape)


def _calls(expr: str) -> set[str]:
    """The intrinsics an expression calls."""
    return {n.func.id for n in ast.walk(parse_expr(expr)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


def _is_empty(shape: tuple[Size, ...]) -> bool:
    return any(isinstance(n, int) and n == 0 for n in shape)


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (hasattr(value, "expr") and hasattr(value, "env"))


def _fits(value: Any, d: dtype) -> bool:
    """A number that does not fit an integer dtype raises in eager mode; NumPy shall do that."""
    if isinstance(value, int) and not isinstance(value, bool) and d.category == 1:
        bits = 8 * d.itemsize
        return -(1 << (bits - 1)) <= value < 1 << (bits - 1) if d.is_signed else 0 <= value < 1 << bits
    return not (isinstance(value, float) and d.category < 2)


def _divides_safely(expr: str, operands: dict[str, Operand]) -> bool:
    """Integer division by what might be zero raises in eager mode: only constant divisors become kernel code."""
    for n in ast.walk(parse_expr(expr)):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in DIVISIONS:
            divisor = n.args[1]
            value = operands[divisor.id].value if isinstance(divisor, ast.Name) else None
            if not isinstance(value, int) or value == 0:
                return False
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div):
            return False
    return True


def _strided(value: Any) -> bool:
    return not isinstance(value, Node) or not is_tensor_like(value.spec) or value.spec.device.type == "cpu"


# -- reductions ------------------------------------------------------------------------------------------------------
COMBINES = frozenset(("sum", "prod", "max", "min", "any", "all", "argmax", "argmin"))


def _combine(node: Node, lower: Reduction) -> Combine | None:
    op = node.op
    assert op is not None
    named = {p.name: a for p, a in zip(op.params, node.args)}
    source = named.get("input")
    if not isinstance(source, Node) or lower.combine not in COMBINES:
        return None
    shape = shape_of(source.spec)
    dims = named.get("dim")
    dims = tuple(range(len(shape))) if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
    dims = tuple([d + len(shape) if d < 0 else d for d in dims])
    if any(d >= len(shape) for d in dims):
        return None
    keepdim = bool(named.get("keepdim", False))
    if names_in(lower.before) - {"input"} or names_in(lower.after) - {"acc", "n"}:
        return None
    if lower.combine not in ("sum", "prod", "any", "all") and _is_empty(tuple(shape[d] for d in dims)):
        return None                                   # combining nothing raises in eager mode
    result = node.spec.dtype
    given = source.spec.dtype
    if lower.combine in ("any", "all"):
        accumulate = dt.bool_
    elif lower.combine in ("max", "min", "argmax", "argmin"):
        accumulate = given
    else:
        accumulate = dt.float32 if result is dt.float16 else result
    if accumulate is dt.float16:
        accumulate = dt.float32
    return Combine(node, source, dims, keepdim, lower.combine, lower.before, lower.after, accumulate, result)


# -- elements that are moved or counted ------------------------------------------------------------------------------
def _pieces(node: Node, fp64: bool) -> Pieces | None:
    """cat and flip."""
    assert node.op is not None
    if node.op.name == "flip":
        dim, pieces = 0, [Piece(node.args[0], 0, flipped(node))]
    else:
        dim, pieces = node.args[1], [Piece(*found) for found in joined(node)]
    if not pieces or not node.spec.shape or _is_empty(shape_of(node.spec)) or not _is_dense(node) \
            or not all(_strided(p.base) for p in pieces):
        return None
    return Pieces(node, dim, pieces, node.spec.dtype)


def _range(node: Node, fp64: bool) -> Point | None:
    """arange. Computed in double precision as eager mode does; for float16 that would round twice."""
    start, _, step, *_ = node.args
    d = node.spec.dtype
    compute = dt.float64 if d.category == 2 else dt.int64
    if d in (dt.float16, dt.bool_) or (d.category == 2 and not fp64) or node.spec.device.type != "cpu" \
            or not all(_is_number(v) and _fits(v, compute) for v in (start, step)):
        return None
    operands = {"start": Operand(start, compute), "step": Operand(step, compute), "position": Operand(Along(0), compute)}
    return Point(node, "start + position * step", operands, compute, d)


def _identity(node: Node, fp64: bool) -> Point | None:
    """eye."""
    if node.spec.device.type != "cpu":
        return None
    operands = {"row": Operand(Along(0), dt.int64), "column": Operand(Along(1), dt.int64)}
    return Point(node, "where(row == column, 1, 0)", operands, node.spec.dtype, node.spec.dtype)


_MADE: dict[str, Any] = {"cat": _pieces, "flip": _pieces, "arange": _range, "eye": _identity}


def _alias(node: Node) -> Alias | None:
    """The view as an index map: by its operator, or by layouts where they prove that every dimension of the base (but those
    of size 1) appears with its own stride, so that all elements are seen, starting at the first."""
    base = node.args[0]
    if not isinstance(base, Node) or node.op is None or node.op.name == "as_strided":   # that one can leave its base
        return None
    index = view_index(node) if base.spec.dtype is node.spec.dtype else None
    if index is not None:
        return Alias(node, base, index)
    shape, strides = shape_of(base.spec), strides_of(base.spec)
    new, steps = shape_of(node.spec), strides_of(node.spec)
    if same_shape(shape, new) and all(is_one(n) or same(a, b) for n, a, b in zip(shape, strides, steps)):
        return Alias(node, base, tuple([None if is_one(n) else d for d, n in enumerate(shape)]))
    if _is_empty(shape):
        return None
    free = [d for d in range(len(new)) if not is_one(new[d])]
    dims: list[int | None] = []
    for n, s in zip(shape, strides):
        if is_one(n):
            dims.append(None)
            continue
        fits = [d for d in free if same(new[d], n) and same(steps[d], s)]
        if len(fits) != 1 or (isinstance(s, int) and s == 0):
            return None
        dims.append(fits[0])
        free.remove(fits[0])
    if any(not (isinstance(steps[d], int) and steps[d] == 0) for d in free):
        return None
    return Alias(node, base, tuple(dims))
