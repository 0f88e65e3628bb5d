"""Matrix products. `mm`, `bmm` and `matmul` are the kernels; the rest is composed of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .broadcast import broadcast_two, same
from .declare import Spec, operator, spelled, type_name
from .op import OPS, Composite, Op, Template, call


def _dtype_of(name: str, *metas: Any) -> Any:
    first = metas[0].dtype
    for m in metas[1:]:
        if m.dtype is not first:
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_c(first)} != {_c(m.dtype)}")
    return first


def _c(d: Any) -> str:
    return {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long", "int32": "int",
            "int16": "short", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
            "bfloat16": "c10::BFloat16", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}[d.name]


def _product(a: np.ndarray, b: np.ndarray) -> Any:
    if a.dtype == np.bool_ and a.size and b.size:
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    if a.dtype == np.float16:
        return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(np.float16)
    return np.matmul(a, b)


def _agree(name: str, a: Any, b: Any, m: Any, n: Any) -> None:
    if not same(m, n) and m != n:
        rows = "x".join(map(str, a)), "x".join(map(str, b))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows[0]} and {rows[1]})")


def _mm_rule(a: Any, b: Any) -> Spec:
    if len(a.shape) != 2:
        raise RuntimeError("self must be a matrix")
    if len(b.shape) != 2:
        raise RuntimeError("mat2 must be a matrix")
    _agree("mm", a.shape, b.shape, a.shape[1], b.shape[0])
    return Spec(_dtype_of("mm", a, b), (a.shape[0], b.shape[1]))


def _bmm_rule(a: Any, b: Any) -> Spec:
    if len(a.shape) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if len(b.shape) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if (not same(a.shape[0], b.shape[0]) and a.shape[0] != b.shape[0]) or (
            not same(a.shape[2], b.shape[1]) and a.shape[2] != b.shape[1]):
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] "
                           f"but got: [{b.shape[0]}, {b.shape[1]}].")
    return Spec(_dtype_of("bmm", a, b), (a.shape[0], a.shape[1], b.shape[2]))


def _matmul_rule(a: Any, b: Any) -> Spec:
    if not a.shape or not b.shape:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {len(a.shape)}D and "
                           f"{len(b.shape)}D")
    d = _dtype_of("matmul", a, b)
    inner = b.shape[-2] if len(b.shape) > 1 else b.shape[0]
    if len(a.shape) == 1 and len(b.shape) == 1:
        if not same(a.shape[0], inner) and a.shape[0] != inner:
            raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{inner}] to have the same "
                               f"number of elements, but got {a.shape[0]} and {inner} elements respectively")
        return Spec(d, ())
    if len(b.shape) <= 2 or len(a.shape) <= 2:
        folded: Any = 1
        for n in a.shape[:-1]:
            folded = folded * n
        _agree("matmul", (folded, a.shape[-1]), b.shape[-2:], a.shape[-1], inner)
    elif not same(a.shape[-1], inner) and a.shape[-1] != inner:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[-1]}] but "
                           f"got: [{b.shape[0]}, {inner}].")
    rows = a.shape[-2:-1] if len(a.shape) > 1 else ()
    cols = b.shape[-1:] if len(b.shape) > 1 else ()
    return Spec(d, (*broadcast_two(tuple(a.shape[:-2]), tuple(b.shape[:-2])), *rows, *cols))


MM = operator("mm", "input, mat2", Template("matmul"), _product, _mm_rule, functions="mm", methods="mm", out=True)
BMM = operator("bmm", "input, mat2", Template("matmul"), _product, _bmm_rule, functions="bmm", methods="bmm", out=True)
MATMUL = operator("matmul", "input, other:tensor", Template("matmul"), _product, _matmul_rule, functions="matmul linalg.matmul",
                  methods="matmul __matmul__ __rmatmul__", out=True)


def _vector_rule(name: str, dims: tuple[int, int]) -> Any:
    def rule(a: Any, b: Any) -> Spec:
        if (len(a.shape), len(b.shape)) != dims:
            if name == "dot":
                raise RuntimeError(f"1D tensors expected, but got {len(a.shape)}D and {len(b.shape)}D tensors")
            raise RuntimeError(f"vector + matrix @ vector expected, got {1}, {len(a.shape)}, {len(b.shape)}")
        if name == "mv" and not same(a.shape[1], b.shape[0]) and a.shape[1] != b.shape[0]:
            raise RuntimeError(f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), vec ({b.shape[0]})")
        return _matmul_rule(a, b)
    return rule


_as_matmul = Composite(lambda a, b: call(MATMUL, (a, b)))
MV = operator("mv", "input, vec:tensor", _as_matmul, _product, _vector_rule("mv", (2, 1)), functions="mv", methods="mv",
              out=True)
DOT = operator("dot", "input, tensor:tensor", _as_matmul, _product, _vector_rule("dot", (1, 1)), functions="dot",
               methods="dot", out=True)


@spelled("vdot", "vdot", DOT, out=True)
def vdot(input: Any, other: Any) -> Any:
    """The inner product of two vectors, the first conjugated."""
    from .complex_numbers import conj

    return call(DOT, (conj(input), other))


@spelled("inner", "inner", MATMUL, out=True)
def inner(input: Any, other: Any) -> Any:
    """Products summed over the last dimension of both."""
    if not input.ndim or not other.ndim:
        return input * other
    flat = input.reshape(-1, input.shape[-1]) @ other.reshape(-1, other.shape[-1]).t()
    return flat.reshape((*input.shape[:-1], *other.shape[:-1]))


@spelled("outer ger", "outer ger", None, out=True)
def outer(input: Any, vec2: Any) -> Any:
    """All products of an element of `input` with one of `vec2`."""
    if input.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument {'self' if input.ndim != 1 else 'vec2'}, but got "
                           f"{(input if input.ndim != 1 else vec2).ndim}-D")
    return input.unsqueeze(1) * vec2


# -- product plus something ------------------------------------------------------------------------------------------
def _added(product: Op, add: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    out = call(product, (a, b))
    if alpha != 1:
        out = out * alpha
    if beta == 0:
        return out
    return out + (add if beta == 1 else add * beta)


def _added_eager(add: np.ndarray, a: np.ndarray, b: np.ndarray, beta: Any, alpha: Any) -> Any:
    wide = np.float32 if a.dtype == np.float16 else a.dtype
    out = np.matmul(a.astype(wide, copy=False), b.astype(wide, copy=False))
    out = out if alpha == 1 else out * wide.type(alpha) if isinstance(wide, np.dtype) else out * wide(alpha)
    return (out + add.astype(wide, copy=False) * np.dtype(wide).type(beta) if beta != 0 else out).astype(a.dtype)


def _added_rule(rule: Any) -> Any:
    def check(add: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Spec:
        spec = rule(a, b)
        if add.dtype is not a.dtype:
            raise RuntimeError(f"self and mat2 must have the same dtype, but got {type_name(add.dtype)} and "
                               f"{type_name(b.dtype)}")
        shape = broadcast_two(spec.shape, tuple(add.shape))
        if len(shape) != len(spec.shape) or any(not same(m, n) and m != n for m, n in zip(shape, spec.shape)):
            raise RuntimeError(f"The expanded size of the tensor must match: {list(add.shape)} cannot be added to a product of "
                               f"shape {list(spec.shape)}")
        return spec
    return check


def _addition(name: str, schema: str, product: Op, rule: Any) -> Op:
    return operator(name, schema, Composite(lambda add, a, b, beta, alpha: _added(product, add, a, b, beta, alpha)),
                    _added_eager, _added_rule(rule), functions=name, methods=name, out=True)


ADDMM = _addition("addmm", "input, mat1, mat2, *, beta=1, alpha=1", MM, _mm_rule)
BADDBMM = _addition("baddbmm", "input, batch1, batch2, *, beta=1, alpha=1", BMM, _bmm_rule)
ADDMV = _addition("addmv", "input, mat:tensor, vec:tensor, *, beta=1, alpha=1", MV, _vector_rule("mv", (2, 1)))


@spelled("addr", "addr", None)
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Any:
    """beta * input + alpha * outer(vec1, vec2)."""
    from .api import into_out

    product = outer(vec1, vec2)
    product = product if alpha == 1 else product * alpha
    return into_out(out, product if beta == 0 else product + (input if beta == 1 else input * beta))


@spelled("addbmm", "addbmm", BADDBMM, out=True)
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * sum of the batch of products."""
    return input.contiguous() * beta + call(BMM, (batch1, batch2)).sum(0, dtype=input.dtype) * alpha


