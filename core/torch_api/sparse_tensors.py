"""Sparse COO tensors: they say that they are sparse, and keep their elements in a dense array.

Products with dense tensors, to_dense, indices and values give PyTorch's numbers; other operators give dense results. An
entry that is stored explicitly as zero is not kept.
"""

from __future__ import annotations

from typing import Any

from ..ops.conversion import elements
from ..tensor.tensor import Tensor, wrap_meta
from . import toplevel as T
from .functions import SPARSE_COO, STRIDED
from .naming import present
from .printing import tensor_text


class SparseTensor(Tensor):
    """A tensor in COO layout, always coalesced."""

    __slots__ = ()

    def __repr__(self) -> str:
        index, values = _parts(self)
        pad = "       "
        return (f"tensor(indices={_moved(tensor_text(index), 15)},\n{pad}values={_moved(tensor_text(values), 14)},\n"
                f"{pad}size={tuple(self.shape)}, nnz={values.shape[0]}, layout=torch.sparse_coo)")

    __str__ = __repr__


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"


def _moved(text: str, spaces: int) -> str:
    return text.replace("\n", "\n" + " " * spaces)


def is_sparse(tensor: Tensor) -> bool:
    return (tensor._meta.cls or Tensor) is SparseTensor


def dense_of(tensor: Any) -> Any:
    """The same elements as an ordinary tensor."""
    return wrap_meta(tensor._array, tensor._meta.replace(tensor_class=Tensor))


def sparse_of(tensor: Any) -> Any:
    elements(tensor, "to_sparse()")
    copied = tensor.detach().clone()
    return wrap_meta(copied._array, copied._meta.replace(tensor_class=SparseTensor))


def to_sparse(self: Any, *args: Any, layout: Any = None, **kwargs: Any) -> Any:
    """The tensor in COO layout. NotYetSupported for another layout or for dense inner dimensions."""
    if layout not in (None, SPARSE_COO) or kwargs or args and args[0] not in (self.ndim, SPARSE_COO):
        from ..errors import NotYetSupported

        raise NotYetSupported("Tensor.to_sparse with another layout than torch.sparse_coo, or with dense dimensions, does not "
                              "exist in Guardscope yet: leave the arguments out.")
    return sparse_of(self)


def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    """The tensor in strided layout."""
    if not is_sparse(self):
        return self if dtype is None else self.to(dtype)
    if self._array is None:
        return self.clone() if dtype is None else self.to(dtype)
    made = dense_of(self).clone()
    return made if dtype is None else made.to(dtype)


def _parts(self: Any) -> tuple[Any, Any]:
    """(indices [dimensions, entries], values)"""
    elements(self, "indices()")
    dense = dense_of(self)
    index = dense.detach().nonzero().t()
    return index, dense.detach()[tuple(index)]


def _only_sparse(name: str) -> Any:
    def method(self: Any) -> Any:
        if not is_sparse(self):
            raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got Strided")
        if name == "coalesce":
            return self
        if name == "is_coalesced":
            return True
        index, values = _parts(self)
        return {"indices": index, "values": values, "_nnz": values.shape[0], "_indices": index, "_values": values,
                "sparse_dim": self.ndim, "dense_dim": 0}[name]

    method.__name__ = name
    method.__doc__ = "For sparse tensors; RuntimeError for others."
    return method


def sparse_coo_tensor(indices: Any, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
                      requires_grad: bool = False, check_invariants: bool | None = None,
                      is_coalesced: bool | None = None) -> Any:
    """A sparse tensor from indices [dimensions, entries] and values; entries at the same place are added."""
    indices = T.as_tensor(indices, dtype=T.int64)
    values = T.as_tensor(values if values is not None else [], dtype=dtype)
    if size is None:
        size = [int(n) + 1 for n in indices.max(1)[0].tolist()]
    dense = T.zeros(tuple(size), dtype=values.dtype)
    if indices.numel():
        dense = dense.index_put(tuple(indices), values, accumulate=True)
    made = sparse_of(dense)
    return made.requires_grad_(True) if requires_grad else made


def legacy(dtype: Any) -> Any:
    """torch.sparse.FloatTensor(indices, values, size) and its kin."""
    def make(indices: Any, values: Any, size: Any = None) -> Any:
        return sparse_coo_tensor(indices, values, size, dtype=dtype)

    return make


def install() -> None:
    """Give Tensor its sparse methods."""
    for name, value in {"to_sparse": to_sparse, "to_sparse_coo": to_sparse, "to_dense": to_dense,
                        "is_sparse": property(is_sparse),
                        "layout": property(lambda self: SPARSE_COO if is_sparse(self) else STRIDED),
                        **{n: _only_sparse(n) for n in ("indices", "values", "_nnz", "_indices", "_values", "sparse_dim",
                                                        "dense_dim", "coalesce", "is_coalesced")}}.items():
        setattr(Tensor, name, value)


present(globals())
