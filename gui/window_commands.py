"""The commands of the main window, as values. Menus, toolbar, shortcuts and palette are made from these."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from . import theme
from .commands import Command
from .moving import go_to_view
from .tool_commands import register_tools
from .views import title

if TYPE_CHECKING:
    from .main_window import MainWindow

VIEWS = ("functions", "output", "causes", "guards", "graph", "source", "python", "kernel", "call", "coverage", "sizes",
         "matrix", "what_if")                # in the order of their keys
OUTCOMES = (("compile", "compiled"), ("recompile", "recompiled"), ("reuse", "reused"),
            ("eager_limit", "eager after the limit"), ("not_compiled", "not compiled"), ("error", "error"))


def register(w: MainWindow) -> None:
    """Register every command of a window."""
    m, run = w.model, w.control
    dots = "\N{HORIZONTAL ELLIPSIS}"
    nothing_open = lambda: "" if m.session is not None else "no script or session is open"
    no_calls = lambda: nothing_open() or ("" if m.facts is not None and m.facts.n_calls else "no call was recorded")

    def no_run() -> str:
        if run.running:
            return "a script is running"
        return "" if run.script is not None else "no script is open"

    def no_rerun() -> str:
        if (why := no_run()) or m.whole is None:
            return why or "it has not been run yet"
        from .words import was_run  # not at the top: it needs NumPy

        return "" if was_run(m.whole) else "it has not been run yet"

    def palette() -> None:
        from .widgets.palette import Palette

        Palette(w.commands, w).open()

    w.commands.add(
        Command("file.open", f"Open{dots}", w.browse, "File", "Ctrl+O", "Open a Python script or a recorded session",
                "open"),
        Command("file.close", "Close", lambda: m.close(), "File", "Ctrl+W", "Go back to the start page", "",
                lambda: nothing_open() or ("a script is running" if run.running else "")),
        Command("file.export", f"Export{dots}", w.exports.ask, "File", "Ctrl+E",
                "Write a report, a picture, or the session as JSON, CSV or Chrome trace", "export",
                lambda: no_calls() or ("a script is running" if run.running else "")),
        Command("file.settings", f"Settings{dots}", lambda: show_settings(w), "File", "Ctrl+,",
                "Theme, arguments of the script, how graphs run, where sessions are kept", group=2),
        Command("file.quit", "Quit", w.close, "File", "Ctrl+Q", group=2),
        Command("run.start", "Run", run.start, "Run", "F5", "Run the script from its beginning and record it", "run",
                no_run),
        Command("run.stop", "Stop", run.stop, "Run", "Shift+F5",
                "Stop the script; what was recorded so far stays", "stop",
                lambda: "" if run.running else "no script is running"),
        Command("run.again", "Re-run", run.start, "Run", "Ctrl+F5",
                "Run the same script again, with the options chosen here", "rerun", no_rerun),
    )
    for value, text in (("auto", "automatic"), ("true", "always"), ("false", "never")):
        w.commands.add(Command(f"run.dynamic.{value}", f"Dynamic sizes: {text}",
                               partial(set_option, w, "dynamic", value), "Run", group=1,
                               checked=partial(option_is, w, "dynamic", value)))
    w.commands.add(
        Command("go.next", "Next call", lambda: m.step(1), "Go", "Alt+Right", "Select the next call", blocked=no_calls),
        Command("go.previous", "Previous call", lambda: m.step(-1), "Go", "Alt+Left", blocked=no_calls),
        Command("go.next_miss", "Next call that was not reused", lambda: m.step(1, True), "Go", "F8",
                "Select the next call that compiled, ran eagerly or failed", blocked=no_calls),
        Command("go.previous_miss", "Previous call that was not reused", lambda: m.step(-1, True), "Go", "Shift+F8",
                blocked=no_calls),
        Command("go.mark", "Compare others with this call",
                lambda: m.mark(None if m.marked == m.selection.call else m.selection.call), "Go", "Ctrl+M",
                "Mark the selected call; the Call view then says what was different in another",
                blocked=lambda: no_calls() or ("" if m.selection.call is not None else "no call is selected"),
                checked=lambda: m.marked is not None and m.marked == m.selection.call),
        Command("go.back", "Back", m.go_back, "Go", "Ctrl+Alt+Left", "Back to what was selected before", "back",
                lambda: "" if m.can_go_back else "nothing was selected before", group=1),
        Command("go.ahead", "Forward", m.go_ahead, "Go", "Ctrl+Alt+Right", "", "forward",
                lambda: "" if m.can_go_ahead else "nothing to go forward to", group=1),
    )
    line = lambda name: (lambda: w.timeline.command(name))
    w.commands.add(
        Command("timeline.zoom_in", "Zoom in", line("in"), "Timeline", "Ctrl++", "", "zoom_in", nothing_open),
        Command("timeline.zoom_out", "Zoom out", line("out"), "Timeline", "Ctrl+-", "", "zoom_out", nothing_open),
        Command("timeline.fit", "Show all calls", line("fit"), "Timeline", "Ctrl+0", "", "fit", nothing_open),
        Command("timeline.by_call", "By call number", lambda: w.timeline.set_axis("call"), "Timeline", "Ctrl+Shift+1",
                "One column per call", "", nothing_open, group=1),
        Command("timeline.by_time", "By time", lambda: w.timeline.set_axis("time"), "Timeline", "Ctrl+Shift+2",
                "Bars at their place on the clock", "", nothing_open, group=1),
        Command("filter.clear", "Show calls of every outcome", lambda: m.set_filter(()), "Timeline", "", "", "",
                lambda: "" if m.filter else "no filter is set", group=2),
    )
    for name, text in OUTCOMES:
        w.commands.add(Command(f"filter.{name}", f"Show only: {text}", partial(m.set_filter, (name,)), "Timeline",
                               blocked=no_calls, checked=partial(filter_is, w, name), group=2))
    for place, name in enumerate(VIEWS):
        keys = f"Ctrl+{place + 1}" if place < 9 else ""
        w.commands.add(Command(f"view.{name}", title(name), partial(w.focus_view, name), "View", keys,
                               f"Bring {title(name)} to the front", blocked=nothing_open))
    register_tools(w)
    w.commands.add(
        Command("view.reset", "Default layout", lambda: w.docks.reset(), "View",  # type: ignore[union-attr]
                blocked=nothing_open, group=1),
        Command("layout.save", f"Save layout{dots}", lambda: w.layouts.ask_name(), "View", "",
                "Keep the present arrangement of the views under a name", "", nothing_open, group=1),
        Command("layout.forget", f"Forget a layout{dots}", lambda: w.layouts.ask_forget(), "View", "", "", "",
                lambda: nothing_open() or ("" if w.layouts.names() else "no layout was saved"), group=1),
        Command("go.next_view", "Next view", lambda: go_to_view(w, 1), "Go", "F6", "Move the keyboard to the next view", "",
                nothing_open, group=3),
        Command("go.previous_view", "Previous view", lambda: go_to_view(w, -1), "Go", "Shift+F6", "", "", nothing_open,
                group=3),
        Command("view.light", "Light theme", lambda: w.set_theme("light"), "View", group=2,
                checked=lambda: theme.active().name == "light"),
        Command("view.dark", "Dark theme", lambda: w.set_theme("dark"), "View", group=2,
                checked=lambda: theme.active().name == "dark"),
        Command("help.palette", f"Search commands{dots}", palette, "Help", "Ctrl+Shift+P",
                "Type a few letters of any command", "search"),
        Command("help.start", "Start page", w.close_session, "Help", "",
                "What this is, the examples, and recent files", "",
                lambda: "a script is running" if run.running else "" if m.session is not None else "it is shown"),
        Command("help.commands", "Commands and keys", lambda: show_help(w), "Help", "F1",
                "Every command, its keys and what it does"),
        Command("help.terms", "What the words mean", lambda: show_terms(w), "Help", "Shift+F1"),
    )


def set_option(w: MainWindow, name: str, value: str) -> None:
    """Choose a run option, and show it in the toolbar."""
    w.control.options[name] = value
    box = getattr(w, name)
    box.setCurrentIndex(box.findData(value))


def option_is(w: MainWindow, name: str, value: str) -> bool:
    return w.control.options[name] == value


def filter_is(w: MainWindow, outcome: str) -> bool:
    return w.model.filter == {outcome}


def show_settings(w: MainWindow) -> None:
    """The settings page; what is chosen holds at once, for runs from the next one on."""
    from dataclasses import replace

    from .widgets.settings_dialog import SettingsDialog, load

    now = replace(load(w.settings), arguments=tuple(w.control.arguments))
    dialog = SettingsDialog(now, w.control.script is not None, w)
    dialog.kept.connect(w.apply_settings)
    dialog.open()


def show_help(w: MainWindow) -> None:
    """A dialog with every command."""
    from .widgets.help_dialog import HelpDialog

    HelpDialog(w.commands, w).open()


def show_terms(w: MainWindow) -> None:
    """A dialog with every term and its sentence."""
    from .widgets.terms import TermsDialog

    TermsDialog(w).open()
