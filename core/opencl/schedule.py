"""How a Loops runs: which pass each statement belongs to, which axis is the vector axis, what one work-item does.

A *pass* is one walk over the inner axes of a row. A reduction's result exists after its pass, so softmax takes three
passes (maximum, sum, quotient), all in one kernel. Element values are computed again in every pass that needs them.

Styles, CPU: "chunk" (one axis, cut into contiguous pieces), "rows" (whole rows per work-item, vectors along the last
inner axis), "columns" (16 neighbouring rows as one vector, loops over the inner axes), "split" (one row cut into
pieces; a second kernel combines the partial results). GPU: "items" (one element or row per work-item), "groups" (one
row per work-group, combined in local memory).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..symbolic.expr import Expr as Place
from ..tensor import dtypes as dt
from .arguments import all_accesses, name_sizes
from .loop_ir import (
    PRODUCT,
    Apply,
    Argument,
    Array,
    Axis,
    Cast,
    Count,
    Expr,
    Let,
    Load,
    Loops,
    Position,
    Reduce,
    Ref,
    Statement,
    Store,
    axes_of,
    conditions,
    walk,
)
from .lower import TRANSCENDENTAL
from .places import axes_in
from .sizes import Size, product

LANES = 16
BLOCK = 16384            # elements that a sum adds up before it goes to the outer total: keeps rounding errors small
COLUMN_BLOCK = 1024      # the same along columns
WIDE_STATEMENTS = 8      # per element, in blocks of several vectors
GROUP_SIZE = 64          # work-items per work-group of the GPU schedule on a device that is no GPU


@dataclass(frozen=True, slots=True)
class Limits:
    """What the GPU schedule asks of a device: work-items per work-group at most, and bytes of local memory per group."""

    group: int = GROUP_SIZE
    local_memory: int = 16384

    def size(self, bytes_per_item: int) -> int:
        """Work-items per group, a power of two, when each needs so many bytes of local memory."""
        size = 1
        while 2 * size <= self.group and 2 * size * bytes_per_item <= self.local_memory:
            size *= 2
        return size


@dataclass(slots=True)
class Pass:
    """One walk over the inner axes: `elements` (Lets and Stores per element, in order), the reductions it feeds, then
    the statements of the row that become possible."""

    elements: list[Statement] = field(default_factory=list)
    reductions: list[Reduce] = field(default_factory=list)
    after: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Schedule:
    """What the renderer needs. `uniform`: Lets that depend on no axis; `before`: of the row, before its first pass."""

    loops: Loops
    style: str
    rows: list[Axis]
    inner: list[Axis]
    uniform: list[Statement]
    before: list[Statement]
    passes: list[Pass]
    names: dict[int, str]                     # axis id -> name of the size argument
    strides: dict[tuple[str, int, Size], str]          # (array, axis, stride) -> the stride's text
    stride_arguments: dict[str, Size]
    offsets: dict[tuple[str, Size], str] = field(default_factory=dict)    # (array, offset) -> the offset's text
    limits: dict[Size, str] = field(default_factory=dict)                 # limits of conditions on positions -> their text
    symbols: dict[Place, str] = field(default_factory=dict)               # sizes that occur in divisions -> their text
    partials: list[str] = field(default_factory=list)
    width: int = LANES                        # style columns: neighbouring rows per block

    @property
    def reduces(self) -> bool:
        return any(p.reductions for p in self.passes)

    def size_arguments(self) -> dict[str, Size]:
        """Size and stride arguments in the order the kernel takes them."""
        found: dict[str, Size] = {self.names[a.id]: a.size for a in self.rows + self.inner}
        found.update(self.stride_arguments)
        return found

    def statements(self) -> list[Statement]:
        return statements(self)

    def count_text(self) -> str:
        return " * ".join(self.names[a.id] for a in self.inner) or "1"


# -- passes ----------------------------------------------------------------------------------------------------------
class Analysis:
    """Per value: the axes it depends on and after how many passes it is known."""

    def __init__(self, loops: Loops) -> None:
        everywhere = frozenset(a.id for a in (*loops.rows, *loops.inner))
        self.axes: dict[str, frozenset[int]] = {PRODUCT: everywhere}
        self.level: dict[str, int] = {PRODUCT: 0}
        self.by_name: dict[str, Statement] = {}
        inner = {a.id for a in loops.inner}
        for s in loops.statements:
            if isinstance(s, Store):
                continue
            axes = axes_of(s.value)
            level = 0
            for e in walk(s.value):
                if isinstance(e, Ref):
                    axes |= self.axes[e.name]
                    level = max(level, self.level[e.name])
            if isinstance(s, Reduce):
                axes -= inner
                level += 1
            self.axes[s.name] = frozenset(axes)
            self.level[s.name] = level
            self.by_name[s.name] = s


def uses(s: Statement) -> list[str]:
    e: Expr = s.value
    return [x.name for x in walk(e) if isinstance(x, Ref)]


def schedule(loops: Loops, gpu: bool, split: bool = False, sizes: str = "n") -> Schedule:
    """Decide how `loops` runs. `split`: the caller wants partial results of a single row (see split_in_two). `sizes`: how
    the names of sizes begin."""
    if not any(isinstance(s, Reduce) for s in loops.statements):
        loops.inner, loops.rows = loops.rows + loops.inner, []
        if loops.inner and not gpu:
            lane = loops.inner[-1]
            loops.rows, loops.inner = loops.inner[:-1], [lane]
    a = Analysis(loops)
    inner = {x.id for x in loops.inner}
    uniform: list[Statement] = []
    before: list[Statement] = []
    top = max([0, *(a.level[s.value.name] for s in loops.statements if isinstance(s, Store) and _moves(s, inner)),
               *(a.level[s.name] - 1 for s in loops.statements if isinstance(s, Reduce))])
    passes = [Pass() for _ in range(top + 1)]
    needed: list[set[str]] = [set() for _ in passes]

    def need(name: str, p: int) -> None:
        if name not in a.by_name:                        # the product that a tail goes on with
            return
        s = a.by_name[name]
        if name in needed[p] or isinstance(s, Reduce) or not a.axes[name] & inner:
            return
        needed[p].add(name)
        for used in uses(s):
            need(used, p)

    for s in loops.statements:
        if isinstance(s, Reduce):
            p = a.level[s.name] - 1
            passes[p].reductions.append(s)
            for used in uses(s):
                need(used, p)
        elif isinstance(s, Store) and _moves(s, inner):
            need(s.value.name, a.level[s.value.name])
    for s in loops.statements:
        if isinstance(s, Let):
            for p, names in enumerate(needed):
                if s.name in names:
                    passes[p].elements.append(s)
            if not a.axes[s.name] & inner:
                level = a.level[s.name]
                if level:
                    passes[level - 1].after.append(s)
                else:
                    (before if a.axes[s.name] else uniform).append(s)
        elif isinstance(s, Store):
            level = a.level[s.value.name]
            if _moves(s, inner):
                passes[level].elements.append(s)
            elif level:
                passes[level - 1].after.append(s)
            else:
                before.append(s)
    _stash(loops, a, passes)
    out = Schedule(loops, "", list(loops.rows), list(loops.inner), uniform, before, passes, {}, {}, {})
    _drop_unused(out)
    name_sizes(out, sizes)
    out.style = _style(out, gpu, split)
    if out.style == "columns":
        out.width = _width(out)
    return out


def _width(out: Schedule) -> int:
    """How many neighbouring rows go together: several vectors when one walk over the inner axes is all there is."""
    walks = [p for p in out.passes if p.elements or p.reductions]
    if len(walks) > 1 or any(r.combine.startswith("arg") for r in walks[0].reductions) \
            or len(walks[0].elements) > WIDE_STATEMENTS or any(isinstance(s, Store) for s in walks[0].elements):
        return LANES
    size = out.rows[-1].size
    return next((w for w in (4 * LANES, 2 * LANES) if not isinstance(size, int) or size >= w), LANES)


def _stash(loops: Loops, a: Analysis, passes: list[Pass]) -> None:
    """Keep a costly element value of one pass in the output that the last pass writes, instead of computing it again:
    softmax leaves exp(x - max) there. Each element is read by the work-item that wrote it, just before it is replaced."""
    last = passes[-1]
    outputs = [s for s in last.elements if isinstance(s, Store) and len(s.strides) == len(loops.rows) + len(loops.inner)]
    for k, p in enumerate(passes[:-1]):
        for s in list(p.elements):
            again = [x for x in last.elements if x is s]
            if not outputs or not again or not isinstance(s, Let) or not _costly(s) \
                    or any(isinstance(x, Store) and x.value.name == s.name for x in last.elements):
                continue
            store = next((o for o in outputs if o.dtype is s.dtype and len(a.axes[s.name]) == len(o.strides)), None)
            if store is None:
                continue
            outputs.remove(store)
            p.elements.insert(p.elements.index(s) + 1, Store(store.array, store.strides, Ref(s.name, s.dtype), s.dtype, None))
            loaded = Let(s.name, Load(store.array, store.strides, s.dtype), s.dtype, None)
            for q in passes[k + 1:]:
                q.elements = [loaded if x is s else x for x in q.elements]
    for p in passes:
        needed_only(p)


def _costly(s: Let) -> bool:
    """Whether computing a value takes a transcendental function."""
    return any(isinstance(e, Apply) and e.fn in TRANSCENDENTAL for e in walk(s.value))


def needed_only(p: Pass) -> None:
    """Drop element values of a pass that nothing in it reads any more."""
    while True:
        used = {n for s in [*p.elements, *p.reductions] for n in uses(s)}
        kept = [s for s in p.elements if not isinstance(s, Let) or s.name in used]
        if len(kept) == len(p.elements):
            return
        p.elements = kept


def _moves(s: Store, inner: set[int]) -> bool:
    return any(a in inner for a, _ in s.strides)


def _drop_unused(out: Schedule) -> None:
    """Lets that nothing reads (loads hoisted for a value that was then not needed)."""
    lists = [out.uniform, out.before, *(x for p in out.passes for x in (p.elements, p.after))]
    while True:
        used = {n for ss in lists for s in ss for n in uses(s)} | {n for p in out.passes for r in p.reductions
                                                                     for n in uses(r)}
        found = False
        for ss in lists:
            kept = [s for s in ss if not isinstance(s, Let) or s.name in used]
            found |= len(kept) != len(ss)
            ss[:] = kept
        if not found:
            return


# -- styles ---------------------------------------------------------------------------------------------------------
def involved(out: Schedule, axis: int) -> bool:
    """Whether something is read under a condition on an axis, or at a place that is no multiple of it."""
    for s in statements(out):
        if not isinstance(s, Store):
            if any(axis in c.axes() for c in conditions(s.value)):
                return True
            for e in walk(s.value):
                if axis in (axes_in(e.extra) if isinstance(e, Load) else axes_in(e.place) if isinstance(e, Position) else ()):
                    return True
    return False


def statements(out: Schedule) -> list[Statement]:
    all_: list[Statement] = [*out.uniform, *out.before]
    for p in out.passes:
        all_ += [*p.elements, *p.reductions, *p.after]
    return all_


def _style(out: Schedule, gpu: bool, split: bool) -> str:
    if gpu:
        return "groups" if out.reduces and not _columns(out) else "items"
    if split:
        return "split"
    if not out.reduces:
        return "rows" if out.rows else "chunk"
    return "columns" if _columns(out) else "rows"


def _columns(out: Schedule) -> bool:
    """Whether neighbouring rows, rather than neighbouring elements of a row, are neighbours in memory."""
    if not out.rows:
        return False
    lane, column = out.inner[-1].id, out.rows[-1].id
    unit_lane = unit_column = 0
    for _, strides in all_accesses(out):
        have = dict(strides)
        if lane in have or column in have:
            unit_lane += isinstance(have.get(lane), int) and have.get(lane) == 1
            unit_column += isinstance(have.get(column), int) and have.get(column) == 1 and lane in have
    return unit_column > unit_lane


# -- two kernels for one long row ------------------------------------------------------------------------------------
def split_in_two(loops: Loops) -> tuple[Loops, Loops]:
    """A reduction of one row as partial results (one per piece) and a kernel that combines them and does the rest.
    The pieces' number is the size of the second kernel's only axis, known at launch ("parts")."""
    partial = Loops(loops.name + "_partial", [], loops.inner, dict(loops.arrays), [], dict(loops.scalars), loops.nodes)
    finish = Loops(loops.name, [], [Axis(0, -1)], dict(loops.arrays), [], dict(loops.scalars), loops.nodes)
    a = Analysis(loops)
    inner = {x.id for x in loops.inner}
    total = product(x.size for x in loops.inner)
    for s in loops.statements:
        if isinstance(s, Reduce):
            name = f"{s.name}_parts"
            memory = dt.uint8 if s.dtype is dt.bool_ else s.dtype
            partial.arrays[name] = Array(name, memory, True, None)
            finish.arrays[name] = Array(name, memory, False, None)
            partial.statements.append(s)
            value: Expr = Load(name, ((0, 1),), memory)
            finish.statements.append(Reduce(s.name, s.combine, Cast(value, dt.bool_) if s.dtype is dt.bool_ else value,
                                            s.dtype, s.node))
        elif isinstance(s, Store):
            (partial if _moves(s, inner) else finish).statements.append(s)
        else:
            late = a.level[s.name] > 0
            if late:
                s.value = _count_to_argument(s.value, finish, total)
            (finish if late else partial).statements.append(s)
            if not late and not a.axes[s.name]:
                finish.statements.append(Let(s.name, s.value, s.dtype, s.node))
    for half in (partial, finish):
        used = {x for s in half.statements for x in ([s.array] if isinstance(s, Store) else
                                                     [e.array for e in walk(s.value) if isinstance(e, Load)])}
        if half is partial:
            used |= {n for n, x in half.arrays.items() if x.node is None}
        half.arrays = {n: x for n, x in half.arrays.items() if n in used}
        keys = {e.key for s in half.statements for e in walk(s.value) if isinstance(e, Argument)}
        half.scalars = {k: v for k, v in half.scalars.items() if k in keys}
    return partial, finish


def _count_to_argument(e: Expr, finish: Loops, total: Size) -> Expr:
    if isinstance(e, Count):
        key = f"count_{e.dtype.name}"
        finish.scalars[key] = (total, e.dtype)
        return Argument(key, e.dtype)
    if isinstance(e, Cast):
        return Cast(_count_to_argument(e.arg, finish, total), e.dtype)
    if isinstance(e, Apply):
        return Apply(e.fn, tuple([_count_to_argument(x, finish, total) for x in e.args]), e.dtype)
    return e
