"""Origins that only capture makes. Pinned objects (PinnedOrigin) live with the others in core/guards/origin.py."""

from __future__ import annotations

from dataclasses import dataclass

from ..guards.origin import Origin, PinnedOrigin


@dataclass(frozen=True, slots=True)
class CellObjectOrigin(Origin):
    """The closure cell itself (not its contents): cell number `index` of the function `of`."""

    of: Origin
    index: int
    name: str

    @property
    def code(self) -> str:
        return f"{self.of.code}.__closure__[{self.index}]"

    @property
    def text(self) -> str:
        return f"the variable {self.name}"


__all__ = ["CellObjectOrigin", "PinnedOrigin"]
