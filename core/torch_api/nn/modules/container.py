"""Containers of modules: Sequential, ModuleList, ModuleDict. (ParameterList, ParameterDict: parameter_containers.py)"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...naming import present
from .module import Module
from .walk import indented


def position(index: Any, length: int) -> int:
    """`index` from the front; raises IndexError as PyTorch words it."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class _Numbered(Module):
    """What Sequential and ModuleList share: submodules named "0", "1", ... in order."""

    def _renumber(self, modules: Iterable[Any]) -> None:
        kept = list(modules)
        self._modules.clear()
        self._modules.update({str(i): m for i, m in enumerate(kept)})

    def _key(self, index: Any) -> str:
        return list(self._modules)[position(index, len(self))]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)
        gone = set(keys[index]) if isinstance(index, slice) else {self._key(index)}
        self._renumber(m for k, m in self._modules.items() if k not in gone)

    def __dir__(self) -> list[str]:
        return [k for k in super().__dir__() if not k.isdigit()]

    def append(self, module: Module) -> Any:
        """Add a module at the end; returns self."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before position `index`."""
        if not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add all modules at the end; returns self."""
        for m in list(modules):
            self.append(m)
        return self

    def pop(self, index: Any) -> Any:
        """Take the module at `index` out and return it."""
        out = self[index]
        del self[index]
        return out

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError


class Sequential(_Numbered):
    """Modules run one after the other. Takes modules, or one OrderedDict of names to modules."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*(m for _ in range(times) for m in self))

    __rmul__ = __mul__


class ModuleList(_Numbered):
    """A list of modules that registers them. It has no forward of its own."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[str(position(index, len(self)))]

    def _key(self, index: Any) -> str:
        return str(position(index, len(self)))

    def extend(self, modules: Iterable[Any]) -> Any:
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got "
                            f"{type(modules).__name__}")
        return super().extend(modules)

    def __iadd__(self, modules: Iterable[Any]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Any) -> None:
        """Put a module before position `index`."""
        super().insert(index, module)

    def __repr__(self) -> str:
        """Runs of submodules that print alike are folded: `(0-3): 4 x Linear(...)`."""
        texts = [repr(m) for m in self]
        if not texts:
            return f"{self._get_name()}()"
        runs: list[list[int]] = []
        for i, text in enumerate(texts):
            if runs and texts[runs[-1][0]] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i])
        lines = []
        for first, last in runs:
            head = f"({first})" if first == last else f"({first}-{last})"
            count = "" if first == last else f"{last - first + 1} x "
            lines.append(f"{head}: {count}{indented(texts[first], 2)}")
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules that registers them, in order of insertion."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        self._modules.clear()

    def pop(self, key: str) -> Any:
        return self._modules.pop(key)

    def keys(self) -> Any:
        return self._modules.keys()

    def items(self) -> Any:
        return self._modules.items()

    def values(self) -> Any:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add from a mapping or from (key, module) pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleDict.update should be called with an iterable of key/value pairs, but got "
                            f"{type(modules).__name__}")
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        for key, module in pairs:
            self[key] = module


present(globals())
