"""torch.utils.checkpoint: without a backward pass nothing is kept for it, so checkpointing is a plain call."""

from __future__ import annotations

from typing import Any

from ..naming import module_getattr, present


def checkpoint(function: Any, *args: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True,
               context_fn: Any = None, determinism_check: str = "default", debug: bool = False, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`."""
    return function(*args, **kwargs)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None,
                          **kwargs: Any) -> Any:
    """The functions one after the other."""
    for f in functions:
        input = f(input)
    return input


present(globals())
__getattr__ = module_getattr(globals())
