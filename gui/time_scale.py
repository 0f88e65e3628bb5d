"""The mapping between the timeline's pixels and its x axis (call numbers or nanoseconds), as an immutable value.

Kept apart from painting so that zooming, panning and picking are tested without a window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Shows the values `[start, start + span)` on pixels `[0, width)`. `low`..`high` is what exists; `span` never falls
    below `least` nor grows beyond the whole."""

    start: float
    span: float
    width: int
    low: float
    high: float
    least: float = 1.0

    @classmethod
    def fit(cls, low: float, high: float, width: int, least: float = 1.0, room: float = 0.0) -> TimeScale:
        """Everything visible. `room`: the least span to show, so that few calls do not become slabs."""
        high = max(high, low + least)
        return cls(low, max(high - low, room), max(1, width), low, high, least)

    @property
    def end(self) -> float:
        return self.start + self.span

    @property
    def per_pixel(self) -> float:
        return self.span / self.width

    def to_pixel(self, value: float) -> float:
        return (value - self.start) / self.span * self.width

    def to_value(self, pixel: float) -> float:
        return self.start + pixel / self.width * self.span

    def zoomed(self, factor: float, at_pixel: float) -> TimeScale:
        """`factor` > 1 zooms in; the value under `at_pixel` keeps its place unless an end of the data is reached."""
        anchor = self.to_value(at_pixel)
        whole = max(self.high - self.low, self.least)
        span = min(max(self.span / factor, self.least), max(whole, min(self.span, whole) if factor > 1 else whole))
        return replace(self, start=anchor - at_pixel / self.width * span, span=span).clamped()

    def panned(self, pixels: float) -> TimeScale:
        """Moved so that the content shifts left by `pixels`."""
        return replace(self, start=self.start + pixels * self.per_pixel).clamped()

    def resized(self, width: int) -> TimeScale:
        return replace(self, width=max(1, width))

    def grown(self, high: float, follow: bool) -> TimeScale:
        """The data now reaches `high`. With `follow` a view that showed the end goes on showing it."""
        showed_all = self.start <= self.low and self.end >= self.high
        at_end = self.end >= self.high - 1e-9
        new = replace(self, high=max(high, self.low + self.least))
        if showed_all:
            return replace(new, start=self.low, span=max(new.high - new.low, min(self.span, new.high - new.low)))
        if follow and at_end:
            return replace(new, start=new.high - new.span).clamped()
        return new

    def revealed(self, low: float, high: float) -> TimeScale:
        """Panned by the least amount that shows `[low, high)`."""
        if low < self.start:
            return replace(self, start=low - self.span * 0.1).clamped()
        if high > self.end:
            return replace(self, start=high - self.span * 0.9).clamped()
        return self

    def clamped(self) -> TimeScale:
        start = min(self.start, self.high - self.span)
        return replace(self, start=max(start, self.low))

    def ticks(self, pixels_apart: int = 90, whole: bool = False) -> list[float]:
        """Round values (1, 2 or 5 times a power of ten) at least `pixels_apart` apart; integers only with `whole`."""
        step = nice_step(self.per_pixel * pixels_apart)
        if whole:
            step = max(1.0, step)
        first = math.ceil(self.start / step) * step
        last = min(self.end, self.high - 1 if whole else self.high)
        count = math.floor((last - first) / step + 1e-9) + 1
        return [first + i * step for i in range(max(0, count))]


def nice_step(least: float) -> float:
    """The smallest of 1, 2, 5 x 10^k that is not below `least`."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    for factor in (1, 2, 5, 10):
        if factor * power >= least * (1 - 1e-12):
            return factor * power
    return 10 * power
