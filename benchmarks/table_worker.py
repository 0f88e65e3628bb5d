"""One engine in a process of its own: takes commands from bench_table.py as lines of JSON and answers with lines of JSON.

`python table_worker.py ENGINE CPU [RECORD]`. Commands: {"do": "prepare", "case": name, "out": file}, {"do": "sample",
"seconds": s}, {"do": "first", "case": name}, {"do": "again", "case": name}. Runs under any interpreter with the engine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MISSING = "not in this engine"
LINE = 64                    # bytes


def pin(cpu: int) -> None:
    """One thread on one CPU, and a little ahead of other programs where that is allowed."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if cpu >= 0:
        os.sched_setaffinity(0, {cpu})
        try:
            os.nice(-9)
        except OSError:
            pass


def aligned(a: Any) -> Any:
    """An equal array that begins with a line of the cache, as PyTorch's tensors do. NumPy's begin wherever it happens, which
    makes kernels up to 1.8 times slower."""
    import numpy as np

    room = np.empty(a.nbytes + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    out = room[start: start + a.nbytes].view(a.dtype).reshape(a.shape)
    out[...] = a
    return out


class Engine:
    """`call(case)` gives a function without arguments that does the case's work once, and one that gives the result."""

    def __init__(self, name: str) -> None:
        self.name = name

    def arrays(self, case: Any) -> list:
        import numpy as np

        return [aligned(a) for a in case.inputs(np.random.default_rng(0))]

    def runner(self, f: Callable[..., Any], inputs: list, case: Any) -> Callable[[], Any]:
        if case.each:
            def work() -> Any:
                for one in inputs:
                    out = f(one)
                return out
            return work
        if len(inputs) == 1:
            (a,) = inputs
            return lambda: f(a)
        return lambda: f(*inputs)

    def numpy(self, value: Any) -> Any:
        import numpy as np

        return np.asarray(value)


class Torch(Engine):
    """Guardscope or PyTorch: whichever `import torch` finds in this process. "eager": without torch.compile."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.ours = name.startswith("ours")
        if self.ours:
            sys.path.insert(0, str(HERE.parent))
            import main

            main.make_importable()
            from guardscope.core.torch_api import importing

            importing.install()
        import torch

        self.torch = torch
        if not self.ours:
            torch.set_num_threads(1)

    def record(self) -> None:
        from guardscope.core.events.recorder import RECORDER

        RECORDER.open(Path(tempfile.mkdtemp()) / "bench.guardscope")

    def compiled(self, case: Any, **options: Any) -> Callable[..., Any]:
        f = case.make(self.torch)
        return f if self.name == "eager" else self.torch.compile(f, **{**case.options, **options})

    def inputs(self, case: Any) -> list:
        return [self.torch.from_numpy(a) for a in self.arrays(case)]

    def call(self, case: Any) -> Callable[[], Any]:
        self.torch._dynamo.reset()
        inputs = self.inputs(case)
        options: dict[str, Any] = {}
        if self.name.endswith("dynamic"):
            options["dynamic"] = True
        f = self.compiled(case, **options)
        no_grad = self.torch.no_grad
        with no_grad():
            for _ in range(2):
                self.runner(f, inputs, case)()
        self.torch.set_grad_enabled(False)
        return self.runner(f, inputs, case)

    def numpy(self, value: Any) -> Any:
        return value.detach().numpy()

    def again(self, case: Any) -> float:
        """Seconds of the first call with another shape, after one shape was compiled."""
        self.torch._dynamo.reset()
        f = self.compiled(case)
        with self.torch.no_grad():
            inputs = self.inputs(case)
            f(*inputs)
            other = [self.torch.from_numpy(self.half(a.numpy())) for a in inputs]
            start = time.perf_counter()
            f(*other)
            return time.perf_counter() - start


    @staticmethod
    def half(a: Any) -> Any:
        """The same array with half the size of one dimension: of the batch, or where there is none of the next."""
        cut = a[..., : a.shape[-1] // 2] if a.dtype.kind == "i" else a[: a.shape[0] // 2] if a.shape[0] > 2 \
            else a[:, : a.shape[1] // 2]
        return cut.copy()


class Arrays(Engine):
    """NumPy, JAX, Numba: the case's array form."""

    def call(self, case: Any) -> Callable[[], Any]:
        if case.arrays is None:
            raise LookupError(MISSING)
        inputs: list = self.arrays(case)
        if self.name == "numpy":
            import numpy as np

            return self.runner(case.arrays(np), inputs, case)
        if self.name == "numba":
            import numba
            import numpy as np

            f = numba.njit(fastmath=True)(case.arrays(np))
            work = self.runner(f, inputs, case)
            work()
            return work
        import jax

        f = jax.jit(case.arrays(jax.numpy))
        inputs = [jax.numpy.asarray(a) for a in inputs]
        inner = self.runner(f, inputs, case)
        return lambda: inner().block_until_ready()


class NumExpr(Engine):
    def call(self, case: Any) -> Callable[[], Any]:
        import numexpr

        if not case.expression:
            raise LookupError(MISSING)
        names = dict(zip("ab", self.arrays(case)))
        return lambda: numexpr.evaluate(case.expression, names)


class Tinygrad(Engine):
    FORMS: dict[str, Callable[..., Any]] = {
        "pw5": lambda a, b: (a * b + a).relu() * 0.5 - b, "gelu": lambda a: a.gelu(), "softmax": lambda a: a.softmax(-1),
        "layernorm": lambda a, w, b: a.layernorm() * w + b, "sum_all": lambda a: a.sum(), "sum_d0": lambda a: a.sum(0),
        "sum_d1": lambda a: a.sum(1), "mean_mid": lambda a: a.mean(1), "matmul": lambda a, b: a @ b, "bmm": lambda a, b: a @ b,
        "gemv": lambda a, b: a @ b, "o_add1": lambda a: a + 1}

    def call(self, case: Any) -> Callable[[], Any]:
        from tinygrad import Device, Tensor, TinyJit

        form = self.FORMS.get(case.name.split(":")[0])
        if form is None or case.name.endswith("256M"):
            raise LookupError(MISSING)
        f = TinyJit(lambda *xs: form(*xs).realize())
        inputs = [Tensor(a).realize() for a in self.arrays(case)]
        for _ in range(3):
            f(*inputs)

        def work() -> Any:
            out = f(*inputs)
            Device[Device.DEFAULT].synchronize()
            return out
        return work

    def numpy(self, value: Any) -> Any:
        return value.numpy()


ENGINES: dict[str, type[Engine]] = {"ours": Torch, "ours-dynamic": Torch, "torch": Torch, "eager": Torch, "numpy": Arrays,
                                    "jax": Arrays, "numba": Arrays, "numexpr": NumExpr, "tinygrad": Tinygrad}


def main(name: str, cpu: int, record: bool) -> None:
    pin(cpu)
    sys.path.insert(0, str(HERE))
    from table_cases import CASES

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                                            # whatever a library prints goes to standard error
    engine = ENGINES[name](name)
    if record and isinstance(engine, Torch) and engine.ours:
        engine.record()
    work: Callable[[], Any] = lambda: None
    count = 1

    def say(**answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    say(ready=True)
    for line in sys.stdin:
        command = json.loads(line)
        try:
            what = command["do"]
            if what == "prepare":
                import numpy as np

                work, case = (lambda: None), CASES[command["case"]]
                work = engine.call(case)
                np.save(command["out"], engine.numpy(work()))
                count = 1
                while True:                                  # so many calls that the clock's own cost does not matter
                    start = time.perf_counter()
                    for _ in range(count):
                        work()
                    took = time.perf_counter() - start
                    if took > 0.0005 or count >= 4096:
                        break
                    count *= 4
                say(ok=True)
            elif what == "sample":
                clock = time.process_time if command.get("clock") == "cpu" else time.perf_counter
                until = time.perf_counter() + command["seconds"]
                times = []
                while not times or time.perf_counter() < until:
                    start = clock()
                    for _ in range(count):
                        work()
                    times.append((clock() - start) / count)
                say(ok=True, times=times)
            elif what == "first":
                assert isinstance(engine, Torch)
                case = CASES[command["case"]]
                inputs, f = engine.inputs(case), engine.compiled(case)
                start, cpu_start = time.perf_counter(), time.process_time()
                with engine.torch.no_grad():
                    f(*inputs)
                say(ok=True, seconds=time.perf_counter() - start, cpu=time.process_time() - cpu_start)
            elif what == "again":
                assert isinstance(engine, Torch)
                say(ok=True, seconds=engine.again(CASES[command["case"]]))
        except LookupError as missing:
            if MISSING not in str(missing):
                say(ok=False, why=repr(missing))
            else:
                say(ok=False, why=MISSING)
        except Exception as problem:
            say(ok=False, why=f"{type(problem).__name__}: {problem}"[:300])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3)
