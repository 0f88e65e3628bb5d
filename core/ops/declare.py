"""Short forms for declaring operators: parameters from a schema string, shape rules by kind of operator.

`pointwise("add", "input:operand, other:operand, *, alpha=1", "input + alpha * other", eager)` declares the operator,
its in-place form and its spellings at once. Every shape rule passes through `checked`, which tests argument kinds,
puts all tensors on one device and propagates requires_grad, so that the rules themselves are only about sizes.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from ..tensor.dtypes import dtype as DType
from ..tensor.meta import Spec
from ..tensor.state import STATE
from . import promotion
from .broadcast import broadcast_shapes, broadcast_two
from .dims import reduced_shape, wrap_dim, wrap_dims
from .op import Composite, Extern, Lowering, Op, Param, Pointwise, Reduction, View, register
from .strides import elementwise_strides

_KIND_OF_NAME = {
    "input": "tensor", "mat1": "tensor", "mat2": "tensor", "batch1": "tensor", "batch2": "tensor", "index": "tensor",
    "mask": "tensor", "weight": "tensor", "bias": "tensor", "src": "tensor", "source": "tensor", "condition": "tensor",
    "other": "operand", "exponent": "operand", "dim": "dim", "dims": "dims", "keepdim": "bool", "dtype": "dtype",
    "device": "device", "size": "ints", "shape": "ints", "tensors": "tensors", "generator": "any", "training": "bool",
}


def parse(schema: str) -> tuple[Param, ...]:
    """Parameters from text such as "input, *dims, keepdim=False, *, dtype=None". `name:kind` states a kind; without it
    the kind is that usual for the name, else "scalar"."""
    out = []
    keyword_only = False
    for piece in filter(None, (p.strip() for p in schema.split(","))):
        if piece == "*":
            keyword_only = True
            continue
        star = piece.startswith("*")
        head, _, default = piece.lstrip("*").partition("=")
        name, _, kind = head.partition(":")
        out.append(Param(name, kind or _KIND_OF_NAME.get(name, "scalar"),
                         ast.literal_eval(default) if default else ..., keyword_only, star))
    return tuple(out)


# -- what all shape rules share --------------------------------------------------------------------------------------
def _bad(name: str, param: Param, position: int, expected: str, value: Any) -> TypeError:
    return TypeError(f"{name}(): argument '{param.name}' (position {position}) must be {expected}, "
                     f"not {type(value).__name__}")


def check_kinds(name: str, params: tuple[Param, ...], args: tuple) -> list:
    """Raises TypeError if an argument is not of its parameter's kind; returns the tensors among the arguments."""
    found = []
    for i, (p, a) in enumerate(zip(params, args), 1):
        if p.kind == "tensor":
            if promotion.is_tensor_like(a):
                found.append(a)
            elif not (a is None and p.default is None):
                raise _bad(name, p, i, "Tensor", a)
        elif p.kind == "operand" or p.kind == "scalar":
            if promotion.is_tensor_like(a):
                found.append(a)
            elif promotion.number_category(a) is None and not (a is None and p.default is None):
                raise _bad(name, p, i, "Tensor" if p.kind == "operand" else "Number", a)
        elif p.kind == "tensors":
            if not isinstance(a, (tuple, list)):
                raise _bad(name, p, i, "tuple of Tensors", a)
            for j, t in enumerate(a):
                if promotion.is_tensor_like(t):
                    found.append(t)
                elif t is not None:
                    raise TypeError(f"{name}(): expected Tensor as element {j} in argument {i - 1}, "
                                    f"but got {type(t).__name__}")
        elif p.kind == "dtype":
            if a is not None and not isinstance(a, DType):
                raise _bad(name, p, i, "torch.dtype", a)
        elif p.kind == "any" or p.kind == "index":
            found.extend(_tensors_in(a))
    return found


def _tensors_in(value: Any) -> list:
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in _tensors_in(v)]
    return [value] if promotion.is_tensor_like(value) else []


def common_device(name: str, metas: list) -> Any:
    """The device all tensors are on; 0-d CPU tensors go along with any. RuntimeError if they differ."""
    if not metas:
        return None
    first = metas[0].device
    for m in metas[1:]:
        if m.device is first:
            continue
        if len(m.shape) == 0 and m.device.type == "cpu":
            continue
        if first.type == "cpu" and all(len(n.shape) == 0 for n in metas if n.device is first):
            first = m.device
            continue
        raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, "
                           f"{first} and {m.device}! (when checking arguments of {name})")
    return first


