"""Exports from the window: the dialog that asks, a job for texts, pictures at once, and what is said about either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .export import Form
    from .main_window import MainWindow


class ExportControl:
    """Exports of what `window` shows."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    def ask(self) -> None:
        """Ask what to export and where to."""
        from .widgets.export_dialog import ExportDialog

        dialog = ExportDialog(self.window, str(self.window.model.session.path), self._not_exportable)
        dialog.wanted.connect(self.write)
        dialog.open()

    def _not_exportable(self, form: Form) -> str:
        if form.name == "graph":
            graph = self.window.views["graph"]
            return "" if graph.has_picture() else "no graph is shown; open the Graph view on a version"  # type: ignore[attr-defined]
        return ""

    def to(self, path: str) -> None:
        """Write the shown session, or a picture of it, to a file, as what its ending says."""
        from .export import form_of

        target, form = form_of(path)
        self.write(target, form)

    def write(self, target: str, form: Form, source: bool = True, values: bool = True) -> None:
        """Write one form of export; texts off the UI thread."""
        from .export import write

        name = Path(target).name
        session = self.window.model.session.path
        done = lambda size: self.window.show_banner(f"exported {max(1, round(size / 1000))} kB to {target}", False)
        if form.is_picture:
            self._picture(target, form, done)
            return
        self.window.show_banner(f"exporting to {name}\N{HORIZONTAL ELLIPSIS}", True)
        self.window.jobs.submit("export", lambda: write(session, target, form.name, source, values), done,
                         lambda text: self.window.say(text.strip().splitlines()[-1].partition(": ")[2]))

    def _picture(self, target: str, form: Form, done: Callable[[int], None]) -> None:
        from ..core.errors import GuardscopeError
        from .pictures import save_graph, save_timeline

        assert self.window.model.facts is not None
        title = self.window.model.facts.script_name()
        try:
            if form.name == "timeline":
                done(save_timeline(self.window.timeline.canvas, title, target))
            else:
                done(save_graph(self.window.views["graph"].canvas, title, target))  # type: ignore[attr-defined]
        except GuardscopeError as problem:
            self.window.say(str(problem))
