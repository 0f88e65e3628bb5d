"""Seconds from process start to a painted window: a bare Qt window, our start page, and the first frame and the whole
window when it is opened on the example.

Goal: our first frame at most twice the bare one. Byte code is cached, as for any second start. Run:
python benchmarks/bench_startup.py [repetitions]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([]); w = QMainWindow(); w.resize(1280, 800); w.show()
app.processEvents(); w.grab()
"""
OURS = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import main
from PySide6.QtCore import QSettings
from guardscope.gui.app import make_app
app = make_app("light")
from guardscope.gui.main_window import MainWindow
w = MainWindow(QSettings({{settings!r}}, QSettings.Format.IniFormat)); w.resize(1280, 800); w.show()
app.processEvents()
"""
OPENED = OURS.replace("IniFormat))", "IniFormat), {script!r})")
CASES = {"bare Qt window": BARE, "start page": OURS, "example, first frame": OPENED, "example, all of it": OPENED + """
w.open_path({script!r}); app.processEvents(); app.processEvents()
"""}


def seconds(code: str, cache: str) -> float:
    """Wall time of a fresh process until it has painted; `cache` is the folder for byte code."""
    report = "\nimport time, os\nprint(time.time() - float(os.environ['BEGAN']))\nos._exit(0)\n"
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True,
                          env={**env, "QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": cache,
                               "BEGAN": str(time.time())})
    return float(done.stdout.split()[-1])


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    script = str(ROOT / "resources" / "examples" / "dynamic_shapes.py")
    times: dict[str, list[float]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repetitions + 1):  # interleaved, so that a noisy moment meets all cases
            for name, code in CASES.items():
                code = code.replace("{settings!r}", repr(f"{folder}/s.ini")).replace("{script!r}", repr(script))
                found = seconds(code, f"{folder}/cache")
                if turn:                     # the first turn fills the cache
                    times[name].append(found)
    bare = min(times["bare Qt window"])
    for name, found in times.items():
        print(f"{name:<24} min {min(found):.3f} s  median {statistics.median(found):.3f} s  {min(found) / bare:.2f} x bare")


if __name__ == "__main__":
    main()
