"""The policy lab as the window sees it: started, polled by a timer, stopped; its state goes into the session model.

The trials run in processes of their own, looked after by a thread of the lab (core/runner/lab.py); nothing here waits for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from .session_model import SessionModel

POLL_MS = 200


@dataclass(frozen=True, slots=True)
class LabState:
    """What is shown of the lab. `trials`: core.runner.lab.Trial values; `text`: the script as it was read; `share`: how much is
    done, 0 to 1; `written`: the name of the change that was written into the script, "" if none."""

    script: Path
    text: str
    trials: tuple[Any, ...]
    running: bool
    progress: str
    share: float
    written: str = ""


class LabControl(QObject):
    """`changed` fires when the lab starts or ends, `failed(sentence)` when something cannot be done, `ended(sentence)` once."""

    changed = Signal()
    failed = Signal(str)
    ended = Signal(str)

    def __init__(self, model: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.lab: Any = None
        self._written: Any = None
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self.poll)

    @property
    def running(self) -> bool:
        return self.lab is not None and self.lab.running

    def start(self, script: Path, arguments: list[str], settings: dict[str, Any], folder: Path) -> bool:
        """Run every policy and try what can be tried. False, and `failed`, if it cannot begin."""
        from ..core.errors import GuardscopeError
        from ..core.runner.lab import Lab

        if self.running:
            return False
        try:
            self.lab = Lab(script, arguments, folder=folder, settings=settings, cwd=script.parent).start()
        except (GuardscopeError, OSError) as problem:
            self.failed.emit(str(problem))
            return False
        self._written = None
        self._timer.start()
        self.poll()
        self.changed.emit()
        return True

    def stop(self) -> None:
        if self.lab is not None:
            self.lab.stop()

    def close(self) -> None:
        """Stop it, and wait until its thread has ended."""
        self._timer.stop()
        if self.lab is not None:
            self.lab.stop()
            self.lab.wait(10.0)

    def poll(self) -> None:
        """Show how far it is."""
        lab = self.lab
        running = lab.running                # before the trials are read: what they say afterwards is final
        trials = lab.trials
        calls, expected = lab.calls
        part = min(1.0, calls / expected) if expected else 0.0
        share = min(1.0, (lab.done + part) / max(1, len(trials)))
        written = self._written.title if self._written is not None else ""
        self.model.set_lab(LabState(lab.script, lab.text, trials, running, lab.progress, share if running else 1.0, written))
        if not running and self._timer.isActive():
            self._timer.stop()
            self.ended.emit(verdict(trials))
            self.changed.emit()

    def write(self, cure: Any) -> None:
        """Write a change that was tried into the script; the same again takes it back."""
        from ..core.errors import GuardscopeError
        from ..core.runner.lab import Cure, write_cure

        assert self.lab is not None
        try:
            if self._written is not None and self._written == cure:
                back = Cure(cure.title, cure.cause, cure.code, cure.lines, self.lab.text)
                write_cure(self.lab.script, back, cure.text)
                self._written = None
            else:
                write_cure(self.lab.script, cure, self.lab.text)
                self._written = cure
        except GuardscopeError as problem:
            self.failed.emit(str(problem))
        self.poll()


def verdict(trials: tuple[Any, ...]) -> str:
    """How the lab ended, in one line."""
    first = trials[0]
    if first.state != "done":
        return f"policy lab: the script as it is {first.state}" + (f" ({first.detail})" if first.detail else "")
    best = max((t for t in trials if t.worth), key=lambda t: t.numbers["saved"], default=None)
    stopped = " (stopped)" if any(t.state == "stopped" for t in trials) else ""
    return f"policy lab{stopped}: " + (f"{best.policy.name}: {best.effect}" if best is not None else
                                       "no change of the script saves versions with equal results")
