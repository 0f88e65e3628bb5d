"""Which nodes share a kernel.

A group is one kernel: either point-wise over a shape, or a reduction group over (shape, dims), whose members are
full (one value per element), row-wise (one value per row: what is left without `dims`), or reductions from the former
to the latter. softmax and layer_norm are each one reduction group. A node joins the group of a producer when it reads
that group's values at its own element or row, and when no other step would have to run in between. What is read elsewhere
may be computed again by its reader (inline.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..graph.node import Node, walk_nodes
from ..ops.promotion import is_tensor_like
from .inline import inlined
from .lower import Alias, Combine, Host, Pieces, Point, Recipes
from .places import Index, through
from .sizes import Size, is_one, same_shape, shape_of

MAX_MEMBERS = 96                      # statements per kernel: keeps driver compile time and register use in bounds
MAX_ARRAYS = 60                       # kernel arguments; devices take at least 128
SMALL = 32768                         # a full reduction of at most so many elements is done by one work-item, in one kernel


@dataclass(eq=False, slots=True)
class Group:
    """`shape`: of the full members. `dims`: the reduced dimensions, None for a point-wise group."""

    id: int
    region: int
    shape: tuple[Size, ...]
    dims: tuple[int, ...] | None
    members: list[Node] = field(default_factory=list)
    split: bool = False               # one row, many elements: partial results by many work-items, then a second kernel
    outputs: list[Node] = field(default_factory=list)

    def sizes(self) -> dict[int, Size]:
        """The length of each axis."""
        return dict(enumerate(self.shape))

    def full(self) -> Index:
        return tuple([None if is_one(n) else d for d, n in enumerate(self.shape)])

    def row(self, keepdim: bool) -> Index:
        dims = self.dims or ()
        if keepdim:
            return tuple([None if d in dims else i for d, i in enumerate(self.full())])
        return tuple([i for d, i in enumerate(self.full()) if d not in dims])

    def index_of(self, node: Node) -> Index | None:
        """The axes along which `node` lies in this group, or None if its shape does not fit."""
        shape = shape_of(node.spec)
        if same_shape(shape, self.shape):
            return self.full()
        if self.dims is None:
            return None
        if same_shape(shape, tuple([1 if d in self.dims else n for d, n in enumerate(self.shape)])):
            return self.row(True)
        if same_shape(shape, tuple([n for d, n in enumerate(self.shape) if d not in self.dims])):
            return self.row(False)
        return None


class Plan:
    """The result: `steps` in an order that can run: Groups and Host nodes. `real` holds ids of nodes that are arrays at
    run time (inputs, constants, group outputs, host results and the views taken of them)."""

    def __init__(self, recipes: Recipes) -> None:
        self.recipes = recipes
        self.groups: list[Group | Node] = []          # by step id; a Node is a Host step
        self.home: dict[int, int] = {}                # id(node) -> step id
        self.before: list[int] = []                   # step id -> bit set of the steps it needs, transitively
        self.alive: list[bool] = []
        self.inlined: set[int] = set()
        self.real: set[int] = set()
        self.read: set[int] = set()                   # of those, what some step reads
        self.steps: list[Group | Node] = []
        self.in_place: dict[int, Node] = {}           # id(product) -> the result of a group that takes its memory

    def index_in(self, group: Group, node: Node) -> Index | None:
        """The axes along which a member lies in its group, or None if it does not fit."""
        recipe = self.recipes[node]
        return group.row(recipe.keepdim) if isinstance(recipe, Combine) else group.index_of(node)

    # -- reading -----------------------------------------------------------------------------------------------------
    def reads(self, node: Node, index: Index, group: Group) -> Iterator[tuple[Node, Index]]:
        """What computing `node` at `index` reads, seen through aliases and inlined nodes."""
        recipe = self.recipes[node]
        if isinstance(recipe, Combine):
            yield from self.resolve(recipe.source, group.full(), group)
        elif isinstance(recipe, Point):
            for operand in recipe.operands.values():
                if isinstance(operand.value, Node) and is_tensor_like(operand.value.spec):
                    yield from self.resolve(operand.value, aligned(operand.value, index), group)
        elif isinstance(recipe, Pieces):
            for piece in recipe.pieces:
                yield from self.resolve(piece.base, through(piece.index, index, group.sizes()), group)

    def resolve(self, node: Node, index: Index, group: Group) -> Iterator[tuple[Node, Index]]:
        recipe = self.recipes[node]
        if isinstance(recipe, Alias):
            yield from self.resolve(recipe.base, through(recipe.dims, index, group.sizes()), group)
        elif id(node) in self.inlined:
            yield from self.reads(node, index, group)
        else:
            yield node, index

    # -- steps -------------------------------------------------------------------------------------------------------
    def add(self, step: Group | Node, needs: int) -> int:
        number = len(self.groups)
        self.groups.append(step)
        self.alive.append(True)
        self.before.append(needs)
        return number

    def needs_of(self, nodes: Any) -> int:
        """Bit set of the steps that must run before something that reads `nodes`."""
        bits = 0
        for node in nodes:
            at = self.home.get(id(node))
            if at is not None:
                bits |= self.before[at] | 1 << at
        return bits

    def grow(self, number: int, more: int) -> None:
        """Step `number` now needs `more` as well; so does whatever needs it."""
        more &= ~(1 << number)
        self.before[number] |= more
        bit = 1 << number
        for k, bits in enumerate(self.before):
            if bits & bit:
                self.before[k] = bits | self.before[number]

    def between(self, low: int, bits: int) -> bool:
        """Whether a step in `bits` other than `low` needs `low`: then `low` cannot take in what needs `bits`."""
        bit = 1 << low
        rest = bits & ~bit
        while rest:
            k = rest.bit_length() - 1
            if self.before[k] & bit:
                return True
            rest &= ~(1 << k)
        return False


def aligned(operand: Node, index: Index) -> Index:
    """The index of a broadcast operand inside an element with `index`."""
    shape = shape_of(operand.spec)
    tail = index[len(index) - len(shape):]
    return tuple([None if is_one(n) else i for n, i in zip(shape, tail)])


def plan(recipes: Recipes) -> Plan:
    """Group the nodes of a graph."""
    out = Plan(recipes)
    graph = recipes.graph
    kept = {id(n) for o in graph.outputs for n in walk_nodes(o)}
    out.inlined = inlined(recipes, kept)
    living = _living(recipes, kept)
    barrier = 0
    last_ordered = 0
    for node in graph.nodes:
        recipe = recipes[node]
        if node.kind in ("input", "constant") or id(node) in out.inlined or id(node) not in living:
            continue
        if isinstance(recipe, Host):
            needs = out.needs_of(_real_bases(out, walk_nodes(node.args)))
            ordered = (node.op is not None and node.op.random) or id(node) in recipes.writes
            if id(node) in recipes.writes:
                needs |= (1 << len(out.groups)) - 1               # everything recorded so far comes first
            elif ordered:
                needs |= last_ordered
            at = out.add(node, needs | barrier)
            out.home[id(node)] = at
            if ordered:
                last_ordered = out.before[at] | 1 << at
            if id(node) in recipes.writes:
                barrier = out.before[at] | 1 << at
        elif isinstance(recipe, Point | Combine | Pieces):
            _place(out, node, recipe, barrier)
        elif isinstance(recipe, Alias):
            base = _base(out, node)
            if id(base) in out.home:
                out.home[id(node)] = out.home[id(base)]
    _merge_siblings(out)
    _materialise(out, kept)
    _order(out)
    return out


def _living(recipes: Recipes, kept: set[int]) -> set[int]:
    """Nodes that a result, a step on the host or a write needs. What nobody needs must not shape a kernel: a group over the
    elements of a sum that is never made has no place for values without elements."""
    found = set(kept)
    for node in reversed(recipes.graph.nodes):
        recipe = recipes[node]
        if isinstance(recipe, Host) or id(node) in recipes.writes or id(node) in found:
            found.add(id(node))
            found |= {id(n) for n in walk_nodes(node.args)}
            if isinstance(recipe, Alias):
                found.add(id(recipe.base))
    return found


def _base(p: Plan, node: Node) -> Node:
    recipe = p.recipes[node]
    while isinstance(recipe, Alias):
        node = recipe.base
        recipe = p.recipes[node]
    return node


def _real_bases(p: Plan, nodes: Iterator[Node]) -> list[Node]:
    return [_base(p, n) for n in nodes]


def _hint(n: Any) -> int:
    return n if isinstance(n, int) else int(getattr(n, "hint", 0))


def _is_split(node: Node, dims: tuple[int, ...]) -> bool:
    rows = total = 1
    for d, n in enumerate(node.spec.shape):
        total *= _hint(n)
        rows *= 1 if d in dims else _hint(n)
    return rows == 1 and total > SMALL and all(isinstance(n, int) for d, n in enumerate(node.spec.shape) if d not in dims)


def _place(p: Plan, node: Node, recipe: Point | Combine | Pieces, barrier: int) -> None:
    region = p.recipes.region[id(node)]
    if isinstance(recipe, Combine):
        split = not recipe.combine.startswith("arg") and _is_split(recipe.source, recipe.dims)
        own = Group(len(p.groups), region, shape_of(recipe.source.spec), recipe.dims, split=split)
    else:
        own = Group(len(p.groups), region, shape_of(node.spec), None)
    own.members.append(node)
    index = p.index_in(own, node)
    assert index is not None
    read = [n for n, _ in p.reads(node, index, own)]
    at = p.add(own, p.needs_of(read) | barrier)
    p.home[id(node)] = at
    producers = sorted({p.home[id(n)] for n in read if id(n) in p.home}, reverse=True)
    for k in producers:
        if isinstance(p.groups[k], Group) and p.alive[k]:
            at = _merge(p, k, at)


def _merge(p: Plan, first: int, second: int) -> int:
    """Unite two groups if that is allowed; returns the id under which `second`'s members are now found."""
    a, b = p.groups[first], p.groups[second]
    if first == second or not isinstance(a, Group) or not isinstance(b, Group) or a.region != b.region:
        return second
    if p.between(first, p.before[second]) or p.between(second, p.before[first]):
        return second
    united = _united(p, a, b)
    if united is None:
        return second
    for n in united.members:
        p.home[id(n)] = first
    united.id = first
    p.groups[first] = united
    p.alive[second] = False
    bits = p.before[second]
    p.before[second] = 0
    swap = 1 << second
    for k, have in enumerate(p.before):
        if have & swap:
            p.before[k] = (have & ~swap) | 1 << first
    p.grow(first, bits & ~swap)
    return first


