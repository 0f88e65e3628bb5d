"""torch.compiler.set_stance: what compiled callables do instead of compiling, or with which backend they compile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..capture.unit import Unit
from ..tensor.tensor import Tensor
from .cache import FAST
from .policy import History

STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile", "aot_eager_then_compile")
DELAYED = ("eager_then_compile", "aot_eager_then_compile")


@dataclass(slots=True)
class Stance:
    """`backend` takes the place of the one that torch.compile was given (None: leave it)."""

    name: str = "default"
    backend: Any = None


STANCE = Stance()


def set_stance(name: str, backend: Any = None) -> Stance:
    """Switch the stance; returns the previous one. Raises RuntimeError for an unknown name, or a backend together with a
    stance other than the default."""
    if name not in STANCES:
        raise RuntimeError(f"invalid torch.compile stance '{name}', expected one of {', '.join(STANCES)}")
    if backend is not None and name != "default":
        raise RuntimeError(f"set_stance got '{name}' and force_backend, which goes with the stance 'default' only")
    before = Stance(STANCE.name, STANCE.backend)
    STANCE.name, STANCE.backend = name, backend
    FAST[0] = name != "force_eager" and backend is None
    return before


def observe(history: History, unit: Unit, args: tuple) -> None:
    """A first call that is run eagerly: what its arguments are counts as seen, so that the version compiled at the second
    call is dynamic where the two differ."""
    for name, value in zip(unit.params, args):
        if isinstance(value, Tensor):
            meta = value._meta
            history.meet_tensor(name, tuple(meta.shape), tuple(meta.strides), meta.marks.dynamic)
        elif type(value) in (int, float):
            history.meet_number(name, value)
