"""What an operator is: one declaration from which the API, eager NumPy, capture, shape rules and kernels derive.

`call(op, args)` is the only way anything runs an operator. In plain Python it computes with NumPy; while a tracer is
active (`STATE.tracer`) it records a graph node instead, so composite functions written in Python trace themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..tensor.state import STATE


# -- how an operator becomes kernel code ------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Pointwise:
    """Element by element. `expr` is a Python expression over the operator's parameter names, for example
    "where(input > 0, input, 0)" or "input + alpha * other", with the intrinsics listed in ops/intrinsics.py.
    Operands are converted to the compute dtype that `promote` names, the result to the result dtype."""

    expr: str


@dataclass(frozen=True, slots=True)
class Reduction:
    """Combine over `dim` ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin"); `before` is a Pointwise
    expression over `input`, `after` one over `acc` and `n` (number of elements combined)."""

    combine: str
    before: str = "input"
    after: str = "acc"


@dataclass(frozen=True, slots=True)
class View:
    """The result aliases argument 0 with other sizes, strides and offset: no kernel."""


@dataclass(frozen=True, slots=True)
class Template:
    """A hand-written kernel family in opencl_kernels/, by name: "matmul", ... `otherwise`: the operator written in terms
    of others (as Composite), for arguments or devices that the kernels do not serve."""

    name: str
    otherwise: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Composite:
    """Lowered by running `fn(*args)` on fake tensors under a tracer: it is written in terms of other operators."""

    fn: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Extern:
    """Always computed by the eager NumPy form (random numbers, sort, data-dependent sizes, ...)."""


Lowering = Pointwise | Reduction | View | Template | Composite | Extern


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of an operator. `kind`: tensor, tensors, scalar (Python number or SymInt/SymFloat or 0-d tensor),
    operand (tensor or scalar), int, ints, dim, dims, dtype, device, bool, str, index, any. `star`: methods also accept
    the ints one by one, `x.permute(0, 2, 1)`. A default of `...` means that the argument is required."""

    name: str
    kind: str
    default: Any = ...
    keyword_only: bool = False
    star: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operator.

    eager(*args) gets NumPy arrays for tensors (already promoted for Pointwise) and returns an array or a tuple of
    arrays; infer(*args) gets metadata objects (TensorMeta or Spec) for tensors, whose sizes may be symbolic, and
    returns a Spec or a tuple. Both get the arguments in the order of `params`, normalised by `normalize`
    (dimensions non-negative, single ints made tuples, defaults filled).
    """

    name: str
    params: tuple[Param, ...]
    eager: Callable[..., Any]
    infer: Callable[..., Any]
    lower: Lowering
    promote: str | None = None            # Pointwise: the rule of promotion.op_dtypes ("default", "int_to_float", ...)
    normalize: Callable[..., tuple] | None = None
    mutates: tuple[int, ...] = ()         # indices of arguments written in place
    functional: Op | None = None          # for in-place forms: the form that returns a new tensor
    returns: type | None = None           # named tuple of results (torch.return_types.max)
    returns_view: bool = False            # the result shares memory with argument 0
    random: bool = False                  # draws from a generator: never reordered, merged or dropped
    functions: tuple[str, ...] = ()       # spellings: "torch.add", "torch.nn.functional.relu"
    methods: tuple[str, ...] = ()         # spellings on Tensor: "add", "__add__", "__radd__"
    out: bool = False                     # the functions take `out=`
    promote_over: tuple[int, ...] | None = None  # arguments that take part in type promotion; None: all operands
    differentiable: bool = True           # a floating result requires grad when an input does
    doc: str = ""
    derivative: Any = field(default=None)  # room for the next piece of work

    def __repr__(self) -> str:
        return f"<op {self.name}>"


OPS: dict[str, Op] = {}


def register(op: Op) -> Op:
    if op.name in OPS:
        raise ValueError(f"operator {op.name} is declared twice")
    OPS[op.name] = op
    return op


def call(op: Op, args: tuple) -> Any:
    """Run `op` on normalised or raw arguments (defaults filled): records a node under a tracer, else computes."""
    if op.normalize is not None:
        args = op.normalize(*args)
    if STATE.mode.autocast is not None:
        from .autocast import cast_arguments

        args = cast_arguments(op, args)
    tracer = STATE.tracer
    if tracer is not None:
        return tracer.record(op, args)
    return _run_eager(op, args)


def _run_eager(op: Op, args: tuple) -> Any:
    """Stands in for eager.run_eager until the first call: eager.py needs this module."""
    global _run_eager
    from .eager import run_eager

    _run_eager = run_eager
    return run_eager(op, args)
