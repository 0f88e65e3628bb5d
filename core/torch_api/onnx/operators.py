"""torch.onnx.operators: questions about shapes as tensors, which need no exporter."""

from __future__ import annotations

from typing import Any

from .. import toplevel as T
from ..naming import module_getattr, present


def shape_as_tensor(x: Any) -> Any:
    """The sizes as a tensor of int64."""
    return T.tensor(list(x.shape))


def reshape_from_tensor_shape(x: Any, shape: Any) -> Any:
    """x.reshape with the sizes in a tensor."""
    return x.reshape(shape.tolist())


present(globals())
__getattr__ = module_getattr(globals())
