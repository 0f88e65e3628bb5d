"""torch.onnx: the names that exist at import; exporting does not."""

from __future__ import annotations

from typing import Any

from ..naming import module_getattr, not_yet, present

_WRITES = "main.py export writes a session's graphs as JSON"
export = not_yet("torch.onnx.export", _WRITES)
dynamo_export = not_yet("torch.onnx.dynamo_export", _WRITES)


def is_in_onnx_export() -> bool:
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Any, opset_version: int) -> None:
    """Accepted and without effect: nothing is exported."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """As register_custom_op_symbolic."""


present(globals())
__getattr__ = module_getattr(globals())
