"""Scripts of our own through the real runner and session file: outcome, new graphs, graphs run and new breaks of each call,
dynamic dimensions, and the same output as plain Python. The expectations are TorchDynamo's documented behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from guardscope.core.runner.process import ScriptProcess

from .record import record

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
C, R, U, E = "compile", "recompile", "reuse", "eager"

# script -> (one "outcome new_graphs graphs_run new_breaks" per call, dynamic dimensions of each graph)
EXPECTED: dict[str, tuple[list[tuple[str, int, int, int]], list[list[tuple[str, int]]] | None]] = {
    "one_property_each": (
        [(C, 1, 1, 0), (U, 0, 1, 0), (R, 1, 1, 0), (R, 1, 1, 0), (R, 1, 1, 0), (U, 0, 1, 0), (R, 1, 1, 0)],
        [[], [], [("t", 0), ("t", 1), ("t", 2)], [("t", 0), ("t", 1)], [("t", 0), ("t", 1)]]),
    "policies": (
        [(C, 1, 1, 0), *[(R, 1, 1, 0)] * 3, (U, 0, 1, 0),
         (C, 1, 1, 0), (R, 1, 1, 0), *[(U, 0, 1, 0)] * 3,
         (C, 1, 1, 0), *[(U, 0, 1, 0)] * 4],
        [[], [], [], [], [], [("t", 0)], [("t", 0), ("t", 1)]]),
    "three_breaks": (
        [(C, 4, 4, 3), (U, 0, 4, 0), (R, 4, 4, 3)],
        [[], [], [], [], *[[("a", 0)]] * 4]),
    "size_branch": (
        [(C, 1, 1, 0), (U, 0, 1, 0), (R, 1, 1, 0), (U, 0, 1, 0), (U, 0, 1, 0), (U, 0, 1, 0)],
        [[("t", 0)], [("t", 0)]]),
    "marks": (
        [(C, 1, 1, 0), (U, 0, 1, 0), (R, 1, 1, 0), (U, 0, 1, 0), (C, 1, 1, 0), (R, 1, 1, 0), (R, 1, 1, 0)],
        [[("t", 0)], [("t", 0), ("t", 1)], [], [], []]),
    "producer_consumer": (
        [(C, 1, 1, 0), (C, 1, 1, 0), (U, 0, 1, 0), (R, 1, 1, 0), (U, 0, 1, 0), (R, 1, 1, 0), (U, 0, 1, 0), (U, 0, 1, 0)],
        [[("t", 0), ("t", 1)], [], [], []]),
    "limit": (
        [(C, 1, 1, 0), (R, 1, 1, 0), (E, 0, 0, 0), (E, 0, 0, 0), (U, 0, 1, 0), (U, 0, 1, 0)],
        [[], []]),
    "counter_module": (
        [(C, 1, 1, 0), *[(R, 1, 1, 0)] * 7, *[(E, 0, 0, 0)] * 2],
        [[]] * 8),
    "one_or_zero": (
        [(C, 1, 1, 0), (R, 1, 1, 0), (R, 1, 1, 0), (U, 0, 1, 0), (U, 0, 1, 0)],
        [[("t", 0), ("t", 1)], [("t", 1)], [("t", 1)]]),
    "shadowed": (
        [(C, 1, 1, 0), (R, 1, 1, 0), (C, 1, 1, 0), (R, 1, 1, 0), (R, 1, 1, 0)],
        None),
}


def local(source: str) -> str:
    return source.removeprefix("L['").replace("']", "", 1)


def plain_output(script: Path, tmp_path: Path) -> str:
    """What the script prints when torch.compile returns its argument."""
    wrapper = tmp_path / script.name
    wrapper.write_text("import torch\n_real = torch.compile\n"
                       "def _nothing(model=None, **options):\n"
                       "    return model if model is not None else (lambda target: target)\n"
                       "torch.compile = _nothing\n" + script.read_text(encoding="utf-8"), encoding="utf-8")
    got: list[bytes] = []
    process = ScriptProcess(wrapper, session=tmp_path / "plain.guardscope",
                            echo=lambda stream, data: got.append(data) is None if stream == "stdout" else True)
    process.start()
    process.wait(60)
    return b"".join(got).decode()


@pytest.mark.parametrize("name", EXPECTED)
def test_scenario(name: str, tmp_path: Path) -> None:
    facts = record(SCRIPTS / f"{name}.py")
    assert facts["exit_status"] == 0, facts["stderr"]
    calls, dims = EXPECTED[name]
    got = [(c["outcome"], c["new_graphs"], c["graphs_run"], c["new_breaks"]) for c in facts["calls"]]
    assert got == calls
    if dims is not None:
        seen: list[Any] = [sorted((local(s), d) for s, d, _ in a["dynamic_dims"]) for a in facts["artifacts"] if a["has_graph"]]
        assert seen == dims
    assert facts["stdout"] == plain_output(SCRIPTS / f"{name}.py", tmp_path)
