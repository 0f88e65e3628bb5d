# Layers against their formulas written in NumPy (float64 where it is cheap), on small inputs.
import math

import guardscope.core.torch_api as torch
import numpy as np
import pytest
from guardscope.core.torch_api import nn

RNG = np.random.default_rng(7)


def tensor(*shape):
    return torch.from_numpy(RNG.standard_normal(shape).astype(np.float32))


def array(t):
    return t.detach().numpy().astype(np.float64)


def close(got, want, atol=2e-6):
    assert got.dtype is torch.float32
    np.testing.assert_allclose(array(got), want, rtol=2e-5, atol=atol)


def test_linear():
    m, x = nn.Linear(5, 3), tensor(2, 4, 5)
    close(m(x), array(x) @ array(m.weight).T + array(m.bias))
    assert abs(array(m.weight)).max() <= 1 / math.sqrt(5) and m.weight.shape == (3, 5)


def test_embedding():
    m = nn.Embedding(6, 3, padding_idx=2)
    ids = torch.tensor([[0, 2], [5, 1]])
    close(m(ids), array(m.weight)[[[0, 2], [5, 1]]])
    assert array(m.weight)[2].tolist() == [0, 0, 0]
    assert not nn.Embedding.from_pretrained(tensor(3, 2)).weight.requires_grad


@pytest.mark.parametrize("shape", [(6,), (3, 6)])
def test_layer_norm(shape):
    m, x = nn.LayerNorm(shape), tensor(4, 3, 6)
    with torch.no_grad():
        m.weight.copy_(tensor(*shape))
        m.bias.copy_(tensor(*shape))
    axes = tuple(range(-len(shape), 0))
    a = array(x)
    want = (a - a.mean(axes, keepdims=True)) / np.sqrt(a.var(axes, keepdims=True) + 1e-5)
    close(m(x), want * array(m.weight) + array(m.bias))


def test_rms_norm():
    m, x = nn.RMSNorm(6, eps=1e-3), tensor(4, 6)
    a = array(x)
    close(m(x), a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-3))


def test_group_norm():
    m, x = nn.GroupNorm(2, 6), tensor(3, 6, 5)
    a = array(x).reshape(3, 2, -1)
    want = (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)
    close(m(x), want.reshape(3, 6, 5))
    with pytest.raises(ValueError, match="must be divisible by num_groups"):
        nn.GroupNorm(4, 6)


def test_batch_norm_trains_and_evaluates():
    m = nn.BatchNorm1d(4, momentum=0.25)
    mean, var = np.zeros(4), np.ones(4)
    for _ in range(3):
        x = tensor(6, 4)
        a = array(x)
        close(m(x), (a - a.mean(0)) / np.sqrt(a.var(0) + 1e-5))
        mean, var = 0.75 * mean + 0.25 * a.mean(0), 0.75 * var + 0.25 * a.var(0, ddof=1)
    close(m.running_mean, mean)
    close(m.running_var, var)
    assert m.num_batches_tracked.item() == 3
    x = tensor(6, 4)
    close(m.eval()(x), (array(x) - mean) / np.sqrt(var + 1e-5))
    with pytest.raises(ValueError, match="expected 2D or 3D input"):
        m(tensor(2, 4, 3, 3))


def test_instance_norm_tracks_statistics():
    m, x = nn.InstanceNorm1d(3, track_running_stats=True), tensor(2, 3, 5)
    a = array(x)
    close(m(x), (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5))
    close(m.running_mean, 0.1 * a.mean(-1).mean(0))
    close(m.running_var, 0.9 + 0.1 * a.var(-1, ddof=1).mean(0))


