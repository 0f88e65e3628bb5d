"""Random changes between calls, some hundred. `python -m tests.attack --trials N --seed S` does it for as long as you like."""

from __future__ import annotations

import random
import sys

import pytest
from guardscope.tests.attack.random.grammar import listing
from guardscope.tests.attack.random.trial import attempt, run, shrink, shrink_program
from guardscope.tests.attack.random.world import World

TRIALS, SEED, EACH = 240, 1000, 4
ENDLESS = ("special_methods", "abstract_sequences")      # a changed __getitem__ may make their loops endless
NAMES = list(World("plain", "slots").module.PROGRAMS)


def forgive_endless_recursion() -> None:
    """A change may make a function call itself for ever; the evaluator gives up then, as Python does."""
    capture = sys.modules["guardscope.core.capture.capture"]
    others = [fault for fault in capture.FAULTS if not isinstance(fault[1], RecursionError)]
    capture.FAULTS.clear()
    capture.FAULTS.extend(others)


def test_every_program_is_equal_to_plain_python() -> None:
    for name in NAMES:
        for dynamic in (None, True):
            assert run(name, [("call",)] * 3, {"backend": "eager", "dynamic": dynamic}) is None, name


@pytest.mark.timeout(600)
def test_random_changes_are_noticed() -> None:
    for seed in range(SEED, SEED + TRIALS):
        rng = random.Random(seed)
        name = rng.choice(NAMES) if seed % 2 else f"generated {seed // EACH}"
        dynamic = rng.choice([None, None, True, False])
        if name in ENDLESS:
            continue
        failure = attempt(name, seed, {"backend": "eager", "dynamic": dynamic})
        forgive_endless_recursion()
        if failure is not None:
            pytest.fail(f"seed {seed}: {shrink_program(shrink(failure))}\n{listing(failure.program)}")
