"""Group -> Loops: every member written as statements over the axes of the group's shape, then neighbouring axes that
all accesses walk as one are made one.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable
from typing import Any

from ..graph.node import Node
from ..ops.evaluate_expr import parse_expr
from ..ops.promotion import is_tensor_like
from ..symbolic import expr as symbolic
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from .collapse import collapse
from .cut import cut_axes
from .fuse import Group, Plan, aligned
from .loop_ir import (
    PRODUCT,
    Apply,
    Argument,
    Array,
    Axis,
    Before,
    Cast,
    Const,
    Count,
    Expr,
    Let,
    Load,
    Loops,
    Position,
    Reduce,
    Ref,
    Store,
    before,
    load,
    walk,
)
from .lower import Alias, Along, Combine, Operand, Pieces, Point, is_scalar_node
from .places import Entry, Index, number, place, through
from .rewrite import rewrite
from .sizes import dense_order, is_one, strides_of

# Words that must not become names of values or arguments in OpenCL C: keywords, types, builtin functions.
RESERVED = frozenset("""
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool half uchar
    ushort uint ulong kernel global local constant private read_only write_only size_t ptrdiff_t main and or not exp log
    sin cos tan tanh erf sqrt rsqrt floor ceil trunc round pow fabs abs max min clamp select isnan isinf any all sign step
    mix cross dot length distance normalize degrees radians hypot fmod remainder ldexp mad fma cbrt image event_t first
    last per item vload vstore load store as_int as_float convert exp2 log2 log10 expm1 log1p asin acos atan atan2 sinh
    cosh asinh acosh atanh erfc fmin fmax copysign popcount rotate shuffle prefetch barrier minimum maximum where sigmoid
    xor linux unix NULL quotient positions M_PI INFINITY NAN block stop unit column blocks candidate half_
    """.split())  # noqa: SIM905  a list of words is read more easily as words
OURS = re.compile(r"[nijkgru]\d*|(edge|stop|size|tail_n)\d+")        # loop variables and sizes
SYMBOL = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
          ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
TESTS = frozenset(("isnan", "isinf", "isfinite", "signbit", "logical_and", "logical_or", "logical_xor", "logical_not"))


def identifier(name: str) -> str:
    """A C name close to `name`."""
    name = re.sub(r"\W", "_", name) or "v"
    if name[0].isdigit():
        name = f"v{name}"
    if name in RESERVED or keyword.iskeyword(name) or name.endswith("_") or OURS.fullmatch(name):
        name = f"{name.rstrip('_') or 'v'}_v"            # names that end in _ are the prelude's functions
    return name


def storage_dtype(d: dtype) -> dtype:
    """What a kernel keeps a value of dtype `d` in: a float16 value is a float32 that float16 can hold."""
    return dt.float32 if d is dt.float16 else d


class Builder:
    """Writes the statements of one group."""

    def __init__(self, plan: Plan, group: Group, name: str, product: Node | None = None,
                 reserved: frozenset[str] = frozenset()) -> None:
        self.plan = plan
        self.group = group
        self.loops = Loops(name, [], [], {}, [], {})
        self.values: dict[tuple, Expr] = {}
        self.guard: tuple[tuple[Before, bool], ...] = ()           # what is sure where a value is being computed
        self.sizes = group.sizes()
        self.product = product
        if product is not None:                                    # the kernel that computes it has its elements at hand
            self.values[id(product), group.full(), ()] = Ref(PRODUCT, product.spec.dtype)
        self.taken: set[str] = set(reserved)
        self.array_of: dict[tuple[int, bool], str] = {}
        self.arguments: dict[int, Argument] = {}
        self.members = {id(n) for n in group.members}
        dims = group.dims or ()
        self.axes = {d: Axis(d, n) for d, n in enumerate(group.shape) if not is_one(n)}
        if group.dims is None:
            self.loops.inner = [self.axes[d] for d in self._store_order() if d in self.axes]
        else:
            self.loops.rows = [a for d, a in self.axes.items() if d not in dims]
            self.loops.inner = [a for d, a in self.axes.items() if d in dims]

    def _store_order(self) -> tuple[int, ...]:
        """Dimensions so that the first output is written in memory order."""
        first = (self.group.outputs or self.group.members)[0]
        order = dense_order(self.group.shape, strides_of(first.spec))
        return order if order is not None else tuple(range(len(self.group.shape)))

    # -- names -------------------------------------------------------------------------------------------------------
    def fresh(self, name: str) -> str:
        base = name = identifier(name)
        k = 2
        while name in self.taken:
            name = f"{base}_{k}"
            k += 1
        self.taken.add(name)
        return name

    def array(self, node: Node, written: bool) -> str:
        into = self.plan.in_place.get(id(node))
        if not written and into is not None and any(into is n for n in self.group.outputs):
            return self.array(into, True)                          # the result replaces it, element by element
        key = (id(node), written)
        if key not in self.array_of:
            name = self.fresh(f"{node.name}_out" if written else node.name)
            self.array_of[key] = name
            self.loops.arrays[name] = Array(name, node.spec.dtype, written, node,
                                            last=written and id(node) not in self.plan.read)
        return self.array_of[key]

    # -- values ------------------------------------------------------------------------------------------------------
    def let(self, name: str, value: Expr, node: Node | None) -> Ref:
        if isinstance(value, Ref):
            return value
        found = Ref(self.fresh(name), value.dtype)
        self.loops.statements.append(Let(found.name, value, found.dtype, node))
        return found

    def read(self, node: Node, index: Index) -> Expr:
        """The element of `node` at `index`, in its own dtype."""
        recipe = self.plan.recipes[node]
        if isinstance(recipe, Alias):
            return self.read(recipe.base, through(recipe.dims, index, self.sizes))
        if id(node) in self.members:
            guard, self.guard = self.guard, ()                     # its own element is there whatever reads it
            value = self.compute(node, index)
            self.guard = guard
            return value
        if id(node) in self.plan.inlined:
            return self.compute(node, index)
        return self._known(node, index, lambda: self._load(node, index))

    def _known(self, node: Node, index: Index, make: Callable[[], Expr]) -> Expr:
        """The value of `node` at `index`, made when it is first asked for under the conditions that hold now."""
        for guard in ((), self.guard):
            if (id(node), index, guard) in self.values:
                return self.values[id(node), index, guard]
        value = self.values[id(node), index, self.guard] = make()
        return value

    def _load(self, node: Node, index: Index) -> Expr:
        at = symbolic.add(*[symbolic.mul(place(e), number(s)) for e, s in zip(index, strides_of(node.spec)) if e is not None],
                          symbolic.ZERO)
        array = self.array(node, False)
        return self.let(f"{array}_v", load(array, at, node.spec.dtype, self.guard), None)

    def compute(self, node: Node, index: Index) -> Expr:
        return self._known(node, index, lambda: self._computed(node, index))

    def _computed(self, node: Node, index: Index) -> Expr:
        recipe = self.plan.recipes[node]
        if isinstance(recipe, Combine):
            return self.reduction(recipe)
        if isinstance(recipe, Pieces):
            return self.let(node.name, self.pieces(recipe, index), node)
        assert isinstance(recipe, Point)
        values = {}
        for name, operand in recipe.operands.items():
            if isinstance(operand.value, Along):
                assert operand.dtype is not None
                values[name] = self.position(index[operand.value.dim], operand.dtype)
            elif operand.given:
                values[name] = self.given(f"{node.name}_{name}", operand)
            else:
                values[name] = self.operand(operand.value, operand.dtype, index)
        found = expression(recipe.expr, values, recipe.compute)
        return self.let(node.name, cast(found, recipe.result), node)

    def pieces(self, recipe: Pieces, index: Index) -> Expr:
        """The element of the piece that `index` is in: a chain of selections, the first piece outside."""
        at, guard = place(index[recipe.dim]), self.guard
        chosen: list[tuple[Before, bool, Expr]] = []
        value: Expr
        for piece, following in zip(recipe.pieces, [*recipe.pieces[1:], None]):
            if following is not None:
                condition, wanted = before(at, following.start)
                sure = self.decided(condition)
                if sure is not None:
                    if sure is not wanted:                         # the place is never in this piece
                        continue
                    following = None                               # nor in those behind it
            if following is not None:
                self.guard = (*guard, *[(c, not w) for c, w, _ in chosen], (condition, wanted))
            else:
                self.guard = (*guard, *[(c, not w) for c, w, _ in chosen])
            value = cast(self.read(piece.base, through(piece.index, index, self.sizes)), recipe.result)
            if following is not None:
                chosen.append((condition, wanted, value))
            else:
                break
        self.guard = guard
        for condition, wanted, first in reversed(chosen):
            value = Apply("where", (condition, first, value) if wanted else (condition, value, first), recipe.result)
        return value

    def decided(self, c: Before) -> bool | None:
        """What a condition comes to when the sizes tell."""
        if c.axis is None or not isinstance(c.limit, int):
            return (c.place.args[0] < 0) if c.axis is None and c.place.is_const else None
        size = self.sizes[c.axis]
        return False if c.limit <= 0 else True if isinstance(size, int) and c.limit >= size else None

    def position(self, at: Entry, d: dtype) -> Expr:
        return Const(0.0 if d.category == 2 else 0, d) if at is None else Position(place(at), d)

    def operand(self, value: Any, d: dtype | None, index: Index) -> Expr:
        if isinstance(value, Node) and is_tensor_like(value.spec):
            e = self.read(value, aligned(value, index))
            return e if d is None else cast(e, d)
        assert d is not None
        return self.number(value, d)

    def number(self, value: Any, d: dtype) -> Expr:
        if isinstance(value, bool | int | float):
            return Const(bool(value) if d.category == 0 else float(value) if d.category == 2 else int(value), d)
        if isinstance(value, Node):
            assert is_scalar_node(value)
            key = identifier(value.name)
        else:
            key = identifier(str(value.expr)) if value.expr.op == "sym" else "v_" + re.sub(r"\W+", "_", str(value.expr))
        stored = storage_dtype(d)
        key = f"{key}_{stored.name}"
        self.loops.scalars[key] = (value, stored)
        self.taken.add(key)
        return cast(Argument(key, stored), d)

    def given(self, name: str, operand: Operand) -> Expr:
        """A number that the kernel takes as an argument."""
        d = operand.dtype
        if id(operand) not in self.arguments and d is not None:
            self.arguments[id(operand)] = found = Argument(self.fresh(name), d)
            self.loops.scalars[found.key] = (float(operand.value) if d.category == 2 else operand.value, d)
        return self.arguments[id(operand)]

    def reduction(self, recipe: Combine) -> Ref:
        node = recipe.node
        guard, self.guard = self.guard, ()
        source = self.read(recipe.source, self.group.full())
        self.guard = guard
        acc = recipe.accumulate
        before = storage_dtype(source.dtype)                       # float16 is computed in float32
        value = cast(expression(recipe.before, {"input": cast(source, before)}, before), acc)
        if self.loops.inner:
            plain = recipe.after == "acc" and storage_dtype(recipe.result) is storage_dtype(
                dt.int64 if recipe.combine.startswith("arg") else acc) and recipe.result is not dt.float16
            name = self.fresh(node.name if plain else f"{node.name}_{recipe.combine}")
            reduce = Reduce(name, recipe.combine, value, acc, node)
            self.loops.statements.append(reduce)
            combined: Expr = Ref(name, reduce.result)
        else:                                            # nothing but dimensions of size 1: the element itself
            combined = Const(0, dt.int64) if recipe.combine.startswith("arg") else value
        compute = combined.dtype
        count = Count(compute) if self.loops.inner else cast(Const(1, dt.int64), compute)
        result = expression(recipe.after, {"acc": combined, "n": count}, compute)
        return self.let(node.name, cast(result, recipe.result), node)

    def _loads(self) -> list[Load]:
        return [e for s in self.loops.statements if not isinstance(s, Store) for e in walk(s.value) if isinstance(e, Load)]

    # -- the whole ---------------------------------------------------------------------------------------------------
    def build(self) -> Loops:
        for node in self.group.outputs:
            recipe = self.plan.recipes[node]
            index = self.group.row(recipe.keepdim) if isinstance(recipe, Combine) else self.group.index_of(node)
            assert index is not None
            value = self.compute(node, index)
            ref = value if isinstance(value, Ref) else self.let(node.name, value, node)
            strides = tuple([(i, s) for i, s in zip(index, strides_of(node.spec)) if isinstance(i, int)])
            self.loops.statements.append(Store(self.array(node, True), strides, ref, node.spec.dtype, node))
        if any(a.written and s.array == a.name for a in self.loops.arrays.values() for s in self._loads()):
            self.loops.statements.sort(key=lambda s: isinstance(s, Store))     # what a result replaces is read before
        self.loops.nodes = list(self.group.members)
        rewrite(self.loops)
        cut_axes(self.loops)
        collapse(self.loops, None if self.product is None else len(self.group.shape) - 1)
        return self.loops


# -- expressions -----------------------------------------------------------------------------------------------------
def cast(e: Expr, d: dtype) -> Expr:
    if e.dtype is d:
        return e
    if isinstance(e, Const):
        if d.category == 0:
            return Const(bool(e.value), d)
        if d is not dt.float16 and (d.category == 2 or not isinstance(e.value, float)):
            return Const(float(e.value) if d.category == 2 else int(e.value), d)
    return Cast(e, d)


def expression(text: str, values: dict[str, Expr], compute: dtype) -> Expr:
    """A Pointwise expression over operands. Literals take the dtype of the other operand."""

    def run(node: ast.AST) -> Expr | bool | int | float:
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, bool | int | float)
            return node.value
        if isinstance(node, ast.BinOp):
            return operator(SYMBOL[type(node.op)], run(node.left), run(node.right))
        if isinstance(node, ast.Compare):
            return operator(SYMBOL[type(node.ops[0])], run(node.left), run(node.comparators[0]))
        if isinstance(node, ast.UnaryOp):
            inner = run(node.operand)
            if isinstance(inner, bool | int | float):
                return -inner if isinstance(node.op, ast.USub) else ~int(inner)
            return Apply("neg" if isinstance(node.op, ast.USub) else "~", (inner,), inner.dtype)
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return call(node.func.id, [run(a) for a in node.args])

    def known(args: list, default: dtype) -> dtype:
        for a in args:
            if not isinstance(a, bool | int | float):
                return a.dtype
        return default

    def literal(a: Any, d: dtype) -> Expr:
        if isinstance(a, bool | int | float):
            return Const(bool(a) if d.category == 0 else float(a) if d.category == 2 else int(a), d)
        return a

    def operator(sign: str, left: Any, right: Any) -> Expr | bool | int | float:
        if isinstance(left, bool | int | float) and isinstance(right, bool | int | float):
            return eval(f"{left!r} {sign} {right!r}", {})            # two literals of our own table
        d = known([left, right], compute)
        a, b = literal(left, d), literal(right, d)
        if sign in "+-" and isinstance(b, Const) and sign == "+" and b.value == 0 and b.dtype.category == 1:
            return a
        if sign == "+" and isinstance(a, Const) and a.value == 0 and a.dtype.category == 1:
            return b
        if sign == "*":                                              # alpha=1: the same element, whatever it is
            if isinstance(a, Const) and a.value == 1 and d.category:
                return b
            if isinstance(b, Const) and b.value == 1 and d.category:
                return a
        return Apply(sign, (a, b), dt.bool_ if sign in ("<", "<=", ">", ">=", "==", "!=") else d)

    def call(fn: str, args: list) -> Expr:
        if fn == "where":
            d = known(args[1:], compute)
            condition = literal(args[0], dt.bool_)
            if condition.dtype is not dt.bool_:
                condition = Apply("!=", (condition, Const(0.0 if condition.dtype.category == 2 else 0, condition.dtype)),
                                  dt.bool_)
            return Apply(fn, (condition, literal(args[1], d), literal(args[2], d)), d)
        d = known(args, compute)
        operands = tuple([literal(a, d) for a in args])
        if fn == "pow" and isinstance(operands[1], Const) and d.category == 2 and operands[1].value in (2, 3, 0.5, -0.5, -1):
            return power(operands[0], float(operands[1].value), d)
        return Apply(fn, operands, dt.bool_ if fn in TESTS else d)

    found = run(parse_expr(text).body)
    return literal(found, compute)


def power(x: Expr, exponent: float, d: dtype) -> Expr:
    """The exponents that eager mode computes without pow()."""
    one = Const(1.0, d)
    if exponent == 2:
        return Apply("*", (x, x), d)
    if exponent == 3:
        return Apply("*", (Apply("*", (x, x), d), x), d)
    if exponent == 0.5:
        return Apply("sqrt", (x,), d)
    return Apply("/", (one, Apply("sqrt", (x,), d) if exponent == -0.5 else x), d)


def build_loops(plan: Plan, group: Group, name: str, product: Node | None = None,
                reserved: frozenset[str] = frozenset()) -> Loops:
    """The loop nest of one group. Call after fusion has decided the group's outputs. `product`: a value whose elements are
    at hand as "product"; the last axis then stays apart. `reserved`: names that are taken."""
    return Builder(plan, group, name, product, reserved).build()


__all__ = ["build_loops", "expression", "identifier", "storage_dtype"]
