"""The functions of the top level of torch as one module, for the layers and utilities in this folder."""

from __future__ import annotations

from typing import Any

from .functions import names

globals().update(names())


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.{name} is not in the table of operators")
