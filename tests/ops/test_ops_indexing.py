"""x[...], its assignment, gathering and scattering, against NumPy indexing and loops."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from guardscope.core.torch_api.importing import install
from guardscope.tests.ops.support import array, equal, tensor, torch

install()
whole = importlib.import_module("torch")
SHAPE = (4, 3, 5)
A = np.array
BASIC = [0, -1, (0, 1), (0, 1, 2), slice(None), slice(1, 3), slice(None, None, 2), slice(-2, None), slice(3, 1),
         (slice(None), 1),
         (Ellipsis, 1), (1, Ellipsis), (Ellipsis, None), None, (None, 0), (0, None, slice(1, 2)), Ellipsis, (),
         (slice(None), slice(1, None, 2), slice(None, -1))]
ADVANCED = [[0, 2], A([0, -1]), A([[0, 1], [2, 3]]), (A([0, 1]), A([1, 2])), (slice(None), A([0, 2])),
            (A([0, 1]), slice(None), A([3, 4])), (slice(None), A([0, 1]), A([3, 4])), (0, A([0, 1])), (A([0, 1]), 0),
            (slice(1, 3), A([0, 1]), slice(0, 2)), (None, A([0, 1])), (Ellipsis, A([1, 1])), A([True, False, True, True]),
            (slice(None), A([True, False, True])), (A([[0], [1]]), A([0, 2]))]


def _torch_index(i: object) -> object:
    if isinstance(i, np.ndarray):
        return tensor(i)
    return tuple(_torch_index(v) for v in i) if isinstance(i, tuple) else i


@pytest.mark.parametrize("index", BASIC, ids=str)
@pytest.mark.parametrize("layout", ("contiguous", "transposed"))
def test_basic_indices_are_views(index: object, layout: str) -> None:
    a = array("float32", layout, SHAPE)
    got = tensor(a)[index]
    equal(got, a[index])
    assert not got.numel() or np.shares_memory(got._array, a)
    x = tensor(a.copy(order="K"))
    expected = x._array.copy()
    expected[index] = 9
    x[index] = 9
    equal(x, expected)


@pytest.mark.parametrize("index", ADVANCED, ids=str)
@pytest.mark.parametrize("layout", ("contiguous", "transposed"))
def test_tensors_in_an_index_copy(index: object, layout: str) -> None:
    a = array("float32", layout, SHAPE)
    got = tensor(a)[_torch_index(index)]
    equal(got, a[index])
    assert not np.shares_memory(got._array, a)
    for value in (5.0, np.float32(-1) * np.ones(a[index].shape, np.float32), np.arange(a[index].shape[-1], dtype=np.float32)):
        x = tensor(a.copy(order="K"))
        expected = x._array.copy()
        expected[index] = value
        x[_torch_index(index)] = tensor(value) if isinstance(value, np.ndarray) else value
        equal(x, expected)


def test_masks() -> None:
    a = array("float32", shape=SHAPE)
    x = tensor(a.copy())
    equal(x[x > 0], a[a > 0])
    m = A([[True, False, True], [False, False, True], [True, True, True], [False, False, False]])
    equal(x[tensor(m)], a[m])
    x[x > 0] = 0.0
    equal(x, np.where(a > 0, 0, a))
    equal(torch.masked_select(tensor(a), tensor(a > 1)), a[a > 1])
    equal(torch.nonzero(tensor(m)), np.argwhere(m), dtype="int64")
    assert [t.tolist() for t in torch.where(tensor(m))] == [v.tolist() for v in np.nonzero(m)]


def test_index_errors() -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(IndexError, match="index 2 is out of bounds for dimension 0 with size 2"):
        x[2]
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        x[0, 0, 0]
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.zeros(())[0]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1]
    with pytest.raises(IndexError, match="out of bounds"):
        x[torch.tensor([5])]
    with pytest.raises(IndexError, match="The shape of the mask"):
        x[torch.tensor([True, False, True])]
    with pytest.raises(RuntimeError, match="shape mismatch"):
        x[torch.tensor([0, 1])] = torch.zeros(5)


def test_gather_and_scatter() -> None:
    a = array("float32", shape=(3, 4))
    index = A([[0, 2, 1, 0], [2, 2, 0, 1]])
    equal(torch.gather(tensor(a), 0, tensor(index)), np.take_along_axis(a, index, 0))
    src = array("float32", shape=(2, 4), seed=5)
    summed = a.copy()
    for i in range(2):
        for j in range(4):
            summed[index[i, j], j] += src[i, j]
    equal(torch.scatter_add(tensor(a), 0, tensor(index), tensor(src)), summed, 1e-6)
    columns = A([[1], [0], [3]])
    stored = a.copy()
    np.put_along_axis(stored, columns, 8.0, 1)
    equal(tensor(a).scatter(1, tensor(columns), 8.0), stored)
    x = tensor(a.copy())
    x.scatter_(1, tensor(columns), 8.0)
    equal(x, stored)
    equal(torch.take_along_dim(tensor(a), tensor(columns), 1), np.take_along_axis(a, columns, 1))
    highest = a.copy()
    np.maximum.at(highest, (index, np.arange(4)[None]), src)
    equal(torch.scatter_reduce(tensor(a), 0, tensor(index), tensor(src), "amax"), highest)


def test_index_operators() -> None:
    a = array("float32", shape=(3, 4))
    rows = A([2, 0])
    equal(torch.index_select(tensor(a), 0, tensor(rows)), a[rows])
    added = a.copy()
    added[rows] += 1
    equal(torch.index_add(tensor(a), 0, tensor(rows), torch.ones(2, 4)), added)
    x = tensor(a.copy())
    x.index_put_((tensor(rows), tensor(A([1, 1]))), tensor(A([5.0, 6.0], np.float32)))
    expected = a.copy()
    expected[rows, [1, 1]] = [5, 6]
    equal(x, expected)
    equal(torch.take(tensor(a), tensor(A([[0, 5], [-1, 2]]))), a.reshape(-1)[[[0, 5], [-1, 2]]])


def test_python_protocols() -> None:
    x = torch.arange(6).reshape(2, 3)
    assert len(x) == 2
    assert [r.tolist() for r in x] == [[0, 1, 2], [3, 4, 5]]
    assert 4 in x
    assert 9 not in x
    assert int(x[1, 2]) == 5
    assert float(x[0, 1]) == 1.0
    assert [10, 20, 30][x[0, 2]] == 30
    assert bool(x[0, 0]) is False
    assert x[0, 1].item() == 1
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(x)
    with pytest.raises(RuntimeError, match="a Tensor with 6 elements cannot be converted to Scalar"):
        x.item()
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(x[0, 0])
    with pytest.raises(TypeError, match="0-d tensor"):
        len(x[0, 0])
    assert np.array(x).tolist() == x.tolist()


# -- tensors of one number, which only the run knows, are numbers: views ------------------------------------------------
NUMBERS = {
    "written to": lambda x, t, i: x[t].add_(1),
    "filled": lambda x, t, i: x[:, t].fill_(7),
    "two": lambda x, t, i: x[t, t].mul_(0),
    "between": lambda x, t, i: x[t, 0:1, t].zero_(),
    "stored": lambda x, t, i: x.__setitem__((slice(None), t), 5.0),
    "stored beside numbers": lambda x, t, i: x.__setitem__((t, slice(None), i), 5.0),
    "stored by a mask": lambda x, t, i: x.__setitem__((t, x[0] > 3), -1.0),
    "counted from the end": lambda x, t, i: x[-t].add_(1),
    "made inside": lambda x, t, i: x[whole.tensor(1)].zero_(),
    "returned": lambda x, t, i: x[..., t],
    "beside numbers": lambda x, t, i: x[t, :, i],
    "after None": lambda x, t, i: x[None, t],
    "before None": lambda x, t, i: x[t, None],
    "old mask": lambda x, t, i: x[t.to(whole.uint8)],
}


@pytest.mark.parametrize("backend", ["eager", "opencl"])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_in_a_tensor_selects_a_view(name: str, backend: str) -> None:
    def model(x, t, i):
        return NUMBERS[name](x, t, i), x * 2

    whole._dynamo.reset()
    compiled = whole.compile(model, backend=backend)
    for n in (1, 0, 1):
        seen = []
        for run in (compiled, model):
            x = whole.arange(18.0).reshape(2, 3, 3)
            got, after = run(x, whole.tensor(n), whole.tensor([1, 0]))
            memory = got is not None and got.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
            seen.append((None if got is None else (got.tolist(), got.stride()), memory, after.tolist(), x.tolist()))
        assert seen[0] == seen[1]


def test_a_number_of_dtype_uint8_is_a_mask() -> None:
    x = tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
    assert tuple(x[torch.tensor(1, dtype=torch.uint8)].shape) == (1, 3, 2)               # PyTorch 2.13
    assert tuple(x[torch.tensor(0, dtype=torch.uint8)].shape) == (0, 3, 2)
