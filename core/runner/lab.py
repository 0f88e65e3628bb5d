"""The policy lab: one script under several policies, one after the other in processes of their own, and what came of each.

The first run is the script as it is, with the sums of its results recorded; every other run is compared with it. Suggested
changes of the script (core/events/cures.py) are tried the same way, on a changed text that is written nowhere near the script.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import EnvironmentProblem, GuardscopeError, ScriptError
from ..events import summary
from ..events.compare import names_of
from ..events.cures import Cure, cures
from ..events.reader import Session
from .process import ScriptProcess, check_script
from .results import same_results

LOOK = 0.2                   # seconds between two looks at a running script


@dataclass(frozen=True, slots=True)
class Policy:
    """How one run differs from the script as it is: other run settings, or a changed text. `note` says it in words."""

    name: str
    note: str
    settings: dict[str, Any] = field(default_factory=dict)
    cure: Cure | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """One run. state: waiting, running, done, failed (it could not be run, or ended otherwise than the first run), stopped.
    `equal`: whether its results are those of the first run, None if it cannot be said; `detail` says more. `effect`: what a
    cure did to its function, "8 versions -> 2, all results equal"."""

    policy: Policy
    state: str = "waiting"
    session: Path | None = None
    numbers: dict[str, int] = field(default_factory=dict)
    equal: bool | None = None
    detail: str = ""
    effect: str = ""

    @property
    def worth(self) -> bool:
        """Whether the change may be recommended: it was tried, saved versions, and changed no result."""
        return self.state == "done" and self.equal is True and bool(self.effect) and self.numbers.get("saved", 0) > 0


BASE = Policy("as it is", "the script and its settings unchanged")
AGAIN = Policy("as it is, again", "tells whether the script's results are the same from run to run")
UNSTEADY = "the script's own results differ from run to run"
POLICIES = (
    Policy("dynamic=None", "a size that is seen to change becomes dynamic", {"dynamic": None}),
    Policy("dynamic=True", "sizes are dynamic from the first call on", {"dynamic": True}),
    Policy("dynamic=False", "every size is fixed", {"dynamic": False}),
    Policy("limit 64", "up to 64 versions per function before it runs eagerly", {"recompile_limit": 64}),
)


def measure(session: Session) -> dict[str, int]:
    """The numbers of one run: those of summary.totals, and times in ns."""
    return {**summary.totals(session), "compile_ns": sum(p.end - p.start for p in session.phases),
            "kernel_ns": int((session.launches["end"] - session.launches["start"]).sum()),
            "run_ns": int(session.info.get("end_ns") or 0)}


class Lab:
    """Runs the trials in a thread of its own. `trials` is replaced as they go on, never changed in place; `progress` says
    what is going on; `on_change()` is called from that thread. `cwd`: the folder to run in, the present one unless given.
    ScriptError if the script cannot be run at all."""

    def __init__(self, script: str | Path, arguments: Sequence[str] = (), *, folder: Path,
                 settings: dict[str, Any] | None = None, policies: Sequence[Policy] = POLICIES, with_cures: bool = True,
                 on_change: Callable[[], None] | None = None, cwd: Path | None = None) -> None:
        self.script, self.cwd = check_script(script), cwd
        self.arguments, self.folder = list(arguments), folder
        self.settings = {**(settings or {}), "record_results": True}
        self.with_cures = with_cures
        self.text = self.script.read_bytes().decode("utf-8", "replace")
        self.trials: tuple[Trial, ...] = tuple(map(Trial, (BASE, *self._different(policies))))
        self.progress = ""
        self.calls = (0, 0)                  # of the running trial: so far, and expected (0: not known)
        self.on_change = on_change or (lambda: None)
        self._process: ScriptProcess | None = None
        self._stopping = False
        self._thread: threading.Thread | None = None

    def _different(self, policies: Sequence[Policy]) -> list[Policy]:
        """Policies that are not just the settings as they are."""
        def now(name: str) -> Any:
            return self.settings.get(name)

        return [p for p in policies if p.cure is not None or any(now(k) != v for k, v in p.settings.items())]

    # -- from outside

    def start(self) -> Lab:
        """Begin. Returns at once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._thread = threading.Thread(target=self._run, name="guardscope lab", daemon=True)
        self._thread.start()
        return self

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def done(self) -> int:
        """Trials that are over."""
        return sum(t.state in ("done", "failed", "stopped") for t in self.trials)

    def stop(self) -> None:
        """Stop the running trial and begin no other. Returns at once."""
        self._stopping = True
        process = self._process
        if process is not None:
            process.grace = (0.5, 0.5)
            process.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it is over, after waiting for that."""
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.running

    # -- the thread

    def _run(self) -> None:
        place = 0
        while place < len(self.trials) and not self._stopping:
            self._set(place, state="running")
            try:
                self._try(place)
            except (GuardscopeError, OSError) as problem:
                self._set(place, state="failed", detail=str(problem))
            if place == 0 and self.trials[0].state != "done":
                break                        # nothing to compare with
            if place == 0 and self.with_cures:
                self._add_cures()
            place += 1
            if place == len(self.trials) and any(t.equal is False for t in self.trials) \
                    and self.trials[-1].policy is not AGAIN:
                self.trials += (Trial(AGAIN),)
        self._forgive()
        self.trials = tuple(replace(t, state="stopped") if t.state in ("waiting", "running") else t for t in self.trials)
        self.progress, self.calls = "", (0, 0)
        self.on_change()

    def _forgive(self) -> None:
        """Where the script does not even repeat its own results, other results say nothing about a change."""
        last = self.trials[-1]
        if last.policy is AGAIN and last.equal is False:
            self.trials = tuple(replace(t, equal=None, detail=UNSTEADY, effect=t.effect.partition(",")[0] + f", {UNSTEADY}"
                                        if t.effect else "") if t.equal is False else t for t in self.trials)

    def _set(self, place: int, **changes: Any) -> None:
        trials = list(self.trials)
        trials[place] = replace(trials[place], **changes)
        self.trials = tuple(trials)
        self.on_change()

    def _add_cures(self) -> None:
        first = self.trials[0].session
        assert first is not None
        with Session(first) as session:
            text = session.sources.get(str(session.info.get("script")), "")
            found = cures(session, self.text) if text == self.text else []
        self.trials += tuple(Trial(Policy(c.title, f"saves versions made for {c.cause}", cure=c)) for c in found)

    def _try(self, place: int) -> None:
        policy = self.trials[place].policy
        target = self.folder / f"{self.script.stem}-{time.time_ns()}-{place}.guardscope"
        process = ScriptProcess(self.script, self.arguments, session=target, settings={**self.settings, **policy.settings},
                                cwd=self.cwd, text=policy.cure.text if policy.cure is not None else None)
        self._process = process.start()
        if self._stopping:
            self.stop()
        expected = self.trials[0].numbers.get("calls", 0) if place else 0
        with Session(target) as session:
            while process.wait(LOOK) is None:
                session.refresh()
                self.calls = (len(session.calls), expected)
                self.progress = f"run {place + 1} of {len(self.trials)}, {policy.name}: {len(session.calls)} calls" + (
                    f" of about {expected}" if expected else "")
                self.on_change()
            session.refresh()
            Path(f"{target}.py").unlink(missing_ok=True)     # the text that was tried; the session holds it
            if self._stopping:
                self._set(place, state="stopped", session=target)
                return
            self._judge(place, process, session, target)

    def _judge(self, place: int, process: ScriptProcess, session: Session, target: Path) -> None:
        numbers = measure(session)
        if place == 0:
            state = "done" if process.state == "finished" else "failed"
            self._set(0, state=state, session=target, numbers={**numbers, "status": process.exit_status or 0},
                      detail=process.ending)
            return
        first = self.trials[0]
        assert first.session is not None
        if process.state != "finished" or process.exit_status != first.numbers["status"]:
            said = next((e.text for e in reversed(session.events) if e.kind == "uncaught"), process.ending)
            self._set(place, state="failed", session=target, numbers=numbers, detail=said or "it ended otherwise")
            return
        with Session(first.session) as before:
            equal, detail = same_results(before, session)
            effect = ""
            cure = self.trials[place].policy.cure
            if cure is not None:
                was, now = versions(before, session, cure.code)
                numbers["saved"] = was - now
                word = detail if equal is not False else f"but results differ ({detail})"
                effect = f"{was} {summary.plural(was, 'version')} \N{RIGHTWARDS ARROW} {now}, {word}"
        self._set(place, state="done", session=target, numbers=numbers, equal=equal, detail=detail, effect=effect)


def versions(before: Session, after: Session, code: int) -> tuple[int, int]:
    """How many versions a function of `before` has in both sessions, matched by its place in the source. The same function
    in two runs may be defined anew under another qualified name only if the source was changed there."""
    name = names_of(before)[code]
    twin = next((i for i, n in enumerate(names_of(after)) if n == name), -1)
    return (sum(a.code == code for a in before.artifacts), sum(a.code == twin for a in after.artifacts))


def write_cure(script: str | Path, cure: Cure, before: str) -> None:
    """Write a cure into the script, if the script is still what the cure was made from. ScriptError otherwise."""
    path = Path(script)
    try:
        now = path.read_bytes().decode("utf-8")
        if now != before:
            raise ScriptError(f"{path} has changed since it was tried; run the lab again before writing the change")
        path.write_bytes(cure.text.encode("utf-8"))
    except UnicodeDecodeError:
        raise ScriptError(f"{path} is not UTF-8 text; make the change by hand") from None
    except OSError as problem:
        raise EnvironmentProblem(f"{path} cannot be written ({problem.strerror})") from None


def as_dict(trial: Trial) -> dict[str, Any]:
    """A trial as JSON can hold it."""
    cure = trial.policy.cure
    return {"policy": trial.policy.name, "note": trial.policy.note, "settings": trial.policy.settings, "state": trial.state,
            "numbers": trial.numbers, "equal": trial.equal, "detail": trial.detail, "effect": trial.effect,
            "session": str(trial.session) if trial.session is not None else None,
            "cure": {k: v for k, v in asdict(cure).items() if k != "text"} if cure is not None else None}
