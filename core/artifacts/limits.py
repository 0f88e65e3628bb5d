"""The recompile limits: how many versions a code object may get, and what used the places up."""

from __future__ import annotations

from collections import Counter

from ..guards.guard import Failure
from .artifact import Options
from .cache import CodeState
from .config import CONFIG
from .settings import SETTINGS


def limit_of(options: Options) -> int:
    """Versions per code object under these options: torch.compile's own limit, the run's, or torch._dynamo.config's."""
    given = (options.recompile_limit, SETTINGS.recompile_limit)
    return next((limit for limit in given if limit is not None), CONFIG.recompile_limit)


def versions(state: CodeState, options: Options) -> int:
    """The versions that count together: those of the torch.compile call alone where it asked for isolate_recompiles."""
    return sum(a.isolate is options.isolate for a in state.compiled)


def reached(state: CodeState, options: Options) -> tuple[str, int] | None:
    """(name of the setting, limit) when the code may get no further version, else None. Wrappers made with
    isolate_recompiles count their own versions only; accumulated_recompile_limit counts those of all."""
    limit, most = limit_of(options), CONFIG.accumulated_recompile_limit
    if versions(state, options) >= limit:
        return "recompile_limit", limit
    return ("accumulated_recompile_limit", most) if len(state.compiled) >= most else None


def places(failures: list[Failure]) -> tuple[str, ...]:
    """What differed from the nearest version: `x.shape[0]`, `self.step`. Strides that follow from a size are left out."""
    found = dict.fromkeys(f.where for f in failures)
    return tuple(w for w in found if ".stride(" not in w or f"{w.partition('.stride(')[0]}.shape" not in " ".join(found))


def causes(state: CodeState, options: Options) -> list[tuple[str, int]]:
    """(place, versions compiled because it changed), most first. A version with several causes counts for each."""
    used: Counter[str] = Counter()
    for artifact in state.compiled:
        if artifact.isolate is options.isolate:
            used.update(artifact.because)
    return used.most_common()


def used_up(found: list[tuple[str, int]]) -> str:
    """"; what used it up: self.step (7)", or "" when nothing is known."""
    said = ", ".join(f"{place} ({count})" for place, count in found[:5])
    return f"; what used it up: {said}" if said else ""
