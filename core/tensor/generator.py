"""The random number generator: a Mersenne Twister drawn from as PyTorch's CPU generator does.

With the same seed, `rand`, `randn`, `randint` and `randperm` give the numbers that PyTorch gives on a CPU. The facts:
float32 takes 24 bits of one 32-bit draw, float64 53 bits of two; 16 and more normal numbers come from Box-Muller on
blocks of 16, fewer one pair at a time in double precision, the second of a pair kept
for the next call. The state as bytes is laid out as PyTorch's CPU generator lays it out.
"""

from __future__ import annotations

import ctypes
import math
import secrets
import struct
from typing import Any

import numpy as np

from ..errors import NotYetSupported
from .devices import CPU, device

DEFAULT_SEED = 67280421310721


# seed, left, seeded, next, 624 words, three doubles, validity, a float and its validity
_STATE = struct.Struct("=Qii Q 624Q ddd i4x f?3x")
_WORDS = 624 * 4 + 4                  # NumPy keeps 624 words and the position of the next one


def _check(where: Any) -> None:
    """Raise for a device that draws no numbers."""
    kind = CPU.type if where is None else device(where).type
    if kind == "meta":
        raise RuntimeError("META device type not an accelerator.")
    if kind != CPU.type:
        raise NotYetSupported(f"random numbers on device '{device(where)}' do not exist yet: use torch.Generator(), the CPU's, "
                              f"whose numbers are those of PyTorch; compiled graphs draw from it as eager mode does.")


