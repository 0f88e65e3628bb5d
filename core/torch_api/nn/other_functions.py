"""Functions of torch.nn.functional that are compositions and no losses."""

from __future__ import annotations

from typing import Any

from .. import toplevel as T
from ..naming import present


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta (Krizhevsky et al. 2012)."""
    squares = input * input
    before, after = size // 2, (size - 1) // 2
    c = input.shape[1]
    total = T.zeros_like(squares)
    for shift in range(-before, after + 1):
        low, high = max(0, -shift), min(c, c - shift)
        if low < high:
            moved = squares[:, low + shift:high + shift]
            blank = list(squares.shape)
            blank[1] = low
            tail = list(squares.shape)
            tail[1] = c - high
            total = total + T.cat([squares.new_zeros(blank), moved, squares.new_zeros(tail)], 1)
    return input / (total / size * alpha + k) ** beta


present(globals())
