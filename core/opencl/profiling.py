"""Times of kernel launches, from the device's own events, while a session that wants them is recorded."""

from __future__ import annotations

from typing import Any

from ..events.recorder import RECORDER
from .devices import pyopencl

ALWAYS = 64                # calls of a graph whose launches are all timed
THEN_EVERY = 16            # afterwards one call in so many: the device's events cost more than a small kernel


def is_sampled(graph: Any) -> bool:
    """Whether this call of a compiled graph is one whose launches are timed."""
    graph.timed += 1
    return graph.timed <= ALWAYS or graph.timed % THEN_EVERY == 0


class Collector:
    """Takes the place of enqueue_nd_range_kernel for one compiled graph and keeps the events of a call."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.names: dict[int, str] = {}                  # id(kernel object) -> kernel name
        self.ids: dict[str, int] = {}                    # kernel name -> id in the session; set by whoever records
        self.events: list[tuple[str, Any]] = []
        self._enqueue = pyopencl().enqueue_nd_range_kernel

    def enqueue(self, queue: Any, kernel: Any, size: tuple, local: tuple) -> Any:
        event = self._enqueue(queue, kernel, size, local)
        self.events.append((self.names[id(kernel)], event))
        return event

    def report(self, now: int) -> None:
        """Hand the times to the recorder. The device's clock is set by the end of the last launch, which was just
        waited for: `now` on the clock of time.perf_counter_ns()."""
        events, self.events = self.events, []
        if not events:
            return
        times = [(name, e.profile.start, e.profile.end) for name, e in events]
        shift = now - max(end for _, _, end in times)
        ids = getattr(self.owner, "kernel_ids", None) or {}
        rows = [(ids[name], start + shift, end + shift, self.owner.target.name) for name, start, end in times
                if name in ids]
        if rows:
            RECORDER.launches(rows)
