"""Starting, watching and stopping a script. The script runs in a child process; the window only polls its session.

While it runs a timer asks the model to look for new rows; nothing here ever waits for the script.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from .live import live_state
from .numbers import duration, plural
from .session_model import SessionModel

POLL_MS = 150


class RunControl(QObject):
    """`script` is what Run starts; `options` are its settings ("dynamic": "auto" | "true" | "false", "device").
    `changed` fires when running or the script changes, `banner_changed(text, live)` for the status bar and
    `live_changed(Live)` while something runs, `failed(sentence)` when a run cannot start."""

    changed = Signal()
    banner_changed = Signal(str, bool)
    live_changed = Signal(object)
    failed = Signal(str)

    def __init__(self, model: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.script: Path | None = None
        self.arguments: list[str] = []
        self.options: dict[str, str] = {"dynamic": "auto", "device": "auto"}
        self.more: dict[str, Any] = {}       # run settings chosen on the settings page, as the runner wants them
        self.process: Any = None
        self.before: Path | None = None      # the session of this script that was shown before the one that runs now
        self.expected = 0                    # calls of the run before, 0 if there was none
        self.folder: Path | None = None      # where sessions go; None: a folder among the temporary files
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self.poll)

    @property
    def running(self) -> bool:
        """A script started here is running."""
        return self.process is not None and self.process.running

    @property
    def watching(self) -> bool:
        return self._timer.isActive()

    def set_script(self, path: Path | None, arguments: list[str] | None = None) -> None:
        self.script, self.arguments, self.before = path, list(arguments or []), None
        self.expected = 0
        self.changed.emit()

    def settings(self) -> dict[str, Any]:
        """The options as the runner wants them: those left at "auto" are not passed on."""
        said = {k: v for k, v in self.options.items() if v != "auto"}
        return {**said, **({"dynamic": said["dynamic"] == "true"} if "dynamic" in said else {}), **self.more}

    def start(self) -> bool:
        """Run the script from its beginning; its new session replaces the one shown. False, and `failed`, if not."""
        from ..core.errors import GuardscopeError
        from ..core.events.reader import Session
        from ..core.runner.process import ScriptProcess

        if self.running or self.script is None:
            return False
        try:
            folder = self.folder or temporary_folder()
            folder.mkdir(parents=True, exist_ok=True)
            stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() // 1_000_000 % 1000:03d}"
            target = folder / f"{self.script.stem}-{stamp}.guardscope"
            process = ScriptProcess(self.script, self.arguments, session=target, settings=self.settings(),
                                    cwd=self.script.parent)
            process.start()
            session = Session(target)
        except (GuardscopeError, OSError) as problem:
            self.failed.emit(str(problem))
            return False
        old = self.model.whole
        same = old is not None and len(old.calls["code"]) and str(old.info.get("script")) == str(self.script.absolute())
        self.before = Path(old.path) if same else None
        self.expected = len(old.calls["code"]) if same else 0
        self.process = process
        self.model.open(session)
        self.watch()
        return True

    def stop(self) -> None:
        """Ask the script to stop; it is killed when it does not."""
        if self.running:
            self.process.stop()
            self.banner_changed.emit("stopping\N{HORIZONTAL ELLIPSIS}", True)

    def watch(self) -> None:
        """Poll the open session until it is no longer running (also one that another process records)."""
        self._timer.start()
        self.changed.emit()
        self.poll()

    def close(self) -> None:
        """Stop watching, and stop a script that was started here; what it recorded stays."""
        self._timer.stop()
        if self.running:
            self.process.grace = (0.3, 0.3)
            self.process.stop()
            self.process.wait(3.0)
        self.process = None

    def poll(self) -> None:
        """Look for news once."""
        over = self.process is not None and not self.process.running
        self.model.poll()
        state = self.model.whole.state if self.model.whole is not None else "finished"
        if self.model.whole is None or over or (self.process is None and state != "running"):
            self._timer.stop()
            self.process = None
            self.model.poll()
            self.model.select_first()
            self.banner_changed.emit(end_banner(self.model), False)
            self.changed.emit()
        else:
            self.live_changed.emit(live_state(self.model, self.expected))


def temporary_folder() -> Path:
    import tempfile  # not at the top: it takes longer than the rest of this file

    return Path(tempfile.gettempdir()) / "guardscope-sessions"


def end_banner(model: SessionModel) -> str:
    """How the shown session ended, with its size."""
    session, facts = model.whole, model.whole_facts
    if session is None or facts is None:
        return ""
    end = session.info.get("end_ns")
    took = f" in {duration(end)}" if isinstance(end, int) else ""
    said = session.info.get("ending") or session.state
    return f"{said}{took} \N{MIDDLE DOT} {plural(facts.n_calls, 'call')}"
