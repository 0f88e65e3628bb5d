"""The CPU generator: numbers that PyTorch 2.13 printed for the same seeds (written down here), states, and compiled draws."""

from __future__ import annotations

import numpy as np
import pytest
from guardscope.core.torch_api import importing

torch = importing.install()
F = torch.nn.functional


def near(values: object, expected: object, limit: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(values), np.asarray(expected), rtol=limit, atol=limit)


def test_uniform_and_normal_numbers() -> None:
    torch.manual_seed(0)
    near(torch.rand(3).tolist(), [0.49625658988952637, 0.7682217955589294, 0.08847743272781372])
    near(torch.randn(3).tolist(), [0.3643381893634796, 0.13439632952213287, 0.16421625018119812])
    torch.manual_seed(0)                       # 17 numbers: blocks of 16, the last 16 drawn again
    near(torch.randn(17).tolist()[:2], [-1.1258398294448853, -1.6959311962127686])
    near(torch.randn(17).tolist()[-1], 0.1885535717010498)


def test_sixteen_bit_numbers() -> None:
    torch.manual_seed(0)
    assert torch.randn(20, dtype=torch.float16).tolist()[-3:] == [1.5859375, 0.9462890625, -0.84375]
    assert torch.randn(17, dtype=torch.bfloat16).tolist()[:2] == [-0.61328125, -0.671875]


def test_integers_permutations_choices() -> None:
    torch.manual_seed(0)
    assert torch.randperm(6).tolist() == [2, 5, 3, 0, 1, 4]
    assert torch.randint(10, (5,)).tolist() == [9, 7, 3, 7, 3]
    assert torch.bernoulli(torch.full((6,), 0.4)).tolist() == [1, 0, 1, 1, 1, 0]


def test_other_distributions() -> None:
    torch.manual_seed(0)
    near(torch.empty(3).exponential_().tolist(), [3.508326292037964, 1.2303847074508667, 0.615044116973877])
    assert torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 2).tolist() == [2, 1]
    assert torch.poisson(torch.tensor([3.0, 20.0])).tolist() == [2, 17]
    torch.manual_seed(0)
    near(torch.empty(3).log_normal_().tolist(), [59.2634162902832, 1.5115599632263184, 0.03481946140527725])
    assert torch.empty(3).geometric_(0.3).tolist() == [2, 1, 5]
    assert torch.empty(2, dtype=torch.int32).random_().tolist() == [1682652230, 243580376]


def test_complex_numbers_dropout_and_initialisers() -> None:
    torch.manual_seed(0)
    near(torch.randn(2, dtype=torch.complex64).tolist(), [1.0896488428115845 - 0.20748557150363922j,
                                                          -1.5406367778778076 + 0.40194159746170044j])
    assert F.dropout(torch.ones(8), 0.5).tolist() == [0, 0, 2, 2, 0, 2, 2, 2]
    torch.manual_seed(0)
    w = torch.empty(2, 3)
    torch.nn.init.kaiming_uniform_(w)
    near(w.tolist(), [[-0.010587962344288826, 0.75864577293396, -1.1639615297317505],
                      [-1.040774941444397, -0.5446904897689819, 0.3792317807674408]])


def test_a_state_continues_where_it_was_taken() -> None:
    torch.manual_seed(1)
    torch.rand(5)
    torch.randn(1)                             # keeps the second of a pair
    state = torch.get_rng_state()
    assert state.dtype is torch.uint8 and tuple(state.shape) == (5056,)
    first = torch.rand(2).tolist(), torch.randn(1).tolist()
    near(first[0], [0.4387779235839844, 0.6386804580688477])
    near(first[1], [0.15837471187114716])
    torch.set_rng_state(state)
    assert (torch.rand(2).tolist(), torch.randn(1).tolist()) == first
    other = torch.Generator().set_state(state)
    assert torch.rand(2, generator=other).tolist() == first[0]
    for _ in range(700):                       # over the end of the twister's block
        torch.rand(1)
    late = torch.get_rng_state()
    after = torch.rand(3).tolist()
    torch.set_rng_state(late)
    assert torch.rand(3).tolist() == after
    with pytest.raises(RuntimeError, match="wrong size"):
        torch.set_rng_state(torch.zeros(3, dtype=torch.uint8))


def test_compiled_draws_are_the_eager_ones() -> None:
    def f(x):
        return torch.rand(5) + torch.randn(20)[:5] + F.dropout(x, 0.5), torch.randint(9, (3,)), torch.randperm(4)

    fast = torch.compile(f)
    for seed in (0, 1):
        torch.manual_seed(seed)
        want = f(torch.ones(5)), torch.rand(1)
        torch.manual_seed(seed)
        got = fast(torch.ones(5)), torch.rand(1)
        assert all(torch.equal(a, b) for a, b in zip(want[0], got[0])) and torch.equal(want[1], got[1])


def test_draws_follow_memory() -> None:
    """A transposed tensor is filled in the order of its memory."""
    torch.manual_seed(0)
    plain = torch.empty(4, 5).uniform_()
    torch.manual_seed(0)
    assert torch.equal(torch.empty(5, 4).T.uniform_(), plain.reshape(5, 4).T)


@pytest.mark.parametrize(
    "action",
    [
        lambda: torch.empty(2).uniform_(3, 1),
        lambda: torch.empty(2).normal_(0, -1),
        lambda: torch.empty(2).exponential_(-1),
        lambda: torch.empty(2).geometric_(2),
        lambda: torch.empty(2).bernoulli_(2),
        lambda: torch.randperm(-1),
        lambda: torch.bernoulli(torch.tensor([2.0])),
        lambda: torch.randint(5, 5, (1,)),
        lambda: torch.poisson(torch.tensor([-1.0])),
    ],
)
def test_impossible_parameters(action) -> None:
    with pytest.raises(RuntimeError):
        action()
