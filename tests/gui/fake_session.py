"""A session made in memory with the reader's interface, so that views are tested without running a compiler."""

from __future__ import annotations

from typing import Any

import numpy as np
from guardscope.core.events.schema import (
    OUTCOME_NUMBER,
    Artifact,
    Break,
    Code,
    Decision,
    FailureRow,
    GuardRow,
    Kernel,
    Limit,
    Miss,
    NodeRow,
    NotCompiled,
    Phase,
    Value,
)

SCRIPT = "/home/ada/models/meter.py"
SOURCE = '''\
"""A small model that is called with batches of several sizes, counts its calls and logs now and then."""
import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.linspace(-1.0, 1.0, 1024).reshape(32, 32))
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return (x @ self.w) / self.seen


def scale(x):
    y = torch.relu(x - 0.5)
    return (torch.tanh(y) * 2.0).sum(dim=0)


def report(x):
    y = torch.relu(x - 0.5)
    print("peak", float(y.max()))
    return torch.tanh(y) * 2.0


def with_format(x):
    note = f"total {x.sum()}"
    return x * len(note)


fast_meter, fast_scale = torch.compile(Meter()), torch.compile(scale)
fast_report, fast_format = torch.compile(report), torch.compile(with_format)
for n in range(12):
    x = torch.ones(32 * (1 + n % 4), 32)
    fast_meter(x)
    fast_scale(x)
    fast_report(x)
    fast_format(x)
'''
KERNEL = '''\
// forward, version {v}: relu(x - 0.5)  (meter.py:{line})
__kernel void relu_sub_{v}(__global const float *x, __global float *y, const int s0)
{{
    const int i = get_global_id(0);
    if (i >= s0 * 32) return;
    const float d = x[i] - 0.5f;        // line {line}
    y[i] = d > 0.0f ? d : 0.0f;         // line {line}
}}
'''
PYTHON = '''\
def forward_v{v}(__fn, self, x):
    """Generated: runs graph {v} and puts back what the script changed."""
    (out,) = __graph_{v}(x, self.w)
    self.seen = {seen}
    return out
'''


class FakeSession:
    """Holds what Session holds; `refresh()` says whether `grow()` was called since."""

    def __init__(self) -> None:
        self.path = "/tmp/meter.guardscope"
        self.info: dict[str, Any] = {"script": SCRIPT, "argv": [SCRIPT], "dynamic": "auto", "device": "basic"}
        self.state = "finished"
        self.live: dict[str, Any] = {}
        self.codes: list = []
        self.artifacts: list = []
        self.breaks: list = []
        self.kernels: list = []
        self.phases: list = []
        self.events: list = []
        self.problems: list = []
        self.decisions: list = []
        self.misses: list = []
        self.limits: list = []
        self.not_compiled: list = []
        self.errors: list = []
        self.results: list = []
        self.sources = {SCRIPT: SOURCE}
        self._guards: dict[int, list] = {}
        self._nodes: dict[int, list] = {}
        self._signatures: list = []
        self._output: list = []
        self._runs: list[tuple] = []
        self._calls: list[tuple] = []
        self._launches: list[tuple] = []
        self.runs: dict[str, np.ndarray] = {}
        self.calls: dict[str, np.ndarray] = {}
        self.launches: dict[str, np.ndarray] = {}
        self._changed = False
        self.freeze()

    def refresh(self) -> bool:
        changed, self._changed = self._changed, False
        return changed

    def close(self) -> None:
        pass

    def guards(self, artifact: int) -> list:
        return self._guards.get(artifact, [])

    def nodes(self, artifact: int) -> list:
        return self._nodes.get(artifact, [])

    def failures(self, call: int) -> list:
        return [f for m in self.misses if m.call == call for f in m.failures]

    def signature(self, number: int) -> list:
        return self._signatures[number] if number >= 0 else []

    def values(self, number: int) -> list:
        found = []
        for name, text in self._signatures[number]:
            head, _, sizes = text.partition("[")
            if sizes:
                shape = tuple(int(n) for n in sizes.rstrip("]").split(",") if n.strip())
                found.append((name, Value("tensor", "Tensor", dtype=head, shape=shape)))
            elif text.lstrip("-").isdigit():
                found.append((name, Value("value", "int", int(text))))
            else:
                found.append((name, Value("type", text)))
        return found

    def output(self, since: int = 0) -> list:
        return self._output[since:]

    def freeze(self) -> None:
        """Make columns of the rows gathered so far."""
        def columns(rows: list, names: list[tuple[str, str]]) -> dict[str, np.ndarray]:
            turned = list(zip(*rows)) if rows else [[] for _ in names]
            return {n: np.asarray(c, dtype) for (n, dtype), c in zip(names, turned)}

        self.runs = columns(self._runs, [("call", "i4"), ("code", "i4"), ("artifact", "i4"), ("outcome", "u1"),
                                         ("start", "i8"), ("end", "i8"), ("depth", "u2"), ("signature", "i4"),
                                         ("line", "i4")])
        self.calls = columns(self._calls, [("code", "i4"), ("line", "i4"), ("outcome", "u1"), ("start", "i8"),
                                           ("end", "i8"), ("first_run", "i8"), ("n_runs", "i4"), ("new_graphs", "i4"),
                                           ("graphs_run", "i4"), ("new_breaks", "i4")])
        self.launches = columns(self._launches, [("kernel", "i4"), ("start", "i8"), ("end", "i8")])
        self._changed = True


