"""What happens when no artifact fits: search, compile, resume, or run natively. Also how generated code calls back.

`Runtime` is the object that generated entries know as `__rt`: `call` routes a call made by Python between two graphs, so
that functions called there are compiled on their own; `resume` gives the continuation after a graph break.
"""

from __future__ import annotations

import itertools
import os
import sys
import sysconfig
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..capture.residual.chain import drive
from ..capture.residual.route import routed
from ..capture.unit import Unit, unit_of
from ..errors import GuardscopeError, Unsupported
from ..events.recorder import RECORDER
from ..guards.explain import sentence
from ..guards.facts import own_dict
from ..guards.guard import Failure
from ..guards.words import error_text
from ..source.locate import NoSource
from ..tensor.tensor import Tensor
from ..tensor.threads import THREADS
from . import locking, logs
from .artifact import Artifact, Options
from .cache import CodeState, Dispatcher, describe_value, record_failure
from .config import CONFIG
from .limits import causes, places, reached, used_up, versions
from .shadow import SHADOW
from .stance import DELAYED, STANCE, observe, set_stance

ROOT = str(Path(__file__).resolve().parents[2]) + os.sep
API = str(Path(__file__).resolve().parents[1] / "torch_api") + os.sep
STDLIB = tuple({str(Path(sysconfig.get_paths()[k]).resolve()) + os.sep for k in ("stdlib", "platstdlib")})
SITE = tuple({str(Path(sysconfig.get_paths()[k]).resolve()) + os.sep for k in ("purelib", "platlib")})
_numbers = itertools.count()


class FailOnRecompileLimitHit(GuardscopeError):
    """fullgraph=True, and the recompile limit is reached: there is no eager code to fall back to."""


GENERATED = ("<compiled ", "<dispatch ", "<reuse ", "<artifact ", "<guards ")      # file names of generated code


def is_ours(file: str) -> bool:
    return file.startswith((ROOT + "core", ROOT + "gui", *GENERATED))


def is_compilable_file(file: str) -> bool:
    """Whether functions of this file are compiled when Python calls them: the user's own code, not libraries of Python's."""
    if is_ours(file):
        return file.startswith(API + "nn")
    if file.startswith(SITE):
        return True
    return not file.startswith(STDLIB) and not file.startswith("<frozen")


MODULES = API + os.path.join("nn", "modules") + os.sep
BOOKKEEPING = (MODULES + "walk.py", MODULES + "state.py", MODULES + "module.py")


def is_bookkeeping(code: types.CodeType) -> bool:
    """Whether this is a module's own housekeeping (parameters(), train(), load_state_dict() ...), not a way to its forward:
    called from code that runs natively, it computes nothing that a graph could hold."""
    return code.co_filename in BOOKKEEPING and "_call" not in code.co_name


HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def is_module(value: Any) -> bool:
    """Whether `value` is an nn.Module instance (told by what every instance has, so that nn need not be imported)."""
    return "_modules" in (own_dict(value) or ()) and not isinstance(value, types.ModuleType)


def has_hooks(module: Any) -> bool:
    """Whether calling the module runs hooks around `forward`."""
    held = own_dict(module) or {}
    return any(held.get(name) for name in HOOKS)


def calls_forward(module: Any) -> bool:
    """Whether calling the module does nothing but run its `forward`: its class keeps our `__call__`."""
    cls = type(module)
    call = cls.__call__
    return isinstance(call, types.FunctionType) and call.__qualname__ == "Module.__call__" \
        and not hasattr(call, "_guardscope_disable") and cls.__getattribute__ is object.__getattribute__ \
        and (own_dict(module) or {}).get("_compiled_call_impl") is None


CONTENTS: list[tuple[type, Any]] = [(tuple, tuple.__iter__), (list, list.__iter__), (set, set.__iter__), (dict, dict.values)]


def holds_tensor(value: Any, depth: int = 3) -> bool:
    """Whether a value is, or (a few levels down) contains, a tensor or a module: frames without any are not looked at."""
    if isinstance(value, Tensor) or is_module(value):
        return True
    for base, contents in CONTENTS if depth else ():                # not by the ways of a class derived from them
        if isinstance(value, base):
            return any(holds_tensor(v, depth - 1) for v in contents(value))
    held = own_dict(value) if depth and not isinstance(value, type | types.ModuleType | types.FunctionType) else None
    return held is not None and any(holds_tensor(v, depth - 1) for v in held.values())