def checked(name: str, params: tuple[Param, ...], rule: Callable[..., Any], differentiable: bool = True,
            own_device: bool = False) -> Callable[..., Any]:
    """`rule` with argument checks before it, and device and requires_grad of its result(s) filled in."""

    def infer(*args: Any) -> Any:
        metas = check_kinds(name, params, args)
        out = rule(*args)
        device = None if own_device else common_device(name, metas)
        grad = differentiable and STATE.mode.grad_enabled and any(m.requires_grad for m in metas)
        for spec in out if isinstance(out, tuple) else (out,):
            if type(spec) is Spec:
                if device is not None:
                    spec.device = device
                if grad and spec.dtype.category >= 2:
                    spec.requires_grad = True
        return out

    infer.__name__ = f"infer_{name}"
    return infer


# -- pointwise -------------------------------------------------------------------------------------------------------
def elementwise_rule(op_of: Callable[[], Op], only: str = "") -> Callable[..., Any]:
    """Shape rule of an element-wise operator: broadcast sizes, promoted dtype, TensorIterator layout.

    `only` restricts the dtype operands have in common: "integral" (integers and bool), "floating", "number" (not
    bool), or a sentence that says why bool is refused."""

    def rule(*args: Any) -> Spec:
        op = op_of()
        metas = [a for a in args if promotion.is_tensor_like(a)]
        if not metas:
            raise TypeError(f"{op.name}(): at least one argument must be a Tensor")
        dtypes = promotion.op_dtypes(op, args)
        if only or dtypes.compute.category == 3:
            check_category(op, dtypes.compute, only)
        result = dtypes.result
        shape = metas[0].shape if len(metas) == 1 else broadcast_shapes(*[m.shape for m in metas])
        return Spec(result, shape, elementwise_strides(shape, metas))

    return rule


# Element-wise operators that take complex numbers.
_ON_COMPLEX = frozenset(("add", "sub", "rsub", "mul", "div", "pow", "exp", "exp2", "expm1", "log", "log2", "log10",
    "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "sigmoid", "reciprocal", "sinc", "neg", "abs", "sgn", "square", "where", "masked_fill", "addcmul", "addcdiv",
    "lerp", "eq", "ne", "logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "isfinite", "clone",
    "contiguous", "channels_last", "to_dtype", "copy", "fill", "zero", "full", "full_like", "silu", "angle", "nan_to_num",
    "logaddexp", "softsign", "tanhshrink"))


_COMPLEX_SENTENCES = {
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), " not implemented for complex tensors."),
    **dict.fromkeys(("isposinf", "isneginf"), " does not support complex inputs."),
    **dict.fromkeys(("deg2rad", "rad2deg", "deg2rad_", "rad2deg_"), " is not supported for complex tensors.")}


def check_category(op: Op, common: DType, only: str) -> None:
    """NotImplementedError if the common dtype is not what `only` (see elementwise_rule) allows; RuntimeError with the
    sentence that `only` is, if the dtype is bool."""
    if common.category == 3 and op.name.rstrip("_") not in _ON_COMPLEX:
        if op.name in _COMPLEX_SENTENCES:
            raise RuntimeError(op.name + _COMPLEX_SENTENCES[op.name])
        raise NotImplementedError(f'"{op.name.rstrip("_")}_cpu" not implemented for \'{type_name(common)}\'')
    allowed = {"": True, "integral": common.category <= 1, "floating": common.category >= 2}.get(only, common.category > 0)
    if allowed:
        return
    if " " in only:
        raise RuntimeError(only)
    raise NotImplementedError(f'"{op.name.rstrip("_")}_cpu" not implemented for \'{type_name(common)}\'')


