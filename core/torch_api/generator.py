"""Seeding and the state of the default random generator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..tensor.generator import Generator, default_generator
from ..tensor.tensor import Tensor


def manual_seed(seed: int) -> Generator:
    """Start the default generator again from `seed`."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Start the default generator again from an unknown seed, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed the default generator started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Continue from a state that get_rng_state returned."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = (), enabled: bool = True, **unused: Any) -> Iterator[None]:
    """Give the default generator its state back at the end."""
    before = default_generator.state()
    try:
        yield
    finally:
        if enabled:
            default_generator.restore(before)


NAMES: dict[str, Any] = {"Generator": Generator, "default_generator": default_generator, **{f.__name__: f for f in (
    manual_seed, seed, initial_seed, get_rng_state, set_rng_state)}}
