"""What each guard costs a call that reuses its artifact, measured once, on the call that the artifact was made for.

The text of the checking function runs a few dozen times with the clock read before every guard. That happens after the
compilation and only while a session is recorded; a later call pays nothing for it.
"""

from __future__ import annotations

import re
import time
from typing import Any

from .compile import GuardProgram

RUNS = 40                            # the interpreter specialises a function within its first dozen or two
MOST = 3000                          # guards of an artifact beyond which measuring would be felt
SECTION = re.compile(r"\s*# (\d+)  [A-Z_]+ ")

LOOK_UP, MODULE, TEST = "look-up", "module", "test"      # how a reused call decides a guard; docs/session_file.md


def ways(program: GuardProgram) -> dict[int, str]:
    """Guard index -> how a reused call decides it: all tensors at once by looking their metadata up, with others below a
    module that did not change, or by a test of its own."""
    text, name = _text(program)
    found = dict.fromkeys(range(len(program.guards)), LOOK_UP)
    where = ""
    for line in text.splitlines():
        if line.startswith("def "):
            where = line[4:line.index("(")]
        elif (section := SECTION.match(line)) is not None:
            found[int(section[1])] = TEST if where == name else MODULE
    return found


def measure(program: GuardProgram, fn: Any, args: tuple) -> dict[int, int]:
    """Guard index -> nanoseconds of its own test, for the guards with the way "test". {} if one does not hold any more."""
    text, name = _text(program)
    prefix = "__"
    while any(p.startswith(prefix) for p in program.params):
        prefix += "_"
    order, timed = _with_clock(text, name, prefix)
    if not 0 < len(order) <= MOST:
        return {}
    namespace = {**program.check.__globals__, **(program.rest.__globals__ if program.rest is not None else {}),
                 f"{prefix}clock": time.perf_counter_ns}
    exec(compile(timed, f"<guards of {name}, timed>", "exec", dont_inherit=True), namespace)
    run = namespace[name]
    best = [1 << 60] * len(order)
    for _ in range(RUNS):
        times = run(fn, *args)
        if type(times) is not tuple:
            return {}
        best = [min(b, after - before) for b, before, after in zip(best, times, times[1:])]
    clock = min(_clock() for _ in range(RUNS))
    return {index: max(ns - clock, 1) for index, ns in zip(order, best) if index >= 0}


def _text(program: GuardProgram) -> tuple[str, str]:
    """The text that a reused call runs, and the name of the function in it."""
    return (program.source, "check") if program.looked_up is None else (program.rest_source, "rest")


def _with_clock(text: str, name: str, prefix: str) -> tuple[list[int], str]:
    """The indices of the guards in the order in which function `name` tests them, -1 for what it does for several, and the
    text with the clock read before each and at the end. `prefix`: of names that nothing in the text has."""
    lines, order, inside = [], [], False
    for line in text.splitlines():
        if line.startswith("def "):
            inside = line.startswith(f"def {name}(")
        comment = line.lstrip().startswith("# ")
        if inside and comment:
            section = SECTION.match(line)
            order.append(int(section[1]) if section is not None else -1)
            lines.append(f"{line[:len(line) - len(line.lstrip())]}{prefix}at_{len(order) - 1} = {prefix}clock()")
        elif inside and line.strip() == "return None":
            indent = line[:len(line) - len(line.lstrip())]
            line = f"{indent}return ({''.join(f'{prefix}at_{n}, ' for n in range(len(order)))}{prefix}clock())"
        lines.append(line)
    return order, "\n".join(lines) + "\n"


def _clock() -> int:
    """What reading the clock takes."""
    first = time.perf_counter_ns()
    second = time.perf_counter_ns()
    return second - first


__all__ = ["measure", "ways"]
