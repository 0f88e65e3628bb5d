"""Compare our record of a script with the recorded facts, level 1: outcome, new graphs, graphs run, new breaks, whether it
raised, results, and what was printed. Level 2: dynamic dimensions of graphs in order."""

from __future__ import annotations

import re
from typing import Any

TEMPORARY = re.compile(r"L\['(___stack\d+|__[rv]\d+)'\]")          # what each side calls a value on the stack at a break
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)")


def near(a: Any, b: Any, scale: float = 0.0, relative: float = 2e-4, absolute: float = 1e-5) -> bool:
    """Equal within tolerance; texts (such as "nan") compare as texts."""
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return str(a) == str(b)
    if a != a or b != b:
        return a != a and b != b
    return a == b or abs(a - b) <= absolute + relative * max(abs(a), abs(b), abs(scale))


def same_text(a: str, b: str) -> bool:
    """Equal, with numbers compared within tolerance."""
    if a == b:
        return True
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    return all(x == y or near(float(x), float(y), relative=1e-3, absolute=2e-3)
               for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def output_differences(expected: Any, actual: Any) -> list[str]:
    if expected is None or actual is None:
        return []
    wanted, got = expected["tensors"], actual["tensors"]
    if len(wanted) != len(got):
        return [f"{len(wanted)} tensors in the result, got {len(got)}"]
    found = []
    for w, g in zip(wanted, got):
        if (w["dtype"], w["shape"]) != (g["dtype"], g["shape"]):
            found.append(f"result is {w['dtype']}{w['shape']}, got {g['dtype']}{g['shape']}")
            continue
        scale = w.get("abs_sum") if isinstance(w.get("abs_sum"), int | float) else 0.0
        for key, factor in (("sum", 1), ("abs_sum", 1), ("wsum", 13)):
            if key in w and key in g and not near(w[key], g[key], scale * factor):
                found.append(f"WRONG NUMBER: {key} {w[key]}, got {g[key]}")
    return found


def call_differences(expected: dict, actual: dict) -> list[str]:
    """What differs between two records of one call."""
    found = [f"{key} {expected[key]}, got {actual[key]}" for key in ("outcome", "new_graphs", "graphs_run", "new_breaks")
             if expected[key] != actual[key]]
    if bool(expected["error"]) != bool(actual["error"]):
        found.append(f"error {(expected['error'] or {}).get('type')}, got {actual['error']}")
    return found + output_differences(expected["output"], actual["output"])


def differences(expected: dict, actual: dict) -> list[str]:
    """Level 1 over a whole script."""
    found = []
    if len(expected["calls"]) != len(actual["calls"]):
        found.append(f"{len(expected['calls'])} calls, got {len(actual['calls'])}")
    for e, a in zip(expected["calls"], actual["calls"]):
        found += [f"call {e['index']} (line {e['line']}): {d}" for d in call_differences(e, a)]
    if not same_text(expected["stdout"], actual["stdout"]):
        found.append("stdout differs")
    return found


def dimension_differences(expected: dict, actual: dict) -> list[str]:
    """Level 2: graphs in order of creation, their dynamic dimensions as (source, dimension)."""
    def graphs(facts: dict) -> list[dict]:
        return [a for a in facts["artifacts"] if a["has_graph"]]

    def dims(artifact: dict) -> list:
        return sorted((TEMPORARY.sub("a value from before the break", str(d[0])), -1 if d[1] is None else d[1])
                      for d in artifact["dynamic_dims"])

    wanted, got = graphs(expected), graphs(actual)
    found = [f"{len(wanted)} graphs, got {len(got)}"] if len(wanted) != len(got) else []
    return found + [f"graph {i} ({w['frame']}): dynamic {dims(w)}, got {dims(g)}"
                    for i, (w, g) in enumerate(zip(wanted, got)) if dims(w) != dims(g)]
