"""Creation, conversion, matrix products, random numbers (facts of PyTorch's CPU generator), in-place forms, modes."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from guardscope.core.errors import NotYetSupported
from guardscope.core.tensor.state import STATE
from guardscope.tests.ops.support import ALL, FLOATS, F, array, equal, tensor, torch


# -- creation --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ALL)
def test_filled_tensors(dtype: str) -> None:
    d = getattr(torch, dtype)
    equal(torch.zeros(2, 3, dtype=d), np.zeros((2, 3)), dtype=dtype)
    equal(torch.ones((2,), dtype=d), np.ones(2), dtype=dtype)
    equal(torch.full((2, 2), 1, dtype=d), np.ones((2, 2)), dtype=dtype)
    equal(torch.zeros_like(tensor(array(dtype))), np.zeros((3, 4)), dtype=dtype)
    equal(tensor(array(dtype)).new_ones(2), np.ones(2), dtype=dtype)
    equal(torch.eye(2, 3, dtype=d), np.eye(2, 3), dtype=dtype)
    assert torch.empty(2, 3, dtype=d).dtype is d


def test_ranges() -> None:
    equal(torch.arange(5), np.arange(5), dtype="int64")
    equal(torch.arange(1, 2, 0.25), [1, 1.25, 1.5, 1.75], dtype="float32")
    equal(torch.arange(5, 0, -2), [5, 3, 1], dtype="int64")
    equal(torch.arange(3, dtype=torch.float32), [0, 1, 2], dtype="float32")
    equal(torch.linspace(0, 1, 5), [0, 0.25, 0.5, 0.75, 1], dtype="float32")
    equal(torch.linspace(2, 2, 1), [2])
    with pytest.raises(RuntimeError, match="upper bound and lower bound inconsistent with step sign"):
        torch.arange(0, 5, -1)


def test_tensor_infers_dtypes() -> None:
    assert torch.tensor([1, 2]).dtype is torch.int64
    assert torch.tensor([1, 2.0]).dtype is torch.float32
    assert torch.tensor([True]).dtype is torch.bool
    assert torch.tensor(np.float64(1)).dtype is torch.float64
    assert torch.tensor([[]]).shape == (1, 0)
    assert torch.tensor(torch.tensor([1, 2])).tolist() == [1, 2]
    with pytest.raises(ValueError, match="expected sequence"):
        torch.tensor([[1, 2], [3]])
    with pytest.raises(TypeError):
        torch.tensor("text")
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.full((2,), 300, dtype=torch.int8)


def test_from_numpy_shares_memory() -> None:
    a = np.arange(4.0)
    x = torch.from_numpy(a)
    x[0] = 7
    assert a[0] == 7
    assert torch.as_tensor(a).data_ptr() == x.data_ptr()
    assert torch.tensor(a).data_ptr() != x.data_ptr()
    with pytest.raises(ValueError, match="stride"):
        torch.from_numpy(a[::-1])


def test_triangles() -> None:
    a = array("float32", shape=(2, 3, 4))
    for k in (-1, 0, 2):
        equal(torch.tril(tensor(a), k), np.tril(a, k))
        equal(torch.triu(tensor(a), k), np.triu(a, k))
    equal(torch.tril_indices(3, 3), np.stack(np.tril_indices(3)))


# -- conversion ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("source", ALL)
def test_conversions(source: str) -> None:
    a = np.abs(array(source))
    for target in ALL:
        equal(tensor(a).to(getattr(torch, target)), a.astype(target), dtype=target)
    x = tensor(a)
    assert x.to(x.dtype) is x
    assert x.to("cpu") is x
    assert x.to(x.dtype, copy=True) is not x
    assert x.float().dtype is torch.float32
    assert x.type_as(torch.zeros(1, dtype=torch.int8)).dtype is torch.int8


def test_other_devices() -> None:
    m = torch.zeros(2, 3).to("meta")
    assert m.device.type == "meta"
    assert (m + 1).shape == (2, 3)
    assert (m @ m.t()).device.type == "meta"
    assert torch.empty(2, device="meta").sum().shape == ()
    with pytest.raises(NotImplementedError, match="no data"):
        m.item()
    with pytest.raises(NotYetSupported, match="device"):
        torch.zeros(2, device="cuda")
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        m + torch.zeros(2, 3)


def test_leaving_and_copying() -> None:
    x = torch.tensor([[1.0, 2.0]])
    assert x.tolist() == [[1.0, 2.0]]
    seen = x.numpy()
    seen[0, 0] = 5                                   # the tensor's memory, but not its array: a shape given to it stays there
    seen.shape = (2,)
    assert x.tolist() == [[5.0, 2.0]] and x.shape == (1, 2)
    assert copy.deepcopy(x).tolist() == x.tolist()
    assert copy.deepcopy(x).data_ptr() != x.data_ptr()
    rebuild, parts = x.__reduce_ex__(4)
    assert rebuild(*parts).tolist() == x.tolist()


# -- matrix products -------------------------------------------------------------------------------------------------
MATMUL = [((3, 4), (4, 2)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 2)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)),
          ((5, 1, 3, 4), (2, 4, 5)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((0, 4), (4, 2)), ((3, 0), (0, 2))]


@pytest.mark.parametrize(("left", "right"), MATMUL)
def test_matmul(left: tuple, right: tuple) -> None:
    for dtype in ("float32", "float64", "float16", "int64", "uint8"):
        for layout in ("contiguous", "transposed"):
            a, b = array(dtype, layout, left), array(dtype, layout, right, seed=1)
            wide = np.float64 if dtype in FLOATS else dtype
            equal(tensor(a) @ tensor(b), (a.astype(wide) @ b.astype(wide)).astype(dtype),
                  {"float16": 2e-2, "float32": 2e-5}.get(dtype), dtype)


def test_products_with_addition() -> None:
    a, b, c = array("float64", shape=(3, 4)), array("float64", shape=(4, 2), seed=1), array("float64", shape=(3, 2), seed=2)
    equal(torch.addmm(tensor(c), tensor(a), tensor(b), beta=2, alpha=3), 2 * c + 3 * a @ b)
    equal(F.linear(tensor(a), tensor(b.T.copy()), tensor(c[0])), a @ b + c[0])
    equal(torch.mv(tensor(a), tensor(b[:, 0])), a @ b[:, 0])
    equal(torch.outer(tensor(a[0]), tensor(b[0])), np.outer(a[0], b[0]))
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(3x4 and 3x4\)"):
        tensor(a) @ tensor(a)
    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype"):
        tensor(a) @ torch.zeros(4, 2)


EINSUM = [("ij,jk->ik", (3, 4), (4, 2)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("i,j->ij", (3,), (4,)), ("ii->i", (3, 3)),
          ("ii", (3, 3)), ("ij->ji", (3, 4)), ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)), ("...ij,...jk->...ik", (2, 3, 4),
                                                                                                (4, 5)),
          ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("ijk->", (2, 3, 4)), ("bn,anm,bm->ba", (2, 5), (3, 5, 3), (2, 3))]


@pytest.mark.parametrize("case", EINSUM, ids=lambda c: c[0])
def test_einsum(case: tuple) -> None:
    equation, *shapes = case
    arrays = [array("float64", shape=s, seed=i) for i, s in enumerate(shapes)]
    equal(torch.einsum(equation, *map(tensor, arrays)), np.einsum(equation, *arrays), 1e-10)


# -- random numbers: facts of PyTorch's CPU generator ----------------------------------------------------------------
def test_the_generator_gives_pytorchs_numbers() -> None:
    torch.manual_seed(0)
    equal(torch.rand(3), [0.49625658988952637, 0.7682217955589294, 0.08847743272781372], 0)
    equal(torch.randn(3), [0.3643381893634796, 0.13439632952213287, 0.16421625018119812], 1e-7)
    assert torch.randint(10, (5,)).tolist() == [6, 6, 9, 8, 6]
    assert torch.randperm(6).tolist() == [0, 4, 1, 3, 2, 5]
    torch.manual_seed(7)
    equal(torch.randn(20)[:3], [-0.8201345205307007, 0.39563116431236267, 0.8989084959030151], 1e-6)
    equal(torch.rand(2, dtype=torch.float64), [0.10993588570774804, 0.9936169389547], 1e-13)


def test_seeds_and_states() -> None:
    torch.manual_seed(3)
    state = torch.get_rng_state()
    first = torch.rand(5).tolist()
    torch.set_rng_state(state)
    assert torch.rand(5).tolist() == first
    g = torch.Generator().manual_seed(3)
    assert torch.rand(5, generator=g).tolist() == first
    assert g.initial_seed() == 3


def test_distributions() -> None:
    torch.manual_seed(1)
    x = torch.empty(20000)
    assert abs(x.uniform_(2, 4).mean().item() - 3) < 0.02
    assert abs(x.normal_(1, 2).std().item() - 2) < 0.05
    assert abs(x.exponential_(2).mean().item() - 0.5) < 0.02
    assert abs(x.bernoulli_(0.3).mean().item() - 0.3) < 0.02
    dropped = F.dropout(torch.ones(20000), 0.25)
    assert abs(dropped.mean().item() - 1) < 0.03
    assert dropped.unique().tolist() == [0.0, pytest.approx(4 / 3)]
    y = torch.ones(3)
    assert F.dropout(y, 0.5, training=False) is y
    assert sorted(torch.multinomial(torch.tensor([0.2, 0.3, 0.5]), 3).tolist()) == [0, 1, 2]


# -- in place --------------------------------------------------------------------------------------------------------
def test_in_place_forms_write_into_the_same_memory() -> None:
    a = array("float32")
    for layout in ("contiguous", "transposed", "sliced"):
        x = tensor(array("float32", layout).copy(order="K"))
        before, b = x._array.copy(), tensor(a)
        same = x
        x += b
        assert x is same
        equal(x, before + a)
        equal(x.mul_(2), (before + a) * 2)
        equal(x.copy_(b), a)
        equal(x.clamp_(-1, 1), np.clip(a, -1, 1))
        equal(x.zero_(), 0 * a)
        equal(x.fill_(3), 0 * a + 3)
        equal(x.masked_fill_(b > 0, 5), np.where(a > 0, 5, 3))
    with pytest.raises(RuntimeError, match="output with shape"):
        torch.zeros(3).add_(torch.zeros(2, 3))


def test_metadata_changes_move_the_epoch() -> None:
    x = torch.zeros(2, 3)
    for change in (lambda: x.t_(), lambda: x.unsqueeze_(0), lambda: x.squeeze_(0), lambda: x.requires_grad_(),
                   lambda: setattr(x, "data", torch.ones(4)), lambda: x.requires_grad_(False), lambda: x.resize_(2, 2)):
        before, meta = STATE.epoch, x._meta
        change()
        assert STATE.epoch is not before
        assert x._meta is not meta
    assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_out_arguments() -> None:
    out = torch.zeros(3)
    assert torch.add(torch.ones(3), 1, out=out) is out
    assert out.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.add(torch.ones(3), 0.5, out=torch.zeros(3, dtype=torch.int64))


# -- modes -----------------------------------------------------------------------------------------------------------
def test_requires_grad_follows_the_mode() -> None:
    w = torch.ones(3, requires_grad=True)
    assert w.is_leaf
    y = w * 2
    assert y.requires_grad
    assert not y.is_leaf
    assert not (w > 0).requires_grad
    assert not w.detach().requires_grad
    with torch.no_grad():
        assert not (w * 2).requires_grad
        with torch.enable_grad():
            assert (w * 2).requires_grad
        w.add_(1)
    with torch.inference_mode():
        assert not torch.is_grad_enabled()
        assert torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        w.add_(1)
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        y.numpy()
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype can require gradients"):
        torch.arange(3).requires_grad_()
    with pytest.raises(NotYetSupported, match="backward"):
        y.sum().backward()


def test_modes_as_decorators() -> None:
    @torch.no_grad()
    def f() -> bool:
        return torch.is_grad_enabled()

    @torch.no_grad
    def g() -> bool:
        return torch.is_grad_enabled()

    @torch.inference_mode()
    def h() -> bool:
        return torch.is_inference_mode_enabled()

    assert (f(), g(), h()) == (False, False, True)
    before = torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert before is not None


def test_limits() -> None:
    assert torch.finfo(torch.float32).max == float(np.finfo(np.float32).max)
    assert torch.iinfo(torch.int8).min == -128
    assert torch.is_tensor(torch.zeros(1))
    assert torch.is_floating_point(torch.zeros(1))
    assert math.isclose(torch.pi, math.pi)
    with pytest.raises(TypeError):
        torch.finfo(torch.int8)


def test_wrong_arguments() -> None:
    x = torch.zeros(2)
    with pytest.raises(TypeError, match="must be Tensor, not str"):
        torch.exp("a")
    with pytest.raises(TypeError, match="argument 'other'"):
        torch.add(x, [1])
    with pytest.raises(TypeError):
        x + "a"
    assert (x == "a") is False
    with pytest.raises(RuntimeError,
                       match=r"The size of tensor a \(3\) must match the size of tensor b \(4\) at non-singleton dimension 0"):
        torch.zeros(3) + torch.zeros(4)
