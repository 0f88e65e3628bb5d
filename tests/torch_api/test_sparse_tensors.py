# Sparse COO tensors: layout, parts, products, printing (texts are PyTorch's).
import guardscope.core.torch_api as torch
import pytest
from guardscope.core.errors import NotYetSupported


@pytest.fixture
def sparse():
    return torch.tensor([[0.0, 2, 0], [3, 0, 0]]).to_sparse()


def test_layout_and_parts(sparse):
    dense = sparse.to_dense()
    assert sparse.is_sparse and not dense.is_sparse and isinstance(sparse, torch.Tensor)
    assert sparse.layout is torch.sparse_coo and dense.layout is torch.strided
    assert sparse.indices().tolist() == [[0, 1], [1, 0]] and sparse.values().tolist() == [2, 3] and sparse._nnz() == 2
    assert sparse.coalesce().is_coalesced() and sparse.sparse_dim() == 2
    dense.zero_()
    assert sparse.values().tolist() == [2, 3]                              # memory of its own
    with pytest.raises(RuntimeError, match="indices expected sparse coordinate tensor layout but got Strided"):
        dense.indices()


def test_products(sparse):
    x = torch.ones(3, 2)
    for product in (torch.spmm(sparse, x), torch.sparse.mm(sparse, x), sparse @ x, torch.mm(sparse, x)):
        assert product.tolist() == [[2, 2], [3, 3]] and not product.is_sparse


def test_construction():
    made = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [1.0, 2.0, 3.0], (2, 3))
    assert made.to_dense().tolist() == [[0, 0, 1], [5, 0, 0]]
    older = torch.sparse.FloatTensor(torch.tensor([[0], [1]]), torch.tensor([4.0]), torch.Size([2, 2]))
    assert older.to_dense().tolist() == [[0, 4], [0, 0]]
    with pytest.raises(NotYetSupported, match="another layout"):
        torch.ones(2, 2).to_sparse(1)


def test_text(sparse):
    assert repr(sparse) == ("tensor(indices=tensor([[0, 1],\n                       [1, 0]]),\n"
                            "       values=tensor([2., 3.]),\n       size=(2, 3), nnz=2, layout=torch.sparse_coo)")


def test_in_compiled_code(sparse):
    def propagate(adjacency, x):
        return torch.spmm(adjacency, x).relu() if adjacency.is_sparse else adjacency @ x

    compiled = torch.compile(propagate, backend="eager")
    x = torch.randn(3, 2)
    assert compiled(sparse, x).tolist() == propagate(sparse, x).tolist()
    assert compiled(sparse.to_dense(), x).tolist() == propagate(sparse.to_dense(), x).tolist()
