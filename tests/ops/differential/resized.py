"""The tensors that a case takes change their sizes from call to call, symbolic from the first call on.

`python resized.py STEP [OFFSET] [BACKEND]` takes every STEP-th case of every table, calls it compiled with its own tensors and
then others of the same rank (0 and 1 among their sizes, and sizes that were equal and are not), and says which outcomes differ
from the eager ones.
"""

from __future__ import annotations

import random
import signal
import sys
import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import run
from compiled import RANDOM, sampled
from varied import compared, function_of, too_long, watch_kernels

SIZES = (0, 1, 1, 2, 3, 5, 6, 7)


def settings(specs: dict[str, str], rng: random.Random, count: int) -> Iterator[dict[str, str]]:
    """The case's own specs first, then some with other sizes: mostly the same size for what was the same size."""
    yield specs
    for _ in range(count):
        known: dict[str, int] = {}
        out = {}
        for name, spec in specs.items():
            dtype, sizes, *rest = spec.split()
            new = []
            for n in sizes.split(",") if sizes != "-" else ():
                if rng.random() < 0.15:
                    new.append(rng.choice(SIZES))              # on its own
                else:
                    new.append(known.setdefault(n, int(n) if rng.random() < 0.5 else rng.choice(SIZES)))
            out[name] = " ".join([dtype, ",".join(map(str, new)) or "-", *rest])
        yield out


def differences(torch: Any, cases: list[tuple[str, tuple]], backend: str = "eager", count: int = 5) -> Iterator[str]:
    """A line per case and sizes whose compiled outcome is another than the eager one."""
    inputs = run.Inputs(torch)
    for table, (text, specs) in cases:
        if not specs or any(word in text for word in RANDOM) or table in ("drawing", "printed", "modes"):
            continue
        try:
            function = function_of(torch, list(specs), "\n".join("    " + line for line in run.body(text)))
        except SyntaxError:
            continue                                       # a case about errors
        torch._dynamo.reset()
        through = torch.compile(function, dynamic=True, backend=backend)
        rng = random.Random(zlib.crc32(repr((text, sorted(specs.items()))).encode()))
        for now in settings(specs, rng, count):
            try:
                for spec in now.values():
                    inputs.make(spec, 1)
            except Exception:
                continue                                       # no such layout of these sizes
            found = compared(torch, inputs, now, function, through, {})
            if found is not None:
                yield f"{table}: {text} with {specs} then {now}: {found}"
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
