"""What happened beside compilations, breaks and limits: fallbacks, resets, faults of the compiler, lost rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth telling that happened `count` times, in `calls` (-1: between calls)."""

    kind: str
    text: str
    count: int
    calls: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """`reset: torch.compiler.reset forgot every artifact (\N{MULTIPLICATION SIGN}6)`"""
        times = f" (\N{MULTIPLICATION SIGN}{self.count})" if self.count > 1 else ""
        return f"{self.kind.replace('_', ' ')}: {self.text}{times}"


def notes(session: Any) -> list[Note]:
    """Events that have no place of their own (fallbacks, resets, faults, lost rows), equal ones once, in order of the first."""
    found: dict[tuple[str, str], list[int]] = {}
    for event in session.events:
        if event.kind not in ("not_compiled", "shadow"):
            found.setdefault((event.kind, event.text), []).append(event.call)
    return [Note(kind, text, len(calls), tuple(dict.fromkeys(calls))) for (kind, text), calls in found.items()]


__all__ = ["Note", "notes"]
