"""Weight normalisation (Salimans & Kingma 2016) through a forward pre-hook: weight = g * v / |v| before every call."""

from __future__ import annotations

from typing import Any

from ...naming import present
from ..parameter import Parameter


def norm_except_dim(v: Any, dim: int | None) -> Any:
    """The 2-norm over all dimensions but `dim`, shaped to divide `v`; over all of them where dim is None or -1."""
    if dim is None or dim == -1:
        return v.norm()
    kept = dim % v.dim()
    others = [d for d in range(v.dim()) if d != kept]
    return (v * v).sum(others, keepdim=True).sqrt() if others else v.abs()


def normalized(v: Any, g: Any, dim: int | None) -> Any:
    """g * v / |v|"""
    return v * (g / norm_except_dim(v, dim))


class WeightNorm:
    """The hook: sets `module.<name>` from `<name>_g` and `<name>_v`."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        return normalized(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Replace the parameter `name` by `<name>_g` and `<name>_v`. RuntimeError if that was done already."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        fn = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, fn.dim).detach()))
        module.register_parameter(name + "_v", Parameter(weight.detach()))
        setattr(module, name, fn.compute_weight(module))
        module.register_forward_pre_hook(fn)
        return fn

    def remove(self, module: Any) -> None:
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Split `module.<name>` into length and direction per slice along `dim`; returns the module."""
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Put the product back as one parameter. ValueError if there is no weight norm of that name."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")


present(globals())
