"""The whole window on a session of a million calls, 200 functions and 3000 versions: opening, every view, filters, sorting,
frames of the timeline, memory.

Goals: first paint 0.3 s after opening, a view or a statistic 1 s, filter 30 ms, sort 250 ms, a frame 4 ms (95 of 100), 500 MB.
The first paint is that of the timeline with its lanes and of the counts. Opening is measured in a window whose start page has
been read ("open"), and in a process that opens it first of all, as the command line does ("open at once": the imports count,
NumPy's alone are shown beside it; byte code is cached, as for any second start). Processor time stands beside the time on the
clock: it says more on a machine that does other things too.
Run: python benchmarks/bench_window.py [calls]
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
importlib.import_module("main")              # binds the package `guardscope`

FUNCTIONS, VERSIONS = 200, 15


def make(path: Path, calls: int) -> None:
    """The session: every function is compiled for 15 sizes, then the sizes come by turns."""
    from guardscope.core.events.recorder import Recorder
    from guardscope.core.tensor.devices import CPU
    from guardscope.core.tensor.dtypes import float32
    from guardscope.core.tensor.meta import TensorMeta, contiguous_strides
    from guardscope.core.tensor.tensor import Tensor

    def values(size: int) -> tuple[TensorMeta, int]:
        return TensorMeta.of(Tensor, float32, CPU, (size, 32), contiguous_strides((size, 32)), False), size % 3

    recorder = Recorder()
    recorder.open(path)
    recorder.info("script", "/somewhere/model.py")
    recorder.info("recompile_limit", VERSIONS + 1)
    recorder.source("/somewhere/model.py", "".join(f"def f{i}(x, k):\n    return x * k\n\n" for i in range(FUNCTIONS)))
    now = time.perf_counter_ns()
    codes = [recorder.code(f"f{i}", f"f{i}", "/somewhere/model.py", 3 * i + 1, 3 * i + 2, params=["x", "k"])
             for i in range(FUNCTIONS)]
    made: list[list[int]] = [[] for _ in codes]
    for version in range(VERSIONS):
        for i, code in enumerate(codes):
            recorder.append(("begin", now, code, 5))
            if made[i]:
                recorder.failures(code, [
                    {"artifact": a, "index": 0, "kind": "TENSOR_MATCH", "origin": "x", "expected": str(8 + n),
                     "seen": str(8 + version), "dim": 0, "where": "x.shape[0]", "aspect": "size"}
                    for n, a in reversed(list(enumerate(made[i])))])
            recorder.phase(None, code, "capture", now, now + 3_000_000)
            recorder.phase(None, code, "build", now + 3_000_000, now + 9_000_000)
            number = recorder.artifact(code, version, graph_text="graph\n" * 20, python_text="pass\n" * 20,
                                       guard_source="def check(__fn, x, k): ...\n" * 10,
                                       reads=[{"origin": "x", "protected": "input"}, {"origin": "k", "protected": "checked"}])
            recorder.guards(number, [
                {"index": g, "kind": "TENSOR_MATCH" if not g else "EQUALS_MATCH", "origin": "x" if not g else f"k.a{g}",
                 "condition": f"x: float32[{8 + version}, 32]" if not g else f"k.a{g} == {g}", "expected": "",
                 "way": "test", "ns": 20, "file": "/somewhere/model.py", "line": 3 * i + 2} for g in range(20)])
            recorder.nodes(number, [{"index": n, "kind": "op", "op": "mul", "name": f"y{n}", "users": [n + 1], "kernel": 0,
                                     "file": "/somewhere/model.py", "line": 3 * i + 2} for n in range(12)])
            recorder.kernel(number, f"mul_{number}", "__kernel void mul() {}\n", "basic", 6_000_000, list(range(12)))
            made[i].append(number)
            now += 10_000_000
            recorder.append(("end", now, number, "recompile" if version else "compile", values(8 + version), None))
    for n in range(calls - FUNCTIONS * VERSIONS):
        i, version = n % FUNCTIONS, (n // FUNCTIONS) % VERSIONS
        recorder.append((made[i][version], now, now + 3000, values(8 + version)))
        now += 4000
    recorder.close(600)


def resident() -> float:
    """MB of memory this process holds now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def first_paint(window: Any, path: Path) -> None:
    """Open a session and say when its timeline had been painted, and when everything was shown."""
    from guardscope.gui.first_paint import AfterFirstPaint
    from PySide6.QtCore import QCoreApplication

    painted: list[tuple[float, float]] = []

    def seen() -> None:
        painted.append((time.perf_counter(), time.process_time()))
        assert window.timeline.canvas.lanes and "calls" in window.views["summary"].totals.text()

    begin = time.perf_counter(), time.process_time()
    assert window.open_path(path)
    AfterFirstPaint(window.timeline.canvas.viewport(), seen)         # comes before the window's own, which goes on
    while not painted or not window.settled or window.control.watching:
        QCoreApplication.processEvents()
    end = time.perf_counter(), time.process_time()
    for name, then in (("first paint", painted[0]), ("everything shown", end)):
        print(f"  {name:<34} {(then[0] - begin[0]) * 1e3:8.1f} ms   {(then[1] - begin[1]) * 1e3:8.1f} ms of the processor",
              flush=True)