def inplace_rule(op_of: Callable[[], Op], only: str = "") -> Callable[..., Any]:
    """Shape rule of an in-place element-wise operator: the result is argument 0; it must fit and be castable."""

    def rule(*args: Any) -> Any:
        op = op_of()
        target = args[op.mutates[0]]
        metas = [a for a in args if promotion.is_tensor_like(a)]
        if len(metas) > 1:
            wanted = broadcast_shapes(*[m.shape for m in metas])
            fits = len(wanted) == len(target.shape)
            for m, n in zip(wanted, target.shape):
                fits = fits and (m is n or bool(m == n))
            if not fits:
                raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape "
                                   f"{list(wanted)}")
        if op.promote != "assign":
            assert op.functional is not None
            dtypes = promotion.op_dtypes(op.functional, args)
            if only or dtypes.compute.category == 3:
                check_category(op, dtypes.compute, only)
            common = dtypes.result
            if not promotion.can_cast(common, target.dtype):
                raise RuntimeError(f"result type {type_name(common)} can't be cast to the desired output type "
                                   f"{type_name(target.dtype)}")
        return target

    return rule


_TYPE_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int",
               "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool", "bfloat16": "BFloat16",
               "complex64": "ComplexFloat", "complex128": "ComplexDouble"}


def type_name(d: DType) -> str:
    """The name PyTorch's messages use: Float, Long, Bool, ..."""
    return _TYPE_NAMES[d.name]


def _names(text: str, prefix: str) -> tuple[str, ...]:
    """"add F.relu" -> ("torch.add", "torch.nn.functional.relu")."""
    return tuple([n.replace("F.", "torch.nn.functional.", 1) if n.startswith("F.") else prefix + n
                  for n in text.split()])


def named_result(name: str, fields: str) -> Any:
    """The named tuple an operator with several results returns (torch.return_types.max)."""
    made: Any = namedtuple(name, fields)  # type: ignore[misc]  # the name is the operator's, given at run time
    made.__module__ = "torch.return_types"
    setattr(made, "__repr__", _result_text)  # noqa: B010  a plain assignment is a type error
    return made


def _result_text(self: Any) -> str:
    lines = ",\n".join(f"{n}={v!r}" for n, v in zip(self._fields, self))
    return f"torch.return_types.{type(self).__name__}(\n{lines})"


def pointwise(name: str, schema: str, expr: str, eager: Callable[..., Any], promote: str = "default", *,
              functions: str | None = None, methods: str | None = None, inplace: str | None = None,
              inplace_functions: str = "", out: bool = True, over: tuple[int, ...] | None = None,
              normalize: Callable[..., tuple] | None = None, differentiable: bool = True, only: str = "",
              doc: str = "") -> Op:
    """Declare an element-wise operator and, if `inplace` names methods, its in-place form."""
    params = parse(schema)
    cell: list[Op] = []
    op = register(Op(
        name, params, eager, checked(name, params, elementwise_rule(lambda: cell[0], only), differentiable), Pointwise(expr),
        promote=promote, normalize=normalize, out=out, promote_over=over, differentiable=differentiable, doc=doc,
        functions=_names(name if functions is None else functions, "torch."),
        methods=tuple((name if methods is None else methods).split())))
    cell.append(op)
    if inplace is not None:
        inplace_form(op, inplace, inplace_functions, only)
    return op


def inplace_form(op: Op, methods: str, functions: str = "", only: str = "") -> Op:
    """The form of a pointwise operator that stores into its first argument."""
    name = op.name + "_"
    cell: list[Op] = []
    params = (Param(op.params[0].name, "tensor"), *op.params[1:])
    made = register(Op(
        name, params, op.eager, checked(name, params, inplace_rule(lambda: cell[0], only)), op.lower,
        promote=op.promote, normalize=op.normalize, mutates=(0,), functional=op, promote_over=op.promote_over,
        methods=tuple(methods.split()), functions=_names(functions, "torch.")))
    cell.append(made)
    return made


# -- reductions ------------------------------------------------------------------------------------------------------
def reduce_args(input: Any, dim: Any = None, keepdim: Any = False, *rest: Any) -> tuple:
    """Canonical arguments of a reduction: all dimensions combined over, sorted; keepdim a bool."""
    return (input, wrap_dims(dim, input.ndim if hasattr(input, "ndim") else 0), bool(keepdim), *rest)