def convolve(a, w, stride, padding, dilation, groups):
    """Cross-correlation of [N, C, H, W] by loops over the kernel."""
    n, c, h, width = a.shape
    out, per, kh, kw = w.shape
    a = np.pad(a, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1
    ow = (width + 2 * padding - dilation * (kw - 1) - 1) // stride + 1
    y = np.zeros((n, out, oh, ow))
    for o in range(out):
        first = o // (out // groups) * per
        for i in range(per):
            for p in range(kh):
                for q in range(kw):
                    rows, cols = p * dilation, q * dilation
                    y[:, o] += w[o, i, p, q] * a[:, first + i, rows:rows + stride * oh:stride,
                                                 cols:cols + stride * ow:stride][:, :oh, :ow]
    return y


@pytest.mark.parametrize(("stride", "padding", "dilation", "groups"), [(1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 2), (2, 1, 1, 4)])
def test_conv2d(stride, padding, dilation, groups):
    m = nn.Conv2d(4, 8, 3, stride, padding, dilation, groups)
    x = tensor(2, 4, 9, 8)
    want = convolve(array(x), array(m.weight), stride, padding, dilation, groups) + array(m.bias).reshape(1, -1, 1, 1)
    close(m(x), want)


def test_conv2d_padding_modes():
    for mode, how in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")):
        m, x = nn.Conv2d(2, 3, 3, padding=1, padding_mode=mode, bias=False), tensor(1, 2, 5, 5)
        padded = np.pad(array(x), ((0, 0), (0, 0), (1, 1), (1, 1)), mode=how)
        close(m(x), convolve(padded, array(m.weight), 1, 0, 1, 1))


def test_conv1d_and_same_padding():
    m, x = nn.Conv1d(2, 3, 3, padding="same", bias=False), tensor(2, 2, 7)
    want = convolve(np.pad(array(x), ((0, 0), (0, 0), (1, 1)))[:, :, None], array(m.weight)[:, :, None], 1, 0, 1, 1)
    close(m(x), want[:, :, 0])
    with pytest.raises(ValueError, match="padding='same' is not supported for strided convolutions"):
        nn.Conv1d(2, 3, 3, stride=2, padding="same")


def test_pooling():
    x = tensor(2, 3, 6, 8)
    a = array(x).reshape(2, 3, 3, 2, 4, 2)
    close(nn.MaxPool2d(2)(x), a.max((3, 5)))
    close(nn.AvgPool2d(2)(x), a.mean((3, 5)))
    close(nn.AdaptiveAvgPool2d(1)(x), array(x).mean((2, 3), keepdims=True))
    close(nn.AdaptiveAvgPool2d((3, None))(x), array(x).reshape(2, 3, 3, 2, 8).mean(3))


ACTIVATIONS = {
    "ReLU": lambda x: np.maximum(x, 0), "ReLU6": lambda x: np.clip(x, 0, 6), "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "SiLU": lambda x: x / (1 + np.exp(-x)),
    "GELU": lambda x: x * np.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))(x),
    "LeakyReLU": lambda x: np.where(x > 0, x, 0.01 * x), "ELU": lambda x: np.where(x > 0, x, np.expm1(x)),
    "Softplus": lambda x: np.log1p(np.exp(x)), "Mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "Hardtanh": lambda x: np.clip(x, -1, 1), "Hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "Hardsigmoid": lambda x: np.clip(x + 3, 0, 6) / 6, "LogSigmoid": lambda x: -np.log1p(np.exp(-x)),
    "Softsign": lambda x: x / (1 + abs(x)), "Tanhshrink": lambda x: x - np.tanh(x),
    "Softshrink": lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0), "Hardshrink": lambda x: np.where(abs(x) > 0.5, x, 0),
    "PReLU": lambda x: np.where(x > 0, x, 0.25 * x), "GLU": lambda x: x[:, :3] / (1 + np.exp(-x[:, 3:])),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name):
    x = tensor(5, 6) * 3
    close(getattr(nn, name)()(x), ACTIVATIONS[name](array(x)))


def test_activations_in_place():
    x = tensor(4)
    y = nn.ReLU(inplace=True)(x)
    assert y is x and (array(x) >= 0).all()


def test_softmax():
    x = tensor(4, 6)
    e = np.exp(array(x))
    close(nn.Softmax(dim=1)(x), e / e.sum(1, keepdims=True))
    close(nn.LogSoftmax(dim=0)(x), np.log(e / e.sum(0, keepdims=True)))


def test_dropout_acts_only_while_training():
    m, x = nn.Dropout(0.5), torch.ones(1000)
    torch.manual_seed(0)
    values = set(m(x).tolist())
    assert values == {0.0, 2.0} and m.eval()(x) is x
    with pytest.raises(ValueError, match="dropout probability has to be between 0 and 1, but got 2"):
        nn.Dropout(2)


