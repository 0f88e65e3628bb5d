"""What autocast does to an operator's arguments: PyTorch's lists for the CPU (its documentation of torch.amp).

Products and convolutions run in the lower precision, operators that lose too much in it run in float32, operators that
join tensors run in the widest dtype among them; everything else takes what it is given. float64 is left alone.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ..tensor import dtypes as dt
from ..tensor.state import STATE
from .op import Op
from .promotion import is_tensor_like, promote_types

LOWER = frozenset((
    "mm", "bmm", "matmul", "addmm", "baddbmm", "addbmm", "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "prelu", "scaled_dot_product_attention"))
FLOAT32 = frozenset((
    "avg_pool3d", "adaptive_avg_pool3d", "max_pool3d", "max_pool3d_with_indices", "grid_sample", "polar", "view_as_complex",
    "prod", "quantile", "inv", "cholesky", "pinv", "solve", "qr", "svd", "eigh", "det", "slogdet", "lstsq", "lu", "eig",
    "fft", "stft"))
WIDEST = frozenset(("cat", "stack", "index_copy_"))
# Functions that are written in terms of operators and run in float32 as a whole.
FLOAT32_FUNCTIONS = frozenset((
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
    "cross_entropy", "nll_loss", "kl_div", "poisson_nll_loss", "cosine_embedding_loss", "hinge_embedding_loss",
    "margin_ranking_loss", "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss", "multilabel_margin_loss", "ctc_loss",
    "cdist", "trace", "nanquantile", "grid_sample", "stft"))
CHOICES = (dt.bfloat16, dt.float16)


def cast_arguments(op: Op, args: tuple) -> tuple:
    """The arguments of a call under autocast."""
    state = STATE.mode.autocast
    if state is None:
        return args
    if op.name in LOWER:
        return cast_nested(args, state[1])
    if op.name in FLOAT32:
        return cast_nested(args, dt.float32)
    if op.name in WIDEST:
        found = _floating(args)
        if found:
            return cast_nested(args, functools.reduce(promote_types, [t.dtype for t in found]), keep=None)
    return args


def _floating(value: Any) -> list:
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in _floating(v)]
    return [value] if is_tensor_like(value) and value.dtype.category == 2 else []


def cast_nested(value: Any, d: dt.dtype, keep: dt.dtype | None = dt.float64) -> Any:
    """`value` with the floating tensors in it as `d`; those of dtype `keep` stay."""
    if isinstance(value, (tuple, list)):
        return type(value)([cast_nested(v, d, keep) for v in value])
    if isinstance(value, dict):
        return {k: cast_nested(v, d, keep) for k, v in value.items()}
    if is_tensor_like(value) and value.dtype.category == 2 and value.dtype is not d and value.dtype is not keep:
        return value.to(d)
    return value


def in_float32(fn: Any) -> Any:
    """A function of FLOAT32_FUNCTIONS: under autocast it gets float32 tensors and runs without autocast."""
    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        if STATE.mode.autocast is None:
            return fn(*args, **kwargs)
        args = cast_nested(args, dt.float32)
        kwargs = {k: cast_nested(v, dt.float32) for k, v in kwargs.items()}
        before = STATE.set(autocast=None)
        try:
            return fn(*args, **kwargs)
        finally:
            STATE.set(autocast=before.autocast)

    run.__signature__ = inspect.signature(fn)  # type: ignore[attr-defined]
    return run
