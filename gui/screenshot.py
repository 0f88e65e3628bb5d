"""`main.py screenshot SESSION|SCRIPT -o FILE.png`: the window as a picture, without a display.

A script is run first, to its end. What is selected decides what the panes show: `--select call=3`, `artifact=2`,
`guard=2:1`, `view=graph`, `axis=time`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..core.errors import EnvironmentProblem, ScriptError


class Parser(argparse.ArgumentParser):
    """Raises ScriptError instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        raise ScriptError(f"{message}; see {self.prog} --help")


def parser() -> argparse.ArgumentParser:
    p = Parser(prog="main.py screenshot", description="save a picture of the window",
                                allow_abbrev=False)
    p.add_argument("path", help="a session, or a script to run first")
    p.add_argument("-o", "--output", required=True, metavar="FILE.png")
    p.add_argument("--size", default="1400x900", metavar="WxH", help="in pixels (default 1400x900)")
    p.add_argument("--theme", choices=["light", "dark"], default="light")
    p.add_argument("--select", action="append", default=[], metavar="WHAT=N",
                   help="call=3, artifact=2, code=1, kernel=0, guard=2:1, node=2:1, line=12, view=graph, axis=time; repeatable")
    p.add_argument("--dynamic", choices=["auto", "true", "false"], default="auto", help="for a script")
    p.add_argument("--scale", type=float, default=1.0, help="device pixels per pixel (2 for a sharper picture)")
    return p


def main(argv: Sequence[str]) -> int:
    """Make the picture. ScriptError or EnvironmentProblem, one sentence, when that is not possible."""
    options = parser().parse_args(list(argv))
    size = parse_size(options.size)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if options.scale != 1.0:
        os.environ["QT_SCALE_FACTOR"] = str(options.scale)
    from PySide6.QtCore import QSettings, qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    from .app import make_app

    # The platform without a display says for every window what it cannot do; the rest is passed on.
    qInstallMessageHandler(lambda kind, context, text: None if text.startswith("This plugin does not support")
                           else print(text, file=sys.stderr))

    app = make_app(options.theme)
    from .main_window import MainWindow

    with tempfile.TemporaryDirectory(prefix="guardscope-") as folder:
        window = MainWindow(QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat))
        window.control.folder = Path(folder)
        window.say_in_dialogs = False
        window.control.options["dynamic"] = options.dynamic
        said: list[str] = []
        window.problem.connect(said.append)
        window.resize(*size)
        window.show()
        if not window.open_path(options.path, run=True):
            raise ScriptError(said[0] if said else f"{options.path} cannot be opened")
        while window.control.running or window.control.watching:
            app.processEvents()
            time.sleep(0.02)
        for choice in options.select:
            select(window, choice)
        settle(app, window)
        if not window.grab().save(options.output):
            raise EnvironmentProblem(f"{options.output} cannot be written")
        window.close()
        QApplication.processEvents()
    return 0


def parse_size(text: str) -> tuple[int, int]:
    """"1400x900" as (1400, 900). ScriptError for anything else or a size beyond 320..8000."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(p.isdigit() and 320 <= int(p) <= 8000 for p in parts):
        raise ScriptError(f"--size {text} is not a size such as 1400x900 (320 to 8000 each)")
    return int(parts[0]), int(parts[1])


def select(window: Any, choice: str) -> None:
    """Apply one `--select`. ScriptError for a name or number that does not exist."""
    name, _, value = choice.partition("=")
    from .views import title

    session = window.model.session
    limits = {"call": len(session.calls["code"]), "artifact": len(session.artifacts), "code": len(session.codes),
              "kernel": len(session.kernels), "line": 10**9, "cause": len(window.model.causes())}
    if name == "view" and title(value):
        window.show_view(value)
    elif name == "axis" and value in ("call", "time"):
        window.commands.run(f"timeline.by_{value}")
    elif name in ("guard", "node") and value.count(":") == 1 and value.replace(":", "").isdigit() \
            and int(value.partition(":")[0]) < limits["artifact"]:
        artifact, index = map(int, value.split(":"))
        window.model.select(artifact=artifact, **{name: index})
    elif name in limits and value.isdigit() and int(value) < limits[name]:
        window.model.select(**{name: int(value)})
    else:
        raise ScriptError(f"--select {choice} names nothing in this session")


def settle(app: Any, window: Any, seconds: float = 5.0) -> None:
    """Let layouts and background jobs come to rest."""
    end = time.monotonic() + seconds
    quiet = 0
    while time.monotonic() < end and quiet < 5:
        app.processEvents()
        quiet = quiet + 1 if window.settled else 0
        time.sleep(0.01)
