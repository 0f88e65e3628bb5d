"""Pixels and values of the timeline, without a window."""

from __future__ import annotations

import pytest
from guardscope.gui.numbers import duration, number, plural
from guardscope.gui.time_scale import TimeScale, nice_step
from hypothesis import given
from hypothesis import strategies as st


def test_fit_maps_the_ends_to_the_edges() -> None:
    s = TimeScale.fit(0, 200, 1000)
    assert s.to_pixel(0) == 0
    assert s.to_pixel(200) == 1000
    assert s.to_value(500) == 100


def test_few_calls_do_not_become_slabs() -> None:
    s = TimeScale.fit(0, 3, 900, room=6)
    assert s.to_pixel(1) == 150


@given(st.floats(0, 1e12), st.floats(1, 1e12), st.integers(10, 4000), st.floats(0, 1))
def test_pixel_and_value_are_inverse(start: float, span: float, width: int, share: float) -> None:
    s = TimeScale(start, span, width, start, start + span)
    pixel = share * width
    assert s.to_pixel(s.to_value(pixel)) == pytest.approx(pixel, abs=max(1e-3, 1e-9 * (start / span) * width))


@given(st.floats(1.0, 50.0), st.integers(0, 1000))
def test_zooming_in_keeps_the_value_under_the_pointer(factor: float, pixel: int) -> None:
    s = TimeScale.fit(0, 10_000, 1000)
    assert s.zoomed(factor, pixel).to_value(pixel) == pytest.approx(s.to_value(pixel), abs=1e-6)


def test_zoom_is_bounded_on_both_sides() -> None:
    s = TimeScale.fit(0, 100, 1000, least=2)
    assert s.zoomed(1e9, 500).span == 2
    out = s.zoomed(10, 100).zoomed(1e-9, 500)
    assert (out.start, out.span) == (0, 100)


def test_panning_stops_at_the_ends() -> None:
    s = TimeScale.fit(0, 100, 1000).zoomed(4, 0)
    assert s.panned(-500).start == 0
    assert s.panned(1e6).end == 100


def test_growing_follows_the_end_only_when_it_was_in_view() -> None:
    s = TimeScale.fit(0, 100, 1000).zoomed(4, 1000)
    assert s.end == 100
    assert s.grown(200, follow=True).end == 200
    middle = TimeScale.fit(0, 100, 1000).zoomed(4, 0)
    assert middle.grown(200, follow=True).start == middle.start


def test_reveal_moves_only_when_needed() -> None:
    s = TimeScale.fit(0, 1000, 1000).zoomed(10, 0)
    assert s.revealed(10, 11) == s
    assert s.revealed(500, 501).start <= 500 < s.revealed(500, 501).end


@given(st.floats(1e-9, 1e15))
def test_steps_are_one_two_or_five(least: float) -> None:
    step = nice_step(least)
    assert step >= least * (1 - 1e-9)
    assert f"{step:.0e}"[0] in "125"


def test_ticks_are_whole_and_apart() -> None:
    ticks = TimeScale.fit(0, 12, 1000).ticks(60, whole=True)
    assert ticks == [float(t) for t in range(12)]          # the calls are 0 to 11


@pytest.mark.parametrize(("ns", "text"), [
    (0, "0 ns"), (840, "840 ns"), (12_300, "12.3 \N{MICRO SIGN}s"), (3_400_000, "3.4 ms"), (100_000_000, "100 ms"),
    (30_000_000, "30 ms"), (1_200_000_000, "1.2 s"), (125_000_000_000, "2 min 05 s"), (999_999, "1 ms")])
def test_durations_as_people_say_them(ns: int, text: str) -> None:
    assert duration(ns) == text


def test_counts_as_people_write_them() -> None:
    assert plural(1, "call") == "1 call"
    assert plural(2, "call") == "2 calls"
    assert number(9_999) == "9999"
    assert number(1_000_000).replace("\N{NARROW NO-BREAK SPACE}", " ") == "1 000 000"
