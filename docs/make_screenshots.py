"""Writes docs/images/views/: a picture of every view, light and dark, at 1280x800 and at 2560x1440 with scale 2.

`python docs/make_screenshots.py [view ...]` runs the examples of resources/examples first. Look at every picture: ugly or
confusing is a defect. `--one THEME SCALE FOLDER` is what it calls for each set (the scale is read when Qt starts).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
import main  # noqa: E402

main.make_importable()

TARGET = ROOT / "docs" / "images" / "views"
SETS = (("light", 1), ("dark", 1), ("light", 2), ("dark", 2))
SIZE = {1: (1280, 800), 2: (1280, 720)}          # logical pixels; at scale 2 that is 2560x1440
EXAMPLES = ("module_counter", "dynamic_shapes", "graph_break", "closure_values")
# view -> (example, what is selected)
SHOWN: dict[str, tuple[str, dict[str, int]]] = {
    "causes": ("module_counter", {}), "guards": ("module_counter", {"artifact": 1}), "matrix": ("closure_values", {"call": 2}),
    "coverage": ("module_counter", {"artifact": 1}), "graph": ("graph_break", {"artifact": 0}), "source": ("graph_break", {}),
    "python": ("graph_break", {"artifact": 0}), "kernel": ("graph_break", {"kernel": 0}), "sizes": ("dynamic_shapes", {}),
    "call": ("dynamic_shapes", {"call": 1}), "what_if": ("dynamic_shapes", {"call": 1}), "lab": ("module_counter", {}),
    "compare": ("module_counter", {}),
}


def one_set(theme: str, scale: int, folder: Path, wanted: list[str]) -> None:
    """Every picture of one theme and scale, from the sessions in `folder`."""
    from guardscope.gui.app import make_app
    from guardscope.gui.main_window import MainWindow
    from guardscope.gui.screenshot import settle
    from PySide6.QtCore import QSettings, qInstallMessageHandler

    qInstallMessageHandler(lambda kind, context, text: None if text.startswith("This plugin does not support")
                           else print(text, file=sys.stderr))
    app = make_app(theme)
    window = MainWindow(QSettings(str(folder / f"{theme}{scale}.ini"), QSettings.Format.IniFormat))
    window.say_in_dialogs = False
    window.resize(*SIZE[scale])
    window.show()
    settle(app, window)
    if "start" in wanted:
        save(window, "start", theme, scale)
    for name, (example, chosen) in SHOWN.items():
        if name not in wanted:
            continue
        if not window.open_path(folder / f"{example}.guardscope"):
            raise SystemExit(f"{example}: the session cannot be opened")
        settle(app, window)
        if name not in window.views:
            raise SystemExit(f"there is no view named {name}; the views are {', '.join(window.views)}")
        for field, value in chosen.items():
            window.model.select(**{field: value})
        window.show_view(name)
        prepare(window, name, folder)
        settle(app, window, 60.0)
        save(window, name, theme, scale)
    window.close()


def prepare(window: Any, name: str, folder: Path) -> None:
    """What a view needs before there is something to see in it."""
    from PySide6.QtWidgets import QApplication

    if name == "compare":
        window.tools.compare_with(folder / "module_counter_changed.guardscope")
    elif name == "lab":
        window.tools.start_lab()
        while window.tools.lab.running or window.model.lab.running:      # the last news comes a moment after the end
            QApplication.processEvents()
            time.sleep(0.05)


def save(window: Any, name: str, theme: str, scale: int) -> None:
    from PySide6.QtCore import QByteArray
    from PySide6.QtGui import QImage, QImageWriter

    target = TARGET / f"{name}-{theme}{'' if scale == 1 else '@2x'}.webp"
    writer = QImageWriter(str(target), QByteArray(b"webp"))
    writer.setQuality(100)                   # without loss, and still a third of a PNG
    if not writer.write(window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)):
        raise SystemExit(f"{target} cannot be written: {writer.errorString()}")


def record(folder: Path) -> None:
    """The sessions of the examples, and of one with its advice followed."""
    scripts = {name: ROOT / "resources" / "examples" / f"{name}.py" for name in EXAMPLES}
    changed = folder / "module_counter.py"
    changed.write_text(scripts["module_counter"].read_text().replace("self.seen = 0", "self.seen = torch.tensor(0)"))
    scripts["module_counter_changed"] = changed
    for name, script in scripts.items():
        subprocess.run([sys.executable, str(ROOT / "main.py"), "run", str(script), "-o", str(folder / f"{name}.guardscope"),
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)


def make_all(wanted: list[str]) -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="guardscope-") as folder:
        record(Path(folder))
        for theme, scale in SETS:
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(scale)}
            subprocess.run([sys.executable, __file__, "--one", theme, str(scale), folder, *wanted], check=True, env=environment)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one_set(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
    else:
        make_all(sys.argv[1:] or ["start", *SHOWN])
