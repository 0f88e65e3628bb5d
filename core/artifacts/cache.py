"""The artifacts of one code object, and the generated dispatcher that finds the right one.

Artifacts are tried most recently used first; a hit moves to the front, a new one starts there. The dispatcher's fast
path is one dictionary look-up on the metadata of the tensor parameters, whatever the number of artifacts: the
dictionary remembers, per combination of metadata, which artifacts accept it, so that only what metadata cannot prove
(`Artifact.rest`) is checked again. A miss goes to `slow`.
"""

from __future__ import annotations

import itertools
import linecache
import threading
import time
from collections.abc import Callable
from typing import Any

from ..capture.unit import Unit
from ..events.recorder import RECORDER, TypeName
from ..guards.words import error_text
from ..tensor.tensor import Tensor
from ..tensor.threads import THREADS
from .artifact import Artifact
from .policy import History
from .shadow import SHADOW

MISS = object()
_stamps = itertools.count(1)
REGISTERING = threading.RLock()            # a code object gets one number in the session
MEMO_LIMIT = 4096          # combinations remembered per dispatcher before it starts afresh


class CodeState:
    """Everything known about one code object over one module's names: its artifacts in order of use, its history of sizes, why
    it is skipped. Artifacts look at the names (`names`, the dict of global variables) and make functions that do: the same
    code over another module's names has a state of its own."""

    _all: dict[tuple[int, int], CodeState] = {}

    def __init__(self, unit: Unit, names: dict[str, Any]) -> None:
        self.unit, self.names = unit, names
        self.history = History()
        self.artifacts: list[Artifact] = []
        self.skipped: str | None = None
        self.limit_told = False
        self.dispatchers: dict[tuple, Dispatcher] = {}
        self.versions = 0
        self.observed: set[tuple] = set()      # options whose first call ran eagerly, as a stance asked for
        self.refusals = 0          # calls that could not be captured because an exception left the function
        self.recorded: int | None = None
        self.used = False          # since the last reset: something may be remembered here

    @classmethod
    def of(cls, unit: Unit, names: dict[str, Any]) -> CodeState:
        """The state of the unit's code object over these global variables; the same one for every closure made from it."""
        key = id(unit.code), id(names)
        state = cls._all.get(key)
        if state is None:
            state = cls._all.setdefault(key, cls(unit, names))       # one state, whichever thread comes first
        return state

    @classmethod
    def reset_all(cls) -> None:
        """torch._dynamo.reset: forget artifacts, history and skips; wrappers stay usable."""
        for state in list(cls._all.values()):
            if not state.used:
                continue
            state.used = False
            state.artifacts.clear()
            state.history = History()
            state.skipped = None
            state.limit_told = False
            state.refusals = 0
            state.observed.clear()
            for dispatcher in list(state.dispatchers.values()):
                dispatcher.forget()

    @property
    def code_id(self) -> int:
        """The code's number in the session, registered when first needed."""
        if self.recorded is None:
            with REGISTERING:
                self._register()
        assert self.recorded is not None
        return self.recorded

    def _register(self) -> None:
        if self.recorded is None:
            unit = self.unit
            parent = CodeState.of(unit.resume_of, self.names).code_id if unit.resume_of is not None else None
            node = unit.node
            # A value that a break left behind is called by the expression that gave it; two alike keep their own names.
            said = [unit.words.get(name, name) for name in unit.params]
            params = [name if said.count(words) > 1 else words for name, words in zip(unit.params, said)]
            self.recorded = RECORDER.code(
                name=unit.name, qualname=unit.qualname, file=unit.file, first_line=unit.first_line,
                end_line=getattr(node, "end_lineno", None) or unit.first_line, kind=unit.kind, resume_of=parent,
                resume_line=unit.resume_line, params=params, module="", owner="")

    def matching(self, key: tuple) -> list[Artifact]:
        """Artifacts made under equal options, most recently used first."""
        return sorted((a for a in self.artifacts if a.options_key == key), key=lambda a: -a.stamp)

    @property
    def compiled(self) -> list[Artifact]:
        """The artifacts that count towards the recompile limit."""
        return [a for a in self.artifacts if not a.native]

    def add(self, artifact: Artifact) -> None:
        artifact.stamp = next(_stamps)
        self.artifacts.append(artifact)
        for dispatcher in list(self.dispatchers.values()):
            dispatcher.forget()

    def touch(self, artifact: Artifact) -> None:
        artifact.stamp = next(_stamps)


