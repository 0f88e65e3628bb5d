"""Which of the CPU's two devices runs a call: the one without threads, or the one with all cores.

Far from the middle the answer is plain. Around it an element-wise kernel over arrays of that size is timed on both, once
per machine, drivers and number of cores (templates/trial.py remembers it); with one core there is no question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.node import Graph
from ..ops.op import OPS
from ..tensor import dtypes as dt
from ..tensor.meta import Spec
from ..tensor.tensor import wrap
from .devices import BIG, Device, Target, cores
from .templates import trial

DOUBT = 8                  # sizes within this factor of BIG are measured


def device_for(target: Target, nbytes: int) -> Device:
    """The device for a call whose largest array has so many bytes."""
    if target.small is target.large or cores() == 1:
        return target.small
    usual = "large" if nbytes >= BIG else "small"
    if BIG // DOUBT <= nbytes < BIG * DOUBT:
        size = trial.size_class(nbytes)
        question = f"{target.small.key} or {target.large.key}, {cores()} cores: arrays of {size} bytes"
        usual = trial.choice(question, {name: lambda name=name: _work(target, name, size)       # type: ignore[misc]
                                        for name in ("small", "large")}, usual)
    return target.large if usual == "large" else target.small


def _work(target: Target, which: str, nbytes: int) -> Callable[[], Any]:
    """A sum of two arrays of `nbytes` on one of the devices."""
    from .compile import BackendOptions, compile_graph

    inputs = [wrap(np.ones(nbytes // 4, np.float32)) for _ in "ab"]
    graph = Graph("trial")
    spec = Spec(dt.float32, (nbytes // 4,))
    nodes = [graph.add("input", name, spec=spec) for name in "ab"]
    graph.outputs = [graph.add("op", "sum_of_two", args=(*nodes, 1), op=OPS["add"], spec=spec)]
    compiled = compile_graph(graph, BackendOptions(device=target.asked, name="trial", always=which))
    return lambda: compiled.entry(*inputs)
