"""torch.onnx: the names that exist at import; exporting does not."""

from __future__ import annotations

from .naming import module_getattr, not_yet, present

export = not_yet("torch.onnx.export", "main.py export writes a session's graphs as JSON")
dynamo_export = not_yet("torch.onnx.dynamo_export", "main.py export writes a session's graphs as JSON")


def is_in_onnx_export() -> bool:
    return False


present(globals())
__getattr__ = module_getattr(globals())
