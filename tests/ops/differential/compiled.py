"""Runs cases twice with Guardscope, as they are and under torch.compile, and says which outcomes differ.

`python compiled.py STEP [OFFSET]` takes every STEP-th case of every table. Elements must be equal within the tolerance of
their dtype; dtypes, sizes, strides and classes of errors exactly.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import run
from compare import difference, least_precise

RANDOM = (
    "rand",
    "drop",
    "normal",
    "uniform",
    "bernoulli",
    "multinomial",
    "exponential",
    "poisson",
    "seed",
    "init.",
    "Generator",
    "geometric",
    "cauchy",
    "rng_state",
)
EMPTY = ("empty", ".new(", "resize_", "FloatTensor(2)", "torch.Tensor(2", "set_printoptions")


def sampled(step: int, offset: int) -> list[tuple[str, tuple]]:
    """(table, case) of the sample; cases without stated elements are left out."""
    every = [(t, c) for t, cases in run.all_cases().items() for c in cases if not any(w in c[0] for w in EMPTY)]
    return every[offset::step]


def differences(torch: Any, cases: list[tuple[str, tuple]]) -> list[str]:
    """A line per case whose compiled outcome is another than the eager one."""
    inputs, out = run.Inputs(torch), []
    for table, case in cases:
        plain = run.run_case(torch, inputs, case)
        torch._dynamo.reset()
        compiled = run.run_case(torch, inputs, case, through=torch.compile)
        found = difference(plain, compiled, least_precise(case[1]))
        if found is not None:
            out.append(f"{table}: {case[0]} with {case[1]}: {found}")
    return out


def main() -> None:
    step, offset = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    torch = run.torch_of("ours")
    warnings.simplefilter("ignore")
    cases = sampled(step, offset)
    for line in differences(torch, cases):
        print(line)
    print(f"{len(cases)} cases compared")


if __name__ == "__main__":
    main()
