"""torch.types: names for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from ..tensor.devices import device
from ..tensor.dtypes import dtype
from ..tensor.tensor import Tensor

_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_dtype = dtype
_device = device
_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_size: TypeAlias = Sequence[builtins.int]
Number: TypeAlias = builtins.int | builtins.float | builtins.bool
Device: TypeAlias = device | str | builtins.int | None
FileLike: TypeAlias = str | os.PathLike[str] | Any
