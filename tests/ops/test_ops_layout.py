"""Sizes, strides and sharing of memory: layouts of results, views, and the shape rules against NumPy's own views."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from guardscope.core.ops.op import OPS
from guardscope.tests.ops.support import LAYOUTS, F, array, consistent, equal, tensor, torch


def _like(shape: tuple, steps: tuple) -> object:
    room = 1 + sum((n - 1) * s for n, s in zip(shape, steps))
    return tensor(np.lib.stride_tricks.as_strided(np.arange(float(room)), shape, [8 * s for s in steps]))


# Facts of PyTorch's TensorIterator: (operands as (shape, strides), strides of the sum)
FACTS = [
    ([((3, 4), (1, 3)), ((3, 4), (1, 3))], (1, 3)),              # equal layouts stay
    ([((3, 4), (1, 3)), ((3, 4), (4, 1))], (1, 3)),              # the first operand decides
    ([((3, 4), (4, 1)), ((3, 4), (1, 3))], (4, 1)),
    ([((3, 4), (8, 2))], (4, 1)),                                # gaps are closed
    ([((3, 4), (0, 1))], (4, 1)),                                # an expanded dimension becomes real
    ([((2, 3, 4), (4, 8, 1))], (4, 8, 1)),
    ([((2, 3, 4), (1, 2, 6)), ((4,), (1,))], (1, 2, 6)),         # broadcasting
    ([((4,), (1,)), ((2, 3, 4), (1, 2, 6))], (1, 2, 6)),
    ([((3, 1), (1, 3)), ((1, 1), (1, 1))], (1, 3)),              # strides of size-1 dimensions count
    ([((1, 3), (1, 1)), ((3,), (1,))], (1, 1)),
    ([((2, 3, 4, 5), (60, 1, 15, 3)), ((2, 3, 4, 5), (60, 1, 15, 3))], (60, 1, 15, 3)),   # channels last
]


@pytest.mark.parametrize(("operands", "expected"), FACTS)
def test_layout_of_elementwise_results(operands: list, expected: tuple) -> None:
    made = [_like(*o) for o in operands]
    out = made[0] + 1 if len(made) == 1 else torch.add(*made)
    assert out.stride() == expected
    consistent(out)


def test_new_tensors_like_another_keep_a_dense_layout() -> None:
    x = _like((3, 4), (1, 3))
    for made in (torch.zeros_like(x), torch.empty_like(x), x.clone(), x.double(), torch.exp(x), torch.rand_like(x.float())):
        consistent(made)
    assert torch.zeros_like(x).stride() == (1, 3)
    assert x.clone().stride() == (1, 3)
    assert x.contiguous().stride() == (4, 1)
    assert x.clone(memory_format=torch.contiguous_format).stride() == (4, 1)
    assert _like((3, 4), (8, 2)).clone().stride() == (4, 1)


VIEWS = {
    "transpose": (lambda t: t.transpose(0, 2), lambda a: a.swapaxes(0, 2)),
    "permute": (lambda t: t.permute(1, 2, 0), lambda a: a.transpose(1, 2, 0)),
    "select": (lambda t: t.select(1, 2), lambda a: a[:, 2]),
    "narrow": (lambda t: t.narrow(2, 1, 2), lambda a: a[:, :, 1:3]),
    "slice": (lambda t: t[1:, ::2, -3:], lambda a: a[1:, ::2, -3:]),
    "index": (lambda t: t[..., None, 1], lambda a: a[..., None, 1]),
    "unsqueeze": (lambda t: t.unsqueeze(-1), lambda a: a[..., None]),
    "diagonal": (lambda t: t.diagonal(1, 1, 2), lambda a: a.diagonal(1, 1, 2)),
    "unfold": (lambda t: t.unfold(2, 2, 1), lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, axis=2)),
    "expand": (lambda t: t[:, :1].expand(-1, 5, -1), lambda a: np.broadcast_to(a[:, :1], (2, 5, 4))),
    "movedim": (lambda t: t.movedim(0, -1), lambda a: np.moveaxis(a, 0, -1)),
    "chunk": (lambda t: t.chunk(2, 2)[1], lambda a: a[:, :, 2:]),
    "split": (lambda t: t.split([1, 2], 1)[1], lambda a: a[:, 1:]),
    "unbind": (lambda t: t.unbind(1)[-1], lambda a: a[:, -1]),
    "T": (lambda t: t[0].T, lambda a: a[0].T),
    "mT": (lambda t: t.mT, lambda a: a.swapaxes(1, 2)),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("layout", LAYOUTS[:3])
def test_views_share_memory_and_state_true_strides(name: str, layout: str) -> None:
    a = array("float32", layout, (2, 3, 4))
    of_tensor, of_array = VIEWS[name]
    x = tensor(a)
    got, expected = of_tensor(x), of_array(a)
    equal(got, expected)
    for n, s, e in zip(got.shape, got.stride(), expected.strides):
        assert n <= 1 or s * 4 == e
    assert np.shares_memory(got._array, a)
    if name != "unfold" and name != "expand":
        got.fill_(7)
        assert (of_array(x._array) == 7).all()


@pytest.mark.parametrize("layout", LAYOUTS[:4])
def test_view_exists_exactly_where_numpy_needs_no_copy(layout: str) -> None:
    a = array("float32", layout, (2, 3, 4))
    for shape in ((6, 4), (2, 12), (24,), (4, 6), (2, 3, 2, 2), (1, 2, 3, 4, 1), (3, 2, 4), (-1, 4), (2, -1)):
        free = a.reshape(shape)
        possible = np.shares_memory(free, a)
        x = tensor(a)
        if possible:
            equal(x.view(*shape), free)
        else:
            with pytest.raises(RuntimeError, match="view size is not compatible"):
                x.view(*shape)
        equal(x.reshape(shape), free)
        assert np.shares_memory(x.reshape(shape)._array, a) == possible


def test_offsets_of_view_rules() -> None:
    x = torch.arange(24).reshape(2, 3, 4)
    rules = {"select": (x._meta, 1, 2), "narrow": (x._meta, 2, 1, 2), "diagonal": (x._meta, 1, 1, 2)}
    for name, offset in {"select": 8, "narrow": 1, "diagonal": 1}.items():
        assert OPS[name].infer(*rules[name]).offset == offset
    spec = OPS["getitem"].infer(x._meta, (1, slice(1, None, 2), None))
    assert (spec.offset, tuple(spec.shape), spec.strides[0]) == (16, (1, 1, 4), 8)


def test_reductions_and_joins_are_contiguous() -> None:
    x = tensor(array("float32", "transposed", (2, 3, 4)))
    assert x.sum(0).stride() == (4, 1)
    assert torch.cat([x, x]).stride() == (12, 4, 1)
    assert torch.stack([x, x], 1).stride() == (24, 12, 4, 1)
    assert torch.softmax(x, 0).stride() == (12, 4, 1)
    assert (x @ x.transpose(1, 2)).stride() == (9, 3, 1)


def test_squeeze_expand_flatten() -> None:
    x = torch.zeros(1, 3, 1, 2)
    assert tuple(x.squeeze().shape) == (3, 2)
    assert tuple(x.squeeze(0).shape) == (3, 1, 2)
    assert tuple(x.squeeze(1).shape) == (1, 3, 1, 2)
    assert tuple(x.squeeze((0, 2)).shape) == (3, 2)
    assert tuple(x.flatten(1).shape) == (1, 6)
    assert tuple(x.expand(4, -1, 5, -1).shape) == (4, 3, 5, 2)
    assert x.expand(4, -1, 5, -1).stride() == (0, 2, 0, 1)
    assert tuple(torch.zeros(6).unflatten(0, (2, -1)).shape) == (2, 3)
    assert torch.zeros(()).flatten().shape == (1,)


def test_repeat_and_tile() -> None:
    a = array("int64", shape=(2, 3))
    equal(tensor(a).repeat(2, 1, 2), np.tile(a, (2, 1, 2)))
    equal(torch.tile(tensor(a), (2,)), np.tile(a, (2,)))
    equal(tensor(a).repeat_interleave(2, 1), np.repeat(a, 2, 1))
    equal(torch.flip(tensor(a), (0, 1)), a[::-1, ::-1])
    equal(torch.roll(tensor(a), 1, 1), np.roll(a, 1, 1))


def test_joins_against_numpy() -> None:
    a, b = array("float32", shape=(2, 3)), array("float64", shape=(2, 3), seed=1)
    for d in (0, 1, -1):
        equal(torch.cat([tensor(a), tensor(b)], d), np.concatenate([a, b], d), dtype="float64")
        equal(torch.stack([tensor(a), tensor(a)], d), np.stack([a, a], d))
    equal(torch.cat([torch.zeros(0), tensor(a)]), a)
    equal(torch.hstack([tensor(a), tensor(a)]), np.hstack([a, a]))
    equal(torch.vstack([tensor(a[0]), tensor(a)]), np.vstack([a[0], a]))


def test_storage_questions() -> None:
    x = torch.arange(12).reshape(3, 4)
    y = x[1:, 2:]
    assert y.storage_offset() == 6
    assert y.data_ptr() == x.data_ptr() + 6 * 8
    assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert torch.as_strided(x, (2, 2), (4, 1), 5).tolist() == [[5, 6], [9, 10]]
    assert x.view(torch.int32).shape == (3, 8)
    assert x.element_size() == 8
    assert not x.t().is_contiguous()


def test_broadcasting_every_pair_of_small_shapes() -> None:
    shapes = [(), (1,), (3,), (2, 1), (2, 3), (1, 3), (4, 1, 3), (0,), (1, 0)]
    for s, t in itertools.product(shapes, shapes):
        a, b = np.ones(s, np.float32), np.full(t, 2, np.float32)
        try:
            expected = a + b
        except ValueError:
            with pytest.raises(RuntimeError, match="must match the size of tensor b"):
                tensor(a) + tensor(b)
            continue
        equal(tensor(a) + tensor(b), expected)


# -- views that would leave the memory of their tensor, and sizes below zero --------------------------------------------
@pytest.mark.parametrize("made, words", [
    (lambda x: x.as_strided((2,), (1,), -1), "Tensor: invalid storage offset -1"),
    (lambda x: x.as_strided((2,), (-1,), 1), "as_strided: Negative strides are not supported at the moment, got strides: [-1]"),
    (lambda x: x.as_strided((2,), (1, 1)), "mismatch in length of strides and shape"),
    (lambda x: torch.empty_strided((2,), (-1,)), "Storage size calculation overflowed with sizes=[2] and strides=[-1]"),
    (lambda x: torch.empty_strided((2,), (1, 1)),
     "dimensionality of sizes (1) must match dimensionality of strides (2)"),
    (lambda x: x.clone().resize_(-1), "Trying to create tensor with negative dimension -1: [-1]"),
    (lambda x: x.unfold(0, 1, 0), "step is 0 but must be > 0"),
    (lambda x: x.unfold(0, -1, 1), "size is -1 but must be >= 0"),
    (lambda x: F.pad(x, (-4, 0)), "narrow(): length must be non-negative."),
    (lambda x: F.pad(x, (-4, 0), mode="replicate"), "input (W: 3) is too small. Calculated output W: -1"),
    (lambda x: F.pad(x, (-4, 0), mode="circular"), "Negative padding value is resulting in an empty dimension"),
    (lambda x: F.adaptive_avg_pool2d(x[None], -1),
     "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}"),
    (lambda x: torch.multinomial(x.abs(), 0), "cannot sample n_sample <= 0 samples"),
])
def test_impossible_layouts_are_refused(made: Callable[[object], object], words: str) -> None:
    with pytest.raises(RuntimeError) as told:
        made(tensor(np.arange(6, dtype=np.float32).reshape(2, 3)))
    assert str(told.value) == words


def test_far_diagonals_and_shifts() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    equal(tensor(x).tril(2**63 - 1), x)
    equal(tensor(x).triu(-2**63), x)
    equal(tensor(x).tril(-2**63), x * 0)
    equal(torch.roll(tensor(x), 2**62 + 1, 1), np.roll(x, (2**62 + 1) % 3, 1))
    equal(tensor(x).index_fill(1, torch.tensor([-1]), 9), [[0, 1, 9], [3, 4, 9]])
    with pytest.raises(IndexError, match="index -4 is out of bounds for dimension 1 with size 3"):
        tensor(x).index_fill(1, torch.tensor([-4]), 9)
