"""A scripted engine: calls RECORDER as the compiler does, so that sessions of any size exist without compiling.

`make_session(path, calls=..., functions=...)` gives a realistic file: functions f0, f1, ... with three parameters
(x a tensor, scale a float, step an int); each compiles, breaks for every third function, sees sizes change until they
become dynamic, f1 counts a step until it hits the recompile limit, f2 is not compiled, and one call in f0 raises.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from guardscope.core.events.recorder import Recorder, TypeName
from guardscope.core.tensor.devices import CPU
from guardscope.core.tensor.dtypes import float32
from guardscope.core.tensor.meta import TensorMeta, contiguous_strides
from guardscope.core.tensor.tensor import Tensor

SCRIPT = "/somewhere/model.py"
LIMIT = 8
SOURCE = "import torch\n\n" + "".join(
    f"@torch.compile\ndef f{i}(x, scale, step):\n    y = x * scale\n    print(step)\n    return torch.relu(y)\n\n"
    for i in range(8))


def tensor(*shape: int) -> TensorMeta:
    """Metadata of a contiguous float32 CPU tensor."""
    return TensorMeta.of(Tensor, float32, CPU, shape, contiguous_strides(shape))


def start_line(i: int) -> int:
    """Line of `def f<i>` in SOURCE."""
    return 4 + 6 * i


class Engine:
    """Says to a recorder what the compiler would say about the functions of SOURCE. Times come from a counter that
    starts at the session's time zero, so files do not depend on the machine's speed."""

    def __init__(self, recorder: Recorder, functions: int = 3) -> None:
        self.recorder, self.now = recorder, time.perf_counter_ns()
        self.codes: list[int] = []
        self.versions: list[int] = []
        recorder.source(SCRIPT, SOURCE)
        for i in range(functions):
            self.codes.append(recorder.code(f"f{i}", f"f{i}", SCRIPT, start_line(i), start_line(i) + 3,
                                            params=["x", "scale", "step"], module="__main__"))
            self.versions.append(0)
        self.resume: dict[int, int] = {}

    def tick(self, ns: int) -> int:
        self.now += ns
        return self.now

    def begin(self, i: int, line: int = 60) -> None:
        self.recorder.append(("begin", self.tick(1000), self.codes[i], line))

    def end(self, artifact: int, outcome: str, values: Any, error: tuple[str, str] | None = None) -> None:
        self.recorder.append(("end", self.tick(2000), artifact, outcome, values, error))

    def miss(self, i: int, failures: list[dict[str, Any]]) -> None:
        self.recorder.failures(self.codes[i], failures)

    def artifact(self, i: int, dynamic: tuple = (), code: int | None = None, broke: int | None = None) -> int:
        """Compile one version: phases, artifact, guards, nodes, a kernel with a launch."""
        r, code = self.recorder, self.codes[i] if code is None else code
        t = self.now
        r.phase(None, code, "capture", t, self.tick(4_000_000))
        r.phase(None, code, "guards", self.now, self.tick(1_000_000))
        size = "s0" if dynamic else "64"
        version, self.versions[i] = self.versions[i], self.versions[i] + 1
        number = r.artifact(code, version, graph_text=f"graph f{i}_{version}(x):\n  y = mul(x, 2.0)\n  z = relu(y)\n",
                            python_text=f"def f{i}_{version}(x, scale, step):\n    return kernel(x)\n",
                            guard_source="def check(__fn, x, scale, step):\n    return None\n",
                            dynamic_dims=list(dynamic), ends_in_break=broke,
                            inputs=[{"name": "x", "dtype": "float32", "shape": f"[{size}, 32]"}],
                            reads=[{"origin": "scale", "status": "guarded"}])
        line = start_line(i) + 1
        where = {"file": SCRIPT, "line": line, "col": 8, "end_line": line, "end_col": 9}
        r.guards(number, [
            {"index": 0, "kind": "TENSOR_MATCH", "origin": "x", "condition": f"x is float32[{size}, 32]",
             "expected": f"float32[{size}, 32]", "why": "argument of an operator", **where},
            {"index": 1, "kind": "EQUALS_MATCH", "origin": "step", "condition": f"step == {version}",
             "expected": str(version), "why": "used as a Python number", **where}])
        r.nodes(number, [
            {"index": 0, "kind": "input", "op": "", "name": "x", "dtype": "float32",
             "shape": f"[{size}, 32]", **where},
            {"index": 1, "kind": "op", "op": "mul", "name": "y", "args": "x, 2.0", "dtype": "float32",
             "shape": f"[{size}, 32]", "kernel": 0, "users": [2], **where},
            {"index": 2, "kind": "op", "op": "relu", "name": "z", "args": "y", "dtype": "float32",
             "shape": f"[{size}, 32]", "kernel": 0, **where}])
        kernel = r.kernel(number, f"mul_relu_{number}", "__kernel void mul_relu() {\n}\n", "basic", 3_000_000, [1, 2])
        r.phase(number, code, "build", self.now, self.tick(3_000_000))
        r.launches([(kernel, self.now, self.now + 500, "basic")])
        return number

    def compile(self, i: int, values: tuple, outcome: str = "compile", failures: list | None = None,
                dynamic: tuple = (), line: int = 60) -> int:
        self.begin(i, line)
        if failures is not None:
            self.miss(i, failures)
        number = self.artifact(i, dynamic)
        self.end(number, outcome, values)
        return number

    def reuse(self, number: int, values: tuple, count: int = 1) -> None:
        append, now = self.recorder.append, self.now
        for _ in range(count):
            append((number, now + 500, now + 3500, values))
            now += 4000
        self.now = now


def size_failure(artifact: int, expected: int, seen: int) -> dict[str, Any]:
    return {"artifact": artifact, "index": 0, "kind": "TENSOR_MATCH", "origin": "x.shape[0]", "expected": str(expected),
            "seen": str(seen), "dim": 0}


def step_failure(artifact: int, expected: int, seen: int) -> dict[str, Any]:
    return {"artifact": artifact, "index": 1, "kind": "EQUALS_MATCH", "origin": "step", "expected": str(expected),
            "seen": str(seen), "dim": None}


def make_session(path: str | os.PathLike[str], calls: int = 60, functions: int = 3) -> Path:
    """A finished session with at least `calls` calls (60 or more) of `functions` functions (1 to 8)."""
    recorder = Recorder()
    recorder.open(path, record_results=True)
    recorder.info("script", SCRIPT)
    recorder.info("argv", [SCRIPT])
    play(recorder, calls, functions)
    recorder.close()
    return Path(path)


def play(recorder: Recorder, calls: int = 60, functions: int = 3) -> int:
    """The scripted run. Returns the number of top-level calls made."""
    e = Engine(recorder, functions)
    made = 0
    # f0: compile at 64, recompile at 128 with dimension 0 dynamic, then reuse at any size; one call raises.
    first = e.compile(0, (tensor(64, 32), 2.0, 0))
    recorder.decision(e.codes[0], "x.shape[0] is dynamic from now on: 64, then 128")
    second = e.compile(0, (tensor(128, 32), 2.0, 0), "recompile", [size_failure(first, 64, 128)], (("x", 0, "s0"),))
    e.begin(0)
    e.end(second, "error", (tensor(7, 32), 2.0, 0), ("RuntimeError", "sizes do not fit"))
    made += 3
    if functions > 1:                  # f1: a counter makes a new version each time, up to the limit, then eager
        numbers = [e.compile(1, (tensor(64, 32), 2.0, 0))]
        for step in range(1, LIMIT):
            failures = [step_failure(a, k, step) for k, a in reversed(list(enumerate(numbers)))]
            numbers.append(e.compile(1, (tensor(64, 32), 2.0, step), "recompile", failures))
        for step in range(LIMIT, LIMIT + 4):
            e.begin(1)
            if step == LIMIT:
                e.miss(1, [step_failure(a, k, step) for k, a in reversed(list(enumerate(numbers)))])
                recorder.limit(e.codes[1], LIMIT, [("step", LIMIT - 1)])
            e.end(-1, "eager_limit", (tensor(64, 32), 2.0, step))
        made += LIMIT + 4
    if functions > 2:                  # f2: never compiled
        for turn in range(3):
            e.begin(2)
            if turn == 0:
                recorder.not_compiled(e.codes[2], "step is formatted into a string", SCRIPT, start_line(2) + 2)
            e.end(-1, "not_compiled", (tensor(8,), 2.0, TypeName("list")))
        made += 3
    for i in range(3, functions):      # the others: a break and a resume function
        resume = recorder.code(f"f{i}", f"f{i}", SCRIPT, start_line(i), start_line(i) + 3, kind="resume",
                               resume_of=e.codes[i], resume_line=start_line(i) + 2, params=["y"])
        values = (tensor(16, 32), 2.0, 0)
        e.begin(i)
        broke = recorder.graph_break(e.codes[i], "GS0001", "print() writes to the terminal",
                                     "move it out of the function",
                                     SCRIPT, start_line(i) + 2, 4, start_line(i) + 2, 15)
        outer = e.artifact(i, broke=broke)
        recorder.append(("begin", e.tick(500), resume, 0))
        inner = e.artifact(i, code=resume)
        e.end(inner, "compile", (tensor(16, 32),))
        e.end(outer, "compile", values)
        e.begin(i, 0)
        e.reuse(inner, (tensor(16, 32),))
        e.end(outer, "reuse", values)
        made += 2
    recorder.result({"sum": 1.0})
    turn = 0
    while made < calls:
        count = min(calls - made, 1000)
        e.reuse(second, (tensor(32 + 32 * (turn % 7), 32), 2.0, 0), count)
        made += count
        turn += 1
    return made
