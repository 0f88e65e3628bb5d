"""The shadow check: repeat reused calls in plain Python from the same state, and report any difference (`--shadow N`).

Of every version the first reused call is repeated, then every N-th. The call runs as always; then everything it can reach is
put back to where it was (shadow_world.py), the original function runs as plain Python, both outcomes are compared
(shadow_compare.py), and the state that the reused version left is put in place again. The script notices nothing but the time.

Only versions that are one graph from beginning to end can be repeated: what they do is known. One that runs plain Python
between graphs may print or write files, which must not happen twice; the rest of its function after such a step is a version
of its own and is checked. Whatever the repeated function prints is kept from the script and is itself a difference. Nothing
here exists in the generated code while the check is off.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..events.recorder import RECORDER
from ..guards.words import error_text
from ..tensor.threads import THREADS
from .settings import SETTINGS

if TYPE_CHECKING:
    from .artifact import Artifact
    from .cache import CodeState

MOST_EVENTS = 200            # differences told one by one; the rest is counted


class Shadow:
    """`running`: plain Python is repeating a call now, so nothing is compiled, reused or recorded."""

    def __init__(self) -> None:
        self.running = self._told_at_exit = False
        self.reset()

    def reset(self) -> None:
        self.checked = self.different = 0
        self.last = ""                       # the last difference, as a sentence
        self.skipped: collections.Counter[str] = collections.Counter()
        self.uses: dict[int, int] = {}

    def entry(self, state: CodeState, artifact: Artifact) -> Callable[..., Any]:
        """What runs a reused call of this artifact: its entry, or one that repeats some of the calls."""
        if SETTINGS.shadow <= 0 or artifact.native:
            return artifact.entry
        if not self._told_at_exit:
            self._told_at_exit = True
            atexit.register(self._tell)               # runs before the recorder closes, which was opened earlier
        if artifact.ends_in_break:
            return self._counted(artifact.entry, "its version runs plain Python between graphs")

        def checked(fn: Any, *args: Any) -> Any:
            if self.running:
                return artifact.entry(fn, *args)
            uses = self.uses[id(artifact)] = self.uses.get(id(artifact), -1) + 1
            if uses % SETTINGS.shadow:
                return artifact.entry(fn, *args)
            return self.check(state, artifact, fn, args)

        return checked

    def _counted(self, entry: Callable[..., Any], why: str) -> Callable[..., Any]:
        def run(fn: Any, *args: Any) -> Any:
            self.skipped[why] += 1
            return entry(fn, *args)

        return run

    # -- one check ----------------------------------------------------------------------------------------------------
    def check(self, state: CodeState, artifact: Artifact, fn: Any, args: tuple) -> Any:
        """Run a reused call, repeat it as plain Python, compare; gives what the reused version gave."""
        from .shadow_world import Unrepeatable, World

        if THREADS.many:
            return self._skip(artifact, fn, args, "several threads run, which would see a state that is put back")
        try:
            world = World(fn, args)
            before = world.state()
        except Unrepeatable as why:
            return self._skip(artifact, fn, args, str(why))
        except Exception as problem:
            reason = f"its state cannot be saved ({type(problem).__name__}: {error_text(problem)})"
            return self._skip(artifact, fn, args, reason)
        outcome = attempt(artifact.entry, fn, *args)
        try:
            self._repeat(state, artifact, fn, args, world, before, outcome)
        except Exception as problem:
            self.skipped[f"the repetition failed ({type(problem).__name__}: {error_text(problem)})"] += 1
        self._tell()
        if outcome[0] == "error":
            raise outcome[1]
        return outcome[1]

    def _repeat(self, state: CodeState, artifact: Artifact, fn: Any, args: tuple, world: Any, before: list,
                outcome: tuple[str, Any]) -> None:
        from .shadow_compare import Comparison, Difference, Picture

        reused = Picture(world, outcome, "", before)
        try:
            world.restore(before)
            again, printed = self._plainly(state, fn, args)
            plain = Picture(world, again, printed, before)
        finally:
            world.restore(reused.state)
        self.checked += 1
        try:
            Comparison(reused, plain).run()
        except Difference as found:
            self.different += 1
            self.last = str(found)
            if self.different <= MOST_EVENTS:
                RECORDER.event("shadow", f"{state.unit.qualname}, version {artifact.version}: {found}",
                               {"artifact": artifact.id, "code": state.code_id, "where": found.where, "reused": found.reused,
                                "plain": found.plain})

    def _plainly(self, state: CodeState, fn: Any, args: tuple) -> tuple[tuple[str, Any], str]:
        """The outcome of the original function, and what it printed."""
        from .cache import FAST
        from .runtime import run_natively

        out, fast = io.StringIO(), FAST[0]
        self.running, FAST[0] = True, False
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return attempt(run_natively, state, fn, args), out.getvalue()
        finally:
            self.running, FAST[0] = False, fast

    def _skip(self, artifact: Artifact, fn: Any, args: tuple, why: str) -> Any:
        self.skipped[why] += 1
        self._tell()
        return artifact.entry(fn, *args)

    def _tell(self) -> None:
        """The counts, as the session keeps them."""
        RECORDER.info("shadow", {"every": SETTINGS.shadow, "checked": self.checked, "different": self.different,
                                 "skipped": dict(self.skipped.most_common(20))})


def attempt(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """("result", value) or ("error", exception)."""
    try:
        return "result", function(*args)
    except Exception as problem:
        return "error", problem


SHADOW = Shadow()
