"""The performance table: every row with its goal, what was reached, and why where it falls short.

    python benchmarks/bench_table.py --torch /path/to/python/with/torch [--rows softmax gpt:] [--kinds throughput overhead ...]

Engines run in processes of their own and take samples in turn (A B C A B C ...), so that drift of the machine hits every
column alike. Figures are ratios of minima to torch.compile's time: below 1 is faster. All run with one thread on one CPU.
PyTorch comes from the interpreter given by --torch and is needed by nothing else; further columns (--peer jax=PYTHON, or
just --peer numba when this interpreter has it) are optional. Without --torch the base is NumPy.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from table_cases import AGAIN_GOAL, CASES, DYNAMIC, DYNAMIC_GOAL, WARM_GOAL, WHY, Case

HERE = Path(__file__).resolve().parent
KINDS = ("overhead", "throughput", "dynamic", "first", "again")
WRONG = 2e-3                  # relative error from which a result is printed as wrong


class Worker:
    """One engine's process."""

    def __init__(self, engine: str, python: str, cpu: int, record: bool = False, environment: dict | None = None) -> None:
        self.engine = engine
        command = [python, "-W", "ignore", str(HERE / "table_worker.py"), engine, str(cpu), *(["record"] if record else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env={**os.environ, **(environment or {})})
        self.alive = "ready" in self._read()

    def ask(self, **command: Any) -> dict[str, Any]:
        if not self.alive:
            return {"ok": False, "why": "the process ended"}
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
        except OSError:
            self.alive = False
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.alive = False
            return {"ok": False, "why": "the process ended"}
        return json.loads(line)

    def end(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()


class Table:
    """Runs rows and prints them as they come."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="bench"))
        self.rows: list[dict[str, Any]] = []
        self.base = "torch" if options.torch else "numpy"
        self.pythons = {"ours": sys.executable, "ours-dynamic": sys.executable, "numpy": sys.executable}
        if options.torch:
            self.pythons["torch"] = options.torch
            if options.eager:
                self.pythons["eager"] = options.torch
        for peer in options.peer:
            name, _, python = peer.partition("=")
            if python or importlib.util.find_spec(name) is not None:
                self.pythons[name] = python or sys.executable
        self.environment = {"TORCHINDUCTOR_CACHE_DIR": str(self.folder / "inductor"),
                            "GUARDSCOPE_CACHE_DIR": str(self.folder / "ours"), "POCL_CACHE_DIR": str(self.folder / "pocl")}

    def worker(self, engine: str, record: bool = False, **environment: str) -> Worker:
        return Worker(engine, self.pythons[engine], self.options.cpu, record, {**self.environment, **environment})

    # -- steady state ------------------------------------------------------------------------------------------------
    def steady(self, cases: list[Case], kind: str) -> None:
        """Rows of calls that hit the cache."""
        if not cases:
            return
        if kind == "dynamic":
            engines = ["ours", "ours-dynamic"]
        else:
            engines = ["ours", self.base, *[e for e in self.pythons if e not in ("ours", "ours-dynamic", self.base)]]
        workers = {e: self.worker(e, record=kind == "overhead") for e in engines}
        print(f"\n## {kind}\n{'case':20s} {'ours us':>11s} "
              f"{'static' if kind == 'dynamic' else self.base + ' us':>11s} {'ratio':>6s} {'median':>6s} {'goal':>5s}      "
              + " ".join(f"{e:>8s}" for e in engines[2:]))
        for case in cases:
            self._steady_row(case, kind, workers)
        for w in workers.values():
            w.end()

    def _steady_row(self, case: Case, kind: str, workers: dict[str, Worker]) -> None:
        results, problems = {}, {}
        for e, w in list(workers.items()):
            file = self.folder / f"{e}.npy"
            answer = w.ask(do="prepare", case=case.name, out=str(file))
            if answer["ok"]:
                results[e] = np.load(file)
            else:
                problems[e] = answer["why"]
                if not w.alive:
                    workers[e] = self.worker(e, record=kind == "overhead")
        samples: dict[str, list[float]] = {e: [] for e in results}
        rounds = self.options.rounds
        for _ in range(rounds):
            for e in results:
                samples[e] += workers[e].ask(do="sample", seconds=self.options.seconds / rounds,
                                            clock=self.options.clock).get("times", [])
        first, second = list(workers)[:2]
        if kind == "dynamic":
            first, second = second, first
        goal = DYNAMIC_GOAL if kind == "dynamic" else case.goal
        wrong = [e for e in results if e != second and second in results and self._differs(results[e], results[second])]
        if first not in results or not samples[first]:
            self._print(case.name, kind, None, None, None, goal, f"FAILED: {problems.get(first)}", {})
            return
        ours = min(samples[first])
        base = min(samples[second]) if samples.get(second) else None
        median = statistics.median(samples[first]) / statistics.median(samples[second]) if base else None
        others = {e: min(samples[e]) / base for e in list(workers)[2:] if samples.get(e) and base}
        note = f"WRONG: {', '.join(wrong)}" if wrong else ""
        self._print(case.name, kind, ours, base, median, goal, note, {e: others.get(e) for e in list(workers)[2:]})

    @staticmethod
    def _differs(a: np.ndarray, b: np.ndarray) -> bool:
        scale = max(float(np.abs(b).max(initial=0)), 1e-6)
        return a.shape != b.shape or not bool((np.abs(a.astype(np.float64) - b) <= WRONG * scale).all())

    # -- first calls -------------------------------------------------------------------------------------------------
    def first(self, cases: list[Case]) -> None:
        """First calls of fresh processes: caches empty, then warm."""
        print(f"\n## first call, fresh process\n{'case':20s} {'ours s':>11s} {self.base + ' s':>11s} {'ratio':>6s} {'cpu':>6s} "
              f"{'goal':>5s}")
        installed = {"PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
        for case in cases[-1:]:                          # an installed package has its bytecode, as the other engine has
            w = self.worker("ours", **installed)
            w.ask(do="first", case=case.name)
            w.end()
        for case in cases:
            for state in ("empty", "warm"):
                seconds: dict[str, list[float]] = {}
                cpu: dict[str, list[float]] = {}
                for _ in range(self.options.first_rounds):
                    for engine in ["ours", "torch"] if self.options.torch else ["ours"]:
                        caches = self.folder / f"first-{engine}"
                        if state == "empty":
                            shutil.rmtree(caches, ignore_errors=True)
                        w = self.worker(engine, **(installed if engine == "ours" else {}),
                                        **{k: str(caches / Path(v).name) for k, v in self.environment.items()})
                        answer = w.ask(do="first", case=case.name)
                        w.end()
                        if answer["ok"]:
                            seconds.setdefault(engine, []).append(answer["seconds"])
                            cpu.setdefault(engine, []).append(answer["cpu"])
                self._pair(f"{case.name} {state}", "first", seconds, cpu, case.goal if state == "empty" else WARM_GOAL)

    def again(self, cases: list[Case]) -> None:
        """A second shape after the first, in one process."""
        print(f"\n## second shape\n{'case':20s} {'ours s':>11s} {self.base + ' s':>11s} {'ratio':>6s} {'':>6s} {'goal':>5s}")
        engines = ["ours", "torch"] if self.options.torch else ["ours"]
        workers = {e: self.worker(e) for e in engines}
        for case in cases:
            seconds: dict[str, list[float]] = {}
            for e in engines:
                answer = workers[e].ask(do="again", case=case.name)
                if answer["ok"]:
                    seconds[e] = [answer["seconds"]]
            self._pair(case.name, "again", seconds, {}, AGAIN_GOAL)
        for w in workers.values():
            w.end()

    def _pair(self, name: str, kind: str, seconds: dict, cpu: dict, goal: float) -> None:
        if "ours" not in seconds:
            self._print(name, kind, None, None, None, goal, "FAILED", {})
            return
        base = statistics.median(seconds["torch"]) if "torch" in seconds else None
        spent = statistics.median(cpu["ours"]) / statistics.median(cpu["torch"]) if "torch" in cpu else None
        self._print(name, kind, statistics.median(seconds["ours"]), base, spent, goal, "", {})

    # -- the table ---------------------------------------------------------------------------------------------------
    def _print(self, name: str, kind: str, ours: float | None, base: float | None, second: float | None, goal: float,
               note: str, others: dict[str, float | None]) -> None:
        ratio = ours / base if ours is not None and base else None
        reached = None if ratio is None else ratio <= goal
        unit = 1 if kind in ("first", "again") else 1e6
        if reached is False and not note:
            note = next((text for start, text in WHY.items() if name.startswith(start)), "")

        def cell(value: float | None, width: int, digits: int = 2) -> str:
            return f"{value:{width}.{digits}f}" if value is not None else f"{'-':>{width}s}"

        mark = "" if reached is None else "yes " if reached else "NO  "
        peers = "".join(" " + cell(v, 8) for v in others.values())
        print(f"{name:20s} {cell(ours and ours * unit, 11)} {cell(base and base * unit, 11)} {cell(ratio, 6)} "
              f"{cell(second, 6)} {goal:5.2f} {mark:4s}{peers}" + (f"  {note}" if note else ""), flush=True)
        self.rows.append({"case": name, "kind": kind, "ours": ours, "base": base, "ratio": ratio, "second": second,
                          "goal": goal, "reached": reached, "note": note, "peers": others})

    def summary(self) -> None:
        for kind in KINDS:
            ratios = [r["ratio"] for r in self.rows if r["kind"] == kind and r["ratio"]]
            if not ratios:
                continue
            reached = sum(1 for r in self.rows if r["kind"] == kind and r["reached"])
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{kind}: {reached} of {len(ratios)} rows reach their goal; geometric mean {mean:.3f}, "
                  f"worst {max(ratios):.2f}")
        if self.options.json:
            Path(self.options.json).write_text(json.dumps(self.rows, indent=1))
        if self.options.markdown:
            Path(self.options.markdown).write_text(self.markdown())

    def markdown(self) -> str:
        """The rows as tables, one for each kind."""
        parts = []
        for kind in dict.fromkeys(r["kind"] for r in self.rows):
            unit, scale = ("s", 1) if kind in ("first", "again") else ("us", 1e6)
            base = "static" if kind == "dynamic" else self.base
            parts += [f"## {kind}", "", f"| row | ours, {unit} | {base}, {unit} | ratio | goal | | why it falls short |",
                      "|---|---:|---:|---:|---:|---|---|"]
            for r in self.rows:
                if r["kind"] == kind:
                    times = [f"{v * scale:.4g}" if v is not None else "" for v in (r["ours"], r["base"])]
                    ratio = f"{r['ratio']:.2f}" if r["ratio"] is not None else ""
                    mark = {True: "reached", False: "short", None: ""}[r["reached"]]
                    parts.append(f"| {r['case']} | {' | '.join(times)} | {ratio} | {r['goal']:.2f} | {mark} | "
                                 f"{'' if r['reached'] else r['note']} |")
            parts.append("")
        return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", help="an interpreter with PyTorch to compare with")
    parser.add_argument("--peer", nargs="*", default=["jax", "numba", "numexpr", "tinygrad"],
                        help="further columns: NAME where this interpreter has it, or NAME=PYTHON")
    parser.add_argument("--eager", action="store_true", help="a column for PyTorch without torch.compile")
    parser.add_argument("--rows", nargs="*", default=[], help="only rows whose name starts so")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seconds", type=float, default=0.6, help="per engine and row")
    parser.add_argument("--rounds", type=int, default=8, help="turns in which these seconds are taken")
    parser.add_argument("--first-rounds", type=int, default=1, help="fresh processes per first-call row")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the CPU to stay on; -1: all")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                        help="cpu: CPU time of the process, for a machine that is busy with other things")
    parser.add_argument("--json", help="also write the rows to this file")
    parser.add_argument("--markdown", help="also write the rows to this file, as the tables of docs/performance.md")
    options = parser.parse_args()
    chosen = [c for c in CASES.values() if not options.rows or c.name.startswith(tuple(options.rows))]
    table = Table(options)
    start = time.perf_counter()
    try:
        for kind in options.kinds:
            if kind in ("overhead", "throughput"):
                table.steady([c for c in chosen if c.kind == kind], kind)
            elif kind == "dynamic":
                table.steady([c for c in chosen if c.name.startswith(DYNAMIC) and c.kind == "throughput"
                              and not c.name.endswith("256M")], kind)
            else:
                {"first": table.first, "again": table.again}[kind]([c for c in chosen if c.kind == "first"])
        print(f"\nafter {time.perf_counter() - start:.0f} s")
        table.summary()
    finally:
        shutil.rmtree(table.folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