class _Story:
    """Plays the script above: builds rows the way the recorder's drain does."""

    def __init__(self, session: FakeSession) -> None:
        self.s = session
        self.now = 1_000_000
        self.n_calls = 0

    def code(self, name: str, first: int, last: int, **more: Any) -> int:
        self.s.codes.append(Code(len(self.s.codes), name, name, SCRIPT, first, last, params=("x",), **more))
        return len(self.s.codes) - 1

    def signature(self, rows: int, **others: Any) -> int:
        self.s._signatures.append([("x", f"float32[{rows}, 32]"), *((k, repr(v)) for k, v in others.items())])
        return len(self.s._signatures) - 1

    def artifact(self, code: int, line: int, sym: bool, guard_rows: list[tuple], miss: int = -1, dead: bool = False,
                 ends_in_break: int | None = None, build: int = 18_000_000) -> int:
        s = self.s
        number, call = len(s.artifacts), self.n_calls
        version = sum(a.code == code for a in s.artifacts)
        rows = "s0" if sym else "32"
        s.artifacts.append(Artifact(
            number, code, version, call, miss, not dead, ends_in_break, self.now,
            f"graph {number}(x: float32[{rows}, 32])", PYTHON.format(v=version, seen=version + 1),
            "def check(__fn, x):\n    if x._meta is not M0: return 0\n    return None\n",
            (("x", 0, "s0"),) if sym else (), (f"x: float32[{rows}, 32]",), ()))
        s._guards[number] = [GuardRow(i, *row[:4], SCRIPT, row[4], 8, row[4], 20, row[5])
                             for i, row in enumerate(guard_rows)]
        kernel = len(s.kernels)
        shape = f"[{rows}, 32]"
        s._nodes[number] = [
            NodeRow(0, "input", "", "x", "", "float32", shape, SCRIPT, line, 8, line, 9, users=(1,)),
            NodeRow(1, "op", "sub", "sub", "x, 0.5", "float32", shape, SCRIPT, line, 19, line, 26, "", kernel, (2,)),
            NodeRow(2, "op", "relu", "y", "sub", "float32", shape, SCRIPT, line, 8, line, 27, "", kernel, (3,)),
            NodeRow(3, "op", "tanh", "tanh", "y", "float32", shape, SCRIPT, line + 1, 12, line + 1, 25, "", kernel,
                    (4,)),
            NodeRow(4, "op", "mul", "mul", "tanh, 2.0", "float32", shape, SCRIPT, line + 1, 12, line + 1, 31, "",
                    kernel, (5,)),
            NodeRow(5, "op", "sum", "sum", "mul, dim=0", "float32", "[32]", SCRIPT, line + 1, 11, line + 1, 42, "",
                    kernel + 1, (6,)),
            NodeRow(6, "output", "", "out", "sum", "float32", "[32]"),
        ]
        s.kernels.append(Kernel(kernel, number, f"relu_sub_{version}", KERNEL.format(v=version, line=line), "pthread",
                                build, (1, 2, 3, 4), self.now))
        s.kernels.append(Kernel(kernel + 1, number, f"sum_{version}", KERNEL.format(v=version, line=line + 1),
                                "basic", build // 2, (5,), self.now))
        for name, ns in (("capture", 6_000_000), ("guards", 1_500_000), ("lowering", 4_000_000), ("build", build),
                         ("first launch", 900_000)):
            s.phases.append(Phase(len(s.phases), number, code, name, self.now, self.now + ns, call))
            self.now += ns
        return number

    def run(self, code: int, artifact: int, outcome: str, line: int, signature: int, ns: int = 60_000, depth: int = 0,
            start: int | None = None) -> None:
        start = self.now if start is None else start
        self.now = max(self.now, start) + ns
        if artifact >= 0 and outcome in ("reuse", "compile", "recompile"):
            for k in self.s.kernels:
                if k.artifact == artifact:
                    self.s._launches.append((k.id, self.now - ns // 2, self.now - ns // 4))
        self.s._runs.append((self.n_calls, code, artifact, OUTCOME_NUMBER[outcome], start, self.now, depth, signature,
                             line))

    def end_call(self, code: int, line: int, outcome: str, start: int, first_run: int, new: int = 0, ran: int = 1,
                 breaks: int = 0) -> None:
        self.s._calls.append((code, line, OUTCOME_NUMBER[outcome], start, self.now, first_run,
                              len(self.s._runs) - first_run, new, ran, breaks))
        self.n_calls += 1
        self.now += 400_000


def synthetic(rounds: int = 12) -> FakeSession:
    """The script above, played: a counter that reaches the limit, a size that becomes dynamic, a break, a function
    that is never compiled."""
    s = FakeSession()
    p = _Story(s)
    forward = p.code("Meter.forward", 11, 13, owner="Meter")
    scale = p.code("scale", 16, 18)
    report = p.code("report", 21, 24)
    resume = p.code("report", 21, 24, kind="resume", resume_of=report, resume_line=23)
    fmt = p.code("with_format", 27, 29)
    s.breaks.append(Break(0, report, "GS0007", "print() of a tensor's value needs the value itself",
                          "Print outside the compiled function, or after it returned.", SCRIPT, 23, 4, 23, 33,
                          "resume", 2, p.now))
    s.not_compiled.append(NotCompiled(0, fmt, "a tensor's value is formatted into a string, so every later line depends "
                                      "on data", SCRIPT, 28, 3, p.now))
    known: dict[int, list[int]] = {forward: [], scale: [], report: [], resume: []}
    for n in range(rounds):
        rows = 32 * (1 + n % 4)
        # forward: self.seen differs in every call
        start, first, sig = p.now, len(s._runs), p.signature(rows, **{"self.seen": n})
        if len(known[forward]) < 8:
            miss = -1
            if known[forward]:
                failures = []
                for a in reversed(known[forward]):
                    version = s.artifacts[a].version
                    failures.append(FailureRow(a, 1, "EQUALS_MATCH", "self.seen", str(version), str(n)))
                    if version % 4 != n % 4:
                        failures.append(FailureRow(a, 0, "TENSOR_MATCH", "x.shape[0]", str(32 * (1 + version % 4)),
                                                   str(rows), 0))
                s.misses.append(Miss(len(s.misses), forward, p.n_calls, p.now, tuple(failures)))
                miss = len(s.misses) - 1
            a = p.artifact(forward, 12, n > 1, [
                ("TENSOR_MATCH", "x", "x is a float32 tensor on cpu", f"float32[{'s0' if n > 1 else rows}, 32]", 13,
                 "used in x @ self.w"),
                ("EQUALS_MATCH", "self.seen", f"self.seen == {n}", str(n), 12, "read for self.seen += 1"),
                ("TENSOR_MATCH", "self.w", "self.w is a float32 tensor", "float32[32, 32]", 13, "used in x @ self.w"),
                ("GLOBAL_STATE", "grad mode", "grad mode is on", "on", 11, "the mode of the call"),
            ], miss)
            known[forward].append(a)
            outcome = "recompile" if n else "compile"
            p.run(forward, a, outcome, 36, sig, start=start)
            p.end_call(forward, 36, outcome, start, first, 1)
            if n == 1:
                s.decisions.append(Decision(len(s.decisions), forward,
                                            "x.shape[0] is dynamic from now on: 32, then 64", p.n_calls - 1, p.now))
            if len(known[forward]) == 8:
                s.limits.append(Limit(0, forward, 8, (("self.seen", 7), ("x.shape[0]", 1)), p.n_calls, p.now))
        else:
            p.run(forward, -1, "eager_limit", 36, sig, 220_000)
            p.end_call(forward, 36, "eager_limit", start, first, 0, 0)
        # scale: static, dynamic, then reuse
        start, first, sig = p.now, len(s._runs), p.signature(rows)
        if n < 2:
            miss = -1
            if n:
                s.misses.append(Miss(len(s.misses), scale, p.n_calls, p.now, (
                    FailureRow(known[scale][0], 0, "TENSOR_MATCH", "x.shape[0]", "32", "64", 0),)))
                miss = len(s.misses) - 1
                s.decisions.append(Decision(len(s.decisions), scale,
                                            "x.shape[0] is dynamic from now on: 32, then 64", p.n_calls, p.now))
            known[scale].append(p.artifact(scale, 17, bool(n), [
                ("TENSOR_MATCH", "x", "x is a float32 tensor on cpu", f"float32[{'s0' if n else 32}, 32]", 17,
                 "used in x - 0.5"),
                ("SHAPE_ENV", "x.shape[0]", "2 <= s0", "at least 2", 17, "0 and 1 are special")], miss))
            p.run(scale, known[scale][-1], "recompile" if n else "compile", 37, sig, start=start)
            p.end_call(scale, 37, "recompile" if n else "compile", start, first, 1)
        else:
            p.run(scale, known[scale][-1], "reuse", 37, sig)
            p.end_call(scale, 37, "reuse", start, first)
        # report: a break, then its resume function
        start, first, sig = p.now, len(s._runs), p.signature(rows)
        at = len(s._runs)
        s._runs.append(())
        inner = "compile" if n == 0 else "recompile" if n == 1 else "reuse"
        for code, line, b in ((report, 22, 0), (resume, 23, None)):
            if n < 2:
                known[code].append(p.artifact(code, line, bool(n), [
                    ("TENSOR_MATCH", "x", "x is a float32 tensor on cpu", f"float32[{'s0' if n else 32}, 32]", 22,
                     "used in x - 0.5")], -1, ends_in_break=b, build=9_000_000))
        t = p.now
        p.run(resume, known[resume][-1], inner, 0, sig, 40_000, 1, start=t)
        p.now += 30_000
        s._runs[at] = (p.n_calls, report, known[report][-1], OUTCOME_NUMBER[inner], start, p.now, 0, sig, 38)
        p.end_call(report, 38, inner, start, first, 2 if n < 2 else 0, 2, 1 if n == 0 else 0)
        # with_format: never compiled
        start, first, sig = p.now, len(s._runs), p.signature(rows)
        p.run(fmt, -1, "not_compiled", 39, sig, 150_000)
        p.end_call(fmt, 39, "not_compiled", start, first, 0, 0)
        s._output.append((p.now, "stdout", f"round {n + 1}: \x1b[32mok\x1b[0m sum={rows * 1.5:.3f}\n"))
    s._output.append((p.now, "stderr", "warning: Meter.forward reached the recompile limit (8); it runs as plain Python\n"))
    s.freeze()
    return s


def many_calls(count: int, functions: int = 4, seed: int = 1) -> FakeSession:
    """`count` calls of a few functions; one in about a thousand recompiles. Made with NumPy, for the timeline."""
    s = synthetic(1)
    rng = np.random.default_rng(seed)
    outcome = np.full(count, OUTCOME_NUMBER["reuse"], "u1")
    outcome[rng.random(count) < 0.001] = OUTCOME_NUMBER["recompile"]
    outcome[:functions] = OUTCOME_NUMBER["compile"]
    length = np.where(outcome == OUTCOME_NUMBER["reuse"], 20_000, 30_000_000).astype("i8")
    end = np.cumsum(length + 5_000)
    code = (np.arange(count) % functions).astype("i4")
    number = np.arange(count, dtype="i4")
    zero = np.zeros(count, "i4")
    s.runs = {"call": number, "code": code, "artifact": zero, "outcome": outcome, "start": end - length, "end": end,
              "depth": zero.astype("u2"), "signature": zero, "line": zero + 36}
    s.calls = {"code": code, "line": zero + 36, "outcome": outcome, "start": end - length, "end": end,
               "first_run": number.astype("i8"), "n_runs": zero + 1, "new_graphs": zero, "graphs_run": zero + 1,
               "new_breaks": zero}
    s.launches = {"kernel": zero[: count], "start": end - length // 2, "end": end - length // 4}
    return s