# -- linear ----------------------------------------------------------------------------------------------------------
def _linear_rule(input: Any, weight: Any, bias: Any) -> Spec:
    d = _dtype_of("linear", input, weight)
    if len(weight.shape) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {len(weight.shape)}D")
    if bias is not None and bias.dtype is not d:
        _dtype_of("linear", input, bias)
    inner = weight.shape[-1]
    if not same(input.shape[-1], inner) and input.shape[-1] != inner:
        folded: Any = 1
        for n in input.shape[:-1]:
            folded = folded * n
        rows = f"{folded}x{input.shape[-1]}"
        cols = f"{inner}x{weight.shape[0]}" if len(weight.shape) == 2 else str(inner)
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows} and {cols})")
    shape = (*input.shape[:-1], *weight.shape[:-1])
    if bias is not None and bias.shape:
        _check_bias(shape, weight, tuple(bias.shape))
    return Spec(d, shape)


def _check_bias(shape: tuple, weight: Any, bias: tuple) -> None:
    """The bias must fit the result without changing its shape."""
    if len(weight.shape) == 1:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    for dim, (n, b) in enumerate(zip(shape[::-1], bias[::-1]), 1):
        if not same(b, 1) and not same(b, n) and b != n:
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({b}) at non-singleton "
                               f"dimension {len(shape) - dim}.  Target sizes: {list(shape)}.  Tensor sizes: {list(bias)}")
    if len(bias) > len(shape):
        raise RuntimeError(f"expand(torch.FloatTensor{{{list(bias)}}}, size={list(shape)}): the number of sizes provided "
                           f"({len(shape)}) must be greater or equal to the number of dimensions in the tensor ({len(bias)})")


