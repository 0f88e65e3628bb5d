"""torch.nn.utils.rnn: padding and packing of sequences of different lengths."""

from __future__ import annotations

from typing import Any

from ...naming import module_getattr, present
from ..packing import PackedSequence, invert_permutation, pack_padded_sequence, pad_packed_sequence


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


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences that pad_sequence joined."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [s[:int(n)] for s, n in zip(padded_sequences, lengths)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences [L_i, *]."""
    lengths = [s.shape[0] for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: Any) -> list[Any]:
    """The sequences of a PackedSequence."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


__all__ = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
           "pad_sequence", "unpack_sequence", "unpad_sequence"]
present(globals())
__getattr__ = module_getattr(globals())
