"""Complex tensors: parts, views, conjugates, arithmetic with real ones."""

from __future__ import annotations

from words import of

TEXTS = "x.real; x.imag; torch.real(x); torch.imag(x); x.conj(); torch.conj(x); x.abs(); x.angle(); torch.view_as_real(x); torch.view_as_complex(torch.view_as_real(x)); torch.view_as_complex(x.real[..., :2]); torch.view_as_complex(torch.ones(3, 2)); torch.view_as_complex(torch.ones(2, 3)); torch.complex(x.real, x.imag); torch.polar(x.abs(), x.angle()); x * 2; x * 1j; x + x.real; x / x; x ** 2; -x; x.sum(0); x.mean(); x @ x.T; x.mH; x.H; x.T.conj(); x == x; x < x; x.exp(); x.sqrt(); torch.is_complex(x); x.is_complex(); x.to(torch.complex128); x.to(torch.float32); x.float(); x.conj().is_conj(); x.resolve_conj(); x.tolist(); x[0, 0].item(); x.numpy(); torch.zeros_like(x); x.real.stride(); x.imag.storage_offset(); y = x.clone(); y.real.fill_(0); y; y = x.clone(); y.imag[0] = 5; y; y = x.clone(); torch.view_as_real(y)[..., 0] = 1; y; torch.linalg.norm(x); x.norm(); x.var(); x.std(0); torch.isreal(x); x.cumsum(0); x.prod(); torch.where(x.abs() > 1, x, 0); x.max(); x.sort(); torch.sgn(x); x.dtype; torch.stack([x, x]); torch.cat([x, x.real]); x.flip(0); x.sigmoid(); torch.allclose(x, x); x.mul_(2j); x.real * 1j; torch.outer(x[0], x[1]); torch.vdot(x[0], x[1]); torch.dot(x[0], x[1]); complex(x[0, 0]); float(x[0, 0]); x.reciprocal(); x.square(); torch.einsum('ij,kj->ik', x, x); x.unsqueeze(0).mT; x.log(); x.isnan(); x.isfinite(); x.adjoint(); x.new_tensor([1.0]); x.type(); x.masked_fill(x.abs() > 1, 0); x.clone().fill_(1j); x.pow(0.5); x.tanh(); torch.nan_to_num(x); bool(x[0, 0]); x.nonzero(); x.bool(); x.requires_grad_().requires_grad"


def _texts() -> list[str]:
    """Pieces apart by ";" where a piece that begins with `y = ` takes the two after it along."""
    pieces, out = TEXTS.split("; "), []
    while pieces:
        first = pieces.pop(0)
        out.append("; ".join([first, pieces.pop(0), pieces.pop(0)]) if first.startswith("y = ") else first)
    return out


CASES: list = [of(t, x=f"{d} {s}") for t in _texts() for d, s in (("complex64", "3,4 contiguous"), ("complex128", "3,4 transposed"), ("complex64", "4,4 sliced"), ("complex64", "0,4 contiguous"), ("float32", "3,4 contiguous"), ("int64", "3,4 contiguous"))]
