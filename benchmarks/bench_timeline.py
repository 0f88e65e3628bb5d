"""Processor milliseconds per frame of the timeline over many calls, at several zooms, and the time to build its lanes.

Goal: 95 of 100 frames within 4 ms at a million calls, on a machine that does nothing else.
Run: python benchmarks/bench_timeline.py [calls]
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


importlib.import_module("main")              # binds the package `guardscope`


def load_fake() -> object:
    spec = importlib.util.spec_from_file_location("fake_session", ROOT / "tests" / "gui" / "fake_session.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_session"] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    from guardscope.gui.app import make_app
    from guardscope.gui.facts import Facts
    from guardscope.gui.widgets.timeline_canvas import TimelineCanvas


    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    app = make_app("light")
    session = load_fake().many_calls(count)  # type: ignore[attr-defined]
    canvas = TimelineCanvas()
    canvas.resize(1280, 400)
    canvas.show()
    begin = time.perf_counter()
    canvas.set_facts(Facts(session), keep_view=False)
    app.processEvents()
    print(f"{count} calls: lanes built and first painted in {time.perf_counter() - begin:.3f} s")
    for axis in ("call", "time"):
        canvas.set_axis(axis)
        for share in (1.0, 0.1, 0.01, 0.0001):
            canvas.fit()
            canvas.zoom(1 / share, canvas.scale.width * 0.37)
            times = []
            for step in range(60):
                canvas.pan(7 if step % 2 else -7)
                begin = time.thread_time()
                canvas.viewport().grab()
                times.append((time.thread_time() - begin) * 1e3)
            print(f"  by {axis:<4}  {share:>7.2%} in view: min {min(times):.2f} ms  median {statistics.median(times):.2f} ms  "
                  f"95% below {sorted(times)[int(len(times) * 0.95)]:.2f} ms")


if __name__ == "__main__":
    main()