def describe_value(value: Any) -> Any:
    """A call's argument as it is recorded: metadata of a tensor, a plain number or text, else its type."""
    if isinstance(value, Tensor):
        return value._meta
    if value is None or type(value) in (int, float, bool, str):
        return value
    return type(value)


class Dispatcher:
    """The way into one code object under one set of options. `run(__fn, *params)` is generated for its exact signature."""

    def __init__(self, state: CodeState, key: tuple, slow: Callable[..., Any]) -> None:
        self.state, self.key = state, key
        self.memo: dict[Any, Callable[..., Any]] = {}
        self.fits: dict[Any, list[Artifact]] = {}
        self.front: Artifact | None = None
        self.slow = slow
        self.tensor_params: tuple[str, ...] = ()
        self.run: Callable[..., Any] = self._generate()

    def forget(self) -> None:
        """Drop what the fast path remembers (the artifacts changed)."""
        self.memo.clear()
        self.fits.clear()
        self.front = None

    def remember(self, artifact: Artifact, fn: Any, args: tuple) -> None:
        """After a full check passed: let the fast path find `artifact` for this combination of metadata, and with it
        every other artifact that accepts this call, so that the most recently used one is taken as a full search would."""
        params = self.state.unit.params
        if not self.tensor_params:
            self.tensor_params = tuple(p for p, a in zip(params, args) if isinstance(a, Tensor))
            if not self.tensor_params:
                return
            self.run = self._generate()
        by_name = dict(zip(params, args))
        wanted = [by_name[p] for p in self.tensor_params]
        if not all(isinstance(a, Tensor) for a in wanted):
            return
        metas = tuple(a._meta for a in wanted)
        key = metas[0] if len(metas) == 1 else metas
        if len(self.memo) >= MEMO_LIMIT:
            self.forget()
        known = self.fits.setdefault(key, [])
        known += [a for a in self.state.matching(self.key)
                  if a not in known and (a is artifact or a.check(fn, *args) is None)]
        self.memo[key] = self._runner(known)

    def _runner(self, fits: list[Artifact]) -> Callable[..., Any]:
        single = [make_runner(self, a, self.tensor_params) for a in fits]
        if len(single) == 1:
            return single[0]
        ranked = list(zip(fits, single))

        def several(*args: Any) -> Any:
            for _, run in sorted(ranked, key=lambda pair: -pair[0].stamp):       # a new list: other threads read this one
                result = run(*args)
                if result is not MISS:
                    return result
            return MISS

        return several

    def _generate(self) -> Callable[..., Any]:
        unit = self.state.unit
        params = ", ".join(unit.params)
        call = f"__fn, {params}" if params else "__fn"
        keys = [f"{p}._meta" for p in self.tensor_params]
        lines = [f"def dispatch({call}):", "    __t0 = __clock()"]
        if keys:
            key = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
            lines += ["    if __fast[0]:", "        try:", f"            __found = __memo_get({key})",
                      "        except AttributeError:", "            __found = None", "        if __found is not None:",
                      f"            __result = __found(__t0, {call})", "            if __result is not __MISS:",
                      "                return __result"]
        lines += [f"    return __slow(__t0, {call})"]
        namespace = {"__clock": time.perf_counter_ns, "__memo_get": self.memo.get, "__MISS": MISS, "__slow": self._slow,
                     "__fast": FAST}
        return compile_text("\n".join(lines) + "\n", f"<dispatch {unit.qualname}>", namespace, "dispatch")

    def _slow(self, t0: int, fn: Any, *args: Any) -> Any:
        return self.slow(self, t0, fn, *args)


