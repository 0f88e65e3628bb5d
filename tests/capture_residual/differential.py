"""The differential suite without a test runner: every program of the catalogue, with a graph break at every gb() in turn,
compiled and as plain Python. Other versions of Python run it as a script (test_residual_versions.py):

    python differential.py [--every N] [--generated SEEDS] [NAME ...]

prints what differs and ends with status 1 if something does. It needs the repository and numpy, nothing else.
"""

from __future__ import annotations

import argparse
import ast
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    import main as repository

    repository.make_importable()

import residual_support as support  # noqa: E402
from guardscope.core.capture import capture  # noqa: E402
from guardscope.core.torch_api.importing import install  # noqa: E402

install()
import torch  # noqa: E402

GLOBALS = {"g_count": 0, "g_name": 1}
OPAQUE = torch._dynamo.disable(support.opaque)
PROGRAMS = {node.name: node for file in ("programs.py", "programs_flow.py")
            for node in support.load_programs(HERE / file).body if isinstance(node, ast.FunctionDef)}
ARGUMENTS = [(2,), (-1,), (2,)]


class Case(NamedTuple):
    """Program `name` with its gb() number `k` (None: every one) kept out of graphs."""

    name: str
    k: int | None

    def __str__(self) -> str:
        return f"{self.name}-{'all' if self.k is None else self.k}"


def cases() -> Iterator[Case]:
    for name, node in PROGRAMS.items():
        yield from (Case(name, k) for k in range(1, support.breaks_in(node) + 1))
        yield Case(name, None)


def namespace_of(case: Case, prefix: str = "") -> dict[str, Any]:
    text = support.text_of(PROGRAMS[case.name], case.k)
    names = {"gb": support.traced, "opaque_gb": OPAQUE, "torch": torch, **GLOBALS}
    return support.build(text, f"{prefix}{case.name}_{case.k}", names)


def run_all(function: Any, namespace: dict[str, Any]) -> list[tuple]:
    results = []
    for arguments in ARGUMENTS:
        namespace.update(GLOBALS)
        results.append(support.outcome(function, namespace, arguments))
    return results


def compare(case: Case) -> tuple[list, list]:
    """What the calls give compiled, and as plain Python."""
    torch._dynamo.reset()
    namespace = namespace_of(case)
    function = namespace[case.name]
    assert isinstance(function, types.FunctionType)
    wanted = run_all(function, namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return run_all(torch.compile(function, backend="eager"), namespace), wanted


def generated(seed: int) -> Iterator[tuple[str, str]]:
    """Names and texts of a random program with some breaks."""
    import random

    import generate

    node = ast.parse(generate.program(seed)).body[0]
    assert isinstance(node, ast.FunctionDef)
    count = support.breaks_in(node)
    for k in [0, *random.Random(seed).sample(range(1, count + 1), min(count, 2)), None]:
        yield f"generated_{seed}_{k}", support.text_of(node, k)


def run(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all by default")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th case")
    parser.add_argument("--generated", type=int, default=0, metavar="SEEDS", help="random programs besides")
    options = parser.parse_args(argv)
    chosen = [c for i, c in enumerate(cases()) if not i % options.every and (not options.names or c.name in options.names)]
    bad = 0
    for case in chosen:
        got, wanted = compare(case)
        bad += report(str(case), got, wanted)
    texts = [(name, text) for seed in range(options.generated) for name, text in generated(seed)]
    if texts:
        import random_calls

        for name, text in texts:
            bad += report(name, *random_calls.compare(text, name))
    print(f"Python {sys.version.split()[0]}: {len(chosen) + len(texts)} cases, {bad} differ")
    return 1 if bad else 0


def report(name: str, got: list, wanted: list) -> int:
    """Print a difference; 1 if there is one."""
    faults = [f"{where}: {fault!r}" for where, fault in capture.FAULTS]
    capture.FAULTS.clear()
    if got == wanted and not faults:
        return 0
    print(f"{name}: {'; '.join(faults)}")
    for n, (a, b) in enumerate(zip(got, wanted)):
        if a != b:
            print(f"    call {n}\n        compiled {a}\n        plain    {b}")
            break
    return 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
