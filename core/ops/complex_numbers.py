"""Complex tensors: making them, their parts, and views as pairs of real numbers.

NumPy computes everything of a complex dtype; there are no kernels for them. Unlike in PyTorch `conj` is computed at
once, not a view with a mark: the elements are the same, later changes of the original do not show.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .broadcast import broadcast_shapes
from .declare import Spec, operator, pointwise, spelled, type_name, view
from .op import Extern, call
from .strides import elementwise_strides, like_strides


def _needs_complex(name: str, m: Any) -> None:
    if m.dtype.category != 3:
        raise RuntimeError(f"{name} is not implemented for tensors with non-complex dtypes.")


def _pair_rule(name: str) -> Any:
    def rule(a: Any, b: Any) -> Spec:
        if not all(m.dtype in (dt.float32, dt.float64, dt.float16) for m in (a, b)):
            raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {type_name(a.dtype)} and "
                               f"{type_name(b.dtype)}")
        if a.dtype is not b.dtype:
            raise RuntimeError(f"Expected object of scalar type {type_name(a.dtype)} but got scalar type {type_name(b.dtype)} "
                               f"for second argument")
        if a.dtype is dt.float16:
            from ..errors import NotYetSupported
            raise NotYetSupported(f"{name}() of float16 gives complex32, which does not exist in Guardscope: use .float() "
                                  f"first.")
        shape = broadcast_shapes(a.shape, b.shape)
        return Spec(dt.COMPLEX_OF[a.dtype], shape, elementwise_strides(shape, [a, b]))
    return rule


COMPLEX = operator("complex", "real:tensor, imag:tensor", Extern(), lambda a, b: _joined(a, b), _pair_rule("complex"),
                   functions="complex", out=True)
POLAR = operator("polar", "abs:tensor, angle:tensor", Extern(), lambda r, a: _joined(r * np.cos(a), r * np.sin(a)),
                 _pair_rule("polar"), functions="polar", out=True)


def _joined(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """real + i imag, part by part: arithmetic would turn infinities into NaN."""
    real, imag = np.broadcast_arrays(real, imag)
    out = np.empty(real.shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    out.real, out.imag = real, imag
    return out


# -- views -----------------------------------------------------------------------------------------------------------
def _part_rule(offset: int) -> Any:
    def rule(m: Any) -> Spec:
        return Spec(dt.REAL_OF[m.dtype], m.shape, [2 * s for s in m.strides], offset=offset)
    return rule


REAL = view("real", "input", lambda a: a.real, _part_rule(0))
IMAG = view("imag", "input", lambda a: a.imag, _part_rule(1))


@spelled("real", "", REAL)
def real(input: Any) -> Any:
    """The real part, a view; the tensor itself if it is not complex."""
    return call(REAL, (input,)) if input.dtype.category == 3 else input


@spelled("imag", "", IMAG)
def imag(input: Any) -> Any:
    """The imaginary part, a view. RuntimeError for a tensor that is not complex."""
    _needs_complex("imag", input)
    return call(IMAG, (input,))


def _as_real(a: np.ndarray) -> np.ndarray:
    half = a.itemsize // 2
    return np.lib.stride_tricks.as_strided(a.real, (*a.shape, 2), (*a.strides, half))


def _as_real_rule(m: Any) -> Spec:
    if m.dtype.category != 3:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return Spec(dt.REAL_OF[m.dtype], (*m.shape, 2), (*[2 * s for s in m.strides], 1))


def _as_complex_rule(m: Any) -> Spec:
    if m.dtype not in dt.COMPLEX_OF:
        raise RuntimeError(f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar "
                           f"type: {type_name(m.dtype)}")
    if not len(m.shape):
        raise RuntimeError("Input tensor must have one or more dimensions")
    if m.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if m.strides[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 != 0 for s in m.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return Spec(dt.COMPLEX_OF[m.dtype], m.shape[:-1], [s // 2 for s in m.strides[:-1]])


VIEW_AS_REAL = view("view_as_real", "input", _as_real, _as_real_rule, functions="view_as_real")
VIEW_AS_COMPLEX = view("view_as_complex", "input",
                       lambda a: a.view(np.complex64 if a.dtype == np.float32 else np.complex128)[..., 0],
                       _as_complex_rule, functions="view_as_complex")

# -- conjugate and angle ---------------------------------------------------------------------------------------------
CONJ = operator("conj", "input", Extern(), np.conj, lambda m: Spec(m.dtype, m.shape, like_strides(m)))


@spelled("conj", "conj", CONJ)
def conj(input: Any) -> Any:
    """The complex conjugate; the tensor itself if it is not complex."""
    return call(CONJ, (input,)) if input.dtype.category == 3 else input


@spelled("conj_physical", "conj_physical", CONJ)
def conj_physical(input: Any, *, out: Any = None) -> Any:
    """The complex conjugate; the tensor itself if it is not complex."""
    from .api import into_out

    return into_out(out, conj(input))


@spelled("", "conj_physical_", CONJ)
def conj_physical_(self: Any) -> Any:
    """conj_physical in place."""
    return self.copy_(conj(self)) if self.dtype.category == 3 else self


@spelled("resolve_conj resolve_neg", "resolve_conj resolve_neg", None)
def resolve_conj(input: Any) -> Any:
    """The tensor itself: conjugates are computed at once here."""
    return input


@spelled("is_conj is_neg", "is_conj is_neg", None)
def is_conj(input: Any) -> bool:
    """Whether conjugation or negation is still to be done: never."""
    return False


def _angle(a: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "c":
        return np.angle(a)
    return np.where(np.isnan(a), a, np.where(a < 0, a.dtype.type(np.pi), a.dtype.type(0)))


ANGLE = pointwise("angle", "input", "where(isnan(input), input, abs(minimum(sign(input), 0)) * 3.141592653589793)", _angle,
                  "angle")


@spelled("isreal", "isreal", CONJ)
def isreal(input: Any) -> Any:
    """Which elements have no imaginary part."""
    if input.dtype.category == 3:
        return imag(input) == 0
    return (input == input) | True
