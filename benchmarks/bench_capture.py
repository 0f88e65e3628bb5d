"""What capture and guards of a GPT of four layers cost, as a ratio to TorchDynamo's time in the same run.

    python benchmarks/bench_capture.py [--torch PYTHON] [--rounds N] [--layers N]

PYTHON is an interpreter that has PyTorch 2.13 (it is no dependency: without the option only our own time is shown). Two
processes are driven in turn, one compile each per round, so that a slow moment of the machine meets both. A figure is the
first call of torch.compile(model, backend="eager") after a reset, less a reused call of the same: what is left is
capture, guards and the making of the entry. Of each side the median counts. Limit: half of TorchDynamo's time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 0.5


def worker(layers: int, ours: bool) -> None:
    """Answer every line on standard input with one compile's figures as a line of JSON."""
    if ours:
        sys.path.insert(0, str(ROOT))
        import main

        main.make_importable()
        from guardscope.core.torch_api import importing

        importing.install()
    import gpt_subject
    import torch

    torch.set_num_threads(1)
    model = gpt_subject.GPT(layers=layers).eval()
    ids = torch.arange(12) % 13
    clock = time.perf_counter
    with torch.no_grad():
        for _ in sys.stdin:
            torch._dynamo.reset()
            fast = torch.compile(model, backend="eager")
            start = clock()
            fast(ids)
            first = clock()
            fast(ids)
            again = clock()
            print(json.dumps({"compile": first - start - (again - first)}), flush=True)


class Side:
    """One process that compiles when asked."""

    def __init__(self, python: str, layers: int, ours: bool) -> None:
        command = [python, __file__, "--worker", "ours" if ours else "theirs", "--layers", str(layers)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        cwd=Path(__file__).parent)
        self.times: list[float] = []

    def round(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args[0]} ended without an answer")      # type: ignore[index]
        self.times.append(json.loads(line)["compile"])

    def close(self) -> None:
        self.process.communicate()


def measure(torch_python: str | None, rounds: int, layers: int) -> dict[str, Any]:
    """Milliseconds of both sides and their ratio; the first round of each warms up and does not count."""
    sides = {"ours": Side(sys.executable, layers, True)}
    if torch_python:
        sides["torchdynamo"] = Side(torch_python, layers, False)
    for _ in range(rounds + 1):
        for side in sides.values():
            side.round()
    found: dict[str, Any] = {}
    for name, side in sides.items():
        side.close()
        found[name] = statistics.median(side.times[1:]) * 1e3
    if "torchdynamo" in found:
        found["ratio"] = found["ours"] / found["torchdynamo"]
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--worker", choices=("ours", "theirs"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.layers, options.worker == "ours")
        sys.exit()
    figures = measure(options.torch, options.rounds, options.layers)
    print(f"capture and guards of a GPT of {options.layers} layers")
    for name in ("ours", "torchdynamo"):
        if name in figures:
            print(f"{name:12} {figures[name]:8.1f} ms")
    if "ratio" in figures:
        print(f"{'ratio':12} {figures['ratio']:8.2f}   (limit {LIMIT})")
        sys.exit(figures["ratio"] > LIMIT)
