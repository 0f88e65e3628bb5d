"""torch.optim.Optimizer: parameter groups with options, per-parameter state, zero_grad."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ...tensor.state import STATE
from ...tensor.tensor import Tensor
from ..naming import present


class Optimizer:
    """Base of optimizers. A subclass defines `_update(param, grad, state, group)`.

    `params` is an iterable of tensors, of (name, tensor) pairs, or of dicts with their own options. Raises TypeError
    or ValueError as PyTorch does for parameters that are no tensors, or none at all.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + params.type())
        self.defaults = defaults
        self.state: defaultdict[Any, dict] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own; options left out take the defaults."""
        params = param_group["params"]
        found = [params] if isinstance(params, Tensor) else list(params)
        found = [p[1] if isinstance(p, tuple) else p for p in found]
        for p in found:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
        known = {id(p) for g in self.param_groups for p in g["params"]}
        if any(id(p) in known for p in found):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**self.defaults, **param_group, "params": found})

    def state_dict(self) -> dict[str, Any]:
        """{"state": per parameter number, "param_groups": options and parameter numbers}."""
        number = {id(p): i for i, p in enumerate(p for g in self.param_groups for p in g["params"])}
        groups = [{**{k: v for k, v in g.items() if k != "params"}, "params": [number[id(p)] for p in g["params"]]}
                  for g in self.param_groups]
        return {"state": {number[id(p)]: dict(s) for p, s in self.state.items() if id(p) in number}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state. ValueError where the groups are of other sizes."""
        given, own = state_dict["param_groups"], self.param_groups
        if len(given) != len(own):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(given, own)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        place = {n: p for a, b in zip(given, own) for n, p in zip(a["params"], b["params"])}
        self.state = defaultdict(dict)
        for n, values in state_dict["state"].items():
            self.state[place[n]] = {k: v.clone() if isinstance(v, Tensor) else v for k, v in values.items()}
        self.param_groups = [{**{k: v for k, v in a.items() if k != "params"}, "params": b["params"]}
                             for a, b in zip(given, own)]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient; returns what `closure` returned."""
        loss = closure() if closure is not None else None
        before = STATE.set(grad_enabled=False)
        try:
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, -p.grad if group.get("maximize") else p.grad, self.state[p], group)
        finally:
            STATE.mode = before
        return loss

    def _update(self, param: Any, grad: Any, state: dict, group: dict) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines.extend(f"    {k}: {group[k]}" for k in sorted(group) if k != "params")
        return "\n".join([*lines, ")"])


def check_range(name: str, value: float, low: float = 0.0, high: float | None = None) -> None:
    """Raises ValueError unless low <= value (< high)."""
    if not low <= value or (high is not None and not value < high):
        raise ValueError(f"Invalid {name}: {value}")


def common_options(**given: Any) -> dict[str, Any]:
    """Options about how PyTorch launches its update kernels: kept, and without effect here."""
    return given


present(globals())
