"""Layout of graphs: nothing overlaps, edges go down, boxes hold exactly their nodes."""

from __future__ import annotations

import random

from guardscope.gui.models.graph_layout import Rect, acyclic, digraph, layout
from hypothesis import given, settings
from hypothesis import strategies as st


def overlap(a: Rect, b: Rect) -> bool:
    return a.x < b.x + b.w - 1e-6 and b.x < a.x + a.w - 1e-6 and a.y < b.bottom - 1e-6 and b.y < a.bottom - 1e-6


@given(st.integers(1, 24), st.integers(0, 10_000))
@settings(deadline=None, max_examples=60)
def test_random_graphs(count: int, seed: int) -> None:
    rng = random.Random(seed)
    sizes = {i: (rng.uniform(40, 120), rng.uniform(20, 40)) for i in range(count)}
    edges = sorted({(rng.randrange(i), i) for i in range(1, count) for _ in range(rng.randint(0, 2))})
    boxes: dict[str, list[int]] = {}
    at = 0
    while at < count:                    # runs of neighbouring nodes, as kernels are
        n = rng.randint(1, 4)
        if rng.random() < 0.5:
            boxes[f"k{at}"] = list(range(at, min(count, at + n)))
        at += n
    placed = layout(sizes, edges, boxes)
    rects = list(placed.nodes.values())
    assert len(rects) == count
    assert not any(overlap(a, b) for i, a in enumerate(rects) for b in rects[:i])
    assert all(placed.nodes[a].bottom <= placed.nodes[b].y + 1e-6 for a, b in edges)
    assert all(r.x >= -1e-6 and r.x + r.w <= placed.width + 1e-6 and r.bottom <= placed.height + 1e-6 for r in rects)
    for name, box in placed.boxes.items():
        inside = {n for n, r in placed.nodes.items() if overlap(r, box)}
        assert inside == set(boxes[name])
    for (a, b), points in placed.edges.items():
        assert points[0] == (placed.nodes[a].cx, placed.nodes[a].bottom)
        assert points[-1] == (placed.nodes[b].cx, placed.nodes[b].y)


def test_boxes_that_would_make_a_cycle_are_taken_apart() -> None:
    placed = layout(dict.fromkeys("abc", (50.0, 20.0)), [("a", "b"), ("b", "c")], {"k": ["a", "c"]})
    assert not placed.boxes
    assert placed.nodes["a"].y < placed.nodes["b"].y < placed.nodes["c"].y


def test_inputs_stand_just_above_their_first_user() -> None:
    sizes = dict.fromkeys(["x", "w", "a", "b", "c"], (50.0, 20.0))
    placed = layout(sizes, [("x", "a"), ("a", "b"), ("b", "c"), ("w", "c")], {}, frozenset({"x", "w"}))
    assert placed.nodes["w"].y == placed.nodes["b"].y


def test_cycles_are_found() -> None:
    assert acyclic(digraph(["b", "a"], [("a", "b")]))
    assert not acyclic(digraph(["a", "b"], [("a", "b"), ("b", "a")]))


def test_an_empty_graph() -> None:
    assert layout({}, [], {}).nodes == {}
