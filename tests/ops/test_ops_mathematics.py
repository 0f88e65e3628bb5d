"""Operators beyond the elementary ones against formulas written here: special functions, decompositions, Fourier, statistics,
complex and bfloat16 tensors, resizing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from guardscope.core.torch_api import importing

torch = importing.install()
F = torch.nn.functional
RNG = np.random.default_rng(3)


def near(tensor, expected, limit: float = 1e-9) -> None:
    np.testing.assert_allclose(tensor.numpy(), np.asarray(expected), rtol=limit, atol=limit)


def wide(*values: float):
    return torch.tensor(values, dtype=torch.float64)


# -- special functions: identities and values of PyTorch 2.13 ----------------------------------------------------------
def test_gamma_family() -> None:
    x = torch.linspace(0.3, 20, 60, dtype=torch.float64)
    near(torch.digamma(x + 1) - torch.digamma(x), (1 / x).numpy(), 1e-11)
    near(torch.polygamma(1, x + 1) - torch.polygamma(1, x), (-1 / x ** 2).numpy(), 1e-10)
    near(torch.digamma(wide(-1.5)), [0.7031566406452433])
    near(torch.polygamma(2, wide(1.5)), [-0.8287966442343201])
    near(torch.special.zeta(wide(2.0), 1.0), [math.pi ** 2 / 6])
    near(torch.special.zeta(wide(2.5), 1.5), [0.5902563850764314])
    assert torch.digamma(wide(-2.0)).isnan().item() and torch.special.zeta(wide(1.0), 1.0).item() == math.inf
    near(torch.mvlgamma(x + 3, 2), (math.log(math.pi) / 2 + torch.lgamma(x + 3) + torch.lgamma(x + 2.5)).numpy())


def test_bessel_and_normal_functions() -> None:
    x = torch.linspace(-40, 40, 41, dtype=torch.float64)
    near(torch.i0(x) / np.i0(x.numpy()), np.ones(41), 1e-6)
    near(torch.i0(wide(30.0)), [781672297823.9775], 1e-11)
    near(torch.special.i1e(wide(-70.0, 0.0)), [-0.047426124623157914, 0])
    near(torch.special.ndtr(x), [(1 + math.erf(v / math.sqrt(2))) / 2 for v in x.tolist()], 1e-11)
    near(torch.special.log_ndtr(wide(-20.0, 0.0)), [-203.9171553710973, math.log(0.5)])
    near(torch.special.erfcx(wide(12.0, 0.0)), [0.04685422101489376, 1])
    near(torch.special.ndtri(wide(0.01, 0.5, 0, 1)), [-2.3263478740408408, 0, -math.inf, math.inf])
    near(torch.special.ndtri(torch.special.ndtr(wide(-3, 0.2, 2))), [-3, 0.2, 2], 1e-8)
    near(torch.special.entr(wide(0, 0.5, -1)), [0, 0.5 * math.log(2), -math.inf])


# -- integers and exponents ------------------------------------------------------------------------------------------------
def test_integers_and_exponents() -> None:
    a, b = torch.tensor([12, -18, 0, 7]), torch.tensor([8, 27, 5, 0])
    assert torch.gcd(a, b).tolist() == [math.gcd(m, n) for m, n in zip(a.tolist(), b.tolist())]
    assert torch.lcm(a, b).tolist() == [math.lcm(m, n) for m, n in zip(a.tolist(), b.tolist())]
    mantissa, exponent = torch.frexp(torch.tensor([6.0, -0.3]))
    assert [math.ldexp(m, e) for m, e in zip(mantissa.tolist(), exponent.tolist())] == torch.tensor([6.0, -0.3]).tolist()
    assert torch.heaviside(torch.tensor([-1.0, 0, 2]), torch.tensor(0.5)).tolist() == [0, 0.5, 1]
    assert torch.float_power(torch.tensor([2, 3]), 2).tolist() == [4.0, 9.0]
    assert torch.combinations(torch.arange(3), with_replacement=True).tolist() == [
        [0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]


# -- matrices ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 3, 3), (1, 1)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_factors_multiply_back(shape: tuple, dtype: str) -> None:
    a = torch.from_numpy(RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype == "complex128" else 0))
    p, low, up = torch.linalg.lu(a)
    near(p @ low @ up, a.numpy())
    q, r = torch.linalg.qr(a, mode="complete")
    near(q @ r, a.numpy())
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    near(u @ torch.diag_embed(s).to(a.dtype) @ vh, a.numpy())
    packed, pivots = torch.linalg.lu_factor(a)
    assert pivots.dtype is torch.int32 and tuple(packed.shape) == shape


def test_systems_and_functions_of_matrices() -> None:
    a = torch.from_numpy(RNG.normal(size=(4, 4)) + 4 * np.eye(4))
    b = torch.from_numpy(RNG.normal(size=(4, 2)))
    near(a.tril() @ torch.linalg.solve_triangular(a, b, upper=False), b.numpy())
    near(torch.linalg.solve_triangular(a, b.T, upper=True, left=False) @ a.triu(), b.T.numpy())
    near(torch.cholesky_solve(b, torch.linalg.cholesky(a @ a.T)), np.linalg.solve((a @ a.T).numpy(), b.numpy()))
    tall = torch.from_numpy(RNG.normal(size=(6, 3)))
    y = torch.from_numpy(RNG.normal(size=(6, 2)))
    want, residuals, rank, _ = np.linalg.lstsq(tall.numpy(), y.numpy(), rcond=None)
    got = torch.linalg.lstsq(tall, y)
    near(got.solution, want)
    near(got.residuals, residuals)
    assert got.rank.item() == rank
    near(torch.linalg.matrix_power(a, 5), np.linalg.matrix_power(a.numpy(), 5))
    near(torch.linalg.matrix_power(a, -2), np.linalg.matrix_power(a.numpy(), -2))
    angle = wide(0, -0.7, 0.7, 0).reshape(2, 2)
    near(torch.matrix_exp(angle), [[math.cos(0.7), -math.sin(0.7)], [math.sin(0.7), math.cos(0.7)]])
    for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        near(torch.linalg.matrix_norm(a, order), np.linalg.norm(a.numpy(), order))
    with pytest.raises(torch.linalg.LinAlgError, match="Singular"):
        torch.linalg.inv(torch.ones(2, 2))


# -- Fourier -----------------------------------------------------------------------------------------------------------------
def test_transforms_against_their_definition() -> None:
    x = RNG.normal(size=7)
    k = np.arange(7)
    dft = (x * np.exp(-2j * np.pi * np.outer(k, k) / 7)).sum(1)
    t = torch.from_numpy(x)
    near(torch.fft.fft(t), dft)
    near(torch.fft.rfft(t), dft[:4])
    near(torch.fft.irfft(torch.fft.rfft(t), n=7), x)
    assert (
        torch.fft.fft(t.float()).dtype is torch.complex64
        and torch.fft.irfft(torch.fft.rfft(t.float())).dtype is torch.float32
    )
    near(torch.fft.ifftshift(torch.fft.fftshift(t)), x)
    for window in (torch.hann_window(16, dtype=torch.float64), torch.hamming_window(16, dtype=torch.float64)):
        signal = torch.from_numpy(RNG.normal(size=64))
        spectrum = torch.stft(signal, 16, 4, window=window, return_complex=True)
        near(torch.istft(spectrum, 16, 4, window=window, length=64), signal.numpy(), 1e-9)
    n = np.arange(9)
    near(torch.hann_window(9, periodic=False, dtype=torch.float64), np.sin(np.pi * n / 8) ** 2)
    near(torch.kaiser_window(9, False, 5.0, dtype=torch.float64), np.kaiser(9, 5.0), 1e-7)


# -- statistics --------------------------------------------------------------------------------------------------------------
def test_statistics() -> None:
    a = RNG.normal(size=(5, 6))
    t = torch.from_numpy(a)
    for how in ("linear", "lower", "higher", "midpoint", "nearest"):
        near(torch.quantile(t, wide(0.1, 0.5, 0.93), dim=1, interpolation=how), np.quantile(a, [0.1, 0.5, 0.93], 1, method=how))
    holed = a.copy()
    holed[0, :3] = np.nan
    near(torch.nanquantile(torch.from_numpy(holed), 0.3, dim=1), np.nanquantile(holed, 0.3, 1))
    near(torch.nanmedian(torch.from_numpy(holed), 1).values[1:], np.sort(a[1:], 1)[:, 2])
    near(torch.cov(t), np.cov(a))
    near(torch.corrcoef(t), np.corrcoef(a))
    assert torch.mode(torch.tensor([3, 1, 1, 3, 2])) == (1, 2)
    assert torch.histc(torch.tensor([1.0, 2, 1, 9]), 4, 0, 4).tolist() == [0, 2, 1, 0]
    assert [
        x.tolist() for x in torch.unique_consecutive(torch.tensor([[1, 1], [1, 1], [2, 0]]), return_counts=True, dim=0)
    ] == [[[1, 1], [2, 0]], [2, 1]]


# -- storing -----------------------------------------------------------------------------------------------------------------
def test_replaced_parts() -> None:
    x = torch.zeros(3, 4)
    assert torch.select_scatter(x, torch.ones(4), 0, 1).sum(1).tolist() == [0, 4, 0]
    assert torch.slice_scatter(x, torch.ones(3, 2), 1, 0, 4, 2)[0].tolist() == [1, 0, 1, 0]
    assert torch.diagonal_scatter(x, torch.ones(3)).trace().item() == 3
    assert x.put(torch.tensor([5, 0]), torch.tensor([7.0, 8])).reshape(-1)[:6].tolist() == [8, 0, 0, 0, 0, 7]
    assert torch.ones(2).index_reduce(0, torch.tensor([0, 0]), torch.tensor([2.0, 3]), "prod").tolist() == [6, 1]
    assert [i.item() for i in torch.unravel_index(torch.tensor(7), (2, 3, 2))] == [1, 0, 1]
    assert x.sum().item() == 0
    with pytest.raises(RuntimeError, match="no larger than self"):
        x.scatter(0, torch.zeros(3, 5, dtype=torch.int64), 1.0)


# -- complex and bfloat16 ----------------------------------------------------------------------------------------------------
def test_complex_tensors() -> None:
    a = RNG.normal(size=(3, 4)) + 1j * RNG.normal(size=(3, 4))
    t = torch.from_numpy(a)
    near(t.abs(), abs(a))
    near(t.angle(), np.angle(a))
    near(torch.polar(t.abs(), t.angle()), a)
    near(t.var(), a.var(ddof=1))
    near((t @ t.mH), a @ a.conj().T)
    parts = torch.view_as_real(t)
    assert tuple(parts.shape) == (3, 4, 2) and torch.equal(torch.view_as_complex(parts), t)
    t.imag[0, 0] = 5
    assert a[0, 0].imag == 5 and parts[0, 0, 1].item() == 5          # all share the memory
    assert (torch.ones(1) * 1j).dtype is torch.complex64 and (torch.ones(1, dtype=torch.float64) * 1j).dtype is torch.complex128
    for refused in (lambda: t < t, lambda: t.max(), lambda: t.sort(), lambda: torch.maximum(t, t)):
        with pytest.raises((RuntimeError, NotImplementedError)):
            refused()


def test_rotary_embedding_with_complex_numbers_compiled() -> None:
    def rotate(x, angles):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)

    fast = torch.compile(rotate)
    for n in (3, 5, 7):
        x, angles = torch.from_numpy(RNG.normal(size=(n, 8))).float(), torch.from_numpy(RNG.normal(size=(n, 4))).float()
        even, odd, c, s = (v.numpy() for v in (x[:, ::2], x[:, 1::2], angles.cos(), angles.sin()))
        want = np.stack([even * c - odd * s, even * s + odd * c], -1).reshape(n, 8)
        near(rotate(x, angles), want, 1e-5)
        assert torch.equal(fast(x, angles), rotate(x, angles))


def test_bfloat16_rounds_once_per_operator() -> None:
    a = RNG.normal(size=(4, 4)).astype(np.float32)
    t = torch.from_numpy(a).bfloat16()

    def rounded(x):                              # to nearest even in the upper 16 bits
        bits = np.asarray(x, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)

    values = rounded(a)
    near(t.float(), values, 0)
    near((t + t * 3).float(), rounded(values + rounded(values * 3)), 0)
    near((t @ t).float(), rounded(values @ values), 1e-2)
    near(t.sum(0).float(), rounded(values.sum(0)), 1e-2)
    near(F.softmax(t, -1).float().sum(-1), np.ones(4), 2e-2)
    assert (t + torch.ones(4)).dtype is torch.float32 and (t + torch.ones(4, dtype=torch.float16)).dtype is torch.float32
    assert t[0, 0].item() == float(values[0, 0]) and isinstance(t.tolist()[0][0], float)
    with pytest.raises(TypeError, match="BFloat16"):
        t.numpy()
    fast = torch.compile(lambda x: F.layer_norm(x @ x, (4,)).relu() + 1)
    assert torch.equal(fast(t), F.layer_norm(t @ t, (4,)).relu() + 1)


# -- resizing ----------------------------------------------------------------------------------------------------------------
def test_resized_images() -> None:
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    near(
        F.interpolate(x, size=(2, 3), mode="bicubic")[0, 0],
        [[1.7511578, 3.125, 4.4988437], [10.5011597, 11.875, 13.2488451]],
        1e-6,
    )
    near(F.interpolate(x, size=(2, 3), mode="bilinear", antialias=True)[0, 0],
         [[3.1571431, 4.3571429, 5.5571432], [9.4428577, 10.6428576, 11.8428574]], 1e-6)
    for mode in ("bicubic", "bilinear"):
        for antialias in (False, True):
            flat = F.interpolate(torch.full((1, 2, 5, 6), 3.0), size=(7, 3), mode=mode, antialias=antialias)
            near(flat, np.full((1, 2, 7, 3), 3.0), 1e-5)
    near(F.interpolate(x, size=(4, 4), mode="bicubic"), x.numpy(), 1e-6)


def test_views_with_strides_of_their_own_stay_in_their_memory() -> None:
    base = torch.arange(12.0)
    shown = base.reshape(1, 3, 4).expand(2, 3, 4)
    assert shown.as_strided((2,), (1,), 1).tolist() == [1, 2]
    assert shown.untyped_storage().nbytes() == 48 and shown[..., 1:].storage_offset() == 1
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 48"):
        shown.as_strided((13,), (1,), 0)


def test_printed_complex_and_bfloat16() -> None:
    assert repr(torch.tensor([1.5 - 2j, 3e8 + 1j])) == "tensor([1.5000e+00-2.j, 3.0000e+08+1.j])"
    assert repr(torch.tensor([1.5, 2.25], dtype=torch.bfloat16)) == "tensor([1.5000, 2.2500], dtype=torch.bfloat16)"
    assert repr(torch.tensor([0.1 + 0.2j, -1000 - 1j], dtype=torch.complex128)) == (
        "tensor([ 1.0000e-01+0.2000j, -1.0000e+03-1.0000j], dtype=torch.complex128)")
    assert repr(torch.max(torch.tensor([1, 3]), 0)) == "torch.return_types.max(\nvalues=tensor(3),\nindices=tensor(1))"


def test_numpys_keyword_names() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.sum(x, axis=1, keepdims=True).tolist() == [[3], [12]]
    assert x.mean(axis=0).tolist() == [1.5, 2.5, 3.5] and torch.cat([x, x], axis=1).shape == (2, 6)
    assert torch.max(x, axis=1).indices.tolist() == [2, 2]
    with pytest.raises(TypeError, match="required positional argument: 'dim'"):
        torch.cumsum(x)
