"""The window: toolbar, docks, status bar, and the wiring between the model, the views and the run control.

Nothing heavy is imported before the first paint: the views (and NumPy with them) are made when a file is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QMainWindow,
    QMessageBox,
    QStackedWidget,
)

from . import theme
from .commands import Registry
from .export_control import ExportControl
from .first_paint import AfterFirstPaint
from .frame import make_menus, make_toolbar
from .garbage import Collector
from .jobs import Jobs
from .layouts import Layouts, offer_recent
from .moving import dropped_files, open_dropped
from .opening import Opening
from .run_control import RunControl
from .session_model import SessionModel
from .tools import Tools
from .views import Views
from .widgets.live_strip import LiveStrip

if TYPE_CHECKING:
    from .docks import Docks
    from .live import Live
    from .views.start_page import StartPage
    from .widgets.settings_dialog import Chosen

STATE_VERSION = 2
LARGE_FILE = 8 << 20             # bytes of a session whose opening is announced


class MainWindow(QMainWindow):
    """`settings` keeps recent files, theme and layout; `opening` names a file that will be opened after the first paint,
    so that the start page is not made. `problem(sentence)` fires whenever one is shown to the user."""

    problem = Signal(str)

    def __init__(self, settings: QSettings | None = None, opening: str | None = None) -> None:
        super().__init__()
        from .window_commands import register

        self.setObjectName("window")
        self.setWindowTitle("Guardscope")
        self.setAcceptDrops(True)
        self.resize(1280, 800)
        self.settings = settings if settings is not None else QSettings("guardscope", "guardscope")
        self.model = SessionModel(self)
        self.garbage = Collector(self)
        self.jobs = Jobs(self)
        self.control = RunControl(self.model, self)
        self.commands = Registry(self)
        self.tools = Tools(self)
        self.exports = ExportControl(self)
        self.layouts = Layouts(self, STATE_VERSION)
        self._closing = False
        self.opening = Opening(self)
        self.views = Views(self.model, self.jobs, self.opening.made)
        self.page: Any = None                # summary, replay and timeline
        self.docks: Docks | None = None
        self.timeline: Any = None
        self.say_in_dialogs = True
        self._restored = False               # whether the views are arranged as they were left
        self._state: QByteArray | None = None        # their arrangement when they were last seen
        self.center = QStackedWidget()
        self.setCentralWidget(self.center)
        self._start_page: StartPage | None = None
        register(self)
        self.layouts.offer()
        offer_recent(self)
        make_menus(self)
        self.commands.rebuilt.connect(lambda: make_menus(self))
        self.dynamic, self.device = make_toolbar(self)
        self._make_status()
        self.model.opened.connect(self._opened)
        self.model.source_wanted.connect(lambda: self.show_view("source"))
        self.model.selection_changed.connect(lambda *_: self.commands.update())
        self.model.rewound.connect(self.commands.update)
        self.control.changed.connect(self._run_changed)
        self.control.banner_changed.connect(self._say_state)
        self.control.live_changed.connect(self._live)
        self.control.failed.connect(self.say)
        if opening is None:
            self.go_home()
        else:
            self._wait_page(opening)

    # making the frame

    def _make_status(self) -> None:
        self.strip = LiveStrip()
        self.banner = self.strip.label
        self.place = QLabel()
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addWidget(self.strip, 1)
        self.statusBar().addPermanentWidget(self.place)

    # opening

    def open_path(self, path: str | Path, run: bool = False, arguments: Sequence[str] = ()) -> bool:
        """Open a script (with its arguments) or a session; with `run` a script is started at once. False, and a sentence,
        if that fails."""
        from ..core.errors import GuardscopeError
        from ..core.events.database import is_sqlite
        from ..core.events.reader import Session

        path = Path(path)
        if self.control.running:
            self.say(f"{self.control.script} is still running; stop it before opening {path.name}.")
            return False
        try:
            if path.is_file() and (is_sqlite(path) or path.suffix == ".guardscope"):
                if path.stat().st_size > LARGE_FILE:
                    self.show_banner(f"opening {path.name}\N{HORIZONTAL ELLIPSIS}", True)
                    self.strip.repaint()         # at once: reading it takes a second
                session = Session(path)
                script = Path(str(session.info.get("script", "")))
                said = session.info.get("argv")
                again = said[1:] if isinstance(said, list) and all(isinstance(a, str) for a in said) else []
                self.control.set_script(script if script.is_file() else None, again)
                self.opening.show(session, self._follow)
            else:
                from ..core.runner.process import check_script  # not at the top: a session opens without

                check_script(path)
                self.control.set_script(path.absolute(), list(arguments))
                self._show_script(path.absolute(), run)
        except (GuardscopeError, OSError) as problem:
            self.say(str(problem))
            return False
        self._remember(str(path.absolute()))
        return True

    def _follow(self) -> None:
        """Watch the session that was opened if it is still being recorded, and say what cannot be read."""
        self.control.watch()
        for text in self.model.whole.problems:
            self.say(text)

    def arrange(self) -> None:
        """Make the docks if that was not done, arranged as they were left; views are held until `docks.release`."""
        self.opening.make_front()
        assert self.docks is not None
        self.docks.hold()
        if not self._restored:
            self._restored = True
            if self.control.folder is None:
                from .widgets.settings_dialog import load

                self._use_settings(load(self.settings))
            state = self.settings.value("window/state")
            if isinstance(state, QByteArray):
                if self.restoreState(state, STATE_VERSION):
                    self.docks.restored()
                    self._state = state
                else:
                    self.docks.reset()

    def _show_script(self, path: Path, run: bool) -> None:
        self.arrange()
        if not run or not self.control.start():
            from .script_only import ScriptOnly

            self.model.open(ScriptOnly(path))
            self.show_view("source")
            self.banner.setText("not run yet; press Run")

    def _opened(self) -> None:
        session = self.model.session
        if session is None:
            if not self._closing:
                self.go_home()
            return
        assert self.docks is not None and self.model.facts is not None
        if not self.model.opening:
            self.views.make_all()
            self.docks.release()
        shown = self.center.currentWidget() is self.page
        self.center.setCurrentWidget(self.page)
        if not shown:
            self.docks.set_visible(True)
            self._share_out()
            QTimer.singleShot(0, self, self._share_out)
        self.setWindowTitle(f"{self.model.facts.script_name()} \N{EN DASH} Guardscope")
        self.place.setText(Path(str(session.path)).name)
        self.place.setToolTip(str(session.path))
        self.commands.update()

    def _share_out(self) -> None:
        """Sizes of the docks that have just been shown: as they were left, or as the layout says."""
        assert self.docks is not None
        if self._state is None or not self.restoreState(self._state, STATE_VERSION):
            self.docks.size()

    def _wait_page(self, path: str) -> None:
        """What is painted until the file is open."""
        label = QLabel(f"Opening {Path(path).name}\N{HORIZONTAL ELLIPSIS}")
        label.setObjectName("muted")
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.center.addWidget(label)
        self.setWindowTitle(f"{Path(path).name} \N{EN DASH} Guardscope")
        self.commands.update()

    def go_home(self) -> None:
        """Show the start page."""
        if self.docks is not None:
            if self.center.currentWidget() is self.page:
                self._state = self.saveState(STATE_VERSION)
            self.docks.set_visible(False)
        if self._start_page is not None:
            self.center.removeWidget(self._start_page)
            self._start_page.deleteLater()
        from .views.start_page import StartPage

        page = self._start_page = StartPage(self.recent())
        page.open_wanted.connect(self.open_path)
        page.browse_wanted.connect(lambda: self.commands.run("file.open"))
        self.center.addWidget(page)
        self.center.setCurrentWidget(page)
        self.setWindowTitle("Guardscope")
        self.place.setText("")
        self.banner.setText("")
        self.commands.update()
        if self.docks is None:
            AfterFirstPaint(self, self.opening.prepare)

    def close_session(self) -> None:
        """Show no session any more, but the start page. The views let go of it first: none may ask for more of it."""
        if self.docks is not None:
            self.docks.hold()
        self.model.close()

    def browse(self) -> None:
        """Ask for a file and open it."""
        chosen, _ = QFileDialog.getOpenFileName(self, "Open a script or a session", "",
                                                "Scripts and sessions (*.py *.guardscope);;All files (*)")
        if chosen:
            self.open_path(chosen)

    def say(self, sentence: str) -> None:
        """Tell the user one sentence."""
        self.problem.emit(sentence)
        self.show_banner(sentence, False)
        if self.say_in_dialogs and self.isVisible():
            box = QMessageBox(QMessageBox.Icon.Warning, "Guardscope", sentence, parent=self)
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            box.open()

    # recent files

    def recent(self) -> list[str]:
        value: Any = self.settings.value("recent", [])
        return [value] if isinstance(value, str) else list(value or [])

    def _remember(self, path: str) -> None:
        self.settings.setValue("recent", [path, *(p for p in self.recent() if p != path)][:10])
        offer_recent(self)

    # state

    def show_view(self, name: str) -> None:
        if self.docks is not None and name in self.docks.docks:
            self.docks.show_view(name)

    def focus_view(self, name: str) -> None:
        """Bring a view to the front and give it the keyboard."""
        self.show_view(name)
        if self.docks is not None:
            self.views[name].take_focus()

    def set_theme(self, name: str) -> None:
        """"light" or "dark"; remembered."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, name)
        self.settings.setValue("theme", name)
        self.commands.retheme()

    def apply_settings(self, chosen: Chosen) -> None:
        """Keep and use what was chosen on the settings page."""
        from .widgets.settings_dialog import save

        app = QApplication.instance()
        assert isinstance(app, QApplication)
        wanted = chosen.theme or theme.system_theme(app)
        if wanted != theme.active().name:
            self.set_theme(wanted)
        save(self.settings, chosen)
        self._use_settings(chosen)
        self.control.arguments = list(chosen.arguments)
        self.commands.update()

    def _use_settings(self, chosen: Chosen) -> None:
        self.control.more = chosen.run_settings()
        self.control.folder = Path(chosen.folder) if chosen.folder else None

    def _run_changed(self) -> None:
        self.commands.update()

    def show_banner(self, text: str, live: bool) -> None:
        """Say something in the status bar; `live`: it goes on."""
        self.strip.show_state(text, live)

    def _say_state(self, text: str, live: bool) -> None:
        """What became of a run, unless sessions are being compared: what is under way is said first."""
        if self.tools.comparing and not live:
            text, live = self.tools.comparing, True
        self.show_banner(text, live)

    def _live(self, state: Live) -> None:
        """What the running script does now, with Stop if it was started here."""
        stop = self.commands.action("run.stop") if self.control.running else None
        self.strip.show_state(state.text, True, state.share, stop)

    # events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            open_dropped(self, files)

    @property
    def settled(self) -> bool:
        """Whether what was opened is shown whole: no view is waiting, no job is running."""
        return self.jobs.idle and not self.model.opening and (self.model.session is None or self.views.complete) \
            and not any(view.held or view.waits or view.pausing for view in self.views.values())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.tools.close()
        self.control.close()
        self.jobs.close()
        self.garbage.close()
        if self.docks is not None and self.model.session is not None:
            self.settings.setValue("window/state", self.saveState(STATE_VERSION))
        self.settings.setValue("window/geometry", self.saveGeometry())
        self._closing = True
        self.close_session()
        super().closeEvent(event)
