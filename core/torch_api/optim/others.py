"""RMSprop, Adagrad, Adamax and Adadelta, and the optimizers that can be constructed but not yet run."""

from __future__ import annotations

from typing import Any

from ...errors import NotYetSupported
from ..naming import present
from .optimizer import Optimizer, check_range


class RMSprop(Optimizer):
    """The gradient over the root of its running mean square (Hinton 2012), with optional momentum."""

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
                 momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
                 maximize: bool = False, differentiable: bool = False) -> None:
        check_range("learning rate", lr)
        check_range("epsilon value", eps)
        check_range("momentum value", momentum)
        check_range("weight_decay value", weight_decay)
        check_range("alpha value", alpha)
        super().__init__(params, {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                                  "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable})

    def _update(self, param: Any, grad: Any, state: dict, group: dict) -> None:
        if not state:
            state["step"] = 0
            state["square_avg"] = param.detach() * 0
            if group["momentum"] > 0:
                state["momentum_buffer"] = param.detach() * 0
            if group["centered"]:
                state["grad_avg"] = param.detach() * 0
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        square = state["square_avg"].mul_(group["alpha"]).add_(grad * grad * (1 - group["alpha"]))
        if group["centered"]:
            mean = state["grad_avg"]
            mean.add_((grad - mean) * (1 - group["alpha"]))
            square = square - mean * mean
        step = grad / (square.sqrt() + group["eps"])
        if group["momentum"] > 0:
            step = state["momentum_buffer"].mul_(group["momentum"]).add_(step)
        param.sub_(group["lr"] * step)


class Adagrad(Optimizer):
    """The gradient over the root of the sum of its squares (Duchi et al. 2011)."""

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:
        check_range("learning rate", lr)
        check_range("lr_decay value", lr_decay)
        check_range("weight_decay value", weight_decay)
        check_range("initial_accumulator_value value", initial_accumulator_value)
        check_range("epsilon value", eps)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "fused": fused})

    def _update(self, param: Any, grad: Any, state: dict, group: dict) -> None:
        if not state:
            state["step"] = 0
            state["sum"] = param.detach() * 0 + group["initial_accumulator_value"]
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        total = state["sum"].add_(grad * grad)
        lr = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        param.sub_(lr * grad / (total.sqrt() + group["eps"]))


class Adamax(Optimizer):
    """Adam with the infinity norm (Kingma & Ba 2015)."""

    def __init__(self, params: Any, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False, capturable: bool = False) -> None:
        check_range("learning rate", lr)
        check_range("epsilon value", eps)
        check_range("beta parameter at index 0", betas[0], high=1.0)
        check_range("beta parameter at index 1", betas[1], high=1.0)
        check_range("weight_decay value", weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def _update(self, param: Any, grad: Any, state: dict, group: dict) -> None:
        beta1, beta2 = group["betas"]
        if not state:
            state["step"] = 0
            state["exp_avg"] = param.detach() * 0
            state["exp_inf"] = param.detach() * 0
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        mean = state["exp_avg"]
        mean.add_((grad - mean) * (1 - beta1))
        largest = (state["exp_inf"] * beta2).maximum(grad.abs() + group["eps"])
        state["exp_inf"].copy_(largest)
        param.sub_(group["lr"] / (1 - beta1 ** state["step"]) * mean / largest)


class Adadelta(Optimizer):
    """Steps scaled by the running mean of earlier steps (Zeiler 2012)."""

    def __init__(self, params: Any, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False,
                 differentiable: bool = False) -> None:
        check_range("learning rate", lr)
        check_range("rho value", rho, high=1.0 + 1e-12)
        check_range("epsilon value", eps)
        check_range("weight_decay value", weight_decay)
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                                  "capturable": capturable, "foreach": foreach, "differentiable": differentiable})

    def _update(self, param: Any, grad: Any, state: dict, group: dict) -> None:
        rho, eps = group["rho"], group["eps"]
        if not state:
            state["step"] = 0
            state["square_avg"] = param.detach() * 0
            state["acc_delta"] = param.detach() * 0
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        square = state["square_avg"].mul_(rho).add_(grad * grad * (1 - rho))
        delta = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
        state["acc_delta"].mul_(rho).add_(delta * delta * (1 - rho))
        param.sub_(group["lr"] * delta)


class _Later(Optimizer):
    """Keeps parameter groups and options, so that models and schedulers can be built; step() is not there yet."""

    _defaults: dict[str, Any] = {}

    def __init__(self, params: Any, lr: Any = None, **options: Any) -> None:
        unknown = [k for k in options if k not in self._defaults]
        if unknown:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{unknown[0]}'")
        super().__init__(params, {**self._defaults, **({} if lr is None else {"lr": lr}), **options})

    def step(self, closure: Any = None) -> Any:
        raise NotYetSupported(f"torch.optim.{type(self).__name__}.step() does not exist in Guardscope yet: use Adam, AdamW, "
                              "SGD, RMSprop, Adagrad, Adamax or Adadelta.")


_COMMON = {"foreach": None, "maximize": False, "capturable": False, "differentiable": False}


class NAdam(_Later):
    """Adam with Nesterov momentum (Dozat 2016)."""

    _defaults = {"lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "momentum_decay": 4e-3,
                 "decoupled_weight_decay": False, **_COMMON}


class RAdam(_Later):
    """Adam with a rectified variance (Liu et al. 2020)."""

    _defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "decoupled_weight_decay": False, **_COMMON}


class ASGD(_Later):
    """Averaged stochastic gradient descent (Polyak & Juditsky 1992)."""

    _defaults = {"lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0, **_COMMON}


class Rprop(_Later):
    """Steps by the sign of the gradient (Riedmiller & Braun 1993)."""

    _defaults = {"lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50), **_COMMON}


class SparseAdam(_Later):
    """Adam for sparse gradients."""

    _defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "maximize": False}


class LBFGS(_Later):
    """Limited-memory BFGS."""

    _defaults = {"lr": 1, "max_iter": 20, "max_eval": None, "tolerance_grad": 1e-7, "tolerance_change": 1e-9,
                 "history_size": 100, "line_search_fn": None}


class Adafactor(_Later):
    """Adam with a factored second moment (Shazeer & Stern 2018)."""

    _defaults = {"lr": 1e-2, "beta2_decay": -0.8, "eps": (None, 1e-3), "d": 1.0, "weight_decay": 0.0, "foreach": None,
                 "maximize": False}


class Muon(_Later):
    """Momentum orthogonalised by Newton-Schulz steps."""

    _defaults = {"lr": 1e-3, "weight_decay": 0.1, "momentum": 0.95, "nesterov": True,
                 "ns_coefficients": (3.4445, -4.775, 2.0315), "eps": 1e-7, "ns_steps": 5, "adjust_lr_fn": None}


present(globals())
