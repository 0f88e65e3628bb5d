"""What checking guards costs. Run: python benchmarks/bench_guards.py

Figures are nanoseconds per call, the lowest of several rounds, and the ratio to an empty call measured in the same
round, because machines differ and are noisy. Limits: 50 module parameters below 10 us.
"""

from __future__ import annotations

import importlib.util
import sys
import timeit
from collections.abc import Callable
from pathlib import Path

_spec = importlib.util.spec_from_file_location("_main", Path(__file__).resolve().parent.parent / "main.py")
assert _spec is not None and _spec.loader is not None
_spec.loader.exec_module(importlib.util.module_from_spec(_spec))

import numpy as np  # noqa: E402
from guardscope.core.guards.compile import build  # noqa: E402
from guardscope.core.guards.guard import Guard, TensorExpectation  # noqa: E402
from guardscope.core.guards.origin import ArgOrigin, InstanceDictOrigin, SizeOrigin  # noqa: E402
from guardscope.core.symbolic.shape_env import ShapeEnv, stride_expressions  # noqa: E402
from guardscope.core.tensor import dtypes  # noqa: E402
from guardscope.core.tensor.devices import CPU  # noqa: E402
from guardscope.core.tensor.meta import NO_MARKS  # noqa: E402
from guardscope.core.tensor.state import STATE  # noqa: E402
from guardscope.core.tensor.tensor import Tensor, wrap  # noqa: E402

ROUNDS, LOOPS = 7, 20_000


def expectation(sizes: tuple, strides: tuple) -> TensorExpectation:
    return TensorExpectation(Tensor, dtypes.float32, CPU, False, sizes, strides, NO_MARKS)


def tensors(n: int) -> tuple[Callable, tuple]:
    names = [f"x{i}" for i in range(n)]
    guards = [Guard("GLOBAL_STATE", None, STATE.mode)]
    guards += [Guard("TENSOR_MATCH", ArgOrigin(x), expectation((64, 32), (32, 1))) for x in names]
    values = tuple(wrap(np.zeros((64, 32), np.float32)) for _ in names)
    return build(guards, None, names).check, values


def dynamic() -> tuple[Callable, tuple]:
    x, env = ArgOrigin("x"), ShapeEnv()
    n, m = (env.new_symbol(SizeOrigin(x, d), s) for d, s in enumerate((64, 32)))
    stride_expressions((n, m), (32, 1), env, x)
    assert n > 10 and n % 2 == 0
    guards = [Guard("TENSOR_MATCH", x, expectation((None, None), (None, 1)))]
    return build(guards, env, ["x"]).check, (wrap(np.zeros((64, 32), np.float32)),)


class Module:
    def __init__(self, n: int) -> None:
        self._parameters = {f"w{i}": wrap(np.zeros(8, np.float32)) for i in range(n)}


def parameters(n: int) -> tuple[Callable, tuple]:
    s = ArgOrigin("self")
    guards = [Guard("TYPE_MATCH", s, Module)]
    guards += [Guard("TENSOR_MATCH", InstanceDictOrigin(s, f"w{i}", "_parameters"), expectation((8,), (1,)))
               for i in range(n)]
    return build(guards, None, ["self"]).check, (Module(n),)


def parameters_changed(n: int) -> tuple[Callable, tuple]:
    check, args = parameters(n)

    def run(fn: object, m: object) -> object:
        STATE.bump_epoch()
        return check(fn, m)

    return run, args


def lowest(f: Callable, args: tuple) -> float:
    return min(timeit.repeat(lambda: f(None, *args), number=LOOPS, repeat=ROUNDS)) / LOOPS * 1e9


def main() -> int:
    cases = {"1 static tensor": tensors(1), "20 static tensors": tensors(20),
             "1 dynamic matrix, 2 relations": dynamic(),
             "50 module parameters": parameters(50), "50 module parameters after a change": parameters_changed(50)}
    print(f"{'case':40} {'ns':>8} {'x empty call':>13}")
    slow = []
    for name, (check, args) in cases.items():
        assert check(None, *args) is None
        namespace: dict = {}
        exec(f"def empty(__fn, {', '.join(f'a{i}' for i in range(len(args)))}): return None", namespace)
        base, cost = lowest(namespace["empty"], args), lowest(check, args)
        print(f"{name:40} {cost:8.0f} {cost / base:13.1f}")
        if name.startswith("50") and cost > 10_000:
            slow.append(name)
    if slow:
        print(f"over 10 us: {', '.join(slow)}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