FAST = [True]    # one shared switch: False while a stance forbids the fast path


def make_runner(dispatcher: Dispatcher, artifact: Artifact, tensor_params: tuple[str, ...]) -> Callable[..., Any]:
    """The last step of the fast path: check what is left, run, record. Generated, so that it costs no loop and no *args."""
    unit = dispatcher.state.unit
    params = ", ".join(unit.params)
    call = f"__fn, {params}" if params else "__fn"
    rest = artifact.guards.split(tensor_params)
    kinds: dict[str, TypeName] = {}
    values = values_text(unit.params, tensor_params, artifact, kinds)
    who = ", __thread()" if THREADS.many else ""            # a row without it is the only thread's
    lines = [f"def run(__t0, {call}):"]
    if rest is not None:
        lines += [f"    if __rest({call}) is not None:", "        return __MISS"]
    lines += ["    if __dispatcher.front is not __artifact:", "        __dispatcher.front = __artifact",
              "        __touch(__artifact)"]
    if artifact.ends_in_break or artifact.native:
        outcome = "not_compiled" if artifact.native else "reuse"
        lines += [f"    __append(('begin', __t0, __code_id, 0{who}))", "    try:", f"        __result = __entry({call})",
                  "    except BaseException as __problem:", f"        __failed(__artifact, {values}, __problem)",
                  "        raise", f"    __append(('end', __clock(), __id, {outcome!r}, {values}, None{who}))"]
    else:
        lines += ["    try:", f"        __result = __entry({call})", "    except BaseException as __problem:",
                  f"        __append(('begin', __t0, __code_id, 0{who}))",
                  f"        __failed(__artifact, {values}, __problem)", "        raise",
                  f"    __append((__id, __t0, __clock(), {values}{who}))"]
    lines += ["    return __result"]
    namespace = {"__rest": rest, "__MISS": MISS, "__dispatcher": dispatcher, "__artifact": artifact,
                 "__touch": dispatcher.state.touch, "__append": RECORDER.append,
                 "__entry": SHADOW.entry(dispatcher.state, artifact),
                 "__clock": time.perf_counter_ns, "__id": artifact.id, "__failed": record_failure,
                 "__code_id": dispatcher.state.code_id, "__thread": threading.get_ident, **kinds}
    return compile_text("\n".join(lines) + "\n", f"<reuse {unit.qualname} version {artifact.version}>", namespace, "run")


def values_text(params: Any, tensor_params: tuple[str, ...], artifact: Artifact, kinds: dict[str, TypeName]) -> str:
    """The tuple of recorded argument values as an expression: metadata by attribute, numbers as they are, of everything
    else the name of its type (put into `kinds` under the name that the expression uses)."""
    seen = artifact.captured.kinds if artifact.captured is not None else {}
    parts = []
    for name in params:
        if name in tensor_params:
            parts.append(f"{name}._meta")
        elif seen.get(name) == "plain":
            parts.append(name)
        else:
            kinds[f"__type_{name}"] = TypeName(seen.get(name, "object"))
            parts.append(f"__type_{name}")
    return f"({', '.join(parts)},)" if parts else "()"


def record_failure(artifact: Artifact, values: tuple, problem: BaseException) -> None:
    """The end row of a run that raised."""
    RECORDER.append(("end", time.perf_counter_ns(), artifact.id, "error", values, (type(problem).__name__, error_text(problem)),
                     threading.get_ident()))


def compile_text(text: str, name: str, namespace: dict[str, Any], result: str) -> Any:
    """Compile generated Python and make it visible to tracebacks and debuggers through linecache."""
    code = compile(text, name, "exec")
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(code, namespace)
    return namespace[result]
