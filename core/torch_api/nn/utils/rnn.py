"""torch.nn.utils.rnn: padding of sequences of different lengths."""

from __future__ import annotations

from typing import Any

from ...naming import module_getattr, not_yet, present

_PACK = "pad with pad_sequence and mask instead"
pack_padded_sequence = not_yet("torch.nn.utils.rnn.pack_padded_sequence", _PACK)
pad_packed_sequence = not_yet("torch.nn.utils.rnn.pad_packed_sequence", _PACK)
pack_sequence = not_yet("torch.nn.utils.rnn.pack_sequence", _PACK)


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Any:
    """Sequences [L_i, *] as one tensor [max L, N, *], or [N, max L, *] with `batch_first`."""
    if padding_side not in ("left", "right"):
        raise RuntimeError("Expected padding_side to be one of left or right")
    longest = max(s.shape[0] for s in sequences)
    first = sequences[0]
    out = first.new_full((len(sequences), longest, *first.shape[1:]), padding_value)
    for i, s in enumerate(sequences):
        n = s.shape[0]
        if padding_side == "right":
            out[i, :n] = s
        else:
            out[i, longest - n:] = s
    return out if batch_first else out.transpose(0, 1).contiguous()


present(globals())
__getattr__ = module_getattr(globals())
