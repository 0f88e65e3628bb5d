"""Commands that answer questions about a session: what if, the policy lab, comparing, replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .commands import Command

if TYPE_CHECKING:
    from .main_window import MainWindow


def register_tools(w: MainWindow) -> None:
    """Register them."""
    m, run = w.model, w.control
    nothing_open = lambda: "" if m.session is not None else "no script or session is open"
    no_calls = lambda: nothing_open() or ("" if m.facts is not None and m.facts.n_calls else "no call was recorded")
    no_selected = lambda: no_calls() or ("" if m.selection.call is not None else "no call is selected")

    def what_if() -> None:
        w.show_view("what_if")
        view: Any = w.views["what_if"]
        view.focus_line()

    def end(last: bool) -> None:
        m.select(call=m.whole_facts.n_calls - 1 if last else 0)  # type: ignore[union-attr]

    w.commands.add(
        Command("go.first", "First call", lambda: end(False), "Go", "Alt+Home", "", "", no_calls),
        Command("go.last", "Last call", lambda: end(True), "Go", "Alt+End", "", "", no_calls),
        Command("replay.toggle", "Replay", lambda: m.set_replay(m.as_of is None), "Go", "Ctrl+R",
                "Step through the calls; every view shows the state as of the selected one", "", no_calls,
                lambda: m.as_of is not None, group=2),
        Command("replay.play", "Replay: play or pause", lambda: w.views["replay"].step("play"), "Go",  # type: ignore[attr-defined]
                "Ctrl+Space", "Step by itself, twice a second", "",
                lambda: "" if m.as_of is not None else "replay is off", group=2),
        Command("tools.what_if", "What if\N{HORIZONTAL ELLIPSIS}", what_if, "Tools", "Ctrl+K",
                "Change a value of the selected call and see which version would take it; nothing is run", "", no_selected),
        Command("tools.lab", "Run the policy lab", lambda: w.tools.start_lab(), "Tools", "Ctrl+L",
                "Run the script under several policies in the background, and try every change that is advised", "",
                lambda: w.tools.why_no_lab()),
        Command("tools.lab_stop", "Stop the policy lab", lambda: w.tools.lab.stop(), "Tools", "", "", "",
                lambda: "" if w.tools.lab.running else "the policy lab is not running"),
        Command("tools.lab_show", "Show the policy lab", lambda: w.show_view("lab"), "Tools", "", "", "", nothing_open),
        Command("tools.compare", "Compare with a session\N{HORIZONTAL ELLIPSIS}", lambda: w.tools.choose_and_compare(), "Tools",
                "Ctrl+D", "Choose the session before; what is shown is the one after", "", no_calls, group=1),
        Command("tools.compare_last", "Compare with the run before",
                lambda: w.tools.compare_with(w.control.before or ""), "Tools", "Ctrl+Shift+D",
                "Compare this run with the one that was shown before it", "",
                lambda: no_calls() or ("" if w.control.before is not None else "the script was run once only")
                or ("the script is running" if run.running else ""), group=1),
        Command("tools.compare_show", "Show the comparison", lambda: w.show_view("compare"), "Tools", "", "", "",
                lambda: "" if m.comparison is not None else "nothing is compared", group=1),
        Command("tools.compare_swap", "Swap the compared sessions", lambda: w.tools.swap(), "Tools", "", "", "",
                lambda: "" if m.comparison is not None else "nothing is compared", group=1),
    )
