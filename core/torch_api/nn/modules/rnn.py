"""Recurrent layers: RNN, LSTM and GRU over sequences, and their single steps as cells.

Written as plain loops over time in operators of the table, so that capture unrolls them for the length it sees. All
weights and biases begin uniform on [-1/sqrt(hidden_size), 1/sqrt(hidden_size)].
"""

from __future__ import annotations

import math
import numbers
from typing import Any

from ... import toplevel as T
from ...naming import present
from .. import functional as F
from .. import init
from ..packing import PackedSequence, pad_packed_sequence
from ..parameter import Parameter
from .module import Module

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


def step(mode: str, gates_x: Any, state: Any, w_hh: Any, b_hh: Any, w_hr: Any = None) -> Any:
    """One time step: the input's part of the gates [N, G*H] and the state -> the new state (h, or (h, c) for LSTM)."""
    if mode == "LSTM":
        h, c = state
        i, f, g, o = (gates_x + F.linear(h, w_hh, b_hh)).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return (h if w_hr is None else F.linear(h, w_hr)), c
    gates_h = F.linear(state, w_hh, b_hh)
    if mode == "GRU":
        r_x, z_x, n_x = gates_x.chunk(3, -1)
        r_h, z_h, n_h = gates_h.chunk(3, -1)
        n = (n_x + (r_x + r_h).sigmoid() * n_h).tanh()
        z = (z_x + z_h).sigmoid()
        return (1 - z) * n + z * state
    return (gates_x + gates_h).tanh() if mode == "RNN_TANH" else (gates_x + gates_h).relu()


