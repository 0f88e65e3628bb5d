"""Seeding and the state of the default random generator."""

from __future__ import annotations

import contextlib
import io
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..tensor.generator import Generator, default_generator
from ..tensor.tensor import Tensor, wrap


def manual_seed(seed: int) -> Generator:
    """Start the default generator again from `seed`."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Start the default generator again from an unknown seed, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed the default generator started from."""
    return default_generator.initial_seed()


class _Plain(pickle.Unpickler):
    """Reads only numbers, strings, containers and NumPy arrays."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("numpy") and name in ("_reconstruct", "ndarray", "dtype", "_frombuffer"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"a generator state holds no {module}.{name}")


def get_rng_state() -> Tensor:
    """The state of the default generator as a uint8 tensor."""
    return wrap(np.frombuffer(pickle.dumps(default_generator.state()), np.uint8).copy())


def set_rng_state(new_state: Tensor) -> None:
    """Continue from a state that get_rng_state returned."""
    default_generator.restore(_Plain(io.BytesIO(new_state.numpy().tobytes())).load())


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