def reduce_rule(result: Callable[..., DType]) -> Callable[..., Any]:
    """Shape rule of a reduction (input, dim, keepdim, ...); `result(meta, *rest)` names the dtype."""

    def rule(input: Any, dim: Any, keepdim: bool, *rest: Any) -> Spec:
        return Spec(result(input, *rest), reduced_shape(input.shape, dim, keepdim))

    return rule


def reduction(name: str, schema: str, lower: Lowering, eager: Callable[..., Any], result: Callable[..., DType], *,
              functions: str = "", methods: str = "", out: bool = True, differentiable: bool = True,
              normalize: Callable[..., tuple] = reduce_args, rule: Callable[..., Any] | None = None,
              doc: str = "") -> Op:
    """Declare a reduction over a sorted tuple of dimensions."""
    params = parse(schema)
    return register(Op(name, params, eager, checked(name, params, rule or reduce_rule(result), differentiable), lower,
                       normalize=normalize, out=out, functions=_names(functions, "torch."),
                       methods=tuple(methods.split()), differentiable=differentiable, doc=doc))


# -- everything else -------------------------------------------------------------------------------------------------
def view(name: str, schema: str, eager: Callable[..., Any], rule: Callable[..., Any], *, functions: str = "",
         methods: str = "", normalize: Callable[..., tuple] | None = None, differentiable: bool = True,
         doc: str = "") -> Op:
    """Declare an operator whose result shares memory with its first argument."""
    params = parse(schema)
    return register(Op(name, params, eager, checked(name, params, rule, differentiable), View(), normalize=normalize,
                       returns_view=True, differentiable=differentiable, functions=_names(functions, "torch."),
                       methods=tuple(methods.split()),
                       doc=doc))


def operator(name: str, schema: str, lower: Lowering, eager: Callable[..., Any], rule: Callable[..., Any], *,
             functions: str = "", methods: str = "", normalize: Callable[..., tuple] | None = None, out: bool = False,
             mutates: tuple[int, ...] = (), functional: Op | None = None, returns: type | None = None,
             random: bool = False, differentiable: bool = True, own_device: bool = False, promote: str | None = None,
             returns_view: bool = False, doc: str = "") -> Op:
    """Declare any other operator."""
    params = parse(schema)
    return register(Op(name, params, eager, checked(name, params, rule, differentiable, own_device), lower,
                       normalize=normalize, mutates=mutates, functional=functional, returns=returns, random=random,
                       functions=_names(functions, "torch."), methods=tuple(methods.split()), out=out,
                       differentiable=differentiable, promote=promote, returns_view=returns_view, doc=doc))


# -- functions of the API that choose among operators ----------------------------------------------------------------
FUNCTIONS: dict[str, Any] = {}
METHODS: dict[str, Any] = {}


def spelled(functions: str = "", methods: str = "", op: Op | None = None, out: bool = False) -> Callable[[Any], Any]:
    """Give a hand-written function its names in the API. Used where PyTorch has overloads (`max(x)`, `max(x, dim)`):
    the function only chooses operators and calls them through `op.call`. `__op__` is the main operator, for readers.
    `out`: the function (not the method) takes `out=`, a tensor or a tuple of them that the results are stored into."""

    def take(fn: Any) -> Any:
        fn.__op__ = op
        given = _with_out(fn) if out else fn
        for n in _names(functions, "torch."):
            FUNCTIONS[n] = given
        for n in methods.split():
            METHODS[n] = fn
        return fn

    return take


def _with_out(fn: Any) -> Any:
    """`fn` with a keyword `out`."""
    @functools.wraps(fn)
    def storing(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        from .api import into_out

        return into_out(out, fn(*args, **kwargs))

    plain = inspect.signature(fn)
    keyword = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    last = [p for p in plain.parameters.values() if p.kind is p.VAR_KEYWORD]
    storing.__signature__ = plain.replace(                                               # type: ignore[attr-defined]
        parameters=[*(p for p in plain.parameters.values() if p not in last), keyword, *last])
    return storing


__all__ = ["Composite", "Extern", "FUNCTIONS", "METHODS", "Op", "Param", "Pointwise", "Reduction", "Spec", "View",
           "broadcast_two", "check_kinds", "checked", "inplace_form", "operator", "parse", "pointwise", "reduce_args",
           "reduce_rule", "reduction", "spelled", "type_name", "view", "wrap_dim", "wrap_dims"]
