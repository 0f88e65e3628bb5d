"""torch._dynamo.config: the settings of the compiler that scripts read and write, under the names people know.

`patch(...)` is both a context manager and a decorator. A name that does not exist raises AttributeError naming the
nearest that do.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator
from typing import Any

DEFAULTS: dict[str, Any] = {
    "recompile_limit": 8,
    "accumulated_recompile_limit": 256,
    "automatic_dynamic_shapes": True,
    "assume_static_by_default": True,
    "capture_scalar_outputs": False,
    "capture_dynamic_output_shape_ops": False,
    "suppress_errors": False,
    "verbose": False,
    "disable": False,
    "error_on_recompile": False,
    "specialize_int": False,
    "specialize_float": False,
    "allow_unspec_int_on_nn_module": False,
    "inline_inbuilt_nn_modules": True,
    "guard_nn_modules": True,
    "force_parameter_static_shapes": True,
    "optimize_ddp": True,
    "fail_on_recompile_limit_hit": False,
}
ALIASES = {"cache_size_limit": "recompile_limit", "accumulated_cache_size_limit": "accumulated_recompile_limit"}


class Config:
    """One value per setting. Reading or writing an unknown name is an error, so that a typing slip is noticed."""

    def __init__(self, defaults: dict[str, Any], aliases: dict[str, str]) -> None:
        object.__setattr__(self, "_values", dict(defaults))
        object.__setattr__(self, "_defaults", dict(defaults))
        object.__setattr__(self, "_aliases", aliases)

    def _name(self, name: str) -> str:
        name = self._aliases.get(name, name)
        if name not in self._values:
            near = difflib.get_close_matches(name, [*self._values, *self._aliases], 3)
            hint = f"; nearest: {', '.join(near)}" if near else ""
            raise AttributeError(f"torch._dynamo.config has no setting '{name}'{hint}")
        return name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._values[self._name(name)]

    def __setattr__(self, name: str, value: Any) -> None:
        self._values[self._name(name)] = value

    def __dir__(self) -> list[str]:
        return [*self._values, *self._aliases, "patch", "reset_to_defaults"]

    @contextlib.contextmanager
    def patch(self, changes: dict[str, Any] | str | None = None, value: Any = None, **more: Any) -> Iterator[None]:
        """Change settings for the length of a with-block or of a decorated function."""
        wanted = {changes: value} if isinstance(changes, str) else {**(changes or {}), **more}
        before = {name: getattr(self, name) for name in wanted}
        for name, new in wanted.items():
            setattr(self, name, new)
        try:
            yield
        finally:
            for name, old in before.items():
                setattr(self, name, old)

    def reset_to_defaults(self) -> None:
        self._values.update(self._defaults)


CONFIG = Config(DEFAULTS, ALIASES)