class RNNBase(Module):
    """input [L, N, input_size], or [N, L, input_size] with `batch_first`, or [L, input_size] -> (output, last state)."""

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                     "bidirectional", "proj_size"]

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if proj_size and mode != "LSTM":
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if proj_size < 0 or proj_size >= hidden_size > 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections" if proj_size < 0 else
                             "proj_size has to be smaller than hidden_size")
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element "
                             "being zeroed")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        rows = GATES[mode] * hidden_size
        for layer in range(num_layers):
            held = proj_size or hidden_size
            wide = input_size if layer == 0 else held * (2 if bidirectional else 1)
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, wide), "weight_hh": (rows, held)}
                if bias:
                    shapes.update(bias_ih=(rows,), bias_hh=(rows,))
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    setattr(self, f"{name}_l{layer}{suffix}", Parameter(T.empty(shape, device=device, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing to do: weights need not lie together in memory."""

    def _direction(self, x: Any, state: Any, layer: int, reverse: bool, rows: list[int] | None = None) -> tuple[Any, Any]:
        """One layer in one direction over x [L, N, *]: (outputs [L, N, H], last state). rows: how many of the N sequences,
        which are sorted by length, are still there at each step."""
        tail = f"_l{layer}_reverse" if reverse else f"_l{layer}"
        w_hh = getattr(self, "weight_hh" + tail)
        b_ih = getattr(self, "bias_ih" + tail) if self.bias else None
        b_hh = getattr(self, "bias_hh" + tail) if self.bias else None
        w_hr = getattr(self, "weight_hr" + tail) if self.proj_size else None
        gates = F.linear(x, getattr(self, "weight_ih" + tail), b_ih)
        length = x.shape[0]
        lstm = self.mode == "LSTM"
        outputs = []
        for i in range(length):
            t = length - 1 - i if reverse else i
            if rows is None or rows[t] == x.shape[1]:
                state = step(self.mode, gates[t], state, w_hh, b_hh, w_hr)
                outputs.append(state[0] if lstm else state)
                continue
            n = rows[t]
            if lstm:
                new = step(self.mode, gates[t, :n], (state[0][:n], state[1][:n]), w_hh, b_hh, w_hr)
                state = (T.cat([new[0], state[0][n:]]), T.cat([new[1], state[1][n:]]))
            else:
                state = T.cat([step(self.mode, gates[t, :n], state[:n], w_hh, b_hh, w_hr), state[n:]])
            outputs.append(state[0] if lstm else state)
        if reverse:
            outputs.reverse()
        return T.stack(outputs), state

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        batched = input.dim() == 3
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{input.shape[-1]}")
        x = input if batched else input.unsqueeze(1)
        if batched and self.batch_first:
            x = x.transpose(0, 1)
        if hx is not None and not batched:
            hx = tuple([s.unsqueeze(1) for s in hx]) if self.mode == "LSTM" else hx.unsqueeze(1)
        x, ends = self._layers(x, hx)
        if not batched:
            x = x.squeeze(1)
            ends = [e.squeeze(1) for e in ends]
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, (ends[0], ends[1]) if self.mode == "LSTM" else ends[0]

    def _packed(self, packed: Any, hx: Any) -> tuple[Any, Any]:
        """Sequences of different lengths, sorted; their last states are those of their own last steps."""
        rows = [int(n) for n in packed.batch_sizes.tolist()]
        x, _ = pad_packed_sequence(packed._replace(sorted_indices=None, unsorted_indices=None))
        lstm = self.mode == "LSTM"
        order, back = packed.sorted_indices, packed.unsorted_indices
        if hx is not None and order is not None:
            hx = tuple([s.index_select(1, order) for s in hx]) if lstm else hx.index_select(1, order)
        x, ends = self._layers(x, hx, rows)
        if back is not None:
            ends = [e.index_select(1, back) for e in ends]
        data = T.cat([x[t, :n] for t, n in enumerate(rows)])
        return PackedSequence(data, packed.batch_sizes, order, back), (ends[0], ends[1]) if lstm else ends[0]

    def _layers(self, x: Any, hx: Any, rows: list[int] | None = None) -> tuple[Any, list[Any]]:
        """All layers over x [L, N, *] from the states `hx`: (outputs [L, N, *], last states)."""
        lstm = self.mode == "LSTM"
        ways = 2 if self.bidirectional else 1
        if hx is None:
            zeros = T.zeros((self.num_layers * ways, x.shape[1], self.hidden_size), dtype=x.dtype)
            short = T.zeros((self.num_layers * ways, x.shape[1], self.proj_size), dtype=x.dtype) if self.proj_size else zeros
            states: tuple[Any, ...] = (short, zeros) if lstm else (zeros,)
        else:
            states = tuple(hx) if lstm else (hx,)
        last: list[Any] = []
        for layer in range(self.num_layers):
            found = []
            for way in range(ways):
                at = layer * ways + way
                begin = (states[0][at], states[1][at]) if lstm else states[0][at]
                output, end = self._direction(x, begin, layer, way == 1, rows)
                found.append(output)
                last.append(end)
            x = found[0] if ways == 1 else T.cat(found, -1)
            if self.dropout > 0 and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, [T.stack([s[0] for s in last]), T.stack([s[1] for s in last])] if lstm else [T.stack(last)]

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if not self.bias:
            text += f", bias={self.bias}"
        if self.batch_first:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional:
            text += f", bidirectional={self.bidirectional}"
        return text


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
                 *args: Any, **kwargs: Any) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Gates i, f, g, o from W_ih x + b_ih + W_hh h + b_hh; c' = f c + i g; h' = o tanh(c') (Hochreiter 1997)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gates r, z and candidate n; h' = (1 - z) n + z h (Cho et al. 2014)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """One step over input [N, input_size] or [input_size]."""

    __constants__ = ["input_size", "hidden_size", "bias"]
    _mode = "RNN_TANH"

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        rows = GATES[self._mode] * hidden_size
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.weight_ih = Parameter(T.empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(T.empty((rows, hidden_size), device=device, dtype=dtype))
        if bias:
            self.bias_ih = Parameter(T.empty(rows, device=device, dtype=dtype))
            self.bias_hh = Parameter(T.empty(rows, device=device, dtype=dtype))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def forward(self, input: Any, hx: Any = None) -> Any:
        if input.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is None:
            zeros = T.zeros((*input.shape[:-1], self.hidden_size), dtype=input.dtype)
            hx = (zeros, zeros) if self._mode == "LSTM" else zeros
        return step(self._mode, F.linear(input, self.weight_ih, self.bias_ih), hx, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")


class RNNCell(RNNCellBase):
    """One step of RNN."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {nonlinearity}")
        self.nonlinearity = nonlinearity
        self._mode = f"RNN_{nonlinearity.upper()}"

    def extra_repr(self) -> str:
        return super().extra_repr() + (f", nonlinearity={self.nonlinearity}" if self.nonlinearity != "tanh" else "")


class LSTMCell(RNNCellBase):
    """One step of LSTM: (h, c)."""

    _mode = "LSTM"


class GRUCell(RNNCellBase):
    """One step of GRU."""

    _mode = "GRU"


present(globals())
