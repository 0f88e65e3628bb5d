"""What a reused call costs, from call to result, as ratios in one run: the whole path with recorder on and off, the kernel
launch alone, plain NumPy, and eager.  `python benchmarks/bench_reuse.py`"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
import main  # noqa: E402

main.make_importable()
from guardscope.core.events.recorder import RECORDER  # noqa: E402
from guardscope.core.torch_api import importing  # noqa: E402

importing.install()
import torch  # noqa: E402


def best(work: Callable[[], Any], rounds: int = 30, calls: int = 1000) -> float:
    """Nanoseconds per call: the best of `rounds`."""
    lowest = float("inf")
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(calls):
            work()
        lowest = min(lowest, (time.perf_counter_ns() - start) / calls)
    return lowest


def report(name: str, ns: float, base: float) -> None:
    print(f"{name:52} {ns / 1e3:8.2f} us   {ns / base:6.2f}")


def add_one(x: Any) -> Any:
    return x + 1


class Wide(torch.nn.Module):
    """A module whose forward reads 50 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(32), requires_grad=False) for _ in range(50)])

    def forward(self, x: Any) -> Any:
        for weight in self.weights:
            x = x + weight
        return x


def measure(title: str) -> None:
    print(f"\n{title:52} per call    of NumPy's x + 1")
    torch._dynamo.reset()
    x = torch.arange(1024.0).reshape(32, 32)
    array = x.numpy()
    base = best(lambda: array + 1)
    report("NumPy x + 1", base, base)
    report("eager x + 1", best(lambda: add_one(x)), base)
    for backend in ("inductor", "eager", lambda gm, inputs: (lambda *a: (a[0],))):
        fast = torch.compile(add_one, backend=backend)
        fast(x)
        name = backend if isinstance(backend, str) else "a backend that computes nothing"
        report(f"compiled x + 1, {name}", best(lambda: fast(x)), base)  # noqa: B023
    torch._dynamo.reset()
    fast = torch.compile(add_one, dynamic=False)
    sizes = [torch.arange(32.0 * n).reshape(n, 32) for n in range(2, 10)]
    for one in sizes:
        fast(one)

    def cycle() -> None:
        for one in sizes:
            fast(one)

    report("one of eight artifacts in a cycle, per call", best(cycle, calls=100) / len(sizes), base)
    wide = torch.compile(Wide())
    row = torch.ones(32)
    wide(row)
    report("module with 50 parameters", best(lambda: wide(row), calls=200), base)


if __name__ == "__main__":
    measure("without a recorder")
    with tempfile.TemporaryDirectory() as folder:
        RECORDER.open(Path(folder) / "bench.guardscope")
        try:
            measure("recorded, launches timed")
            RECORDER.profiling = False
            measure("recorded, launches not timed")
        finally:
            RECORDER.close()
