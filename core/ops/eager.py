"""Running an operator at once with NumPy: the fallback for everything, and the independent oracle for compiled code.

What does not depend on elements (result metadata, dtypes to convert to) is a *plan*, kept per operator, argument
metadata and global mode, so that a repeated call costs one dictionary look-up, the NumPy call and one wrapper.
Results always have the strides that the operator's shape rule states.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor.devices import CPU, META
from ..tensor.dtypes import bfloat16, dtype, widened
from ..tensor.meta import Spec, TensorMeta
from ..tensor.state import STATE
from ..tensor.tensor import Tensor, wrap_meta
from .fitting import LEAST, MOST
from .op import Op, Pointwise
from .promotion import is_tensor_like, op_dtypes
from .strides import is_contiguous

_PLANS: dict[tuple, Any] = {}
_PLAN_LIMIT = 20_000
_STRUCTURED = frozenset(("tensors", "any"))
_CACHEABLE: dict[Op, bool] = {}


class Plan:
    """`metas`: of the result(s). For pointwise operators also what to do with each argument and how to store."""

    __slots__ = ("metas", "actions", "convert", "result", "contiguous", "order", "on_meta", "single", "shape")

    def __init__(self, op: Op, args: tuple) -> None:
        specs = op.infer(*[_meta_of(a) for a in args])
        self.single = not isinstance(specs, tuple)
        self.metas = tuple([_intern(s) for s in ((specs,) if self.single else specs)])
        first = self.metas[0] if self.metas else None
        self.on_meta = first is not None and first.device is META
        self.actions: list[int] = []
        if first is not None and not self.on_meta and first.device is not CPU:
            from ..errors import NotYetSupported
            raise NotYetSupported(f"tensors on device '{first.device}' do not exist yet: use device='cpu', whose "
                                  f"tensors the compiled kernels read without copying.")
        if isinstance(op.lower, Pointwise) and first is not None:
            dtypes = op_dtypes(op, tuple([_meta_of(a) for a in args]))
            self.convert = dtypes.compute.numpy
            over = op.promote_over
            for i, (p, a) in enumerate(zip(op.params, args)):
                if isinstance(a, Tensor):
                    keep = a.dtype is dtypes.compute or (over is not None and i not in over)
                    self.actions.append(0 if keep else 1)
                else:
                    self.actions.append(2 if p.kind in ("operand", "scalar") and a is not None else 3)
        if first is not None:
            self.result = first.dtype.numpy
            self.shape = tuple(first.shape)
            self.contiguous = is_contiguous(first.shape, first.strides)
            self.order = None if self.contiguous else dense_order(first.shape, first.strides)


def _meta_of(a: Any) -> Any:
    if isinstance(a, Tensor):
        return a._meta
    if type(a) is tuple or type(a) is list:
        return [_meta_of(v) for v in a] if type(a) is list else tuple([_meta_of(v) for v in a])
    return a


def _intern(spec: Any) -> Any:
    if type(spec) is Spec:
        return TensorMeta.of(Tensor, spec.dtype, spec.device, tuple(spec.shape), tuple(spec.strides),
                             spec.requires_grad)
    return spec


def dense_order(shape: tuple, strides: tuple) -> tuple[int, ...]:
    """Dimensions from slowest to fastest of a dense layout."""
    return tuple(sorted(range(len(shape)), key=lambda d: (-strides[d], -shape[d])))


def empty_strided(shape: tuple, strides: tuple, d: np.dtype) -> np.ndarray:
    """An uninitialised array of a dense layout (strides in elements; those of size-1 dimensions are immaterial)."""
    if is_contiguous(shape, strides):
        return np.empty(shape, d)
    order = dense_order(shape, strides)
    return np.empty([shape[i] for i in order], d).transpose(np.argsort(order))


def _key(op: Op, args: tuple) -> tuple:
    pointwise = type(op.lower) is Pointwise
    key: list[Any] = [op, STATE.mode]
    for a in args:
        t = type(a)
        if isinstance(a, Tensor):
            key.append(a._meta)
        elif t is int or t is float or t is bool:
            key.append(t)
            if not pointwise:
                key.append(a)
        elif t is str or a is None or t is tuple or t is dtype:
            key.append(a)
        else:
            key.append(t)
            key.append(a)
    return tuple(key)


def _hashable(key: tuple) -> tuple | None:
    """The key with slices inside tuples as tuples; None if something else cannot be hashed."""
    out = tuple([tuple([(s.start, s.stop, s.step) if type(s) is slice else s for s in k]) if type(k) is tuple else k
                 for k in key])
    try:
        hash(out)
    except TypeError:
        return None
    return out


def _cacheable(op: Op) -> bool:
    found = _CACHEABLE.get(op)
    if found is None:
        found = _CACHEABLE[op] = not any(p.kind in _STRUCTURED for p in op.params)
    return found


def plan_of(op: Op, args: tuple) -> Plan:
    """The plan for a call; from the table when the same metadata was seen before."""
    if not _cacheable(op):
        return Plan(op, args)
    key = _key(op, args)
    try:
        found = _PLANS.get(key)
    except TypeError:
        plain = _hashable(key)
        if plain is None:                  # the shape rule says what is wrong
            return Plan(op, args)
        key = plain
        found = _PLANS.get(key)
    if found is None:
        if len(_PLANS) >= _PLAN_LIMIT:
            _PLANS.clear()
        found = _PLANS[key] = Plan(op, args)
    return found


def run_eager(op: Op, args: tuple) -> Any:
    """Compute `op(*args)` on real tensors. `args` are normalised. RuntimeError where there is not memory enough."""
    try:
        return _run(op, args)
    except MemoryError as error:
        raise RuntimeError(f"DefaultCPUAllocator: can't allocate memory: {error}") from None


def _run(op: Op, args: tuple) -> Any:
    if op.mutates:
        return _run_inplace(op, args)
    plan = plan_of(op, args)
    if plan.on_meta:
        return _results(op, plan, [None] * len(plan.metas))
    with np.errstate(all="ignore"):
        if plan.actions:
            arrays = _operands(args, plan)
            return wrap_meta(_store(op.eager(*arrays), plan, arrays), plan.metas[0])
        given = [_unwrap(a) for a in args] if op.returns_view else [_readable(a) for a in args]
        got = op.eager(*given)
    if op.returns_view:
        if plan.single:
            return wrap_meta(got, plan.metas[0])
        return _results(op, plan, got)
    if plan.single:
        return wrap_meta(_laid_out(_fresh(got, given), plan.metas[0]), plan.metas[0])
    return _results(op, plan, [_laid_out(_fresh(g, given), m) for g, m in zip(got, plan.metas)])


def _operands(args: tuple, plan: Plan) -> list:
    out = []
    for a, action in zip(args, plan.actions):
        if action == 0:
            out.append(a._array)
        elif action == 1:
            out.append(a._array.astype(plan.convert))
        elif action == 2:
            out.append(to_number(a, plan.convert))
        else:
            out.append(a)
    return out


def to_number(value: Any, d: np.dtype) -> Any:
    """A Python number as a NumPy scalar of dtype `d`; an integer that does not fit wraps."""
    try:
        return d.type(value)
    except OverflowError:
        if isinstance(value, float):
            raise RuntimeError(f"value cannot be converted to type int{8 * d.itemsize}_t without overflow") from None
        if value > MOST:
            raise OverflowError("int too big to convert") from None
        if value < LEAST:
            raise OverflowError("can't convert negative int to unsigned") from None
        return np.array(value & 0xFFFFFFFFFFFFFFFF, np.uint64).astype(d)[()]


def _unwrap(a: Any) -> Any:
    if isinstance(a, Tensor):
        return a._array
    t = type(a)
    if t is tuple:
        return tuple([_unwrap(v) for v in a])
    if t is list:
        return [_unwrap(v) for v in a]
    return a


def _readable(a: Any) -> Any:
    """Like _unwrap, in dtypes that all of NumPy understands."""
    if isinstance(a, Tensor):
        array: Any = a._array
        return widened(array)
    t = type(a)
    if t is tuple or t is list:
        return t([_readable(v) for v in a])
    return a


def _store(got: Any, plan: Plan, arrays: list) -> np.ndarray:
    """A fresh array with the plan's dtype, shape and layout holding `got`."""
    if type(got) is not np.ndarray:
        got = np.asarray(got)
    if got.dtype is not plan.result and got.dtype != plan.result:
        got = got.astype(plan.result)
    elif got.base is not None:
        got = got.copy(order="K")
    else:
        for a in arrays:
            if got is a:
                got = got.copy(order="K")
                break
    if got.shape != plan.shape:
        got = np.broadcast_to(got, plan.shape).copy()
    if plan.contiguous:
        return got if got.flags.c_contiguous else np.ascontiguousarray(got)
    return _laid_out(got, plan.metas[0])


