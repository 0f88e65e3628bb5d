"""Runs every case of the tables with one torch and writes what came out: `python run.py ours|reference out.pickle`.

"ours" makes `import torch` mean Guardscope first; "reference" takes the PyTorch of the interpreter that runs this file.
The file imports nothing of Guardscope otherwise, so that both sides execute the same lines. A result is plain data:
("tensor", dtype, shape, strides, elements, names of the inputs whose memory it is), numbers, tuples of results, or ("raised",
class name, message).
"""

from __future__ import annotations

import copy
import importlib
import itertools
import linecache
import pickle
import random
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

_COUNT = itertools.count()
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
TABLES = ("pointwise", "binary", "reductions", "shapes", "indexing", "creation", "linear_algebra", "networks",
          "complex_numbers", "modes", "drawing", "printed")


def torch_of(side: str) -> Any:
    """The torch module that the cases run with."""
    if side == "ours":
        sys.path.insert(0, str(HERE.parents[2]))
        import main  # type: ignore[import-not-found]

        main.make_importable()
        from guardscope.core.torch_api import importing

        importing.install()
    return importlib.import_module("torch")


class Inputs:
    """Makes the tensors that a case names, the same on both sides: "float32 3,4 transposed positive"."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def make(self, spec: str, seed: int) -> Any:
        torch = self.torch
        dtype, sizes, layout, values = (spec.split() + ["contiguous", "any"][len(spec.split()) - 2:])[:4]
        shape = () if sizes == "-" else tuple(int(n) for n in sizes.split(","))
        if layout == "transposed":
            base = self.dense(dtype, shape[::-1], values, seed)
            return base.permute(*range(len(shape) - 1, -1, -1)) if shape else base
        if layout == "sliced":
            return self.dense(dtype, tuple(2 * n for n in shape), values, seed)[tuple(slice(None, None, 2) for _ in shape)]
        if layout == "offset":
            return self.dense(dtype, tuple(n + 1 for n in shape), values, seed)[tuple(slice(1, None) for _ in shape)]
        if layout == "expanded":
            return self.dense(dtype, tuple(1 if d == 0 else n for d, n in enumerate(shape)), values, seed).expand(shape)
        if layout == "channels_last":
            return self.dense(dtype, shape, values, seed).contiguous(memory_format=torch.channels_last)
        return self.dense(dtype, shape, values, seed)

    def dense(self, dtype: str, shape: tuple[int, ...], values: str, seed: int) -> Any:
        return self.torch.from_numpy(elements(dtype, shape, values, seed)).to(getattr(self.torch, dtype))


def elements(dtype: str, shape: tuple[int, ...], values: str, seed: int) -> np.ndarray:
    """A deterministic array; bfloat16 as float32. `values`: any, positive, unit, above, special, big, index<N>, few, spd."""
    rng = np.random.default_rng(seed)
    plain = "float32" if dtype == "bfloat16" else dtype
    kind = np.dtype(plain)
    if values.startswith("index"):
        return np.asarray(rng.integers(0, int(values[5:]), shape)).astype(kind)
    if values == "few":
        return np.asarray(rng.integers(0, 3, shape)).astype(kind)
    if values == "spd":
        a = rng.normal(size=shape)
        return np.ascontiguousarray(a @ np.swapaxes(a, -1, -2) + 3 * np.eye(shape[-1])).astype(kind)
    if kind.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if kind.kind in "iu":
        low, high = (-9, 10) if kind.kind == "i" else (0, 19)
        if values in ("positive", "above"):
            low, high = 2, 9
        if values == "unit":
            low, high = 0, 2
        return np.asarray(rng.integers(low, high, shape)).astype(kind)
    made: np.ndarray = np.asarray(rng.normal(size=shape)) * 2
    if kind.kind == "c":
        made = made + 1j * np.asarray(rng.normal(size=shape))
    elif values == "positive":
        made = np.abs(made) + 0.1
    elif values == "above":
        made = np.abs(made) + 1.1
    elif values == "unit":
        made = np.tanh(made) * 0.9
    elif values == "probability":
        made = 1 / (1 + np.exp(-made))
    elif values == "big":
        made = made * 100
    elif values == "special":
        flat = np.array(made).reshape(-1)
        edge = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5]
        flat[:len(edge)] = edge[:flat.size]
        made = flat.reshape(shape)
    return np.asarray(made.astype(kind))


def shared(value: Any, inputs: dict[str, Any]) -> tuple[str, ...]:
    """The inputs whose memory a tensor looks at; "x itself" for the very same object."""
    if not value.numel():
        return ()
    where = value.untyped_storage().data_ptr()
    return tuple(f"{name} itself" if t is value else name for name, t in inputs.items()
                 if t.numel() and t.device.type == "cpu" and t.untyped_storage().data_ptr() == where)


def plain(value: Any, torch: Any, inputs: dict[str, Any]) -> Any:
    """A result as data that needs no torch to be read."""
    if isinstance(value, torch.Tensor) and value.device.type == "meta":
        return ("meta", str(value.dtype), tuple(value.shape), tuple(value.stride()))
    if isinstance(value, torch.Tensor):
        inner = value.detach().resolve_conj() if value.is_complex() else value.detach()
        data = (inner.float() if value.dtype is torch.bfloat16 else inner).contiguous().numpy().copy()
        return ("tensor", str(value.dtype), tuple(value.shape), tuple(value.stride()), data, shared(value, inputs))
    if isinstance(value, torch.Size):
        return ("size", tuple(value))
    if isinstance(value, torch.dtype | torch.device):
        return str(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (type(value).__name__, *[plain(v, torch, inputs) for v in value])
    if type(value).__module__.startswith("torch.return_types"):
        return (type(value).__name__.rsplit(".", 1)[-1], *[plain(v, torch, inputs) for v in value])
    if isinstance(value, tuple | list):
        return (type(value).__name__, *[plain(v, torch, inputs) for v in value])
    if isinstance(value, dict):
        return ("dict", *[(k, plain(v, torch, inputs)) for k, v in value.items()])
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.tolist())
    if value is None or isinstance(value, bool | int | float | complex | str):
        return value
    return ("object", type(value).__name__)


def run_case(torch: Any, inputs: Inputs, case: tuple, through: Any = None) -> Any:
    """The outcome of one case; `through` wraps the case's function (torch.compile)."""
    text, specs = case
    torch.manual_seed(0)
    random.seed(0)
    try:
        tensors = {n: inputs.make(s, zlib.crc32(n.encode()) + 7) for n, s in specs.items()}
    except Exception as error:
        return ("no input", type(error).__name__, str(error))          # counts as a difference on either side
    names = ", ".join(tensors)
    scope = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "np": np, "copy": copy}
    try:
        lines = [f"def case({names}):", *[f"    {line}" for line in body(text)]]
        name = str(HERE / f"case {next(_COUNT)}")                  # known to linecache: torch.compile reads the source
        linecache.cache[name] = (0, None, [line + "\n" for line in lines], name)
        exec(compile("\n".join(lines) + "\n", name, "exec"), scope)
        function: Any = scope["case"]
        got = (function if through is None else through(function))(**tensors)
        return plain(got, torch, tensors)
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


def body(text: str) -> list[str]:
    """Statements apart by ";" with the last one returned."""
    *first, last = [p.strip() for p in text.split(";")]
    return [*first, f"return {last}"]


def all_cases() -> dict[str, list]:
    """The cases of every table, by table."""
    return {name: importlib.import_module(f"table_{name}").CASES for name in TABLES}


def main() -> None:
    side, path, *only = sys.argv[1:]
    torch = torch_of(side)
    warnings.simplefilter("ignore")
    inputs = Inputs(torch)
    out = {}
    for table, cases in all_cases().items():
        if only and table not in only:
            continue
        out[table] = [(case, run_case(torch, inputs, case)) for case in cases]
    Path(path).write_bytes(pickle.dumps(out))


if __name__ == "__main__":
    main()
