"""Python functions around callables that have no Python source of their own (torch.sin, a builtin), so that they can be
compiled like any function. Kept alone in this file: its text is what capture reads."""

from __future__ import annotations

import functools
from typing import Any


def through(target: Any) -> Any:
    """A function that calls `target`."""

    def inner(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    inner.__name__ = getattr(target, "__name__", type(target).__name__)
    functools.update_wrapper(inner, target, assigned=("__doc__",), updated=())
    vars(inner).pop("__wrapped__", None)
    return inner
