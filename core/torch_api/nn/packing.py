"""PackedSequence: sequences of different lengths, step by step, the longest first (torch.nn.utils.rnn)."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import toplevel as T


class PackedSequence(NamedTuple):
    """data [sum of lengths, *]; batch_sizes [longest]: how many sequences have each step; the order they were sorted into."""

    data: Any
    batch_sizes: Any = None
    sorted_indices: Any = None
    unsorted_indices: Any = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self._replace(data=self.data.to(*args, **kwargs))

    def cpu(self) -> PackedSequence:
        return self

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self._replace(data=self.data.cuda(*args, **kwargs))

    @property
    def is_cuda(self) -> bool:
        return self.data.is_cuda


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes `permutation`; None for None."""
    if permutation is None:
        return None
    out = T.empty_like(permutation)
    out[permutation] = T.arange(permutation.numel())
    return out


def pack_padded_sequence(input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    """Pack padded sequences [L, N, *], or [N, L, *] with `batch_first`.

    RuntimeError where lengths do not decrease (unless `enforce_sorted` is False), or one is not positive.
    """
    lengths = T.as_tensor(lengths, dtype=T.int64)
    order = None
    if batch_first:
        input = input.transpose(0, 1)
    if not enforce_sorted:
        lengths, order = T.sort(lengths, descending=True)
        input = input.index_select(1, order)
    counts = [int(n) for n in lengths.tolist()]
    if len(counts) != input.shape[1]:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} "
                           f"(batch_size={input.shape[1]})")
    if any(n <= 0 for n in counts):
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if any(a < b for a, b in zip(counts, counts[1:])):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                           "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if "
                           "you do not need ONNX exportability.")
    rows = [sum(n > t for n in counts) for t in range(counts[0])]
    data = T.cat([input[t, :n] for t, n in enumerate(rows)])
    return PackedSequence(data, T.tensor(rows, dtype=T.int64), order, invert_permutation(order))


def pad_packed_sequence(sequence: Any, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Any, Any]:
    """(padded [L, N, *], or [N, L, *]; lengths [N]) of a PackedSequence, in the original order."""
    rows = [int(n) for n in sequence.batch_sizes.tolist()]
    longest = len(rows)
    if total_length is not None:
        if total_length < longest:
            raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but got "
                             f"total_length={total_length} and max sequence length being {longest}")
        longest = total_length
    data, n = sequence.data, rows[0]
    steps, at = [], 0
    for count in rows:
        piece = data[at:at + count]
        at += count
        if count < n:
            piece = T.cat([piece, data.new_full((n - count, *data.shape[1:]), padding_value)])
        steps.append(piece)
    steps += [data.new_full((n, *data.shape[1:]), padding_value)] * (longest - len(rows))
    out = T.stack(steps)
    lengths = T.tensor([sum(c > i for c in rows) for i in range(n)], dtype=T.int64)
    if sequence.unsorted_indices is not None:
        out = out.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return (out.transpose(0, 1) if batch_first else out), lengths


PackedSequence.__module__ = "torch.nn.utils.rnn"
