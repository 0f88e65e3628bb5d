"""What a running script is doing now, in one line: "call 41: compiling version 3 of forward, building kernel 4 of 9, 1.2 s".

Read from the session's `live` row, which its recorder keeps current; works for a script that another process records as well.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from .numbers import duration, number, plural
from .session_model import SessionModel

AFTER = {"capture": "turning it into kernels", "lowering": "building", "build": "making guards", "guards": "first launch"}


@dataclass(frozen=True, slots=True)
class Live:
    """`text` for the status line; `share` of the calls that are done, None where their number is not known."""

    text: str
    share: float | None = None


def live_state(model: SessionModel, expected: int = 0, now: int | None = None) -> Live:
    """What is going on. expected: calls of the last run of the same script, 0 if there was none. now: perf_counter_ns."""
    session, facts = model.whole, model.whole_facts
    if session is None or facts is None:
        return Live("")
    n = facts.n_calls
    share = min(1.0, n / expected) if expected else None
    of = f" of about {number(expected)}" if expected and n <= expected else ""
    frame, zero = innermost(session), session.info.get("start_ns")
    if frame is None or not isinstance(zero, int):
        return Live(f"running \N{MIDDLE DOT} {plural(n, 'call')}{of} so far" if n else "starting\N{HORIZONTAL ELLIPSIS}", share)
    from .facts import code_name

    code = session.codes[frame["code"]]
    waited = max(0, (time.perf_counter_ns() if now is None else now) - zero - _whole(frame.get("since")))
    done = frame.get("done") if isinstance(frame.get("done"), list) else []
    step = frame.get("step") if isinstance(frame.get("step"), str) else ""
    call = f"call {_whole(frame.get('call'), n)}{of}"
    if not done and not step:
        return Live(f"{call}: running {code_name(code)}, {duration(waited)}", share)
    doing = step or AFTER.get(str(done[-1]) if done else "", "tracing")
    own = facts.artifacts_of(code.id)
    made = bool(own) and own[-1].call == frame.get("call")       # it is there, and its kernels are being built or launched
    version = len(own) - made
    return Live(f"{call}: compiling version {version} of {code_name(code)}, {doing}, {duration(waited)}", share)


def innermost(session: Any) -> dict[str, Any] | None:
    """The run that began last, of those that have not ended."""
    frames = [f for f in session.live if isinstance(f, dict) and isinstance(f.get("code"), int)
              and 0 <= f["code"] < len(session.codes)]
    return max(frames, key=lambda f: _whole(f.get("since")), default=None)


def _whole(value: Any, otherwise: int = 0) -> int:
    return value if isinstance(value, int) else otherwise