class Runtime:
    """The engine under one set of options (each torch.compile call has one; equal options share artifacts)."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.key = options.key()
        self.shared_key = replace(options, isolate=None).key() if options.isolate is not None else None

    # -- ways in -------------------------------------------------------------------------------------------------------
    def dispatcher(self, unit: Unit, names: dict[str, Any]) -> Dispatcher:
        """The dispatcher for a unit's code over these global variables, under these options."""
        state = CodeState.of(unit, names)
        slot = (self.key, self.options.fullgraph, self.options.recompile_limit)
        found = state.dispatchers.get(slot)
        if found is None:
            found = state.dispatchers.setdefault(slot, Dispatcher(state, self.key, self.miss))
        return found

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call `function` from code that runs natively; Python functions of the user's are compiled on their own."""
        target: Any = function
        bound: tuple = ()
        if isinstance(target, types.MethodType):
            target, bound = target.__func__, (target.__self__,)
        elif is_module(target) and "_guardscope_compiled" not in vars(type(target)):
            if has_hooks(target) or not calls_forward(target):
                return function(*args, **kwargs)
            held = own_dict(target) or {}
            if "forward" in held:
                return self.call(held["forward"], *args, **kwargs)
            target, bound = type(target).forward, (target,)
        if not isinstance(target, types.FunctionType):
            return function(*args, **kwargs)
        disabled = getattr(target, "_guardscope_disable", None)
        original = vars(target).get("_torchdynamo_orig_callable")
        if isinstance(original, types.FunctionType) and vars(target).get("_guardscope_routed"):
            unit = unit_of(original)
            if not isinstance(unit, NoSource):
                return routed(unit)(original, self)(*bound, *args, **kwargs)
        if disabled is not None or hasattr(target, "_guardscope_compiled") or hasattr(target, "__op__"):
            return function(*args, **kwargs)
        if not is_compilable_file(target.__code__.co_filename) or is_bookkeeping(target.__code__):
            return function(*args, **kwargs)
        if not any(holds_tensor(a) for a in (*bound, *args, *kwargs.values())) and not closes_over_tensor(target):
            return function(*args, **kwargs)
        unit = unit_of(target)
        if isinstance(unit, NoSource):
            return function(*args, **kwargs)
        values = bind(target, unit, (*bound, *args), kwargs)
        if values is None:
            return function(*args, **kwargs)       # a TypeError of the user's: let Python word it
        run = self.dispatcher(unit, target.__globals__).run
        return drive(run, target, values) if unit.is_generator else run(target, *values)

    def resume(self, unit: Unit, fn: types.FunctionType) -> Callable[..., Any]:
        """The continuation `fn` (made for one break of one call) as a compiled callable."""
        run = self.dispatcher(unit, fn.__globals__).run
        if unit.is_generator and unit.kind != "resume":
            return lambda *values: drive(run, fn, values)
        return lambda *values: run(fn, *values)

    def plainly(self, fn: Any, problem: Exception, *values: Any) -> Any:
        """Run a unit as plain Python because its graph raised `problem`. What a backend of the script's raises goes to it."""
        if callable(self.options.backend):
            raise problem
        unit = unit_of(fn)
        assert not isinstance(unit, NoSource)
        positional, keywords = rebuild_call(unit, values)
        said = f"{type(problem).__name__}: {error_text(problem)}"
        # not format_exception: it asks exceptions of the script's that are being handled for their texts
        RECORDER.event("graph_failed", f"the graph of {unit.qualname} raised {said}; this call runs as plain Python",
                       {"traceback": "".join([*traceback.format_tb(problem.__traceback__), f"{said}\n"])})
        return routed(unit)(fn, self)(*positional, **keywords)

    # -- the slow path -------------------------------------------------------------------------------------------------
    def miss(self, dispatcher: Dispatcher, t0: int, fn: Any, *args: Any) -> Any:
        """No remembered artifact took the call: search all, else compile, else run natively."""
        state = dispatcher.state
        if SHADOW.running:
            return run_natively(state, fn, args)
        if STANCE.backend is not None and self.options.backend != STANCE.backend:
            forced = Runtime(replace(self.options, backend=STANCE.backend))
            return forced.miss(forced.dispatcher(state.unit, fn.__globals__), t0, fn, *args)
        THREADS.seen()
        frame = Frame(state, t0, args)
        try:
            result = self._find_or_compile(dispatcher, frame, fn, args)
        except BaseException as problem:
            frame.end("error", problem)
            raise
        frame.end(frame.outcome)
        return result

    def _find_or_compile(self, dispatcher: Dispatcher, frame: Frame, fn: Any, args: tuple) -> Any:
        state = dispatcher.state
        if STANCE.name == "force_eager" or CONFIG.disable:
            return run_natively(state, fn, args)
        if state.skipped is not None:
            frame.outcome = "not_compiled"
            return self.natively_routed(state, fn, args)
        if self._fitting(dispatcher, frame, fn, args):
            return SHADOW.entry(state, frame.artifact)(fn, *args)          # type: ignore[arg-type]
        with locking.COMPILING:                             # another thread may have compiled it in the meantime
            run = self._choose(dispatcher, frame, fn, args)
        return run(fn, *args)

    def _fitting(self, dispatcher: Dispatcher, frame: Frame, fn: Any, args: tuple) -> bool:
        """Whether a cached artifact accepts the call: `frame.artifact` then."""
        state = dispatcher.state
        for rival in self.rivals(state):
            if rival.check(fn, *args) is None:
                state.touch(rival)
                with locking.COMPILING:
                    dispatcher.remember(rival, fn, args)
                frame.artifact, frame.outcome = rival, "not_compiled" if rival.native else "reuse"
                return True
        return False

    def _choose(self, dispatcher: Dispatcher, frame: Frame, fn: Any, args: tuple) -> Callable[..., Any]:
        """What runs the call when no artifact accepts it: a new artifact's entry, or plain Python."""
        state = dispatcher.state
        state.used = True
        if THREADS.many and self._fitting(dispatcher, frame, fn, args):
            return SHADOW.entry(state, frame.artifact)      # type: ignore[arg-type]
        natively = lambda fn, *args: self.natively_routed(state, fn, args)  # noqa: E731
        if STANCE.name in DELAYED and self.key not in state.observed:
            state.observed.add(self.key)
            observe(state.history, state.unit, args)
            frame.outcome = "not_compiled"
            return natively
        rivals, full = self.rivals(state), reached(state, self.options)
        failed = self._record_failures(state, rivals, fn, args) if rivals and (RECORDER.active or full is None) else []
        if STANCE.name == "eager_on_recompile":
            frame.outcome = "not_compiled"
            return natively
        if STANCE.name == "fail_on_recompile":
            raise RuntimeError(f"torch.compile stance is 'fail_on_recompile', and no artifact of {state.unit.qualname} "
                               f"accepts this call{why_not(rivals, fn, args)}")
        if CONFIG.error_on_recompile and rivals:
            raise RecompileError(f"recompiling {state.unit.qualname}, and torch._dynamo.config.error_on_recompile is set"
                                 f"{why_not(rivals, fn, args)}")
        if full is not None:
            return self._at_limit(state, frame, fn, args, *full)
        from .compiling import compile_artifact, record_guards

        artifact = compile_artifact(self, state, frame, fn, args)
        if artifact is None:                 # this call cannot be captured
            frame.outcome = "not_compiled"
            return natively
        frame.artifact, artifact.because, artifact.isolate = artifact, places(failed), self.options.isolate
        frame.outcome = "not_compiled" if artifact.native else "recompile" if versions(state, self.options) > 1 else "compile"
        if THREADS.many:
            locking.protect(artifact)
        since = time.perf_counter_ns()
        dispatcher.remember(artifact, fn, args)
        if RECORDER.active and not artifact.native:
            RECORDER.phase(artifact.id, state.code_id, "guards", since, time.perf_counter_ns())
            record_guards(artifact, fn, args)
        return artifact.entry

    def _at_limit(self, state: CodeState, frame: Frame, fn: Any, args: tuple, name: str, limit: int) -> Callable[..., Any]:
        if not state.limit_told:
            state.limit_told = True
            reason, used = why_not(self.rivals(state), fn, args), causes(state, self.options)
            RECORDER.limit(state.code_id, limit, used)
            warnings.warn_explicit(f"torch._dynamo hit config.{name} ({limit}) for {state.unit.qualname}{reason}; "
                                   f"it runs eagerly from now on{used_up(used)}", RecompileLimitWarning, state.unit.file,
                                   state.unit.first_line)
        if self.options.fullgraph or CONFIG.fail_on_recompile_limit_hit:
            why = "fullgraph=True" if self.options.fullgraph else "torch._dynamo.config.fail_on_recompile_limit_hit"
            raise FailOnRecompileLimitHit(
                f"{state.unit.qualname} has {len(state.compiled)} artifacts, the {name.replace('_', ' ')} is {limit}, and "
                f"{why} leaves no eager way{why_not(self.rivals(state), fn, args)}{used_up(causes(state, self.options))}")
        frame.outcome = "eager_limit"
        return lambda fn, *args: run_natively(state, fn, args)

    def rivals(self, state: CodeState) -> list[Artifact]:
        """The artifacts that may take a call, most recently used first: those of equal options, and for a wrapper that is
        isolated also those that every wrapper with its options may use."""
        own = state.matching(self.key)
        return own if self.shared_key is None else [*own, *state.matching(self.shared_key)]

    def _record_failures(self, state: CodeState, rivals: list[Artifact], fn: Any, args: tuple) -> list[Failure]:
        """Record every failing guard of every artifact, nearest first; returns those of the nearest."""
        found = [(artifact, artifact.guards.explain(fn, *args)) for artifact in rivals if not artifact.native]
        found.sort(key=lambda pair: len(pair[1]))
        if RECORDER.active:
            RECORDER.failures(state.code_id, [
                {"artifact": artifact.id, "index": f.index, "kind": f.guard.kind,
                 "origin": f.guard.origin.text if f.guard.origin is not None else "", "expected": f.expected,
                 "seen": f.seen, "dim": f.dim, "where": f.where, "aspect": f.aspect}
                for artifact, failures in found for f in failures])
        logs.recompiling(state, [(artifact, [sentence(f) for f in failures]) for artifact, failures in found])
        return found[0][1] if found else []

    def natively_routed(self, state: CodeState, fn: Any, args: tuple) -> Any:
        """Run a frame that is not compiled; the functions it calls still are."""
        positional, keywords = rebuild_call(state.unit, args)
        if self.options.fullgraph and state.skipped is not None:
            raise Unsupported(f"fullgraph=True, and {state.unit.qualname} cannot be captured: {state.skipped}")
        try:
            native = routed(state.unit)(fn, self)
        except NotImplementedError:
            native = fn
        return native(*positional, **keywords)


