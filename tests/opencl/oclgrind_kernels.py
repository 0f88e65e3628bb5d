"""All operators with kernels, at sizes small enough for the oclgrind simulator:
`oclgrind --data-races python THIS [cpu] [gpu] [operators] [bad]`.

Run by test_opencl_oclgrind.py. Prints the name of each graph before it runs, so that a message can be placed, and
"done" at the end. Results are compared with NumPy's eager operators. "cpu" and "gpu" run a selection of graphs under
that schedule; with "operators" every element-wise operator and reduction of the table, for each dtype. "bad" runs a
kernel with a planted fault, to show that the simulator would have seen one.
"""
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
os.environ["GUARDSCOPE_CACHE_DIR"] = "/dev/null/none"          # no binaries of the simulator on disk


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


load("_guardscope_main", ROOT / "main.py")
graphs = load("_graphs", Path(__file__).parent / "conftest.py").Graphs()
table = load("_table", Path(__file__).parent / "test_opencl_numerics.py")

from guardscope.core.graph.interpret import Interpreter  # noqa: E402
from guardscope.core.opencl.devices import pyopencl  # noqa: E402
from guardscope.core.opencl.templates import sort  # noqa: E402
from guardscope.core.ops.op import OPS, Reduction, call  # noqa: E402

sort.GPU_BLOCK = 16                 # what is longer is merged: blocks of the usual size take the simulator minutes

# The simulator (21.10) takes what it noted of a released buffer for the next one: none is released.
kept = []
make_buffer = pyopencl().Buffer
pyopencl().Buffer = lambda *args, **kwargs: kept.append(make_buffer(*args, **kwargs)) or kept[-1]

