"""torch.dtype objects and what each is to NumPy and to OpenCL. One row per dtype; nothing else knows these facts."""

from __future__ import annotations

import numpy as np


class dtype:
    """An element type as PyTorch names it (`torch.float32`). Instances are unique: compare with `is`."""

    __slots__ = ("name", "numpy", "itemsize", "category", "opencl")
    __module__ = "torch"

    def __init__(self, name: str, numpy: type, category: int, opencl: str) -> None:
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

ALL: tuple[dtype, ...] = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64)
BY_NAME: dict[str, dtype] = {d.name: d for d in ALL}
BY_NUMPY: dict[np.dtype, dtype] = {d.numpy: d for d in ALL}
