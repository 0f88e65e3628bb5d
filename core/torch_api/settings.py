"""Settings objects such as torch.backends.cuda.matmul: attributes that scripts set and read, and nothing obeys.

They exist because ordinary scripts begin by switching them; Guardscope's kernels have no such switches.
"""

from __future__ import annotations

from typing import Any

from .naming import nearest


class Settings:
    """Named values with defaults. Reading or writing a name that PyTorch has not raises AttributeError."""

    def __init__(self, name: str, **defaults: Any) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_values", dict(defaults))

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        values = object.__getattribute__(self, "_values")
        if key not in values:
            raise AttributeError(self._unknown(key))
        return values[key]

    def __setattr__(self, key: str, value: Any) -> None:
        if key not in self._values:
            raise AttributeError(self._unknown(key))
        self._values[key] = value

    def _unknown(self, key: str) -> str:
        close = nearest(key, self._values)
        hint = f"; nearest: {', '.join(close)}" if close else ""
        return f"'{self._name}' has no setting '{key}' in Guardscope{hint}"

    def __dir__(self) -> list[str]:
        return list(self._values)

    def __repr__(self) -> str:
        return f"<{self._name}: {', '.join(f'{k}={v!r}' for k, v in self._values.items())}>"