def make_window(folder: str, opening: Path | None = None) -> Any:
    from guardscope.gui.app import make_app
    from guardscope.gui.main_window import MainWindow
    from PySide6.QtCore import QSettings

    app = make_app("light")
    window = MainWindow(QSettings(f"{folder}/s.ini", QSettings.Format.IniFormat), str(opening) if opening else None)
    window.say_in_dialogs = False
    window.resize(1280, 800)
    window.show()
    app.processEvents()
    return window


def in_child(*arguments: object) -> None:
    """Run a part of this file in a process of its own, with byte code cached beside the session."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, __file__, *map(str, arguments)], check=True, stderr=subprocess.DEVNULL,
                   env={**env, "PYTHONPYCACHEPREFIX": str(Path(str(arguments[1])).parent / "cache")})


def open_at_once(path: Path) -> None:
    """What the command line does with a session, measured; then the time NumPy takes in a process of its own."""
    first_paint(make_window(str(path.parent), path), path)
    code = "import time; t = time.process_time(); import numpy; print(time.process_time() - t)"
    alone = float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    print(f"  {'importing NumPy alone':<34} {'':>11}   {alone * 1e3:8.1f} ms of the processor", flush=True)


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.guardscope"
        in_child("make", path, calls)
        print(f"{calls} calls, {FUNCTIONS * VERSIONS} versions: {path.stat().st_size / 1e6:.0f} MB on disk", flush=True)
        for turn in ("to fill the cache", "again"):
            print(f" open at once, {turn}", flush=True)
            in_child("open", path)
        measure(path, calls, folder)


def measure(path: Path, calls: int, folder: str) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    window, app = make_window(folder), QApplication.instance()
    while window.docks is None:              # the start page is being read
        app.processEvents()
    before = resident()

    def timed(name: str, action: Callable[[], Any]) -> None:
        begin = time.perf_counter()
        action()
        window.grab()
        shown = time.perf_counter() - begin
        while not window.jobs.idle:
            app.processEvents()
        print(f"  {name:<34} {shown * 1e3:8.1f} ms" + (f"   with its job {(time.perf_counter() - begin) * 1e3:.1f} ms"
                                                       if time.perf_counter() - begin > shown + 0.005 else ""))

    print(" open")
    first_paint(window, path)
    for name in list(window.views):
        if name not in ("summary", "timeline", "replay"):
            timed(f"view {name}", lambda name=name: (window.show_view(name), app.processEvents()))
    window.show_view("causes")
    timed("filter: recompiled", lambda: window.model.set_filter({"recompile"}))
    timed("filter: all", lambda: window.model.set_filter(()))
    timed("select a call in the middle", lambda: window.model.select(call=calls // 2))
    timed("select another version", lambda: window.model.select(artifact=1234))
    window.show_view("guards")
    timed("guards of a version", lambda: window.model.select(artifact=777))
    timed("sort guards by cost", lambda: window.views["guards"].table.sortByColumn(7, Qt.SortOrder.DescendingOrder))
    timed("next call that was not reused", lambda: window.commands.run("go.next_miss"))
    timed("replay on", lambda: window.commands.run("replay.toggle"))
    timed("replay: another call", lambda: window.model.select(call=calls // 3))
    timed("replay off", lambda: window.commands.run("replay.toggle"))
    canvas, frames = window.timeline.canvas, []
    for axis in ("call", "time"):
        canvas.set_axis(axis)
        for share in (1.0, 0.1, 0.001):
            canvas.fit()
            canvas.zoom(1 / share)
            for step in range(60):
                canvas.pan(7 if step % 2 else -7)
                begin = time.thread_time()
                canvas.viewport().grab()
                frames.append((time.thread_time() - begin) * 1e3)
    print(f"  frames of the timeline: median {sorted(frames)[len(frames) // 2]:.2f} ms, "
          f"95% below {sorted(frames)[int(len(frames) * 0.95)]:.2f} ms")
    print(f"  memory: {resident():.0f} MB, {resident() - before:.0f} MB more than the empty window")
    window.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["open"]:
        open_at_once(Path(sys.argv[2]))
    else:
        main()
