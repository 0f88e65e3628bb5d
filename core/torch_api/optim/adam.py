"""Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019, weight decay apart from the gradient)."""

from __future__ import annotations

import math
from typing import Any

from ..naming import present
from .optimizer import Optimizer, check_range


class Adam(Optimizer):
    """Steps of size lr along the running mean of the gradient over the root of the running mean of its square."""

    _decoupled = False

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None, decoupled_weight_decay: bool = False) -> None:
        check_range("learning rate", lr)
        check_range("epsilon value", eps)
        check_range("beta parameter at index 0", betas[0], high=1.0)
        check_range("beta parameter at index 1", betas[1], high=1.0)
        check_range("weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay or self._decoupled})

    def _update(self, param: Any, grad: Any, state: dict, group: dict) -> None:
        lr, (beta1, beta2) = group["lr"], group["betas"]
        if not state:
            state["step"] = 0
            state["exp_avg"] = param.detach() * 0
            state["exp_avg_sq"] = param.detach() * 0
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad + group["weight_decay"] * param
        state["step"] += 1
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.add_((grad - mean) * (1 - beta1))
        square.mul_(beta2).add_(grad * grad * (1 - beta2))
        spread = square
        if group["amsgrad"]:
            worst = state.get("max_exp_avg_sq")
            spread = state["max_exp_avg_sq"] = square.clone() if worst is None else worst.maximum(square)
        scale = math.sqrt(1 - beta2 ** state["step"])
        param.sub_((mean / (spread.sqrt() / scale + group["eps"])) * (lr / (1 - beta1 ** state["step"])))


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter directly (default 0.01)."""

    _decoupled = True

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused)


present(globals())