def _fresh(got: Any, given: list) -> Any:
    """`got`, copied where NumPy gave memory of an operand's (a flip of one element): only views share it."""
    if type(got) is np.ndarray:
        for a in given:
            for one in a if type(a) is list or type(a) is tuple else (a,):
                if type(one) is np.ndarray and (got is one or got.base is not None and np.may_share_memory(got, one)):
                    return got.copy(order="K")
    return got


def _laid_out(got: Any, meta: TensorMeta) -> np.ndarray:
    """`got` as an array with the dtype and the strides of `meta` (copied only if it differs)."""
    if type(got) is not np.ndarray:
        got = np.asarray(got)
    if got.dtype != meta.dtype.numpy:
        got = got.astype(meta.dtype.numpy)
    if got.shape != meta.shape:
        got = got.reshape(meta.shape)
    if got.flags.c_contiguous and meta.is_contiguous:
        return got
    item = got.itemsize
    for n, s, m in zip(got.shape, got.strides, meta.strides):
        if n > 1 and s != m * item:
            break
    else:
        return got
    out = empty_strided(tuple(meta.shape), meta.strides, got.dtype)
    out[...] = got
    return out


def _results(op: Op, plan: Plan, arrays: Any) -> Any:
    items = [wrap_meta(a, m) for a, m in zip(arrays, plan.metas)]
    if plan.single:
        return items[0]
    return op.returns(*items) if op.returns is not None else tuple(items)


