# Losses against NumPy formulas in float64.
import warnings

import guardscope.core.torch_api as torch
import numpy as np
import pytest
from guardscope.core.torch_api import nn

F = nn.functional
RNG = np.random.default_rng(11)
A, B = RNG.standard_normal((5, 4)).astype(np.float32), RNG.standard_normal((5, 4)).astype(np.float32)
P, Q = (np.exp(m) / np.exp(m).sum(1, keepdims=True) for m in (A, B))
CLASSES = np.array([0, 3, 1, 2, 1])
WEIGHT = np.array([0.5, 1.0, 2.0, 0.25], np.float32)
REDUCE = {"mean": np.mean, "sum": np.sum, "none": lambda v: v}


def t(a):
    return torch.from_numpy(np.ascontiguousarray(a))


def close(got, want):
    np.testing.assert_allclose(got.numpy().astype(np.float64), want, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("reduction", REDUCE)
def test_differences(reduction):
    r, d = REDUCE[reduction], A.astype(np.float64) - B
    close(nn.MSELoss(reduction=reduction)(t(A), t(B)), r(d * d))
    close(nn.L1Loss(reduction=reduction)(t(A), t(B)), r(abs(d)))
    close(nn.SmoothL1Loss(reduction=reduction, beta=0.5)(t(A), t(B)), r(np.where(abs(d) < 0.5, d * d, abs(d) - 0.25)))
    close(nn.HuberLoss(reduction=reduction, delta=0.5)(t(A), t(B)),
          r(np.where(abs(d) < 0.5, 0.5 * d * d, 0.5 * (abs(d) - 0.25))))


@pytest.mark.parametrize("reduction", REDUCE)
def test_binary_cross_entropy(reduction):
    r = REDUCE[reduction]
    p, q = P.astype(np.float64), Q.astype(np.float64)
    close(nn.BCELoss(reduction=reduction)(t(P), t(Q)), r(-(q * np.log(p) + (1 - q) * np.log(1 - p))))
    s = 1 / (1 + np.exp(-A.astype(np.float64)))
    close(nn.BCEWithLogitsLoss(pos_weight=t(WEIGHT), reduction=reduction)(t(A), t(Q)),
          r(-(WEIGHT * q * np.log(s) + (1 - q) * np.log(1 - s))))


def test_logits_far_out_stay_finite():
    x = torch.tensor([-200.0, 200.0])
    assert F.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0])).item() == 200.0
    assert F.binary_cross_entropy(torch.tensor([0.0]), torch.tensor([1.0])).item() == 100.0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy_of_classes(weighted, smoothing):
    w = WEIGHT.astype(np.float64) if weighted else np.ones(4)
    logs = np.log(P.astype(np.float64))
    kept = CLASSES != 3
    plain = -logs[np.arange(5), CLASSES] * w[CLASSES]
    smooth = -(logs * w).sum(1)
    each = np.where(kept, (1 - smoothing) * plain + smoothing / 4 * smooth, 0)
    kwargs = {"weight": t(WEIGHT) if weighted else None, "ignore_index": 3, "label_smoothing": smoothing}
    close(nn.CrossEntropyLoss(reduction="none", **kwargs)(t(A), t(CLASSES)), each)
    close(nn.CrossEntropyLoss(reduction="sum", **kwargs)(t(A), t(CLASSES)), each.sum())
    close(nn.CrossEntropyLoss(**kwargs)(t(A), t(CLASSES)), each.sum() / w[CLASSES][kept].sum())


def test_cross_entropy_of_probabilities_and_positions():
    logs = np.log(P.astype(np.float64))
    close(F.cross_entropy(t(A), t(Q)), -(Q * logs).sum(1).mean())
    images = A.reshape(1, 5, 4)
    by_position = np.log(np.exp(images) / np.exp(images).sum(1, keepdims=True))
    close(F.cross_entropy(t(images), torch.tensor([[4, 0, 2, 1]])), -by_position[0, [4, 0, 2, 1], range(4)].mean())
    close(F.cross_entropy(t(A[0]), torch.tensor(2)), -logs[0, 2])


def test_nll_of_one_sample_and_kl():
    logs = np.log(P)
    close(F.nll_loss(t(logs[0]), torch.tensor(1)), -logs[0, 1])
    close(F.kl_div(t(logs), t(Q), reduction="batchmean"), (Q * (np.log(Q) - logs)).sum() / 5)
    close(F.kl_div(t(logs), t(np.log(Q)), reduction="sum", log_target=True), (Q * (np.log(Q) - logs)).sum())


def test_words_and_sizes_are_checked():
    with pytest.raises(ValueError, match="average is not a valid value for reduction"):
        F.mse_loss(t(A), t(B), reduction="average")
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[5, 1\]\)\)"):
        F.mse_loss(t(A), t(B[:, :1]))


@pytest.mark.parametrize(("older", "reduction"), [
    ({"size_average": False}, "sum"), ({"size_average": True}, "mean"), ({"reduce": False}, "none"),
    ({"reduce": False, "size_average": False}, "none"), ({"reduce": True, "size_average": False}, "sum")])
def test_the_older_words_for_a_reduction(older, reduction):
    classes = torch.tensor([1, 0, 3, 2, 1])
    cases = [("l1_loss", nn.L1Loss, A, B), ("mse_loss", nn.MSELoss, A, B), ("smooth_l1_loss", nn.SmoothL1Loss, A, B),
             ("cross_entropy", nn.CrossEntropyLoss, A, classes), ("nll_loss", nn.NLLLoss, A, classes),
             ("binary_cross_entropy", nn.BCELoss, P, Q), ("binary_cross_entropy_with_logits", nn.BCEWithLogitsLoss, A, Q),
             ("kl_div", nn.KLDivLoss, A, Q), ("poisson_nll_loss", nn.PoissonNLLLoss, A, Q),
             ("soft_margin_loss", nn.SoftMarginLoss, A, B), ("hinge_embedding_loss", nn.HingeEmbeddingLoss, A, np.sign(B)),
             ("multilabel_soft_margin_loss", nn.MultiLabelSoftMarginLoss, A, Q),
             ("multi_margin_loss", nn.MultiMarginLoss, A, classes)]
    for name, layer, left, right in cases:
        x, y = t(left), right if isinstance(right, torch.Tensor) else t(right)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            expected = getattr(F, name)(x, y, reduction=reduction)
            assert torch.equal(getattr(F, name)(x, y, **older), expected)
            made = layer(**older)
            assert torch.equal(made(x, y), expected) and made.reduction == reduction
        assert sum(f"please use reduction='{reduction}' instead" in str(w.message) for w in said) == 2
    assert float(F.l1_loss(torch.arange(6.0), torch.zeros(6), reduction="sum")) == 15.0
