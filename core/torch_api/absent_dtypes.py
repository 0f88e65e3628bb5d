"""dtypes that scripts name at import (`{"bf16": torch.bfloat16, ...}`) but that have no elements here.

Quantised, 8-bit floating and wide unsigned tensors are not implemented, and bfloat16 needs the package ml_dtypes. The
objects exist, compare and print; to make a tensor of one raises NotYetSupported, which names the dtype to use instead.
"""

from __future__ import annotations

from typing import Any

from ..errors import NotYetSupported
from ..tensor.dtypes import bfloat16, complex64, complex128, dtype


class AbsentDtype(dtype):
    """A dtype in name only. Asking for its NumPy form is what raises."""

    __slots__ = ("instead",)
    __module__ = "torch"

    def __init__(self, name: str, itemsize: int, category: int, instead: str) -> None:
        self.name = name
        self.itemsize = itemsize
        self.category = category
        self.opencl = ""
        self.instead = instead

    @property
    def numpy(self) -> Any:
        raise NotYetSupported(f"torch.{self.name} tensors do not exist in Guardscope yet: use {self.instead}.")


AbsentDtype.__name__ = AbsentDtype.__qualname__ = "dtype"

ABSENT: dict[str, AbsentDtype] = {d.name: d for d in (
    *((AbsentDtype("bfloat16", 2, 2, "torch.float32 or torch.float16, or install ml_dtypes"),) if bfloat16 is None else ()),
    AbsentDtype("float8_e4m3fn", 1, 2, "torch.float16"),
    AbsentDtype("float8_e5m2", 1, 2, "torch.float16"),
    AbsentDtype("uint16", 2, 1, "torch.int32"),
    AbsentDtype("uint32", 4, 1, "torch.int64"),
    AbsentDtype("uint64", 8, 1, "torch.int64"),
    AbsentDtype("complex32", 4, 3, "two float16 tensors, for the real and the imaginary part"),
    AbsentDtype("quint8", 1, 1, "torch.uint8"),
    AbsentDtype("qint8", 1, 1, "torch.int8"),
)}
ALIASES: dict[str, dtype] = {"cfloat": complex64, "cdouble": complex128, "chalf": ABSENT["complex32"]}
