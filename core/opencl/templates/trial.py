"""Which of several ways is the fastest on this machine: a short measured trial, remembered on disk.

A question names the device's driver and the class of shapes, so that one trial serves all graphs that ask the same. The
answers are in choices.json beside the kernels; GUARDSCOPE_TRIALS=0 takes the rule of thumb instead of measuring.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import GuardscopeError
from ...events.recorder import RECORDER
from ..drivers import cache_folder

FORMAT = 1
SECONDS = 0.02             # of one trial, when the ways are ready
ROUNDS = 20
CLEAR = 0.85               # of the usual way's time: less is needed to depart from it, for a trial on a busy machine errs

_ANSWERS: dict[str, str] | None = None
_LOCK = threading.RLock()


def choice(question: str, ways: dict[str, Callable[[], Callable[[], Any]]], usual: str) -> str:
    """The name of the fastest way. Each entry of `ways` makes what is to be timed; one that cannot be made or run is out
    of the question. `usual`: the answer where nothing is measured, or no other is clearly faster."""
    if os.environ.get("GUARDSCOPE_TRIALS") == "0":
        return usual
    with _LOCK:
        answers = _read()
        found = answers.get(question)
        if found not in ways:
            RECORDER.step(f"timing {' against '.join(ways)}")
            found = answers[question] = _fastest(ways, usual)
            _write(answers)
        return found


def size_class(n: int) -> int:
    """The power of two that is nearest: sizes of one class are served by one trial."""
    return 1 << round(math.log2(n)) if n > 0 else 0


def forget() -> None:
    """Read the file again (tests)."""
    global _ANSWERS
    _ANSWERS = None


def _fastest(ways: dict[str, Callable[[], Callable[[], Any]]], usual: str) -> str:
    ready: dict[str, Callable[[], Any]] = {}
    for name, make in ways.items():
        with contextlib.suppress(GuardscopeError, MemoryError):
            run = make()
            run()                                            # drivers finish building when a kernel is first launched
            ready[name] = run
    best = dict.fromkeys(ready, float("inf"))
    end = time.perf_counter() + SECONDS
    for _ in range(ROUNDS):
        for name, run in ready.items():                      # in turns: what else the machine does meets all alike
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
        if time.perf_counter() > end:
            break
    if not best:
        return usual
    winner = min(best, key=lambda name: best[name])
    return usual if usual in best and best[winner] > CLEAR * best[usual] else winner


def _path() -> Path | None:
    folder = cache_folder()
    return folder / "choices.json" if folder is not None else None


def _read() -> dict[str, str]:
    """The answers known so far. A file that cannot be read, or is of another format, counts as none."""
    global _ANSWERS
    if _ANSWERS is None:
        _ANSWERS = {}
        path = _path()
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(path.read_text("utf-8")) if path is not None else {}
            if isinstance(found, dict) and found.get("format") == FORMAT and isinstance(found.get("answers"), dict):
                _ANSWERS.update({k: v for k, v in found["answers"].items() if isinstance(v, str)})
    return _ANSWERS


def _write(answers: dict[str, str]) -> None:
    path = _path()
    if path is None:
        return
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, "answers": answers}, file, indent=1, sort_keys=True)
        os.replace(temporary, path)                          # readers see the old file or the whole new one
