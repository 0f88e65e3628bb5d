"""torch.sparse: products with dense operands; sparse layouts do not exist."""

from __future__ import annotations

from typing import Any

from .import_only import absent_class
from .naming import module_getattr, not_yet, present

_DENSE = "use a dense tensor"


def mm(mat1: Any, mat2: Any) -> Any:
    """The matrix product (of dense tensors: there are no others here)."""
    return mat1.mm(mat2)


def check_sparse_tensor_invariants(enable: bool = True) -> None:
    """Accepted: there are no sparse tensors to check."""


for _n in ("softmax", "log_softmax", "sum", "addmm", "spdiags", "sampled_addmm", "to_sparse_semi_structured"):
    globals()[_n] = not_yet(f"torch.sparse.{_n}", _DENSE)
SparseSemiStructuredTensor = absent_class("SparseSemiStructuredTensor", _DENSE, "torch.sparse")
present(globals())
__getattr__ = module_getattr(globals())
