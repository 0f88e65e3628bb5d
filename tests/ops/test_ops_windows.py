"""Convolution, pooling, padding, normalisation, attention and embedding against loops and formulas written here."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from guardscope.tests.ops.support import F, array, equal, tensor, torch


def _conv(x: np.ndarray, w: np.ndarray, b: np.ndarray, stride: int, pad: int, dilation: int, groups: int) -> np.ndarray:
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    kh, kw = w.shape[2:]
    oh = (x.shape[2] - dilation * (kh - 1) - 1) // stride + 1
    ow = (x.shape[3] - dilation * (kw - 1) - 1) // stride + 1
    out = np.zeros((x.shape[0], w.shape[0], oh, ow))
    per = w.shape[0] // groups
    for n, o, i, j in itertools.product(range(x.shape[0]), range(w.shape[0]), range(oh), range(ow)):
        g = o // per
        part = x[n, g * w.shape[1]:(g + 1) * w.shape[1], i * stride:i * stride + dilation * (kh - 1) + 1:dilation,
                 j * stride:j * stride + dilation * (kw - 1) + 1:dilation]
        out[n, o, i, j] = (part * w[o]).sum() + b[o]
    return out


@pytest.mark.parametrize(("stride", "pad", "dilation", "groups"), [(1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 2),
                                                                   (2, 0, 1, 4)])
def test_conv2d(stride: int, pad: int, dilation: int, groups: int) -> None:
    x, w, b = array("float64", shape=(2, 4, 6, 7)), array("float64", shape=(4, 4 // groups, 3, 2), seed=1), array("float64",
                                                                                                                  shape=(4,))
    equal(F.conv2d(tensor(x), tensor(w), tensor(b), stride, pad, dilation, groups), _conv(x, w, b, stride, pad, dilation,
                                                                                          groups))


def test_conv_of_other_dimensions() -> None:
    x, w = array("float64", shape=(2, 3, 9)), array("float64", shape=(4, 3, 3), seed=1)
    expected = np.stack([[np.sum([np.correlate(x[n, c], w[o, c]) for c in range(3)],
                                 axis=0) for o in range(4)] for n in range(2)])
    equal(F.conv1d(tensor(x), tensor(w)), expected, 1e-10)
    equal(F.conv1d(tensor(x[0]), tensor(w)), expected[0], 1e-10)
    up = F.conv_transpose1d(tensor(x), tensor(w[:3].transpose(0, 1, 2).copy()), stride=2)
    assert tuple(up.shape) == (2, 3, 19)
    with pytest.raises(RuntimeError, match="Given groups=1, weight of size"):
        F.conv1d(tensor(x[:, :2]), tensor(w))


def test_pooling() -> None:
    x = array("float32", shape=(1, 2, 4, 6))
    blocks = x.reshape(1, 2, 2, 2, 3, 2)
    equal(F.max_pool2d(tensor(x), 2), blocks.max((3, 5)))
    equal(F.avg_pool2d(tensor(x), 2), blocks.mean((3, 5)), 1e-6)
    equal(F.adaptive_avg_pool2d(tensor(x), (2, 3)), blocks.mean((3, 5)), 1e-6)
    values, where = F.max_pool2d(tensor(x), 2, return_indices=True)
    equal(values, np.take_along_axis(x.reshape(1, 2, -1), where._array.reshape(1, 2, -1), 2).reshape(values.shape))
    equal(F.max_pool2d(tensor(x), 3, 2, 1)[0, 0, 0, 0], x[0, 0, :2, :2].max())
    with pytest.raises(RuntimeError, match="pad should be at most half of effective kernel size"):
        F.max_pool2d(tensor(x), 2, padding=2)


def test_padding() -> None:
    x = array("float32", shape=(2, 3, 4))
    equal(F.pad(tensor(x), (1, 2)), np.pad(x, ((0, 0), (0, 0), (1, 2))))
    equal(F.pad(tensor(x), (1, 0, 2, 1), value=5.0), np.pad(x, ((0, 0), (2, 1), (1, 0)), constant_values=5))
    equal(F.pad(tensor(x), (2, 1), mode="reflect"), np.pad(x, ((0, 0), (0, 0), (2, 1)), mode="reflect"))
    equal(F.pad(tensor(x), (2, 1), mode="replicate"), np.pad(x, ((0, 0), (0, 0), (2, 1)), mode="edge"))
    equal(F.pad(tensor(x), (-1, 0)), x[..., 1:])


def test_normalisation() -> None:
    x, w, b = array("float64", shape=(2, 4, 5)), array("float64", shape=(5,), seed=1), array("float64", shape=(5,), seed=2)
    expected = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    equal(F.layer_norm(tensor(x), (5,)), expected)
    equal(F.layer_norm(tensor(x), (5,), tensor(w), tensor(b)), expected * w + b)
    equal(F.rms_norm(tensor(x), (5,), eps=1e-6), x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6))
    mean, var = x.mean((0, 2)), x.var((0, 2))
    running_mean, running_var = tensor(np.zeros(4)), tensor(np.ones(4))
    equal(F.batch_norm(tensor(x), running_mean, running_var, training=True, momentum=0.5),
          (x - mean[:, None]) / np.sqrt(var[:, None] + 1e-5))
    equal(running_mean, mean / 2)
    equal(running_var, 0.5 + 0.5 * var * 10 / 9)
    equal(F.group_norm(tensor(x), 1), (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + 1e-5))
    with pytest.raises(RuntimeError, match="Given normalized_shape"):
        F.layer_norm(tensor(x), (4,))


def test_attention() -> None:
    q, k, v = (array("float64", shape=(2, n, 4), seed=i) for i, n in enumerate((3, 5, 5)))
    scores = q @ k.swapaxes(1, 2) / 2
    mask = np.tril(np.ones((3, 5), bool))

    def soft(s: np.ndarray) -> np.ndarray:
        e = np.exp(s - s.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    args = (tensor(q), tensor(k), tensor(v))
    equal(F.scaled_dot_product_attention(*args), soft(scores) @ v)
    equal(F.scaled_dot_product_attention(*args, is_causal=True), soft(np.where(mask, scores, -math.inf)) @ v)
    equal(F.scaled_dot_product_attention(*args, attn_mask=tensor(mask)), soft(np.where(mask, scores, -math.inf)) @ v)
    equal(F.scaled_dot_product_attention(*args, attn_mask=tensor(scores), scale=0.5), soft(2 * scores) @ v)


def test_embedding_and_one_hot() -> None:
    w = array("float32", shape=(5, 3))
    ids = np.array([[0, 4], [2, 2]])
    equal(F.embedding(tensor(ids), tensor(w)), w[ids])
    equal(F.one_hot(tensor(ids), 5), np.eye(5, dtype=np.int64)[ids])
    with pytest.raises(IndexError, match="index out of range in self"):
        F.embedding(tensor(ids + 3), tensor(w))
    assert torch.is_tensor(F.one_hot(tensor(ids)))