rng = np.random.default_rng(0)
x, w = rng.standard_normal((5, 37)).astype(np.float32), rng.standard_normal(37).astype(np.float32)
torch = graphs.torch
F = torch.nn.functional
q, mask = rng.standard_normal((2, 11, 18)).astype(np.float32), rng.random((11, 11)) > 0.3
CASES = {
    "matmul": (lambda x: (x * 1) @ x.t(), x),
    "half matmul": (lambda x, y: x @ y, *[rng.standard_normal(s).astype(np.float16) for s in ((9, 21), (21, 40))]),
    "panels": (lambda x, y: (x @ y, x @ (y * 2).t().contiguous().t()), rng.standard_normal((17, 19)).astype(np.float32),
               rng.standard_normal((19, 37)).astype(np.float32)),
    "attention": (lambda q, m: (F.scaled_dot_product_attention(q, q, q, is_causal=True),
                                F.scaled_dot_product_attention(q, q, q, m)), q, mask),
    "convolution": (lambda x, w: (F.conv2d(x, w, padding=1), F.conv2d(x, w, stride=2)),
                    rng.standard_normal((2, 3, 7, 20)).astype(np.float32),
                    rng.standard_normal((9, 3, 3, 3)).astype(np.float32)),
    "convolution of three dimensions": (lambda x, w: (F.conv3d(x, w, padding=1), F.conv3d(x, w, stride=(2, 1, 2))),
                                        rng.standard_normal((2, 2, 3, 4, 20)).astype(np.float32),
                                        rng.standard_normal((5, 2, 2, 3, 3)).astype(np.float32)),
    "transposed convolution": (lambda x, w: (F.conv_transpose2d(x, w, stride=2, padding=1), F.conv_transpose2d(x, w)),
                               rng.standard_normal((1, 2, 3, 20)).astype(np.float32),
                               rng.standard_normal((2, 3, 3, 2)).astype(np.float32)),
    "pool": (lambda x: (F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, 1), F.avg_pool2d(x, 3, 2, 1, True, False)),
             rng.standard_normal((2, 3, 7, 43)).astype(np.float32)),
    "scan": (lambda x: (x.cumsum(0), x.cumsum(1), x.cumprod(1)), x),
    "rows by number": (lambda x, i: (F.embedding(i, x), x.index_select(0, i),
                                     x.gather(0, i.unsqueeze(1).expand(7, 37).contiguous())), x, rng.integers(0, 5, 7)),
    "stored by number": (lambda x, i: ((x * 2).index_add(0, i, x[i] * 3).relu(), torch.zeros(5, 37).index_copy(0, i, x[i - 5]),
                                       x.scatter_add(0, i.unsqueeze(1).expand(7, 37).contiguous(), x[i]) + 1,
                                       x.index_put((i - 5,), x[i]) + 1, x.index_put((i,), x[1], accumulate=True) * 2,
                                       x.index_put((i,), x.sum()) * 2), x,
                         rng.integers(0, 5, 7)),
    "by two numbers": (lambda x, i, j: (x[i, j], x[i[:, None], j[:3]], x.index_put((i, j), x[i, j - 37], accumulate=True) * 2,
                                        x.index_put((i[:, None], j), x[i][:, :7]) + 1), x,
                       rng.integers(0, 5, 7), rng.integers(0, 37, 7)),
    "sorted": (lambda x, y: (*x.sort(0), *x.sort(1, True), *x.topk(3, 1), *x.half().median(1), *y.sort(0), *y.topk(70, 0)), x,
               rng.integers(-9, 9, 90)),
    "integer matmul": (lambda x, y: x @ y, rng.integers(-9, 9, (9, 5)), rng.integers(-9, 9, (5, 40))),
    "chain": (lambda x, w: (x * w + x).relu() * 0.5 - w, x, w),
    "softmax": (lambda x: x.softmax(1), x),
    "softmax of columns": (lambda x: x.softmax(0), x),
    "layer_norm": (lambda x, w: graphs.torch.nn.functional.layer_norm(x, (37,), w, w), x, w),
    "columns": (lambda x: (x.sum(0), x.amax(0), x.argmax(0), (x > 0).any(0)), x),
    "rows": (lambda x: (x.mean(1), x.amin(1), x.argmin(1), (x > 0).all(1), x.prod(1)), x),
    "everything": (lambda x: (x.sum(), x.std()), x),
    "transposed": (lambda x: (x.t().exp(), x.t() + 1, x.t().sum(1)), x),
    "sliced": (lambda x: (x[1:, ::3] * 2, x[:, 1:].sum(1)), x),
    "middle": (lambda x: (x.sum(1), x.sum((0, 2))), rng.standard_normal((3, 4, 20)).astype(np.float32)),
    "half": (lambda x: (x * 2).softmax(1), x.astype(np.float16)),
    "double": (lambda x: (x.tanh(), x.sum(0)), x.astype(np.float64)),
    "integers": (lambda x: (x // 3, x * 2, x.sum(1), x.amax(0)), rng.integers(-9, 9, (4, 21))),
    "truth": (lambda x: ((x > 0) & (x < 1), ~(x > 0), (x > 0).sum()), x),
    "functions": (lambda x: (x.exp(), x.abs().log(), x.erf(), x.sin(), x.sigmoid(), x.floor(), x.abs().sqrt()), x),
    "tails": (lambda x, y: (F.gelu(x @ x.t() + y[:5]) * 2, (x.half() @ x.half().t()).relu(), F.conv1d(x, x[:, :5].unsqueeze(2)
              .expand(5, 5, 3).contiguous()).relu()), x, rng.standard_normal(37).astype(np.float32)),
    "pieces": (lambda x: (torch.cat((x, x[1:] * 2), 0) + 1, torch.cat((x.exp(), -x[:, 3:]), 1).sum(1),
                          F.pad(x, (3, 2, 1, 0), value=2.0) * 2, F.pad(x, (5, 4), "reflect").relu()), x),
    "moved": (lambda x: (x.flip(1) * x, x.roll(3, 1) + 1, x.repeat(2, 2) * 2, torch.stack((x, -x), -1).flatten(1) * 3,
                         x.tril() + torch.arange(x.shape[1]), x.unfold(1, 5, 2).amax(2)), x),
    "reshaped": (lambda x: ((x * 2).view(-1, 3, 12).transpose(0, 1).reshape(3, -1).tanh(), x[:, 1:].flatten() * 2,
                            (x.view(-1, 4, 9).transpose(1, 2).flatten(1) * 2)[:, 3:30] + 1, (x + 1).view(-1, 6, 6).softmax(2)),
                 rng.standard_normal((5, 36)).astype(np.float32)),
    "0-d": (lambda x: x * 2 + 1, np.array(3, np.float32)),
}


def operators(schedule):
    """Every element-wise operator and reduction, one graph for each dtype."""
    for d in ("float32", "float16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool"):
        print(f"== {schedule} all of {d}", flush=True)
        values = table.edge_values(d)
        arrays = [rng.permutation(np.resize(values, 30)) for _ in range(3)]
        tensors = graphs.tensors(arrays)
        todo = [(op, table.arguments) for op in table.operators()]
        todo += [(op, reduced) for op in OPS.values() if isinstance(op.lower, Reduction)]
        taken = []
        for op, arguments in todo:
            try:
                if (args := arguments(op, tensors, d)) is not None:
                    call(op, args)
                    taken.append((op, arguments))
            except (RuntimeError, TypeError, NotImplementedError, ZeroDivisionError, OverflowError, AttributeError, IndexError):
                continue                                     # does not take this dtype
        compiled = graphs.compile(lambda *fakes: tuple([call(op, make(op, fakes, d)) for op, make in taken]), *arrays,
                                  schedule=schedule)
        compiled(*tensors)


def reduced(op, tensors, d):
    """Arguments of a reduction of a (6, 5) matrix over its first dimension."""
    args = table.arguments(op, tensors, d)
    return tuple([tensors[0].reshape(6, 5) if i == 0 else 0 if p.kind == "dim" else (0,) if p.kind == "dims" else a
                  for i, (p, a) in enumerate(zip(op.params, args))])


def tails():
    """Products with what follows them inside their kernels, in every form that they have."""
    from guardscope.core.opencl.templates import matmul

    token = matmul._FORCED.set(True)
    for rows, depth, columns in ((17, 19, 37), (40, 9, 16), (5, 21, 33), (3, 4, 5)):
        a, b, c, d = [rng.standard_normal(s).astype(np.float32) for s in
                      ((rows, depth), (columns, depth), (columns,), (rows, columns))]
        print(f"== cpu tails {rows} {depth} {columns}", flush=True)
        graph = graphs.trace(lambda a, b, c, d: (F.gelu(a @ b.t() + c) + d, (a @ (b * 1).t().contiguous()) * 0.5 - d),
                             a, b, c, d)
        compiled, tensors = graphs.compile_graph(graph, graphs.Options(schedule="cpu")), graphs.tensors([a, b, c, d])
        for got, want in zip(compiled(*tensors), Interpreter(graph)(*tensors)):
            np.testing.assert_allclose(got._array, want._array, rtol=2e-3, atol=1e-4)
    matmul._FORCED.reset(token)


def main():
    for schedule in [s for s in ("cpu", "gpu") if s in sys.argv]:
        if "operators" in sys.argv:
            operators(schedule)
            continue
        for name, (fn, *inputs) in CASES.items():
            if schedule == "cpu" and name == "truth":
                continue                    # the simulator (21.10) widens a vector comparison's true to 1, not -1
            for dynamic in ((), (0, 1)):
                print(f"== {schedule} {name} {dynamic}", flush=True)
                graph = graphs.trace(fn, *inputs, dynamic=dynamic)
                compiled = graphs.compile_graph(graph, graphs.Options(schedule=schedule))
                tensors = graphs.tensors(inputs)
                for got, want in zip(compiled(*tensors), Interpreter(graph)(*tensors)):
                    np.testing.assert_allclose(got._array, want._array, rtol=2e-3, atol=1e-4)
    if "cpu" in sys.argv:
        split()
        tails()
    if "bad" in sys.argv:
        bad()
    print("done", flush=True)


def split():
    """The two kernels of a long full reduction: pieces as on a device with many cores."""
    from guardscope.core.opencl import frames, fuse

    fuse.SMALL, frames.MIN_WORK = 100, 64
    a = rng.standard_normal(1000).astype(np.float32)
    for dynamic in ((), (0,)):
        print(f"== cpu split {dynamic}", flush=True)
        compiled = graphs.compile(lambda x: (x.sum(), (x * x).mean() + 1), a, dynamic=dynamic, schedule="cpu")
        assert len(compiled.kernels) == 2
        got = graphs.call(compiled, a)
        np.testing.assert_allclose(got, [a.sum(), (a * a).mean() + 1], rtol=1e-4)


def bad():
    """A kernel that writes behind its output."""
    from guardscope.core.opencl import compile as module

    honest = module.program_text
    module.program_text = lambda kernels: honest(kernels).replace("if (i < n0)", "if (i < n0 + 1)")
    graphs.run(lambda x: x + 3, rng.standard_normal(10).astype(np.float32), schedule="gpu")


if __name__ == "__main__":
    main()
