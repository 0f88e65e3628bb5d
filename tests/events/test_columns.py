# The top-level calls that are derived from the runs, whenever their columns are asked for, against counting by hand.
import numpy as np
from guardscope.core.events.columns import CALL_COLUMNS, Calls, Columns, sort_runs
from guardscope.core.events.schema import OUTCOMES, STREAMS, Artifact, Break
from hypothesis import given, settings
from hypothesis import strategies as st

ARTIFACTS = [Artifact(n, 0, n, call=n // 2, has_graph=n % 3 > 0) for n in range(12)]
BREAKS = [Break(n, 0, "", "", call=(5 * n) % 7) for n in range(5)]
ERROR, LIMIT = OUTCOMES.index("error"), OUTCOMES.index("eager_limit")
WORST = [OUTCOMES.index(n) for n in ("recompile", "compile", "reuse", "eager_limit", "not_compiled")]

run = st.tuples(st.integers(-1, 11), st.integers(0, 5))         # artifact, outcome
calls_of_runs = st.lists(st.lists(run, min_size=1, max_size=3), min_size=1, max_size=12)


def rows_of(calls):
    """The runs of the calls as rows: a call's first run is at its top, the others are inside it."""
    rows, now = [], 0
    for number, runs in enumerate(calls):
        for depth, (artifact, outcome) in enumerate(runs):
            rows.append({"call": number, "code": depth, "artifact": artifact, "outcome": outcome, "start": now,
                         "end": now + 50 - depth, "depth": min(depth, 1), "signature": -1, "line": 10 * number, "thread": 0})
            now += 7
    return rows


def expected(calls):
    """The columns of the calls, counted one by one."""
    rows, found, at = rows_of(calls), {name: [] for name in CALL_COLUMNS}, 0
    for number, runs in enumerate(calls):
        top = rows[at]
        for name in ("code", "line", "start", "end"):
            found[name].append(top[name])
        outcomes = {outcome for _, outcome in runs}
        found["outcome"].append(ERROR if top["outcome"] == ERROR else
                                next((o for o in WORST if o in outcomes), OUTCOMES.index("not_compiled")))
        found["first_run"].append(at)
        found["n_runs"].append(len(runs))
        found["graphs_run"].append(sum(a >= 0 and ARTIFACTS[a].has_graph for a, _ in runs))
        found["new_graphs"].append(sum(a.has_graph and a.call == number for a in ARTIFACTS))
        found["new_breaks"].append(sum(b.call == number for b in BREAKS))
        at += len(runs)
    return found


def empty():
    runs = Columns({name: kind for name, kind, _ in STREAMS["run"]})
    return runs, Calls(runs)


def add(runs, rows):
    runs.append({name: np.array([row[name] for row in rows], runs[name].dtype) for name in runs.names})


@given(calls_of_runs, st.integers(0, 12), st.sets(st.sampled_from(list(CALL_COLUMNS))))
@settings(deadline=None, max_examples=150)
def test_columns_asked_for_while_it_grows_are_those_of_the_whole(calls, cut, early):
    runs, found = empty()
    for part in ([row for row in rows_of(calls) if row["call"] < cut], [row for row in rows_of(calls) if row["call"] >= cut]):
        add(runs, part)
        found.find(ARTIFACTS, BREAKS)
        assert all(len(found[name]) == len(found) for name in early)
    wanted = expected(calls)
    assert {name: found[name].tolist() for name in found.names} == wanted
    assert {name: found[name].dtype for name in found.names} == {n: np.dtype(kind) for n, kind in CALL_COLUMNS.items()}
    assert found.row(0) == {name: values[0] for name, values in wanted.items()}


def test_calls_end_at_the_first_gap():
    rows = rows_of([[(0, 0)], [(0, 2)], [(0, 2)], [(0, 2)]])
    runs, found = empty()
    add(runs, [row for row in rows if row["call"] != 2])
    found.find(ARTIFACTS, BREAKS)
    assert len(found) == 2 and found.outcome.tolist() == [0, 2]
    add(runs, [row for row in rows if row["call"] == 2])
    sort_runs(runs, 3)
    found.find(ARTIFACTS, BREAKS)
    assert found.start.tolist() == [row["start"] for row in rows]


def test_no_calls():
    runs, found = empty()
    found.find([], [])
    assert len(found) == 0 and all(len(found[name]) == 0 for name in found.names)
    assert "outcome" in found and "nothing" not in found and not hasattr(found, "nothing")


@given(st.lists(st.tuples(st.integers(1, 9), st.lists(st.sampled_from("ab"), max_size=2)), max_size=12))
@settings(deadline=None)
def test_columns_read_at_any_time_hold_what_was_added(steps):
    columns = Columns({"a": "<i8", "b": "<i4"})
    total = 0
    for count, read in steps:
        added = np.arange(total, total + count)
        columns.append({"a": added[:1], "b": added[:1]}, {"a": added[1:], "b": added[1:]})
        total += count
        assert len(columns) == total
        for name in read:
            assert columns[name].tolist() == list(range(total))
    assert columns["a"].tolist() == columns["b"].tolist() == list(range(total))


def test_a_column_read_while_another_thread_adds_has_no_rows_that_are_not_there():
    import threading

    columns, over = Columns({"a": "<i8"}), threading.Event()
    wrong = []

    def read():
        while not over.is_set():
            seen = columns["a"]
            if not np.array_equal(seen, np.arange(len(seen))):
                wrong.append(len(seen))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for first in range(0, 3000, 3):
            columns.append({"a": np.arange(first, first + 3)})
            columns["a"]
    finally:
        over.set()
        reader.join()
    assert not wrong
    assert len(columns["a"]) == 3000