def attention(m, q, k, v, mask):
    """Multi-head attention in NumPy; mask is added to the scores [N, heads, T, S]."""
    w, b = np.split(array(m.in_proj_weight), 3), np.split(array(m.in_proj_bias), 3)
    q, k, v = (x @ wi.T + bi for x, wi, bi in zip((q, k, v), w, b))
    n, t, e = q.shape
    h, d = m.num_heads, e // m.num_heads

    def heads(x):
        return x.reshape(n, -1, h, d).transpose(0, 2, 1, 3)

    scores = heads(q) @ heads(k).transpose(0, 1, 3, 2) / math.sqrt(d) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed = (weights @ heads(v)).transpose(0, 2, 1, 3).reshape(n, t, e)
    return mixed @ array(m.out_proj.weight).T + array(m.out_proj.bias), weights.mean(1)


@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_attention(batch_first):
    m = nn.MultiheadAttention(8, 2, batch_first=batch_first)
    x, kv = tensor(3, 4, 8), tensor(3, 4, 8)
    a, b = (array(t) if batch_first else array(t).transpose(1, 0, 2) for t in (x, kv))
    side = a.shape[1]
    causal = np.where(np.tril(np.ones((side, side))), 0, -np.inf)
    want, weights = attention(m, a, b, b, causal)
    mask = torch.ones(side, side, dtype=torch.bool).triu(1)
    out, got = m(x, kv, kv, attn_mask=mask)
    close(out, want if batch_first else want.transpose(1, 0, 2))
    close(got, weights)
    fast, none = m(x, kv, kv, attn_mask=mask, need_weights=False)
    assert none is None
    close(fast, array(out))


def test_key_padding_mask_hides_keys():
    m = nn.MultiheadAttention(4, 1, batch_first=True)
    x = tensor(2, 3, 4)
    hidden = torch.tensor([[False, False, True], [False, True, True]])
    out, weights = m(x, x, x, key_padding_mask=hidden)
    assert (array(weights)[0, :, 2] == 0).all() and (array(weights)[1, :, 1:] == 0).all()
    changed = x.clone()
    changed[1, 2] = 100.0
    close(m(x, changed, changed, key_padding_mask=hidden)[0], array(out))


def test_transformer_encoder_layer_is_its_parts():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True, norm_first=True)
    x = tensor(2, 3, 4)
    n = layer.norm1(x)
    y = x + layer.self_attn(n, n, n)[0]
    close(layer(x), array(y + layer.linear2(torch.relu(layer.linear1(layer.norm2(y))))))
    assert len(nn.TransformerEncoder(layer, 3).layers) == 3


def test_resampling():
    x = torch.arange(4.0).reshape(1, 1, 2, 2)
    assert nn.Upsample(scale_factor=2)(x).tolist() == [[[[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]]]
    close(nn.Upsample(size=(2, 3), mode="bilinear", align_corners=True)(x), np.array([[[[0, 0.5, 1], [2, 2.5, 3]]]]))
    row = torch.tensor([[[0.0, 1.0]]])
    close(nn.functional.interpolate(row, scale_factor=2, mode="linear"), np.array([[[0, 0.25, 0.75, 1]]]))
    y = tensor(1, 8, 3, 3)
    assert torch.equal(nn.PixelUnshuffle(2)(nn.PixelShuffle(2)(y)), y)
    assert nn.Unflatten(1, (2, 4))(nn.Flatten(2)(y)).shape == (1, 2, 4, 9)


def test_padding_layers():
    a = np.arange(6.0).reshape(1, 2, 3)
    x = torch.tensor(a.tolist())
    close(nn.ConstantPad1d((1, 2), 9.0)(x), np.pad(a, ((0, 0), (0, 0), (1, 2)), constant_values=9))
    close(nn.ReflectionPad1d(2)(x), np.pad(a, ((0, 0), (0, 0), (2, 2)), mode="reflect"))
    close(nn.ZeroPad2d((0, 1, 2, 0))(x), np.pad(a, ((0, 0), (2, 0), (0, 1))))
