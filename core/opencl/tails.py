"""What follows a product element by element (bias, activation, residual): computed by the product's own kernels before they
store an element, or, where something else computes the product, in place on its result, so that no second array is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph.node import Node, walk_nodes
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from .build_loops import build_loops
from .c_text import LANES, Value, c_type, memory_type
from .fuse import Group, Plan
from .loop_ir import PRODUCT, Array, Load, Loops, Position, Statement, Store, conditions, walk
from .lower import Alias, Host
from .places import ZERO
from .render import Renderer
from .schedule import Schedule, schedule
from .sizes import Size, is_one, row_major, same, same_shape, shape_of, strides_of


@dataclass(frozen=True, slots=True)
class Follower:
    """A group that alone reads a product, each element at its own place. `out`: its result that may take the product's
    memory."""

    product: Node
    group: Group
    out: Node


@dataclass(frozen=True, slots=True)
class Tail:
    """A follower as a function that kernels call, with what it needs as arguments."""

    function: str
    call: str
    arguments: str
    sizes_text: str
    arrays: list[Array]
    scalars: list[tuple[Any, dtype]]
    sizes: list[Size]
    names: frozenset[str]
    group: Group
    out: Node


def followers(plan: Plan, kinds: Any) -> dict[int, Follower]:
    """By id of the product (a step of one of `kinds`), at most one per group."""
    readers: dict[int, list[Group | None]] = {}
    places: dict[int, set[tuple]] = {}
    for out in plan.recipes.graph.outputs:
        for n in walk_nodes(out):
            readers.setdefault(id(_base(plan, n)), []).append(None)
    for step in plan.steps:
        if isinstance(step, Node):
            for n in walk_nodes(step.args):
                readers.setdefault(id(_base(plan, n)), []).append(None)
            continue
        for member in step.members:
            index = plan.index_in(step, member)
            assert index is not None
            for n, at in plan.reads(member, index, step):
                readers.setdefault(id(n), []).append(step)
                places.setdefault(id(n), set()).add(at)
    found: dict[int, Follower] = {}
    taken: set[int] = set()
    for step in plan.steps:
        recipe = plan.recipes[step] if isinstance(step, Node) else None
        if not isinstance(recipe, Host) or recipe.kind not in kinds or not isinstance(step, Node):
            continue
        groups = set(map(id, readers.get(id(step), [])))
        group = readers[id(step)][0] if len(groups) == 1 else None
        if group is None or group.dims is not None or id(group) in taken or places[id(step)] != {group.full()} \
                or group.region != plan.recipes.region[id(step)] or not same_shape(shape_of(step.spec), group.shape):
            continue
        into = next((n for n in group.outputs if _fits(step, n)), None)
        if into is not None:
            taken.add(id(group))
            found[id(step)] = Follower(step, group, into)
    return found


def _base(plan: Plan, node: Node) -> Node:
    recipe = plan.recipes[node]
    while isinstance(recipe, Alias):
        node = recipe.base
        recipe = plan.recipes[node]
    return node


def _fits(product: Node, out: Node) -> bool:
    """Whether `out` may lie where the product lies."""
    a, b = shape_of(product.spec), shape_of(out.spec)
    return product.spec.dtype is out.spec.dtype and same_shape(a, b) and row_major(a, strides_of(product.spec)) \
        and all(is_one(n) or same(s, t) for n, s, t in zip(a, strides_of(product.spec), strides_of(out.spec)))


# -- text ------------------------------------------------------------------------------------------------------------
def tail(plan: Plan, follower: Follower, name: str, reserved: frozenset[str], vectors: bool) -> Tail | None:
    """The follower's text, if it is plain enough: one result, over rows and columns. `reserved`: names that the kernel's
    text has already. `vectors`: the kernel also has 16 neighbours at a time."""
    group, d = follower.group, follower.product.spec.dtype
    if len(group.outputs) != 1 or len(group.shape) < 2 or is_one(group.shape[-1]) or d not in (dt.float32, dt.float64):
        return None
    loops = build_loops(plan, group, name, follower.product, reserved | {PRODUCT, "row"})
    todo = schedule(loops, False, sizes="tail_n")
    if len(todo.rows) > 1 or not all(map(_plain, todo.statements())):
        return None
    arrays = [a for a in loops.arrays.values() if not a.written]
    functions = [_function(todo, loops, arrays, d, vector) for vector in ((False, True) if vectors else (False,))]
    sizes = {k: n for k, n in todo.size_arguments().items() if any(f" {k}" in f or f"({k}" in f for f in functions)}
    arguments = [f"__global const {memory_type(a.dtype)} *restrict {a.name}" for a in arrays] + \
                [f"const {c_type(t)} {key}" for key, (_, t) in loops.scalars.items()]
    more = [f"const IDX {n}" for n in sizes]
    given = ", ".join(["v, row, j", *[a.name for a in arrays], *loops.scalars, *sizes])
    # No `restrict` in a function that is inlined: the marks that it leaves are unknown to the simulator of the tests.
    head = ",\n        ".join(["const IDX row, const IDX j", *[a.replace("*restrict ", "*") for a in arguments], *more])
    names = {loops.name, *loops.arrays, *loops.scalars, *(s.name for s in loops.statements if not isinstance(s, Store))}
    return Tail("\n".join(f.replace("ARGUMENTS", head) for f in functions), f"{name}_tail({given})",
                "".join(f", {a}" for a in arguments), "".join(f", {a}" for a in more), arrays, list(loops.scalars.values()),
                list(sizes.values()), frozenset(names), group, follower.out)


def _plain(s: Statement) -> bool:
    return isinstance(s, Store) or not (any(True for _ in conditions(s.value)) or any(
        isinstance(e, Position) or (isinstance(e, Load) and e.extra is not ZERO) for e in walk(s.value)))


def _function(todo: Schedule, loops: Loops, arrays: list[Array], d: dtype, vector: bool) -> str:
    """The function for one element, or for 16 neighbours of a row."""
    out = Renderer(todo)
    lane = todo.inner[-1].id
    out.variables = {lane: "j", **{a.id: "row" for a in todo.rows}}
    values: dict[str, Value] = {}
    out.uniform(values)
    once = out.writer(False, None, values)
    for s in todo.before:
        out.statement(s, once)
    kind = f"{c_type(d)}{LANES if vector else ''}"
    values[PRODUCT] = Value(PRODUCT, 9, d, vector)
    writer = out.writer(vector, lane if vector else None, values)
    for s in todo.passes[0].elements:
        if isinstance(s, Store):
            v = values[s.value.name]
            out.line(f"return {(writer.spread(v) if vector else v).text};")
        else:
            out.statement(s, writer)
    head = f"static inline OF {kind} {loops.name}_tail(const {kind} {PRODUCT}, ARGUMENTS)"
    return "\n".join([head, "{", *out.lines, "}"])
