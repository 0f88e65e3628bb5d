"""The column algorithm of the timeline against counting by hand."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np
from guardscope.core.events.schema import OUTCOME_NUMBER
from guardscope.gui.facts import Facts
from guardscope.gui.models.lanes import (
    IMPORTANCE,
    Coarse,
    Intervals,
    RunLane,
    compile_lane,
    device_lanes,
    run_lanes,
    short_device,
    stack_heights,
    touch_counts,
)
from hypothesis import given, settings
from hypothesis import strategies as st


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 30)), max_size=30), st.integers(1, 20))
def test_touch_counts_equal_counting_each_interval(pairs: list[tuple[int, int]], columns: int) -> None:
    starts = np.array([a for a, _ in pairs], float)
    ends = np.array([a + n for a, n in pairs], float)
    edges = np.linspace(0, 130, columns + 1)
    got = touch_counts(np.sort(starts), np.sort(ends), edges)
    want = [sum(a < right and b > left for a, b in zip(starts, ends)) for left, right in zip(edges, edges[1:])]
    assert got.tolist() == want


def test_stacked_heights_fill_the_lane_and_show_the_rare() -> None:
    counts = np.array([[0, 1, 0], [0, 0, 0], [1000, 999_999, 0]])
    pixels = stack_heights(counts, 20)
    assert pixels.sum(axis=0).tolist() == [20, 20, 0]
    assert pixels[0].tolist() == [0, 3, 0]        # one in a million still gets its three pixels


def test_a_million_calls_are_columns_not_bars(fake: ModuleType) -> None:
    session = fake.many_calls(1_000_000)
    lanes = run_lanes(Facts(session))
    edges = np.linspace(0, 1_000_000, 1001)
    total = sum(lane.counts("call", edges, IMPORTANCE) for lane in lanes)
    # Common outcomes are counted on a grid of a sixteenth of these columns, rare ones exactly.
    assert np.all(np.abs(total.sum(axis=0) - 1000) <= 2 * 1000 / 16)
    rare = int(np.count_nonzero(session.runs["outcome"] == OUTCOME_NUMBER["recompile"]))
    assert total[IMPORTANCE.index(OUTCOME_NUMBER["recompile"])].sum() == rare
    fine = np.linspace(400_000, 410_000, 1001)                # too near for the grid
    assert np.all(sum(lane.counts("call", fine, IMPORTANCE) for lane in lanes).sum(axis=0) == 10)
    assert lanes[0].visible("call", 0, 1_000_000, IMPORTANCE, 500) is None
    near = lanes[0].visible("call", 500_000, 500_100, IMPORTANCE, 500)
    assert near is not None
    assert len(near) == 25                        # every fourth call is of the first function
    assert all(500_000 <= start < 500_100 for start, *_ in near)


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 9)), min_size=1, max_size=400), st.integers(3, 60))
@settings(deadline=None, max_examples=60)
def test_the_grid_loses_nothing(pairs: list[tuple[int, int]], columns: int) -> None:
    starts = np.sort(np.array([a for a, _ in pairs], float))
    ends = np.sort(np.array([a + n for a, n in pairs], float))
    coarse = Coarse(starts, ends)
    edges = np.linspace(-5, 3015, columns + 1)
    assert coarse.fits(edges)
    got = coarse.counts(edges)
    nearest = coarse.low + np.rint((edges - coarse.low) / coarse.step) * coarse.step
    assert got.tolist() == touch_counts(starts, ends, np.clip(nearest, coarse.low - 1, ends[-1] + 1)).tolist()
    assert got.sum() >= len(pairs)


def test_lanes_are_functions_followed_by_their_resume_functions(fake: ModuleType) -> None:
    titles = [(lane.title, lane.resume) for lane in run_lanes(Facts(fake.synthetic()))]
    assert titles == [("Meter.forward", False), ("scale", False), ("report", False), ("after line 23", True),
                      ("with_format", False)]


def test_one_interval_per_call_keeps_the_worst_run() -> None:
    reuse, recompile = OUTCOME_NUMBER["reuse"], OUTCOME_NUMBER["recompile"]
    runs = {"call": np.array([5, 5, 6]), "outcome": np.array([reuse, recompile, reuse], "u1"),
            "start": np.array([0, 10, 20]), "end": np.array([9, 19, 29])}
    lane = RunLane(("code", 0), "f", 0, False, np.arange(3), runs)
    assert lane.intervals("call")[recompile].starts.tolist() == [5.0]
    assert lane.intervals("call")[recompile].rows.tolist() == [1]
    assert lane.intervals("call")[reuse].starts.tolist() == [6.0]
    assert len(lane.intervals("time")[reuse].starts) == 2
    assert set(lane.intervals("time")) == {reuse, recompile}


def test_compile_lane_sums_each_call(fake: ModuleType) -> None:
    facts = Facts(fake.synthetic())
    lane = compile_lane(facts)
    assert lane is not None
    per_call = lane.amounts(np.arange(facts.n_calls + 1)).sum(axis=0)
    assert per_call[0] == 30_400_000              # the five phases that the fake writes for its first call
    assert per_call.sum() == sum(p.end - p.start for p in facts.session.phases)


def test_device_lanes_by_device(fake: ModuleType) -> None:
    lanes = device_lanes(Facts(fake.synthetic()))
    assert [lane.title for lane in lanes] == ["Kernels on pthread", "Kernels on basic"]
    assert all(lane.amounts(np.array([0, 48])).sum() > 0 for lane in lanes)


def test_devices_have_short_names() -> None:
    assert short_device("basic-Intel(R) Xeon(R) Processor") == "Intel Xeon"
    assert short_device("cpu-haswell-AMD EPYC 7763 64-Core Processor") == "haswell-AMD EPYC 7763 64-Core"
    assert short_device("NVIDIA GeForce RTX-4090") == "NVIDIA GeForce RTX-4090"
    assert short_device("basic") == "basic" and short_device("Processor") == "Processor"


def test_devices_that_would_be_called_the_same_keep_their_names(fake: ModuleType) -> None:
    session = fake.synthetic()
    session.kernels = [replace(k, device=f"{k.device}-Intel(R) Xeon(R) Processor") for k in session.kernels]
    assert [lane.title for lane in device_lanes(Facts(session))] == [
        f"Kernels on {driver}-Intel(R) Xeon(R) Processor" for driver in ("pthread", "basic")]


def test_intervals_are_sorted_whatever_the_order() -> None:
    iv = Intervals.of(np.array([3, 1, 2]), np.array([9, 5, 2]), np.array([0, 1, 2]))
    assert iv.starts.tolist() == [1, 2, 3]
    assert iv.rows.tolist() == [1, 2, 0]
    assert np.all(np.diff(iv.sorted_ends) >= 0)
