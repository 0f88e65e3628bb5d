"""Times of kernel launches, from the device's own events, while a session that wants them is recorded."""

from __future__ import annotations

import time
from collections.abc import Callable
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
    """Takes the place of enqueue_nd_range_kernel for one frame and keeps the events of a call.

    Drivers such as PoCL finish a kernel when it is first launched, and that takes longest: so first launches are counted
    ("building kernels 1 to 8 of 9"), and their time is a phase of the compilation. `fresh`: what the driver has as one kernel
    and never ran when it was bound, with the names of ours in it; `begun`: those that were launched since."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.names: dict[int, str] = {}                  # id(kernel object) -> kernel name
        self.driver_kernels: dict[int, tuple[int, str]] = {}     # id(kernel object) -> the driver's kernel
        self.fresh: dict[tuple[int, str], list[str]] = owner.unlaunched
        self.begun: set[tuple[int, str]] = owner.begun
        self._since = 0                                  # when the first of them was launched
        self.events: list[tuple[str, Any]] = []
        self._enqueue = pyopencl().enqueue_nd_range_kernel

    def enqueue(self, queue: Any, kernel: Any, size: tuple, local: tuple) -> Any:
        name = self.names[id(kernel)]
        of_driver = self.driver_kernels[id(kernel)]
        if of_driver in self.fresh and of_driver not in self.begun:
            self._finish_building(of_driver)
        event = self._enqueue(queue, kernel, size, local)
        self.events.append((name, event))
        return event

    def add(self, kernel: Any, name: str, of_driver: tuple[int, str], is_new: bool) -> None:
        """A kernel object that this frame launches."""
        self.names[id(kernel)], self.driver_kernels[id(kernel)] = name, of_driver
        if is_new and name not in self.fresh.setdefault(of_driver, []):
            self.fresh[of_driver].append(name)

    def _finish_building(self, of_driver: tuple[int, str]) -> None:
        self._since = self._since or time.perf_counter_ns()
        first = 1 + sum(len(self.fresh[k]) for k in self.begun)
        last, count = first + len(self.fresh[of_driver]) - 1, sum(map(len, self.fresh.values()))
        self.begun.add(of_driver)
        which = f"kernel {first}" if first == last else f"kernels {first} to {last}"
        RECORDER.step(f"building {which} of {count}", at_once=True)

    def reporting(self, run: Callable[..., tuple]) -> Callable[..., tuple]:
        """A launch function that reports the times of its launches."""

        def timed(*inputs: Any) -> tuple:
            out = run(*inputs)
            self.report(time.perf_counter_ns())
            return out

        return timed

    def report(self, now: int) -> None:
        """Hand the times to the recorder. The device's clock is set by the end of the last launch, which was just
        waited for: `now` on the clock of time.perf_counter_ns()."""
        events, self.events = self.events, []
        if self._since and self.owner.recorded_as is not None:
            artifact, code = self.owner.recorded_as
            RECORDER.phase(artifact, code, "first launch", self._since, now)
            self._since = 0
        if not events:
            return
        times = [(name, e.profile.start, e.profile.end) for name, e in events]
        shift = now - max(end for _, _, end in times)
        ids = self.owner.kernel_ids
        rows = [(ids[name], start + shift, end + shift, self.owner.target.name) for name, start, end in times
                if name in ids]
        if rows:
            RECORDER.launches(rows)
