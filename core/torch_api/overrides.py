"""torch.overrides: questions about classes that take over torch functions. There are none here."""

from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .import_only import absent_class
from .naming import module_getattr, not_yet, present

_SUBCLASS = "subclass torch.Tensor without __torch_function__, or wrap the function"
TorchFunctionMode = absent_class("TorchFunctionMode", _SUBCLASS, "torch.overrides")
handle_torch_function = not_yet("torch.overrides.handle_torch_function", _SUBCLASS)


def has_torch_function(relevant_args: Any) -> bool:
    return False


def has_torch_function_unary(arg: Any) -> bool:
    return False


def has_torch_function_variadic(*args: Any) -> bool:
    return False


def is_tensor_like(inp: Any) -> bool:
    """Whether inp is a Tensor."""
    return isinstance(inp, Tensor)


def get_ignored_functions() -> set[Any]:
    return set()


def wrap_torch_function(dispatcher: Any) -> Any:
    """A decorator: hands the function back."""
    return lambda fn: fn


present(globals())
__getattr__ = module_getattr(globals())