def _united(p: Plan, a: Group, b: Group) -> Group | None:
    if len(a.members) + len(b.members) > MAX_MEMBERS:
        return None
    if a.dims is not None and b.dims is not None:
        if a.dims != b.dims or not same_shape(a.shape, b.shape):
            return None
        base = a
    else:
        base = a if a.dims is not None else b if b.dims is not None else a
    members = sorted({id(n): n for n in a.members + b.members}.values(), key=lambda n: n.index)
    out = Group(a.id, a.region, base.shape, base.dims, members, split=a.split or b.split)
    inside = {id(n) for n in members}
    late: set[int] = set()                       # values that exist only after a reduction of this group
    arrays: set[int] = set()
    for n in members:
        recipe = p.recipes[n]
        index = p.index_in(out, n)
        if index is None:
            return None
        for used, at in p.reads(n, index, out):
            if id(used) not in inside:
                arrays.add(id(used))
                continue
            if not _same_axes(at, p.index_in(out, used)):
                return None
            if id(used) in late or isinstance(p.recipes[used], Combine):
                late.add(id(n))
        if out.split and isinstance(recipe, Combine) and recipe.combine.startswith("arg"):
            return None
        if out.split and id(n) in late and (isinstance(recipe, Combine) or index == out.full() and any(
                i is not None for i in out.full())):
            return None
    return out if len(arrays) + len(members) // 4 <= MAX_ARRAYS else None


