"""torch.nn.utils.parametrize: a parameter that is computed from others by modules, each time it is read.

`register_parametrization(layer, "weight", P())` gives `layer` a class of its own with a property `weight`; the
original tensors live in `layer.parametrizations.weight.original` (or original0, original1, ...).
"""

from __future__ import annotations

import copy
from contextlib import contextmanager
from typing import Any

from ....tensor.state import STATE
from ....tensor.tensor import Tensor
from ...naming import present
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

_CACHE: dict[tuple[int, str], Any] = {}
_depth = 0


@contextmanager
def cached() -> Any:
    """Inside, a parametrised tensor is computed once and kept."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _CACHE.clear()


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and its original tensor(s)."""

    original: Any

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        modules = list(modules)
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new: Any = original
        before = STATE.set(grad_enabled=False)
        try:
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        finally:
            STATE.mode = before
        if not is_tensor(new) and not isinstance(new, list | tuple):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                             f"Got {type(new).__name__}")
        self.is_tensor = is_tensor(new)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if not unsafe and original.dtype != new.dtype:
                raise ValueError("When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                                 f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}")
            if isinstance(original, Parameter):
                self.original = original if new is original else Parameter(new.detach(), original.requires_grad)
            else:
                self.register_buffer("original", new)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                                     f"Got element {i} of the sequence with type {type(part).__name__}.")
                if isinstance(original, Parameter):
                    part = Parameter(part.detach(), original.requires_grad)
                    self.register_parameter(f"original{i}", part)
                else:
                    self.register_buffer(f"original{i}", part)
        if not unsafe:
            with _no_grad():
                result = self()
            if not isinstance(result, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
            if result.dtype != dtype:
                raise ValueError("Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag "
                                 f"is enabled.\nunparametrized dtype: {dtype}\nparametrized dtype: {result.dtype}")
            if tuple(result.shape) != tuple(shape):
                raise ValueError("Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag "
                                 f"is enabled.\nunparametrized shape: {shape}\nparametrized shape: {result.shape}")

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the parametrised tensor becomes `value`."""
        with _no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                self.original.copy_(value)
            else:
                for i, part in enumerate(value):
                    getattr(self, f"original{i}").copy_(part)

    def forward(self) -> Any:
        modules = list(self)
        if self.is_tensor:
            x = modules[0](self.original)
        else:
            x = modules[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in modules[1:]:
            x = module(x)
        return x


class _no_grad:
    def __enter__(self) -> None:
        self.before = STATE.set(grad_enabled=False)

    def __exit__(self, *exc: Any) -> None:
        STATE.mode = self.before


def _own_class(module: Any) -> None:
    """A subclass of the module's class, for this module alone, that can carry properties."""
    cls = module.__class__

    def deep_copy(self: Any, memo: dict) -> Any:
        done = memo.get(id(self))
        if done is None:
            done = self.__new__(self.__class__)
            memo[id(self)] = done
            done.__setstate__(copy.deepcopy(self.__dict__, memo))
        return done

    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {"__deepcopy__": deep_copy, "__module__": cls.__module__})


def _property(module: Any, name: str) -> None:
    def get(self: Any) -> Any:
        if _depth:
            key = (id(self), name)
            if key not in _CACHE:
                _CACHE[key] = self.parametrizations[name]()
            return _CACHE[key]
        return self.parametrizations[name]()

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(module.__class__, name, property(get, put))


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Compute `module.<tensor_name>` by `parametrization` from now on; returns the module.

    ValueError if the module has no parameter or buffer of the name, or the result has another shape or dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        held = module.parametrizations[tensor_name]
        if not unsafe:
            with _no_grad():
                now = getattr(module, tensor_name)
                then = parametrization(now)
            if not isinstance(then, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(then).__name__}.")
            if then.dtype != now.dtype or tuple(then.shape) != tuple(now.shape):
                raise ValueError("Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag "
                                 f"is enabled.\nmodule.{tensor_name}.shape: {now.shape}\n"
                                 f"parametrization(module.{tensor_name}).shape: {then.shape}")
        if hasattr(parametrization, "right_inverse"):
            with _no_grad():
                held.right_inverse(getattr(module, tensor_name))
        held.append(parametrization)
        held.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _own_class(module)
            module.parametrizations = ModuleDict()
        _property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    return module


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether the module (or its tensor of that name) is parametrised."""
    held = module.__dict__.get("_modules", {}).get("parametrizations")
    if held is None or not isinstance(held, ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make `module.<tensor_name>` a plain parameter again: the computed value, or the original."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if held.is_tensor:
        original = held.original
        if leave_parametrized:
            with _no_grad():
                value = getattr(module, tensor_name).detach().clone()
            if isinstance(original, Parameter):
                original = Parameter(value, original.requires_grad)
            else:
                original = value
    elif leave_parametrized:
        first = held.original0
        with _no_grad():
            value = getattr(module, tensor_name).detach().clone()
        original = Parameter(value, first.requires_grad) if isinstance(first, Parameter) else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of "
                         "a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class that the module had at first."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Give `to_module` the same parametrizations and originals."""
    if not is_parametrized(from_module):
        return to_module
    names = [tensor_name] if tensor_name is not None else list(from_module.parametrizations)
    for name in names:
        for part in from_module.parametrizations[name]:
            if name not in to_module._parameters and name not in to_module._buffers and not is_parametrized(to_module, name):
                setattr(to_module, name, Parameter(from_module.parametrizations[name].original.detach().clone()))
            register_parametrization(to_module, name, part)
    return to_module


present(globals())
