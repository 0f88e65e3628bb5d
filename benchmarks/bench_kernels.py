"""Kernels of the OpenCL backend against NumPy, in one run: `python benchmarks/bench_kernels.py [--size 4K ...]`.

Each row is a graph called as a compiled artifact is (Tensors in, Tensors out), against the same computation by the
eager NumPy operators. Samples alternate between the two, so that drift of the machine hits both alike; a figure is the
ratio of minima, ours / NumPy: below 1 is faster. Run it on an otherwise quiet machine; `--repeat` takes more samples.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
_spec = importlib.util.spec_from_file_location("_guardscope_main", ROOT / "main.py")
assert _spec is not None and _spec.loader is not None
_spec.loader.exec_module(importlib.util.module_from_spec(_spec))

import guardscope.core.torch_api as torch  # noqa: E402  the package is importable from here on
from guardscope.core.graph.fake import Tracer, fake  # noqa: E402
from guardscope.core.graph.interpret import Interpreter  # noqa: E402
from guardscope.core.graph.node import Graph  # noqa: E402
from guardscope.core.opencl.compile import BackendOptions, compile_graph  # noqa: E402
from guardscope.core.tensor.meta import Spec  # noqa: E402
from guardscope.core.tensor.tensor import wrap  # noqa: E402

F = torch.nn.functional
CASES: dict[str, tuple[Callable[..., Any], int]] = {
    "chain of 5": (lambda x, y: (torch.relu(x * y + x) * 0.5 - y,), 2),
    "gelu": (lambda x: (F.gelu(x),), 1),
    "softmax": (lambda x: (torch.softmax(x, -1),), 1),
    "layer_norm": (lambda x: (F.layer_norm(x, (x.shape[-1],)),), 1),
    "sum": (lambda x: (x.sum(),), 1),
    "sum rows": (lambda x: (x.sum(-1),), 1),
    "sum columns": (lambda x: (x.sum(0),), 1),
    "matmul": (lambda x, y: (x @ y.t(),), 2),
}
SIZES = {"4K": (32, 32), "1M": (256, 1024), "16M": (2048, 2048)}        # float32: bytes per tensor


def trace(fn: Callable[..., Any], inputs: list[Any]) -> Graph:
    """The graph of `fn` over tensors like `inputs`, sizes static."""
    graph = Graph("bench")
    fakes = []
    for k, x in enumerate(inputs):
        node = graph.add("input", "xy"[k], spec=Spec(x.dtype, x.shape, x._meta.strides))
        fakes.append(fake(node, node.spec))
    with Tracer(graph):
        outputs = fn(*fakes)
    graph.outputs = [t._node for t in outputs]
    return graph


def best(functions: list[Callable[[], Any]], seconds: float) -> list[float]:
    """Minimum time of each, taking turns for about `seconds` altogether."""
    times = [float("inf")] * len(functions)
    for f in functions:
        f()
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for k, f in enumerate(functions):
            start = time.perf_counter()
            f()
            times[k] = min(times[k], time.perf_counter() - start)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", nargs="*", choices=SIZES, default=list(SIZES))
    parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--seconds", type=float, default=1.0, help="per row")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{'case':12s} {'bytes':>6s} {'ours us':>10s} {'numpy us':>10s} {'ratio':>7s}")
    for name in options.case:
        fn, count = CASES[name]
        for size in options.size:
            inputs = [wrap(rng.standard_normal(SIZES[size], dtype=np.float32)) for _ in range(count)]
            graph = trace(fn, inputs)
            compiled = compile_graph(graph, BackendOptions(device=options.device, name="bench"))
            reference = Interpreter(graph)
            ours, numpy = best([lambda: compiled(*inputs), lambda: reference(*inputs)], options.seconds)
            print(f"{name:12s} {size:>6s} {ours * 1e6:10.1f} {numpy * 1e6:10.1f} {ours / numpy:7.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
