# Initial values by their formulas, and optimizers against updates written in NumPy.
import math

import guardscope.core.torch_api as torch
import numpy as np
import pytest
from guardscope.core.torch_api import nn

init = nn.init


@pytest.mark.parametrize(("fill", "bound"), [
    (init.xavier_uniform_, math.sqrt(6 / 140)), (init.kaiming_uniform_, math.sqrt(6 / 40)),
    (lambda t: init.kaiming_uniform_(t, a=math.sqrt(5)), 1 / math.sqrt(40)),
    (lambda t: init.uniform_(t, -0.5, 0.5), 0.5)])
def test_uniform_bounds(fill, bound):
    torch.manual_seed(0)
    w = fill(torch.empty(100, 40)).numpy()
    assert abs(w).max() <= bound and abs(w).max() > 0.98 * bound and abs(w.mean()) < 0.05 * bound


@pytest.mark.parametrize(("fill", "std"), [
    (init.xavier_normal_, math.sqrt(2 / 140)), (init.kaiming_normal_, math.sqrt(2 / 40)),
    (lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="linear"), 0.1),
    (lambda t: init.normal_(t, 1.0, 0.5), 0.5)])
def test_normal_spread(fill, std):
    torch.manual_seed(0)
    assert abs(fill(torch.empty(100, 40)).numpy().std() / std - 1) < 0.05


def test_truncated_normal_stays_inside():
    torch.manual_seed(0)
    for a, b in ((-0.5, 1.0), (2.0, 4.0)):
        w = init.trunc_normal_(torch.empty(4000), a=a, b=b).numpy()
        assert a <= w.min() and w.max() <= b
    narrow = init.trunc_normal_(torch.empty(4000), std=0.02).numpy()
    assert abs(narrow.std() - 0.02) < 0.001


def test_constants_and_matrices():
    assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert init.constant_(torch.empty(2), 2.5).tolist() == [2.5, 2.5]
    q = init.orthogonal_(torch.empty(4, 3)).numpy().astype(np.float64)
    np.testing.assert_allclose(q.T @ q, np.eye(3), atol=1e-5)
    passed = nn.functional.conv1d(torch.arange(4.0).reshape(1, 2, 2), init.dirac_(torch.empty(2, 2, 1)))
    assert passed.tolist() == [[[0, 1], [2, 3]]]


def test_gain_and_fans():
    assert init.calculate_gain("leaky_relu", 0.2) == math.sqrt(2 / 1.04) and init.calculate_gain("tanh") == 5 / 3
    with pytest.raises(ValueError, match="Fan in and fan out can not be computed"):
        init.xavier_uniform_(torch.empty(3))
    with pytest.raises(ValueError, match="Unsupported nonlinearity softy"):
        init.calculate_gain("softy")


def test_parameters_keep_requiring_grad():
    p = nn.Parameter(torch.ones(2))
    assert init.zeros_(p) is p and p.requires_grad and p.tolist() == [0.0, 0.0]


def steps(optimizer, p, grads):
    for g in grads:
        optimizer.zero_grad()
        assert p.grad is None
        p.grad = torch.from_numpy(g.astype(np.float32))
        optimizer.step()
    return p.detach().numpy()


GRADS = list(np.random.default_rng(3).standard_normal((4, 3)))


def test_sgd_with_momentum():
    p = nn.Parameter(torch.ones(3))
    got = steps(torch.optim.SGD([p], lr=0.1, momentum=0.9, weight_decay=0.01), p, GRADS)
    x, buffer = np.ones(3), None
    for g in GRADS:
        g = g + 0.01 * x
        buffer = g if buffer is None else 0.9 * buffer + g
        x = x - 0.1 * buffer
    np.testing.assert_allclose(got, x, rtol=1e-5)


@pytest.mark.parametrize(("cls", "decoupled"), [(torch.optim.Adam, False), (torch.optim.AdamW, True)])
def test_adam(cls, decoupled):
    p = nn.Parameter(torch.ones(3))
    got = steps(cls([p], lr=0.01, weight_decay=0.1), p, GRADS)
    x, m, v = np.ones(3), np.zeros(3), np.zeros(3)
    for t, g in enumerate(GRADS, 1):
        if decoupled:
            x = x * (1 - 0.01 * 0.1)
        else:
            g = g + 0.1 * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 0.01 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
    np.testing.assert_allclose(got, x, rtol=1e-5)


def test_parameter_groups_and_messages():
    a, b = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
    o = torch.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)
    assert [g["lr"] for g in o.param_groups] == [0.1, 0.5]
    with pytest.raises(ValueError, match="optimizer got an empty parameter list"):
        torch.optim.SGD([], lr=0.1)
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        torch.optim.SGD([a], lr=-1)
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        torch.optim.SGD([{"params": [a]}, {"params": [a]}], lr=0.1)


def test_vectors_of_parameters():
    m = nn.Linear(2, 1)
    vector = nn.utils.parameters_to_vector(m.parameters())
    assert vector.shape == (3,)
    nn.utils.vector_to_parameters(torch.arange(3.0), m.parameters())
    assert m.weight.tolist() == [[0.0, 1.0]] and m.bias.tolist() == [2.0]
    padded = nn.utils.rnn.pad_sequence([torch.ones(1), torch.ones(3)], batch_first=True, padding_value=-1)
    assert padded.tolist() == [[1, -1, -1], [1, 1, 1]]