class Generator:
    """torch.Generator on the CPU. NotYetSupported for another device, RuntimeError for "meta", which has no numbers."""

    __module__ = "torch._C"

    def __init__(self, device: Any = CPU) -> None:
        _check(device)
        self._seed = DEFAULT_SEED
        self._kept: float | None = None
        self._bits = np.random.MT19937()
        self._restart(DEFAULT_SEED)

    def _restart(self, seed: int) -> None:
        self._seed = seed
        self._kept = None
        state: Any = np.random.RandomState(seed & 0xFFFFFFFF).get_state(legacy=False)
        self._bits.state = state

    @property
    def device(self) -> device:
        return CPU

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`."""
        self._restart(int(seed) & 0xFFFFFFFFFFFFFFFF)
        return self

    def seed(self) -> int:
        """Start again from a seed that nobody knows, and return it."""
        self._restart(secrets.randbits(53))
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the last start."""
        return self._seed

    def state(self) -> tuple:
        """Everything needed to continue from here."""
        return (self._seed, self._kept, self._bits.state)

    def restore(self, state: tuple) -> None:
        """Continue from what `state` returned."""
        self._seed, self._kept, self._bits.state = state

    def mark(self) -> tuple:
        """What `rewind` needs to continue from here: as `state`, in a tenth of the time, for the same generator only."""
        return (self._seed, self._kept, ctypes.string_at(self._bits.ctypes.state_address, _WORDS))

    def rewind(self, mark: tuple) -> None:
        """Continue from where `mark` was called."""
        self._seed, self._kept, words = mark
        ctypes.memmove(self._bits.ctypes.state_address, words, _WORDS)

    def get_state(self) -> Any:
        """The state as a uint8 tensor of 5056 bytes, which PyTorch reads too."""
        from .tensor import wrap

        words = self._bits.state["state"]
        at = int(words["pos"])
        left, following = (1, 0) if at >= 624 else (625 - at, at)
        kept = self._kept is not None
        packed = _STATE.pack(
            self._seed, left, 1, following, *words["key"].tolist(), 0.0, self._kept or 0.0, 0.0, int(kept), 0.0, False
        )
        return wrap(np.frombuffer(packed, np.uint8).copy())

    def set_state(self, new_state: Any) -> Generator:
        """Continue from what get_state returned. RuntimeError for anything else."""
        data = np.asarray(new_state.numpy())
        if data.dtype != np.uint8 or data.size != _STATE.size:
            raise RuntimeError(f"RNG state is wrong size: it must be a uint8 tensor of {_STATE.size} elements, but it has "
                               f"{data.size} of {data.dtype}")
        seed, left, _, following, *rest = _STATE.unpack(data.tobytes())
        key, (_, kept, _, valid, _, _) = np.array(rest[:624], np.uint64).astype(np.uint32), rest[624:]
        self._seed = seed
        self._kept = kept if valid else None
        state: Any = {"bit_generator": "MT19937", "state": {"key": key, "pos": 624 if left <= 1 else following}}
        self._bits.state = state
        return self

    def clone_state(self) -> Generator:
        """Another generator in the same state."""
        other = Generator()
        other.restore(self.state())
        return other

    # -- draws ------------------------------------------------------------------------------------------------------
    def words(self, n: int) -> np.ndarray:
        """n draws of 32 bits, as uint64."""
        return np.asarray(self._bits.random_raw(n))

    def long_words(self, n: int) -> np.ndarray:
        """n draws of 64 bits."""
        w = self.words(2 * n)
        return (w[0::2] << np.uint64(32)) | w[1::2]

    def uniform(self, n: int, d: np.dtype) -> np.ndarray:
        """n numbers in [0, 1) of dtype float32 or float64 (float16: float32 rounded)."""
        if d == np.float64:
            return (self.long_words(n) & np.uint64((1 << 53) - 1)).astype(np.float64) * 2.0 ** -53
        found = (self.words(n) & np.uint64((1 << 24) - 1)).astype(np.float32) * np.float32(2.0 ** -24)
        if d == np.float32:
            return found
        rounded = found.astype(d)
        rounded[rounded == 1] = 0                               # 1 is outside: PyTorch gives the lower end instead
        return rounded

    def normal(self, n: int, d: np.dtype, in_blocks: bool = True, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
        """n normal numbers; `in_blocks=False` draws pairs however many there are."""
        if n < 16 or not in_blocks:
            return (np.array([self._one_normal() for _ in range(n)]) * std + mean).astype(d)
        wide = np.dtype(np.float64) if d == np.float64 else np.dtype(np.float32)
        whole = n - n % 16
        u = self.uniform(n if d == wide else whole, wide)       # 16-bit dtypes draw whole blocks only
        out = np.empty(n, wide)
        out[:whole] = _box_muller(u[:whole].reshape(-1, 16)).reshape(-1)
        if n % 16:
            out[n - 16:] = _box_muller(self.uniform(16, wide).reshape(1, 16)).reshape(-1)
        if (mean, std) != (0.0, 1.0):
            out = out * wide.type(std) + wide.type(mean)
        return out.astype(d)

    def _one_normal(self) -> float:
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        u1, u2 = self.uniform(2, np.dtype(np.float64))
        r = math.sqrt(-2.0 * math.log1p(-u2))
        self._kept = r * math.sin(2.0 * math.pi * u1)
        return r * math.cos(2.0 * math.pi * u1)

    def integers(self, n: int, low: int, high: int) -> np.ndarray:
        """n integers in [low, high) as int64."""
        span = np.uint64(high - low)
        draws = self.long_words(n) if high - low >= 1 << 28 else self.words(n)
        return (draws % span).astype(np.int64) + low

    def permutation(self, n: int) -> np.ndarray:
        """0 .. n-1 in random order, as int64."""
        out = list(range(n))
        draws = self.words(max(n - 1, 0)).tolist()
        for i, w in enumerate(draws):
            j = i + w % (n - i)
            out[i], out[j] = out[j], out[i]
        return np.array(out, np.int64)


def _box_muller(u: np.ndarray) -> np.ndarray:
    """Rows of 16 uniform numbers to rows of 16 normal ones."""
    radius = np.sqrt(u.dtype.type(-2) * np.log(1 - u[:, :8]))
    theta = u.dtype.type(2 * math.pi) * u[:, 8:]
    return np.concatenate([radius * np.cos(theta), radius * np.sin(theta)], axis=1)


default_generator = Generator()
