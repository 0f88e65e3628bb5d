"""The views, each in a file of its own. They know the session model, never each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..jobs import Jobs
    from ..session_model import SessionModel
    from .base import View


def kinds() -> tuple[type[View], ...]:
    """The class of every view; importing them (and NumPy with them) takes a while."""
    from .call_details import CallView
    from .causes import CausesView
    from .code import KernelView, PythonView
    from .compare import CompareView
    from .coverage import CoverageView
    from .functions import FunctionsView
    from .graph import GraphView
    from .guards import GuardsView
    from .matrix import MatrixView
    from .output import OutputView
    from .policy_lab import PolicyLabView
    from .replay import ReplayView
    from .sizes import SizesView
    from .source import SourceView
    from .summary import SummaryView
    from .timeline import TimelineView
    from .what_if import WhatIfView

    return (SummaryView, TimelineView, FunctionsView, OutputView, CausesView, GuardsView, MatrixView, CoverageView,
            GraphView, SourceView, PythonView, KernelView, SizesView, CallView, WhatIfView,
            PolicyLabView, CompareView, ReplayView)


def make_views(model: SessionModel, jobs: Jobs) -> dict[str, View]:
    """Every view by name. They build their content when first shown."""
    return {kind.name: kind(model, jobs) for kind in kinds()}
