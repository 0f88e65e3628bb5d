"""torch.dtype objects and what each is to NumPy and to OpenCL. One row per dtype; nothing else knows these facts.

bfloat16 is the NumPy dtype of the package ml_dtypes; without that package it is a dtype in name only (see
torch_api/absent_dtypes.py). A dtype whose `opencl` is empty has no kernels: NumPy computes on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import ml_dtypes
except ImportError:  # pragma: no cover  an installation without its dependencies
    ml_dtypes = None  # type: ignore[assignment]


class dtype:
    """An element type as PyTorch names it (`torch.float32`). Instances are unique: compare with `is`."""

    __slots__ = ("name", "numpy", "itemsize", "category", "opencl")
    __module__ = "torch"

    def __init__(self, name: str, numpy: Any, category: int, opencl: str) -> None:
        self.name = name
        self.numpy = np.dtype(numpy)
        self.itemsize = self.numpy.itemsize
        self.category = category  # 0 bool, 1 integer, 2 floating, 3 complex: PyTorch's promotion categories
        self.opencl = opencl

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    @property
    def is_floating_point(self) -> bool:
        return self.category == 2

    @property
    def is_complex(self) -> bool:
        return self.category == 3

    def to_complex(self) -> dtype:
        """The complex dtype whose parts have this dtype (complex64 for float16 as well)."""
        return COMPLEX_OF.get(self, self if self.category == 3 else complex64)

    def to_real(self) -> dtype:
        """The dtype of the parts of a complex dtype; itself if it is not complex."""
        return REAL_OF.get(self, self)

    @property
    def is_signed(self) -> bool:
        return self.name not in ("uint8", "bool")


bool_ = dtype("bool", np.bool_, 0, "uchar")
uint8 = dtype("uint8", np.uint8, 1, "uchar")
int8 = dtype("int8", np.int8, 1, "char")
int16 = dtype("int16", np.int16, 1, "short")
int32 = dtype("int32", np.int32, 1, "int")
int64 = dtype("int64", np.int64, 1, "long")
float16 = dtype("float16", np.float16, 2, "half")
float32 = dtype("float32", np.float32, 2, "float")
float64 = dtype("float64", np.float64, 2, "double")

complex64 = dtype("complex64", np.complex64, 3, "")
complex128 = dtype("complex128", np.complex128, 3, "")
bfloat16: dtype | None = dtype("bfloat16", ml_dtypes.bfloat16, 2, "") if ml_dtypes is not None else None

ALL: tuple[dtype, ...] = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128,
                          *((bfloat16,) if bfloat16 is not None else ()))
BY_NAME: dict[str, dtype] = {d.name: d for d in ALL}
BY_NUMPY: dict[np.dtype, dtype] = {d.numpy: d for d in ALL}
REAL_OF: dict[dtype, dtype] = {complex64: float32, complex128: float64}
COMPLEX_OF: dict[dtype, dtype] = {real: wide for wide, real in REAL_OF.items()}
_WIDENED = bfloat16.numpy if bfloat16 is not None else None


def float_limits(d: dtype) -> Any:
    """np.finfo of a floating or complex dtype."""
    if d is bfloat16:
        return ml_dtypes.finfo(d.numpy)
    return np.finfo(d.numpy)


def widened(array: np.ndarray) -> np.ndarray:
    """`array` as one that all of NumPy understands: bfloat16 elements become float32 (exactly), others stay."""
    return array.astype(np.float32) if array.dtype == _WIDENED and _WIDENED is not None else array
