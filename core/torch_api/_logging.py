"""torch._logging: what the compiler prints while it works."""

from __future__ import annotations

from typing import Any

from ..artifacts import logs

__all__ = ["set_logs"]


def set_logs(**names: Any) -> None:
    """`set_logs(recompiles=True, graph_breaks=True)`: print these parts of the compiler's work to standard error, and no
    others, whatever TORCH_LOGS says. A level such as logging.DEBUG counts as True; without arguments everything goes off.

    Raises ValueError for a name that is not known. After https://docs.pytorch.org/docs/stable/generated/torch._logging.set_logs.html.
    """
    logs.set_logs(names)
