"""torch._dynamo.eval_frame: where scripts look for OptimizedModule and `unwrap`."""

from __future__ import annotations

from typing import Any

from ..compile_entry import OptimizedModule

__all__ = ["OptimizedModule", "innermost_fn"]


def innermost_fn(fn: Any) -> Any:
    """The function under any number of torch.compile and torch.compiler.disable wrappers."""
    while hasattr(fn, "_torchdynamo_orig_callable"):
        fn = fn._torchdynamo_orig_callable
    return fn
