"""torch.view_copy and its kin: the copies of what the view of the same name shows."""

from __future__ import annotations

from typing import Any

from .conversion import CONTIGUOUS
from .declare import FUNCTIONS, METHODS, spelled
from .op import call

_NAMES = ("as_strided", "detach", "diagonal", "expand", "permute", "select", "split", "squeeze", "t", "transpose", "unbind",
          "unsqueeze", "view", "narrow", "unfold", "view_as_real", "view_as_complex")


def _copy_of(name: str) -> None:
    def copied(input: Any, *args: Any, **kwargs: Any) -> Any:
        found = METHODS.get(name) or FUNCTIONS[f"torch.{name}"]
        shown = found(input, *args, **kwargs)
        if isinstance(shown, tuple):
            return tuple([call(CONTIGUOUS, (s,)) for s in shown])
        return call(CONTIGUOUS, (shown,))

    copied.__name__, copied.__doc__ = f"{name}_copy", f"A copy of what {name} shows."
    spelled(f"{name}_copy", "", None)(copied)


for _name in _NAMES:
    _copy_of(_name)
