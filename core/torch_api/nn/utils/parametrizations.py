"""torch.nn.utils.parametrizations: weight_norm and spectral_norm as parametrizations."""

from __future__ import annotations

from typing import Any

from ....errors import NotYetSupported
from ... import toplevel as T
from ...naming import present
from .. import functional as F
from ..modules.module import Module
from . import parametrize
from .weight_norm import norm_except_dim, normalized


class _WeightNorm(Module):
    """original0 is the length g, original1 the direction v."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return normalized(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """g * v / |v| per slice along `dim` in place of the parameter; state dicts of the older form load too."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older(state_dict: dict, prefix: str, *rest: Any) -> None:
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(g)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(v)

    module._register_load_state_dict_pre_hook(older)
    return module


class _SpectralNorm(Module):
    """weight / largest singular value, estimated by power iteration while training."""

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if dim >= weight.dim() or dim < -weight.dim():
            raise IndexError(f"Dimension out of range (expected to be in range of [-{weight.dim()}, {weight.dim() - 1}] but "
                             "got "
                             f"{dim})")
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but "
                             f"got n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + weight.dim()
        self.eps = eps
        if weight.dim() > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight.detach())
            height, width = matrix.shape
            u = matrix.new_empty(height).normal_(0, 1)
            v = matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.flatten(1)

    def _power_method(self, matrix: Any, n: int) -> None:
        with T.no_grad():
            for _ in range(n):
                self._u.copy_(F.normalize(T.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(T.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / T.dot(u, T.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Any:
    """Divide the parameter by its largest singular value."""
    weight = getattr(module, name, None)
    if not T.is_tensor(weight):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


def orthogonal(module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True) -> Any:
    """Not there yet: raises NotYetSupported."""
    raise NotYetSupported("torch.nn.utils.parametrizations.orthogonal does not exist in Guardscope yet: initialise the weight "
                          "with torch.nn.init.orthogonal_.")


present(globals())
