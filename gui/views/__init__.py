"""The views. They know the session model, never each other. Each is imported and made when it is first asked for: a window
that opens a session needs few of them at first."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..jobs import Jobs
    from ..session_model import SessionModel
    from .base import View

# Name (stable: layouts and commands use it) -> what people read, the file, the class.
KINDS: dict[str, tuple[str, str, str]] = {
    "summary": ("Summary", "summary", "SummaryView"),
    "timeline": ("Timeline", "timeline", "TimelineView"),
    "replay": ("Replay", "replay", "ReplayView"),
    "functions": ("Functions", "functions", "FunctionsView"),
    "output": ("Output", "output", "OutputView"),
    "causes": ("Causes", "causes", "CausesView"),
    "guards": ("Guards", "guards", "GuardsView"),
    "matrix": ("Versions", "matrix", "MatrixView"),
    "coverage": ("Coverage", "coverage", "CoverageView"),
    "graph": ("Graph", "graph", "GraphView"),
    "source": ("Source", "source", "SourceView"),
    "python": ("Python", "code", "PythonView"),
    "kernel": ("Kernel", "code", "KernelView"),
    "sizes": ("Sizes", "sizes", "SizesView"),
    "call": ("Call", "call_details", "CallView"),
    "what_if": ("What if", "what_if", "WhatIfView"),
    "lab": ("Policy lab", "policy_lab", "PolicyLabView"),
    "compare": ("Compare", "compare", "CompareView"),
}


def title(name: str) -> str:
    """What people read for a view; "" for none of these."""
    return KINDS.get(name, ("",))[0]


def kind(name: str) -> type[View]:
    """The class of a view. Importing it (and NumPy with the first) takes a while. KeyError for none of these."""
    _, file, of = KINDS[name]
    found: Any = getattr(import_module(f".{file}", __package__), of)
    return found


class Views(dict[str, "View"]):
    """The views of one window by name; what is looked up is made if need be, and handed to `made`. They build their content
    when first shown."""

    def __init__(self, model: SessionModel, jobs: Jobs, made: Callable[[View], None]) -> None:
        super().__init__()
        self._model, self._jobs, self._made = model, jobs, made

    def __missing__(self, name: str) -> View:
        view = self[name] = kind(name)(self._model, self._jobs)
        self._made(view)
        return view

    @property
    def complete(self) -> bool:
        """Whether every view has been made."""
        return len(self) == len(KINDS)

    def make_all(self) -> None:
        """Make those that are still missing."""
        for name in KINDS:
            self[name]
