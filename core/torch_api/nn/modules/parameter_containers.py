"""Containers of parameters: ParameterList and ParameterDict. Tensors put into them become Parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....tensor.tensor import Tensor
from ...naming import present
from ..parameter import Parameter
from .container import position
from .module import Module, type_name
from .walk import indented


def _described(name: str, value: Any, type_text: str) -> str:
    if not isinstance(value, Tensor):
        return f"({name}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.shape))
    place = "" if value.device.type == "cpu" else f" ({value.device})"
    kind = "Parameter" if issubclass(value._meta.cls, Parameter) else "Tensor"       # also of a tensor that is being traced
    return f"({name}): {kind} containing: [{type_text} of size {size}{place}]"


def laid_out(name: str, lines: list[str], own: int) -> str:
    """Entries, the first `own` of which are the container's own, as PyTorch indents them."""
    if len(lines) <= 1:
        return f"{name}(" + "".join("  " + line for line in lines) + ")"
    return f"{name}(\n" + "\n".join(("    " if i < own else "  ") + line for i, line in enumerate(lines)) + "\n)"


class ParameterList(Module):
    """A list whose tensors are registered as parameters "0", "1", ..."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(len(self)))])
        return getattr(self, str(position(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(position(index, len(self))), _registered(value))

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def append(self, value: Any) -> Any:
        """Add at the end; returns self."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add all at the end; returns self."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for v in list(values):
            self.append(v)
        return self

    __iadd__ = extend

    def __repr__(self) -> str:
        lines = [_described(str(i), v, repr(v.dtype) if isinstance(v, Tensor) else "") for i, v in enumerate(self)]
        lines += [f"({k}): " + indented(repr(m), 2) for k, m in self._modules.items()]
        return laid_out(self._get_name(), lines, len(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary whose tensors are registered as parameters under their keys, in order of insertion."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, _registered(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        return self._keys.keys()

    def values(self) -> Any:
        return [self[k] for k in self._keys]

    def items(self) -> Any:
        return [(k, self[k]) for k in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self._keys else default

    def pop(self, key: str) -> Any:
        out = self[key]
        del self[key]
        return out

    def clear(self) -> None:
        for key in list(self._keys):
            del self[key]

    def update(self, parameters: Any) -> None:
        """Add from a mapping or from (key, value) pairs."""
        if isinstance(parameters, OrderedDict | ParameterDict):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = parameters
        for key, value in pairs:
            self[key] = value

    def __repr__(self) -> str:
        lines = [_described(k, v, type_name(v)) for k, v in self.items()]
        lines += [f"({k}): " + indented(repr(m), 2) for k, m in self._modules.items()]
        return laid_out(self._get_name(), lines, len(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


def _registered(value: Any) -> Any:
    """A plain tensor becomes a Parameter; anything else stays."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


present(globals())
