"""torch.random: the default generator's seed and state."""

from __future__ import annotations

from .generator import fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .naming import module_getattr

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
__getattr__ = module_getattr(globals())
