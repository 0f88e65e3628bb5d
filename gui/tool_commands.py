"""Commands that answer questions about a session: what if, the policy lab, comparing, replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .commands import Command

if TYPE_CHECKING:
    from .main_window import MainWindow


def register_tools(w: MainWindow) -> None:
    """Register them."""
    m = w.model
    nothing_open = lambda: "" if m.session is not None else "no script or session is open"
    no_calls = lambda: nothing_open() or ("" if m.facts is not None and m.facts.n_calls else "no call was recorded")
    no_selected = lambda: no_calls() or ("" if m.selection.call is not None else "no call is selected")

    def what_if() -> None:
        w.show_view("what_if")
        view: Any = w.views["what_if"]
        view.focus_line()

    w.commands.add(
        Command("tools.what_if", "What if\N{HORIZONTAL ELLIPSIS}", what_if, "Tools", "Ctrl+K",
                "Change a value of the selected call and see which version would take it; nothing is run", "", no_selected),
    )