def run_recorded(op: Op, args: tuple) -> Any:
    """`op` as a node of a graph: what requires gradients was decided when the graph was traced."""
    return _write_inplace(op, args, plan_of(op, args)) if op.mutates else run_eager(op, args)


def _run_inplace(op: Op, args: tuple) -> Any:
    target = args[op.mutates[0]]
    meta = target._meta
    if STATE.mode.grad_enabled and meta.requires_grad and target.is_leaf:        # before dtypes and shapes are looked at
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    plan = plan_of(op, args)
    if STATE.mode.grad_enabled and not meta.requires_grad and op.differentiable and meta.dtype.category >= 2 \
            and any(isinstance(a, Tensor) and a._meta.requires_grad for a in args):
        target._meta = meta.replace(requires_grad=True)
        STATE.bump_epoch()
    return _write_inplace(op, args, plan)


def _write_inplace(op: Op, args: tuple, plan: Plan) -> Any:
    target = args[op.mutates[0]]
    meta = target._meta
    if plan.on_meta:
        return target
    with np.errstate(all="ignore"):
        if plan.actions:
            arrays = _operands(args, plan)
            np.copyto(target._array, op.eager(*arrays), casting="unsafe")
        elif meta.dtype is bfloat16 and not op.random:
            wide = [_readable(a) for a in args]
            op.eager(*wide)
            np.copyto(target._array, wide[op.mutates[0]], casting="unsafe")
        else:
            op.eager(*[_unwrap(a) if op.random else _readable(a) for a in args])
    return target


__all__ = ["Plan", "empty_strided", "is_tensor_like", "plan_of", "run_eager", "run_recorded", "to_number"]
