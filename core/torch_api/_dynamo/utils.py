"""torch._dynamo.utils: the counters that scripts read after a run.

counters["stats"]: "unique_graphs", "calls_captured" (operators in them). counters["graph_break"]: sentence of a break -> how
often it was found. counters["frames"]: "total", "ok" (versions compiled). `counters.clear()` starts anew; reset() does not.
"""

from __future__ import annotations

from ...artifacts.logs import COUNTERS as counters

__all__ = ["counters"]