def _linear(a: np.ndarray, w: np.ndarray, b: np.ndarray | None) -> Any:
    wide = a.astype(np.float32) if a.dtype == np.float16 else a
    out = np.matmul(wide, w.astype(wide.dtype, copy=False).T)
    return out if b is None else out + b.astype(wide.dtype, copy=False)


def _linear_composite(input: Any, weight: Any, bias: Any) -> Any:
    out = call(MATMUL, (input, weight.t() if weight.ndim == 2 else weight))
    return out if bias is None else out + bias


LINEAR = operator("linear", "input, weight, bias=None", Composite(_linear_composite), _linear, _linear_rule,
                  functions="F.linear")


@spelled("F.bilinear bilinear", "", LINEAR)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """y[..., k] = input1 @ weight[k] @ input2 + bias[k]."""
    left = einsum("...i,kij->...kj", input1, weight)
    out = (left * input2.unsqueeze(-2)).sum(-1)
    return out if bias is None else out + bias


# -- einsum ----------------------------------------------------------------------------------------------------------
def _labels(equation: str, operands: tuple) -> tuple[list[str], str]:
    """Subscripts with the ellipsis written out as capital letters; the output made explicit."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(f"einsum(): the number of operands ({len(operands)}) does not match the number of terms in the "
                           f"equation ({len(terms)})")
    hidden = [x.ndim - len(t.replace("...", "")) if "..." in t else 0 for t, x in zip(terms, operands)]
    used = set(left.replace("...", "").replace(",", ""))
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in used]
    most = max(hidden, default=0)
    ellipsis = "".join(free[:most])
    terms = [t.replace("...", ellipsis[most - h:]) if "..." in t else t for t, h in zip(terms, hidden)]
    for t, x in zip(terms, operands):
        if len(t) != x.ndim:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({len(t)}) does not match the number of "
                               f"dimensions ({x.ndim}) for operand {list(operands).index(x)}")
    if arrow:
        out = right.replace("...", ellipsis)
    else:
        joined = "".join(terms)
        out = ellipsis + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in ellipsis))
    return terms, out


def _diagonals(x: Any, term: str) -> tuple[Any, str]:
    for c in list(term):
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            x = x.diagonal(0, i, j)
            term = term[:i] + term[i + 1:j] + term[j + 1:] + c
    return x, term


def _pair(x: Any, a: str, y: Any, b: str, keep: str) -> tuple[Any, str]:
    """Contract two operands into one batched matrix product."""
    gone_a = [i for i, c in enumerate(a) if c not in b and c not in keep]
    if gone_a:
        x, a = x.sum(gone_a), "".join(c for i, c in enumerate(a) if i not in gone_a)
    gone_b = [i for i, c in enumerate(b) if c not in a and c not in keep]
    if gone_b:
        y, b = y.sum(gone_b), "".join(c for i, c in enumerate(b) if i not in gone_b)
    batch = [c for c in a if c in b and c in keep]
    inner_ = [c for c in a if c in b and c not in keep]
    rows, cols = [c for c in a if c not in b], [c for c in b if c not in a]
    size = {**dict(zip(b, y.shape)), **{c: n for c, n in zip(a, x.shape) if not (isinstance(n, int) and n == 1 and c in b)}}
    x = x.permute([a.index(c) for c in batch + rows + inner_]).expand([size[c] for c in batch + rows + inner_])
    y = y.permute([b.index(c) for c in batch + inner_ + cols]).expand([size[c] for c in batch + inner_ + cols])
    if not inner_:
        out = x.reshape([size[c] for c in batch + rows] + [1] * len(cols)) * y.reshape(
            [size[c] for c in batch] + [1] * len(rows) + [size[c] for c in cols])
        return out, "".join(batch + rows + cols)

    def volume(names: list) -> Any:
        n: Any = 1
        for c in names:
            n = n * size[c]
        return n

    left = x.reshape(volume(batch), volume(rows), volume(inner_))
    right = y.reshape(volume(batch), volume(inner_), volume(cols))
    out = call(BMM, (left, right)) if batch else call(MM, (left[0], right[0]))
    return out.reshape([size[c] for c in batch + rows + cols]), "".join(batch + rows + cols)


@spelled("einsum", "", BMM)
def einsum(equation: str, *operands: Any) -> Any:
    """Sums of products by subscripts, as numpy.einsum; composed of permutations, batched matrix products and sums."""
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    terms, out = _labels(equation, operands)
    for c in out:
        if not any(c in t for t in terms):
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    prepared = [_diagonals(x, t) for x, t in zip(operands, terms)]
    x, term = prepared[0]
    for k, (y, other) in enumerate(prepared[1:], 1):
        later = "".join(t for _, t in prepared[k + 1:])
        free = [c for c in out if (c in term) != (c in other)]
        if k + 1 == len(prepared) and free and free[0] in other:      # so that the result need not be permuted
            x, term, y, other = y, other, x, term
        x, term = _pair(x, term, y, other, out + later)
    gone = [i for i, c in enumerate(term) if c not in out]
    if gone:
        x, term = x.sum(gone), "".join(c for i, c in enumerate(term) if i not in gone)
    same = list(term) == list(out)
    if same and any(x is o for o in operands):
        return call(OPS["alias"], (x,))
    return x if same else x.permute([term.index(c) for c in out])


@spelled("tensordot", "", MM, out=True)
def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Sums over the last `dims` dimensions of a with the first of b, or over the dimensions listed for each."""
    if isinstance(dims, int):
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        left, right = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        left, right = [list(d) if isinstance(d, (tuple, list)) else [d] for d in dims]
        left, right = [d % a.ndim for d in left], [d % b.ndim for d in right]
    keep_a, keep_b = [d for d in range(a.ndim) if d not in left], [d for d in range(b.ndim) if d not in right]
    for d, e in zip(left, right):
        if not same(a.shape[d], b.shape[e]) and a.shape[d] != b.shape[e]:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {a.shape[d]} in dim {d - a.ndim} and "
                               f"second has size {b.shape[e]} in dim {e - b.ndim}")
    inner_: Any = 1
    for d in left:
        inner_ = inner_ * a.shape[d]
    outer_a: Any = 1
    for d in keep_a:
        outer_a = outer_a * a.shape[d]
    outer_b: Any = 1
    for d in keep_b:
        outer_b = outer_b * b.shape[d]
    x = a.permute(keep_a + left).reshape(outer_a, inner_)
    y = b.permute(right + keep_b).reshape(inner_, outer_b)
    return call(MM, (x, y)).reshape([a.shape[d] for d in keep_a] + [b.shape[d] for d in keep_b])


@spelled("kron", "kron", None, out=True)
def kron(input: Any, other: Any) -> Any:
    """The Kronecker product."""
    ndim = max(input.ndim, other.ndim)
    a = input.reshape((1,) * (ndim - input.ndim) + tuple(input.shape))
    b = other.reshape((1,) * (ndim - other.ndim) + tuple(other.shape))
    left = a.reshape([n for m in a.shape for n in (m, 1)])
    right = b.reshape([n for m in b.shape for n in (1, m)])
    return (left * right).reshape([m * n for m, n in zip(a.shape, b.shape)])
