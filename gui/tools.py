"""What the window's tools do when a command or a view asks: the policy lab, comparing sessions.

They are made with the window and cost nothing until used; what they need is imported then.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from .lab_control import LabControl

if TYPE_CHECKING:
    from .main_window import MainWindow


class Tools(QObject):
    """The tools of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.comparing = ""                  # what is said while sessions are compared
        self.lab = LabControl(window.model, self)
        self.lab.changed.connect(window.commands.update)
        self.lab.failed.connect(window.say)
        self.lab.ended.connect(lambda text: window.control.banner_changed.emit(text, False))
        window.model.tools_changed.connect(self._lab_progress)
        window.model.lab_wanted.connect(lambda what: window.commands.run(f"tools.{what}"))

    def listen(self, view: Any) -> None:
        """Listen to a view that has been made, if it asks for a tool."""
        if view.name == "lab":
            view.wanted.connect(self._lab_wanted)
        elif view.name == "compare":
            view.wanted.connect(lambda what: self.window.commands.run(f"tools.compare_{what}" if what == "swap"
                                                                      else "tools.compare"))

    def close(self) -> None:
        self.lab.close()

    # the policy lab

    def why_no_lab(self) -> str:
        """Why the lab cannot be started now, "" if it can."""
        control = self.window.control
        if self.lab.running:
            return "the policy lab is running"
        if control.running:
            return "a script is running"
        return "" if control.script is not None else "the script of this session is not on this machine" \
            if self.window.model.session is not None else "no script is open"

    def start_lab(self) -> None:
        """Show the lab and run it on the open script with the options chosen for runs."""
        from .run_control import temporary_folder

        control = self.window.control
        self.window.show_view("lab")
        assert control.script is not None
        self.lab.start(control.script, control.arguments, control.settings(), (control.folder or temporary_folder()) / "lab")

    def _lab_progress(self) -> None:
        state, w = self.window.model.lab, self.window
        if state is not None and state.running and not w.control.watching:
            w.strip.show_state(f"policy lab: {state.progress or 'starting'}", True, state.share,
                               w.commands.action("tools.lab_stop"))

    def _lab_wanted(self, what: str, trial: Any) -> None:
        if what == "start":
            self.window.commands.run("tools.lab")
        elif what == "stop":
            self.window.commands.run("tools.lab_stop")
        elif trial is None:
            return
        elif what == "copy":
            QGuiApplication.clipboard().setText("\n".join(trial.policy.cure.lines))
            self.window.control.banner_changed.emit("copied to the clipboard", False)
        elif what == "write":
            self.lab.write(trial.policy.cure)
        elif what == "open":
            self.window.open_path(trial.session)
        elif what == "compare" and self.window.model.lab is not None:
            before = self.window.model.lab.trials[0].session
            if self.window.open_path(trial.session):
                self.compare_with(before)

    # comparing

    def choose_and_compare(self) -> None:
        """Ask for a session and compare the shown one with it."""
        chosen, _ = QFileDialog.getOpenFileName(self.window, "Compare with the session before", "",
                                                "Sessions (*.guardscope);;All files (*)")
        if chosen:
            self.compare_with(chosen)

    def compare_with(self, before: str | Path) -> None:
        """Compare the shown session (after) with another (before), off the UI thread."""
        from .run_control import end_banner

        w = self.window
        after = Path(w.model.session.path)
        w.show_view("compare")
        self.comparing = f"comparing with {Path(before).name}\N{HORIZONTAL ELLIPSIS}"
        w.show_banner(self.comparing, True)

        def done(found: Any) -> None:
            self.comparing = ""
            w.model.set_comparison(found)
            w.control.banner_changed.emit(end_banner(w.model), False)
            w.commands.update()

        def failed(text: str) -> None:
            self.comparing = ""
            w.control.banner_changed.emit(end_banner(w.model), False)
            w.say(text.strip().splitlines()[-1].partition(": ")[2])

        w.jobs.submit("compare", lambda: compare_files(Path(before), after), done, failed)

    def swap(self) -> None:
        """Show A, and compare it with what was shown."""
        found = self.window.model.comparison
        if found is not None and self.window.open_path(found.paths[0]):
            self.compare_with(found.paths[1])


def compare_files(before: Path, after: Path) -> Any:
    """The comparison of two session files."""
    from ..core.events.compare import compare
    from ..core.events.reader import Session

    with Session(before) as a, Session(after) as b:
        return compare(a, b)