def _same_axes(a: Index, b: Index | None) -> bool:
    """The same element."""
    return a == b


def _merge_siblings(p: Plan) -> None:
    """Unite groups over the same space that read the same arrays: one launch, and each element is loaded once."""
    ids = [k for k, g in enumerate(p.groups) if p.alive[k] and isinstance(g, Group)]
    if len(ids) > 200:
        return
    inputs = {k: _arrays_read(p, k) for k in ids}
    for i, k in enumerate(ids):
        for m in ids[i + 1:]:
            if not (p.alive[k] and p.alive[m]) or not inputs[k] & inputs[m]:
                continue
            a, b = p.groups[k], p.groups[m]
            assert isinstance(a, Group) and isinstance(b, Group)
            if (a.dims == b.dims or a.dims is None or b.dims is None) and same_shape(a.shape, b.shape) \
                    and _merge(p, k, m) == k:
                inputs[k] |= inputs[m]


def _arrays_read(p: Plan, k: int) -> set[int]:
    g = p.groups[k]
    assert isinstance(g, Group)
    found: set[int] = set()
    for n in g.members:
        index = p.index_in(g, n)
        assert index is not None
        found |= {id(used) for used, _ in p.reads(n, index, g)}
    return found - {id(n) for n in g.members}


def _materialise(p: Plan, kept: set[int]) -> None:
    """Decide which values exist as arrays, and so what each group stores."""
    nodes = p.recipes.graph.nodes
    wanted: set[int] = set()
    for node in nodes:
        if isinstance(p.recipes[node], Host):
            wanted |= {id(n) for n in walk_nodes(node.args)}
    for k, g in enumerate(p.groups):
        if not isinstance(g, Group) or not p.alive[k]:
            continue
        for n in g.members:
            index = p.index_in(g, n)
            assert index is not None
            wanted |= {id(used) for used, _ in p.reads(n, index, g) if p.home.get(id(used)) != k}
    p.read = set(wanted)
    wanted |= kept
    for found in (p.read, wanted):
        for node in reversed(nodes):                              # a real view needs its base
            recipe = p.recipes[node]
            if isinstance(recipe, Alias) and id(node) in found:
                found.add(id(recipe.base))
    for k, g in enumerate(p.groups):
        if isinstance(g, Group) and p.alive[k]:
            g.outputs = [n for n in g.members if id(n) in wanted]
    p.real = wanted


def _order(p: Plan) -> None:
    """Steps in the order of their last member in the script, as far as their needs allow."""
    left = [k for k in range(len(p.groups)) if p.alive[k]]
    first = {k: (g.members[0].index if isinstance(g, Group) else g.index) for k, g in ((k, p.groups[k]) for k in left)}
    left.sort(key=lambda k: first[k])
    done = 0
    dead = sum(1 << k for k in range(len(p.groups)) if not p.alive[k])
    while left:
        for i, k in enumerate(left):
            if not p.before[k] & ~done & ~dead:
                done |= 1 << k
                g = p.groups[k]
                if not isinstance(g, Group) or g.outputs:
                    p.steps.append(g)
                del left[i]
                break
        else:
            raise AssertionError("steps need each other")
