"""Lazy layers: they learn how many features come in from their first input, and become the plain layer then.

Until then their parameters have no shape: UninitializedParameter, which says so when it is used.
"""

from __future__ import annotations

from typing import Any

from ... import toplevel as T
from ...naming import present
from .. import init
from ..parameter import Parameter
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .module import Module


class UninitializedParameter(Parameter):
    """A parameter that gets its shape later."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<UninitializedParameter>"

    __str__ = __repr__


class LazyModuleMixin(Module):
    """`infer_features(input)` sets the sizes and makes the parameters at the first call."""

    cls_to_become: Any = None
    weight: Any
    bias: Any
    _forward_pre_hooks: Any

    def _wait(self) -> None:
        handle = self.register_forward_pre_hook(_first_call)
        self.__dict__["_lazy_handle"] = handle

    def has_uninitialized_params(self) -> bool:
        return any(isinstance(p, UninitializedParameter) for p in self._parameters.values())

    def infer_features(self, input: Any) -> None:
        raise NotImplementedError

    def __deepcopy__(self, memo: dict) -> Any:
        import copy

        done = memo.get(id(self))
        if done is None:
            done = memo[id(self)] = self.__new__(type(self))
            state = {k: v for k, v in self.__dict__.items() if k != "_lazy_handle"}
            done.__setstate__(copy.deepcopy(state, memo))
            hooks = done._forward_pre_hooks
            for key in [k for k, h in hooks.items() if h is _first_call]:
                del hooks[key]
            done._wait()
        return done


def _first_call(module: Any, args: Any) -> None:
    with T.no_grad():
        module.infer_features(args[0])
    module.__dict__.pop("_lazy_handle").remove()
    module.__class__ = module.cls_to_become


def _blank(device: Any, dtype: Any) -> UninitializedParameter:
    return UninitializedParameter(T.empty(0, device=device, dtype=dtype))


class LazyLinear(LazyModuleMixin, Linear):
    """Linear whose in_features is the first input's last size."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Module.__init__(self)
        self.in_features = 0
        self.out_features = out_features
        self.weight = _blank(device, dtype)
        if bias:
            self.bias = _blank(device, dtype)
        else:
            self.register_parameter("bias", None)
        self._wait()

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:
            Linear.reset_parameters(self)

    def infer_features(self, input: Any) -> None:
        self.in_features = input.shape[-1]
        like = self.weight
        self.weight = Parameter(T.empty((self.out_features, self.in_features), dtype=like.dtype, device=like.device))
        if self.bias is not None:
            self.bias = Parameter(T.empty(self.out_features, dtype=like.dtype, device=like.device))
        Linear.reset_parameters(self)


class _LazyConv(LazyModuleMixin):
    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        self.__dict__["_asked"] = (out_channels, kernel_size, args, kwargs)
        self._build(0)
        self._wait()

    def _build(self, channels: int) -> None:
        out_channels, kernel_size, args, kwargs = self.__dict__["_asked"]
        cls = self.cls_to_become
        asked, training, hooks = self.__dict__["_asked"], self.__dict__.get("training", True), \
            self.__dict__.get("_forward_pre_hooks")
        groups = kwargs.get("groups", 1)
        if channels:
            cls.__init__(self, channels, out_channels, kernel_size, *args, **kwargs)
        else:
            before = init.uniform_
            init.uniform_ = lambda t, *a, **k: t      # no random numbers before the shape is known
            try:
                cls.__init__(self, groups, out_channels, kernel_size, *args, **kwargs)
            finally:
                init.uniform_ = before
            self.in_channels = 0
            self.weight = _blank(kwargs.get("device"), kwargs.get("dtype"))
            if self.bias is not None:
                self.bias = _blank(kwargs.get("device"), kwargs.get("dtype"))
        self.__dict__["_asked"] = asked
        self.training = training
        if hooks is not None:
            self._forward_pre_hooks = hooks

    def infer_features(self, input: Any) -> None:
        dims = len(self.kernel_size)
        if input.dim() not in (dims + 1, dims + 2):
            raise RuntimeError(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {type(self).__name__}, but "
                               f"got input of size: {list(input.shape)}")
        handle = self.__dict__["_lazy_handle"]
        self._build(input.shape[-dims - 1])
        del self.__dict__["_asked"]
        self.__dict__["_lazy_handle"] = handle
        handle.hooks = self._forward_pre_hooks


class LazyConv1d(_LazyConv, Conv1d):
    """Conv1d whose in_channels is the first input's."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Conv2d whose in_channels is the first input's."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Conv3d whose in_channels is the first input's."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d):
    """ConvTranspose1d whose in_channels is the first input's."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d):
    """ConvTranspose2d whose in_channels is the first input's."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d):
    """ConvTranspose3d whose in_channels is the first input's."""

    cls_to_become = ConvTranspose3d


class _LazyNorm(LazyModuleMixin):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__["_asked"] = (args, kwargs)
        self.cls_to_become.__init__(self, 0, *args, **kwargs)
        self.__dict__["_asked"] = (args, kwargs)
        if self.affine:
            self.weight = _blank(kwargs.get("device"), kwargs.get("dtype"))
            self.bias = _blank(kwargs.get("device"), kwargs.get("dtype"))
        self._wait()

    def infer_features(self, input: Any) -> None:
        args, kwargs = self.__dict__.pop("_asked")
        training, hooks, handle = self.training, self._forward_pre_hooks, self.__dict__["_lazy_handle"]
        self.cls_to_become.__init__(self, input.shape[1], *args, **kwargs)
        self.training, self._forward_pre_hooks = training, hooks
        self.__dict__["_lazy_handle"] = handle
        handle.hooks = self._forward_pre_hooks


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """BatchNorm1d whose num_features is the first input's number of channels."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """BatchNorm2d whose num_features is the first input's number of channels."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """BatchNorm3d whose num_features is the first input's number of channels."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """InstanceNorm1d whose num_features is the first input's number of channels."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """InstanceNorm2d whose num_features is the first input's number of channels."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """InstanceNorm3d whose num_features is the first input's number of channels."""

    cls_to_become = InstanceNorm3d


present(globals())
