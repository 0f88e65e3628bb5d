# Recurrent layers against their equations in NumPy.
import guardscope.core.torch_api as torch
import numpy as np
import pytest
from guardscope.core.torch_api import nn

RNG = np.random.default_rng(5)


def array(t):
    return t.detach().numpy().astype(np.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run(m, x, layer, h, c, reverse=False):
    """One layer of `m` over x [L, N, *] in NumPy: outputs, last h, last c."""
    tail = f"_l{layer}" + ("_reverse" if reverse else "")
    w_ih, w_hh, b_ih, b_hh = (array(getattr(m, n + tail)) for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    outputs = []
    for row in (x[::-1] if reverse else x):
        a, b = row @ w_ih.T + b_ih, h @ w_hh.T + b_hh
        if isinstance(m, nn.LSTM):
            i, f, g, o = np.split(a + b, 4, -1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        elif isinstance(m, nn.GRU):
            (r1, z1, n1), (r2, z2, n2) = np.split(a, 3, -1), np.split(b, 3, -1)
            z = sigmoid(z1 + z2)
            h = (1 - z) * np.tanh(n1 + sigmoid(r1 + r2) * n2) + z * h
        else:
            h = np.tanh(a + b)
        outputs.append(h)
    return np.stack(outputs[::-1] if reverse else outputs), h, c


@pytest.mark.parametrize("cls", [nn.RNN, nn.LSTM, nn.GRU])
def test_two_layers_both_ways(cls):
    torch.manual_seed(1)
    m = cls(3, 4, num_layers=2, bidirectional=True)
    x = RNG.standard_normal((5, 2, 3)).astype(np.float32)
    out, last = m(torch.from_numpy(x))
    y, ends = x.astype(np.float64), []
    for layer in range(2):
        found = [run(m, y, layer, np.zeros((2, 4)), np.zeros((2, 4)), way) for way in (False, True)]
        y = np.concatenate([f[0] for f in found], -1)
        ends += found
    np.testing.assert_allclose(array(out), y, atol=1e-6)
    h = last[0] if cls is nn.LSTM else last
    np.testing.assert_allclose(array(h), np.stack([e[1] for e in ends]), atol=1e-6)
    if cls is nn.LSTM:
        np.testing.assert_allclose(array(last[1]), np.stack([e[2] for e in ends]), atol=1e-6)


def test_batch_first_and_single_sequences_agree():
    m = nn.GRU(3, 4, batch_first=True)
    x = torch.from_numpy(RNG.standard_normal((2, 5, 3)).astype(np.float32))
    out, last = m(x)
    assert out.shape == (2, 5, 4) and last.shape == (1, 2, 4)
    alone, end = m(x[1])
    np.testing.assert_allclose(array(alone), array(out)[1], atol=1e-6)
    np.testing.assert_allclose(array(end), array(last)[:, 1], atol=1e-6)


def test_a_cell_is_one_step():
    m = nn.LSTMCell(3, 4)
    x = torch.from_numpy(RNG.standard_normal((2, 3)).astype(np.float32))
    h, c = m(x, m(x))
    whole = nn.LSTM(3, 4)
    whole.load_state_dict({f"{k}_l0": v for k, v in m.state_dict().items()})
    out, (last_h, last_c) = whole(torch.stack([x, x]))
    np.testing.assert_allclose(array(h), array(last_h)[0], atol=1e-6)
    np.testing.assert_allclose(array(c), array(last_c)[0], atol=1e-6)


def test_reprs_and_refusals():
    assert repr(nn.LSTM(3, 5, num_layers=2, batch_first=True)) == "LSTM(3, 5, num_layers=2, batch_first=True)"
    with pytest.raises(RuntimeError, match=r"input.size\(-1\) must be equal to input_size. Expected 3, got 2"):
        nn.GRU(3, 5)(torch.ones(4, 1, 2))
