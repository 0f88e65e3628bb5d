"""Random changes between calls, some hundred. `python -m tests.attack --trials N --seed S` does it for as long as you like."""

from __future__ import annotations

import random

import pytest
from guardscope.tests.attack.random.trial import attempt, run, shrink
from guardscope.tests.attack.random.world import World

TRIALS, SEED = 600, 1000
ENDLESS = ("special_methods", "abstract_sequences")      # a changed __getitem__ may make their loops endless
NAMES = list(World("plain", "slots").module.PROGRAMS)


def test_every_program_is_equal_to_plain_python() -> None:
    for name in NAMES:
        for dynamic in (None, True):
            assert run(name, [("call",)] * 3, {"backend": "eager", "dynamic": dynamic}) is None, name


def test_random_changes_are_noticed() -> None:
    for seed in range(SEED, SEED + TRIALS):
        rng = random.Random(seed)
        name, dynamic = rng.choice(NAMES), rng.choice([None, None, True, False])
        if name in ENDLESS:
            continue
        failure = attempt(name, seed, {"backend": "eager", "dynamic": dynamic})
        if failure is not None:
            pytest.fail(f"seed {seed}: {shrink(failure)}")
