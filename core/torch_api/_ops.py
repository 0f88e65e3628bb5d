"""torch.ops: operators by namespace. `torch.ops.aten.add` is torch.add; other namespaces hold what torch.library was given."""

from __future__ import annotations

from typing import Any

from ..errors import NotYetSupported
from . import library
from .naming import module_getattr, nearest


class Packet:
    """One operator; its overloads (`.default`, `.Tensor`, `.Scalar`) are the operator itself."""

    def __init__(self, name: str, fn: Any) -> None:
        self._name, self._fn, self.__name__ = name, fn, name.rpartition("::")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._fn is None:
            raise NotYetSupported(f"torch.ops.{self._name.replace('::', '.')} does not exist in Guardscope: call a function "
                                  f"of torch, "
                                  "or define it with torch.library.custom_op.")
        return self._fn(*args, **kwargs)

    def __getattr__(self, overload: str) -> Packet:
        if overload.startswith("__"):
            raise AttributeError(overload)
        return self

    def overloads(self) -> list[str]:
        """Only the default one."""
        return ["default"]

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._name.replace('::', '.')}')>"


class Namespace:
    """torch.ops.<name>: aten is the table of operators, others are what torch.library was given."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, op: str) -> Packet:
        if op.startswith("__"):
            raise AttributeError(op)
        full = f"{self._name}::{op}"
        found = library.defined(full)
        if found is None and self._name in ("aten", "prims"):
            found = _of_torch(op)
            if found is None:
                from ..ops.declare import FUNCTIONS

                close = nearest(op, [n.removeprefix("torch.") for n in FUNCTIONS])
                raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{op}' in Guardscope"
                                     + (f"; nearest: {', '.join(close)}" if close else ""))
        made = Packet(full, found)
        if found is not None:
            self.__dict__[op] = made
        return made


def _of_torch(op: str) -> Any:
    from ..ops.declare import FUNCTIONS, METHODS

    for name in (f"torch.{op}", f"torch.nn.functional.{op}", f"torch.{op.replace('linalg_', 'linalg.', 1)}",
                 f"torch.{op.replace('special_', 'special.', 1)}", f"torch.{op.replace('fft_', 'fft.', 1)}"):
        if name in FUNCTIONS:
            return FUNCTIONS[name]
    return METHODS.get(op)


class _Ops:
    """torch.ops."""

    def __getattr__(self, name: str) -> Namespace:
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.__dict__[name] = Namespace(name)
        return made

    def load_library(self, path: str) -> None:
        """Refuses: compiled extensions belong to PyTorch."""
        raise NotYetSupported(f"torch.ops.load_library({path!r}) does not exist in Guardscope: write the operator with "
                              f"torch functions "
                              "and torch.library.custom_op.")


ops = _Ops()
OpOverload = OpOverloadPacket = Packet
__getattr__ = module_getattr(globals())
