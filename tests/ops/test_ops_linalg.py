"""Linear algebra: every result is checked by the equation that defines it."""

from __future__ import annotations

import numpy as np
import pytest
from guardscope.tests.ops.support import array, consistent, equal, tensor, torch

A = array("float64", shape=(2, 4, 4)) + 5 * np.eye(4)
EYE = np.broadcast_to(np.eye(4), (2, 4, 4))


def test_inverse_and_solution() -> None:
    x = tensor(A)
    equal(torch.linalg.inv(x) @ x, EYE, 1e-12)
    b = array("float64", shape=(2, 4, 3))
    equal(x @ torch.linalg.solve(x, tensor(b)), b, 1e-12)
    v = array("float64", shape=(4,))
    equal(x[0] @ torch.linalg.solve(x[0], tensor(v)), v, 1e-12)
    wide = tensor(array("float64", shape=(3, 5)))
    equal(wide @ torch.linalg.pinv(wide) @ wide, wide._array, 1e-12)
    with pytest.raises(RuntimeError, match="Singular"):
        torch.linalg.inv(torch.zeros(2, 2))
    with pytest.raises(RuntimeError, match="must be batches of square matrices"):
        torch.linalg.inv(torch.zeros(2, 3))


def test_determinants() -> None:
    d = np.diag([1.0, -2.0, 3.0])
    equal(torch.det(tensor(d)), -6.0)
    sign, logarithm = torch.linalg.slogdet(tensor(d))
    equal(sign, -1.0)
    equal(logarithm, np.log(6.0), 1e-12)
    assert np.isnan(torch.logdet(tensor(d)).item())


def test_decompositions() -> None:
    m = tensor(array("float64", shape=(5, 3)))
    q, r = torch.linalg.qr(m)
    consistent(q)
    equal(q @ r, m._array, 1e-12)
    equal(q.t() @ q, np.eye(3), 1e-12)
    u, s, vh = torch.linalg.svd(m, full_matrices=False)
    equal((u * s) @ vh, m._array, 1e-12)
    equal(torch.linalg.svdvals(m), s._array, 1e-12)
    symmetric = m.t() @ m
    lower = torch.linalg.cholesky(symmetric)
    equal(lower @ lower.t(), symmetric._array, 1e-12)
    values, vectors = torch.linalg.eigh(symmetric)
    equal(symmetric @ vectors, (vectors * values)._array, 1e-12)


def test_cross_and_trapezoid() -> None:
    a, b = array("float64", shape=(2, 3)), array("float64", shape=(2, 3), seed=1)
    equal(torch.cross(tensor(a), tensor(b)), np.cross(a, b), 1e-12)
    equal(torch.trapezoid(tensor(a)), (a[:, 1:] + a[:, :-1]).sum(1) / 2, 1e-12)
    equal(torch.trapezoid(tensor(a), dx=0.5), (a[:, 1:] + a[:, :-1]).sum(1) / 4, 1e-12)
