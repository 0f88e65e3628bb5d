"""torch.sparse: products, and constructors under their older names (see sparse_tensors.py)."""

from __future__ import annotations

from typing import Any

from ..tensor import dtypes as dt
from .import_only import absent_class
from .naming import module_getattr, not_yet, present
from .sparse_tensors import legacy

_DENSE = "use a dense tensor"


def mm(mat1: Any, mat2: Any) -> Any:
    """The matrix product of a sparse or dense matrix with a dense one."""
    return mat1.mm(mat2)


def check_sparse_tensor_invariants(enable: bool = True) -> None:
    """Accepted: there are no sparse tensors to check."""


for _n in ("softmax", "log_softmax", "sum", "addmm", "spdiags", "sampled_addmm", "to_sparse_semi_structured"):
    globals()[_n] = not_yet(f"torch.sparse.{_n}", _DENSE)
FloatTensor, DoubleTensor, LongTensor, IntTensor = (legacy(d) for d in (dt.float32, dt.float64, dt.int64, dt.int32))
SparseSemiStructuredTensor = absent_class("SparseSemiStructuredTensor", _DENSE, "torch.sparse")
present(globals())
__getattr__ = module_getattr(globals())
