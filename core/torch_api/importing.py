"""Makes `import torch` in a script mean this folder: `install()` before the script runs.

A finder, first in line, answers `torch` and everything under it: `torch.nn.functional` is the module
`...torch_api.nn.functional`, the same object under a second name, loaded when first asked for. What does not exist
raises ModuleNotFoundError with the nearest names. A PyTorch that is installed on the machine is never touched.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from ..errors import ScriptError
from ..tensor.threads import THREADS
from . import import_only
from .naming import OTHER_NAMES, PACKAGE, PRIVATE, nearest


def real_name(name: str) -> str:
    """"torch.nn" -> the name of the module in this package."""
    return PACKAGE + name[len("torch"):]


class _Alias(importlib.abc.Loader):
    """Loads a module of this package and lets it answer to its torch name as well."""

    def __init__(self, real: str) -> None:
        self.real = real
        self.spec: Any = None

    def create_module(self, spec: Any) -> ModuleType:
        module = importlib.import_module(self.real)
        self.spec = module.__spec__
        if spec.name not in OTHER_NAMES:
            module.__name__ = spec.name
        if import_only.has_below(spec.name) and not hasattr(module, "__path__"):
            module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just replaced it; relative imports inside need the real one


class _Made(importlib.abc.Loader):
    """Makes a module of names that only exist to be imported."""

    def create_module(self, spec: Any) -> ModuleType | None:
        return import_only.module_of(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Everything is there already."""


SAFETENSORS = ("safetensors", "safetensors.torch")     # the package's own files would need PyTorch


class TorchFinder(importlib.abc.MetaPathFinder):
    """Finds `torch`, its submodules and safetensors here, and nothing else."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname in SAFETENSORS:
            real = f"{PACKAGE}.{fullname}"
            return importlib.machinery.ModuleSpec(fullname, _Alias(real), is_package=fullname == "safetensors")
        if fullname != "torch" and not fullname.startswith("torch."):
            return None
        real = real_name(OTHER_NAMES.get(fullname, fullname))
        parts = fullname.split(".")
        if not any(p in PRIVATE for p in parts):
            known = sys.modules.get(real)
            spec = known.__spec__ if known is not None else _spec_or_none(real)
            if spec is not None:
                package = spec.submodule_search_locations is not None or import_only.has_below(fullname)
                return importlib.machinery.ModuleSpec(fullname, _Alias(real), origin=spec.origin, is_package=package)
            if import_only.known(fullname):
                return importlib.machinery.ModuleSpec(fullname, _Made(), is_package=import_only.has_below(fullname))
        close = nearest(fullname, list(submodules()))
        hint = f"; nearest: {', '.join(close)}" if close else ""
        raise ModuleNotFoundError(f"No module named '{fullname}' in Guardscope{hint}", name=fullname)


def _spec_or_none(real: str) -> Any:
    try:
        return importlib.util.find_spec(real)
    except ModuleNotFoundError:
        return None


def submodules() -> Iterator[str]:
    """The torch names of all modules that can be imported, loading none of them."""
    def below(folder: Sequence[str], prefix: str) -> Iterator[str]:
        for found in pkgutil.iter_modules(list(folder)):
            if found.name in PRIVATE:
                continue
            name = f"{prefix}.{found.name}"
            yield name
            if found.ispkg:
                yield from below([f"{p}/{found.name}" for p in folder], name)

    yield from below(sys.modules[PACKAGE].__path__, "torch")


def install() -> ModuleType:
    """Answer `import torch` from now on; returns the module. A second call changes nothing.

    Raises ScriptError if another torch has been imported in this process already.
    """
    present = sys.modules.get("torch")
    own = sys.modules.get(PACKAGE)
    if present is not None:
        if present is own:
            return present
        raise ScriptError(f"another torch ({getattr(present, '__file__', 'unknown file')}) is imported already: "
                          "install Guardscope's before anything imports torch.")
    THREADS.watch()
    if not any(isinstance(f, TorchFinder) for f in sys.meta_path):
        sys.meta_path.insert(0, TorchFinder())
    module = importlib.import_module("torch")
    for name in [n for n in sys.modules if n.startswith(PACKAGE + ".")]:
        public = "torch" + name[len(PACKAGE):]
        if not any(p in PRIVATE for p in public.split(".")):
            parent, _, leaf = name.rpartition(".")
            held = vars(sys.modules[parent]).get(leaf)
            importlib.import_module(public)
            if held is not None and held is not sys.modules[name]:   # a function named as its module: nn.utils.weight_norm
                setattr(sys.modules[parent], leaf, held)
    return module