class RecompileError(GuardscopeError):
    """torch._dynamo.config.error_on_recompile is set and a recompilation would be needed."""


class RecompileLimitWarning(UserWarning):
    """A function reached its recompile limit and runs eagerly from now on."""


class Frame:
    """The begin and end rows of one run that takes the slow path."""

    def __init__(self, state: CodeState, t0: int, args: tuple) -> None:
        self.values = tuple(describe_value(a) for a in args)
        self.artifact: Artifact | None = None
        self.outcome = "not_compiled"
        if RECORDER.active:
            RECORDER.append(("begin", t0, state.code_id, caller_line(), threading.get_ident()))

    def end(self, outcome: str, problem: BaseException | None = None) -> None:
        ident = self.artifact.id if self.artifact is not None else -1
        error = (type(problem).__name__, error_text(problem)) if problem is not None else None
        RECORDER.append(("end", time.perf_counter_ns(), ident, outcome, self.values, error, threading.get_ident()))


def caller_line() -> int:
    """Line of the innermost frame that is the script's own."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<") and not is_ours(file):
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return 0


def why_not(rivals: list[Artifact], fn: Any, args: tuple) -> str:
    """": x.shape[0] was 3, is 4" for the most recently used artifact, or ""."""
    for artifact in rivals[:1]:
        failures = artifact.guards.explain(fn, *args)
        if failures:
            return f": {sentence(failures[0])}"
    return ""


def closes_over_tensor(function: types.FunctionType) -> bool:
    for cell in function.__closure__ or ():
        try:
            if holds_tensor(cell.cell_contents):
                return True
        except ValueError:
            continue
    return False


def bind(function: Any, unit: Unit, args: tuple, kwargs: dict) -> tuple | None:
    """Values for `unit.params` in order, or None when the call does not fit the signature."""
    import inspect

    try:
        bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    return tuple(bound.arguments[name] for name in unit.params)


def rebuild_call(unit: Unit, values: tuple) -> tuple[tuple, dict]:
    """The positional and keyword arguments that bind to `values` again."""
    given = dict(zip(unit.params, values))
    spec = unit.node.args
    positional = [given[a.arg] for a in (*spec.posonlyargs, *spec.args)]
    if spec.vararg is not None:
        positional += list(given[spec.vararg.arg])
    keywords = {a.arg: given[a.arg] for a in spec.kwonlyargs}
    if spec.kwarg is not None:
        keywords.update(given[spec.kwarg.arg])
    return tuple(positional), keywords


def run_natively(state: CodeState, fn: Any, args: tuple) -> Any:
    positional, keywords = rebuild_call(state.unit, args)
    return fn(*positional, **keywords)


__all__ = ["Runtime", "record_failure", "set_stance"]
