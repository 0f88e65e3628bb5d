"""The numbers that a case writes become arguments, symbolic from the first call on, and change from call to call.

`python varied.py STEP [OFFSET] [BACKEND]` takes every STEP-th case of every table, calls it compiled with its own numbers, then
with awkward ones, and says which outcomes differ from the eager ones: what an operator decides by a number (an error, a special
case) must be decided anew for another number.
"""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
import random
import signal
import sys
import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import run
from compare import difference, least_precise
from compiled import RANDOM, sampled

INTS = (0, -1, 1, 2, 7, -3, 300, 2**40, -(2**63), 2**63, 2**65)
FLOATS = (0.0, -0.5, 1.0, 2.5, float("nan"), float("inf"), -1e300)
SECONDS = 3
_COUNT = itertools.count()


class TooLong(BaseException):
    """A call takes too long."""


def too_long(*_: object) -> None:
    raise TooLong


class Numbers(ast.NodeTransformer):
    """Replaces numbers by names n0, n1, ...; what they were is in `found`."""

    def __init__(self) -> None:
        self.found: list[int | float] = []

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return self.number(node, -node.operand.value) if type(node.operand.value) in (int, float) else node
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.number(node, node.value) if type(node.value) in (int, float) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return node

    def number(self, node: ast.expr, value: float) -> ast.expr:
        self.found.append(value)
        return ast.copy_location(ast.Name(f"n{len(self.found) - 1}", ast.Load()), node)


def varied(text: str) -> tuple[str, list[int | float]]:
    """The body of the case with names for its numbers, and the numbers."""
    numbers = Numbers()
    tree = numbers.visit(ast.parse("\n".join(run.body(text)[:-1] + [run.body(text)[-1].removeprefix("return ")])))
    lines = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
    return "\n".join(["    " + line for line in lines[:-1]] + ["    return " + lines[-1]]), numbers.found


FELL_BACK: list[str] = []


def watch_kernels() -> None:
    """Kernels that cannot be built or run are a difference too, though NumPy gives the right result then."""
    from guardscope.core.events.recorder import RECORDER

    told = RECORDER.event

    def event(kind: str, text: str, *rest: Any) -> None:
        if kind == "fallback":
            FELL_BACK.append(text)
        told(kind, text, *rest)

    RECORDER.event = event                                 # type: ignore[method-assign]


def function_of(torch: Any, names: list[str], body: str) -> Any:
    scope: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "np": run.np, "copy": copy}
    text, name = f"def case({', '.join(names)}):\n{body}\n", f"varied case {next(_COUNT)}"
    linecache.cache[name] = (0, None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope["case"]


def outcome(torch: Any, inputs: Any, specs: dict[str, str], function: Any, numbers: dict[str, float]) -> Any:
    torch.manual_seed(0)
    random.seed(0)
    tensors = {n: inputs.make(s, zlib.crc32(n.encode()) + 7) for n, s in specs.items()}
    try:
        return run.plain(function(**tensors, **numbers), torch, tensors)
    except MemoryError:
        return None
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


def compared(torch: Any, inputs: Any, specs: dict[str, str], function: Any, through: Any,
             numbers: dict[str, float]) -> str | None:
    """How a compiled call differs from the plain one, if it does. A number may make a loop, or a result, huge: then nothing."""
    FELL_BACK.clear()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        plain = outcome(torch, inputs, specs, function, numbers)
        if plain is None:
            return None
        found = difference(plain, outcome(torch, inputs, specs, through, numbers), least_precise(specs))
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return f"no kernels: {FELL_BACK[0][:300]}" if found is None and FELL_BACK else found


def settings(numbers: list[int | float], rng: random.Random, count: int) -> list[list[int | float]]:
    """The case's own numbers first, then some with one or two of them changed."""
    out = [list(numbers)]
    for _ in range(count):
        changed = list(numbers)
        for i in rng.sample(range(len(numbers)), min(len(numbers), rng.choice([1, 1, 1, 2]))):
            changed[i] = rng.choice(FLOATS if isinstance(numbers[i], float) else INTS)
        out.append(changed)
    return out


def differences(torch: Any, cases: list[tuple[str, tuple]], backend: str = "eager", count: int = 4) -> Iterator[str]:
    """A line per case and numbers whose compiled outcome is another than the eager one."""
    inputs = run.Inputs(torch)
    for table, (text, specs) in cases:
        if any(word in text for word in RANDOM) or table in ("drawing", "printed", "modes"):
            continue
        try:
            body, numbers = varied(text)
            for spec in specs.values():
                inputs.make(spec, 1)
        except Exception:
            continue
        if not numbers:
            continue
        names = [*specs, *[f"n{i}" for i in range(len(numbers))]]
        function = function_of(torch, names, body)
        torch._dynamo.reset()
        through = torch.compile(function, dynamic=True, backend=backend)
        rng = random.Random(zlib.crc32(repr((text, sorted(specs.items()))).encode()))
        for values in settings(numbers, rng, count):
            said = dict(zip(names[len(specs):], values))
            found = compared(torch, inputs, specs, function, through, said)
            if found is not None:
                yield f"{table}: {text} with {specs}, numbers {numbers} then {values}: {found}"
                break


def main() -> None:
    step, offset = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    torch = run.torch_of("ours")
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_long)
    watch_kernels()
    cases = sampled(step, offset)
    for line in differences(torch, cases, *sys.argv[3:4]):
        print(line, flush=True)
    print(f"{len(cases)} cases compared")


if __name__ == "__main__":
    main()
