"""torch.nn.functional.multi_head_attention_forward: everything that nn.MultiheadAttention computes."""

from __future__ import annotations

import math
from typing import Any

from ...tensor.dtypes import bool_
from .. import toplevel as T
from ..naming import present


def additive(mask: Any, dtype: Any) -> Any:
    """A mask to add to attention scores: a bool mask's True becomes -inf; a float mask stays."""
    if mask.dtype is bool_:
        return T.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)
    return mask.to(dtype)


def _projected(query: Any, key: Any, value: Any, weights: Any, bias: Any) -> tuple[Any, Any, Any]:
    from .functional import linear

    wq, wk, wv = weights
    bq, bk, bv = bias.chunk(3) if bias is not None else (None, None, None)
    return linear(query, wq, bq), linear(key, wk, bk), linear(value, wv, bv)


def multi_head_attention_forward(
        query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any, in_proj_bias: Any,
        bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any,
        training: bool = True, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
        use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
        v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False) -> tuple[Any, Any]:
    """query [L, N, E], key [S, N, kdim], value [S, N, vdim] -> ([L, N, E], weights [N, L, S] or None); also without N.

    Masks are True (or -inf) where not to look: attn_mask [L, S] or [N * heads, L, S], key_padding_mask [N, S].
    AssertionError or RuntimeError where sizes do not agree.
    """
    from .functional import dropout, linear, scaled_dot_product_attention, softmax

    batched = query.dim() == 3
    if query.dim() not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor")
    if key.dim() != query.dim() or value.dim() != query.dim():
        raise AssertionError(f"For {'batched (3-D)' if batched else 'unbatched (2-D)'} `query`, expected `key` and `value` "
                             "to be "
                             f"{query.dim()}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively")
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, n, width = query.shape
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    head = width // num_heads
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    mask = None if attn_mask is None else additive(attn_mask, q.dtype)
    padding = None if key_padding_mask is None else additive(key_padding_mask, q.dtype)
    extra = 0
    if bias_k is not None and bias_v is not None:
        k, v = T.cat([k, bias_k.repeat(1, n, 1)]), T.cat([v, bias_v.repeat(1, n, 1)])
        extra += 1
    q = q.reshape(length, n * num_heads, head).transpose(0, 1)
    k = k.reshape(k.shape[0], n * num_heads, head).transpose(0, 1) if static_k is None else static_k
    v = v.reshape(v.shape[0], n * num_heads, head).transpose(0, 1) if static_v is None else static_v
    if add_zero_attn:
        zero = k.new_zeros((n * num_heads, 1, head))
        k, v = T.cat([k, zero], 1), T.cat([v, zero], 1)
        extra += 1
    if extra:
        from .functional import pad

        mask = None if mask is None else pad(mask, (0, extra))
        padding = None if padding is None else pad(padding, (0, extra))
    source = k.shape[1]
    q, k, v = (t.reshape(n, num_heads, t.shape[1], head) for t in (q, k, v))
    if mask is not None and mask.dim() == 3:
        mask = mask.reshape(n, num_heads, length, source)
    if padding is not None:
        padding = padding.reshape(n, 1, 1, source)
        mask = padding if mask is None else mask + padding
    drop = dropout_p if training else 0.0
    if need_weights:
        scores = (q * (1.0 / math.sqrt(head))) @ k.transpose(-2, -1)
        if mask is not None:
            scores = scores + mask
        share = softmax(scores, dim=-1)
        if drop > 0.0:
            share = dropout(share, drop)
        mixed = share @ v
    else:
        share = None
        mixed = scaled_dot_product_attention(q, k, v, mask, drop)
    out = linear(mixed.permute(2, 0, 1, 3).reshape(length, n, width), out_proj_weight, out_proj_bias)
    if share is not None and average_attn_weights:
        share = share.mean(dim=1)
    if not batched:
        return out.squeeze(1), share.squeeze(0) if share is not None else None
    return out, share


present(globals())
