"""All guards of an artifact as one generated Python function that a person can read.

`check(__fn, *params)` returns None when every guard holds, else the index of the first that does not. Its hot path is
identity tests on interned metadata; parameters of modules cost one test while STATE.epoch stands still. An exception
while fetching a value counts as a failure of that guard: the slow, step-by-step reading then finds out which one.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable
from typing import Any

from ..tensor.state import STATE
from .emit import Writer
from .explain import condition_text, expected_text, explain, holds
from .guard import Failure, Guard
from .order import decided_by_meta, module_anchor, ordered, other_origins, prefixes, stores_of
from .origin import Origin, SizeOrigin
from .read import Scope

_numbers = itertools.count()
Check = Callable[..., int | None]
ROOTS_REMEMBERED = 256


class Covered:
    """Which module objects passed the guards on their parameters, and at which STATE.epoch. Modules are held weakly
    and compared by identity, so that a new module at a reused address is not taken for the old one."""

    __slots__ = ("passed",)

    def __init__(self) -> None:
        self.passed: dict[int, tuple] = {}

    def add(self, root: Any, epoch: object, *stores: Any) -> None:
        """Remember that the guards below `root` held. `epoch` is the one read before they were tested; `stores` are the
        dictionaries of modules through which everything below was reached. The reference to `root` is a new object each
        time (it has a callback): so it also stands for all that was found below. It forgets the dictionaries, and with them
        the parameters, when the module is gone."""
        if len(self.passed) >= ROOTS_REMEMBERED:
            self.passed.clear()
        passed, place = self.passed, id(root)

        def gone(ref: Any) -> None:
            known = passed.get(place)
            if known is not None and known[1] is ref:
                passed.pop(place, None)

        try:
            passed[place] = (epoch, weakref.ref(root, gone), *stores)
        except TypeError:                                  # cannot be held weakly: tested every time
            pass


class GuardProgram:
    """The guards of one artifact, compiled. `guards` is in the order of testing; indices refer to it."""

    def __init__(self, guards: list[Guard], bindings: dict[str, Origin], params: list[str],
                 slots: dict[str, dict]) -> None:
        self.guards, self.bindings = guards, bindings
        self.params, self.slots = list(params), slots
        self.covers: dict[Origin, tuple[Covered, list[tuple[Origin, str]]]] = {}     # of `check` and `rest` alike
        self.check: Check
        self.check, self.source = self._compile("check", lambda g: True)
        self.rest: Check | None = None
        self.rest_source = ""
        self.looked_up: tuple[str, ...] | None = None      # parameters that `rest` was made for

    # -- what people see ----------------------------------------------------------------------------------------------
    def explain(self, fn: Any, *args: Any) -> list[Failure]:
        """Every guard that fails for this call, with expected and seen. Empty when all hold. Never raises."""
        return explain(self.guards, self._scope(fn, args), self.bindings)

    def describe(self) -> list[tuple]:
        """(kind, origin, condition, expected, span, why) of every guard, as texts."""
        return [(g.kind, g.origin.text if g.origin is not None else "", condition_text(g, self.bindings),
                 expected_text(g), g.span, g.why) for g in self.guards]

    def split(self, meta_params: tuple[str, ...] | list[str]) -> Check | None:
        """What is left to check when the metadata of these tensor parameters was accepted before: a function like
        `check`, or None when nothing is left."""
        params = tuple(meta_params)
        if params == self.looked_up:
            return self.rest                               # made before, for other sizes
        self.looked_up = params
        if all(decided_by_meta(g, params, self.bindings) for g in self.guards):
            self.rest, self.rest_source = None, ""
        else:
            self.rest, self.rest_source = self._compile("rest", lambda g: not decided_by_meta(g, params, self.bindings))
        return self.rest

    # -- the slow way -------------------------------------------------------------------------------------------------
    def _scope(self, fn: Any, args: tuple) -> Scope:
        return Scope(fn, dict(zip(self.params, args)), self.slots)

    def _first_failure(self, wanted: Callable[[Guard], bool], fn: Any, args: tuple) -> int | None:
        scope = self._scope(fn, args)
        return next((i for i, g in enumerate(self.guards) if wanted(g) and not holds(g, scope, self.bindings)), None)

    # -- code ---------------------------------------------------------------------------------------------------------
    def _compile(self, name: str, wanted: Callable[[Guard], bool]) -> tuple[Check, str]:
        chosen = [(i, g) for i, g in enumerate(self.guards) if wanted(g)]
        groups = {anchor: members for anchor, members in _groups(list(enumerate(self.guards))).items()
                  if all(wanted(g) for _, g in members)}
        covered = {i for members in groups.values() for i, _ in members}
        w = Writer(self.params, self.guards, self.bindings, self.slots)
        w.constant("STATE", STATE)
        w.namespace[w.prefix + "slow"] = lambda fn, *args: self._first_failure(wanted, fn, args)
        call = ", ".join(["__fn", *self.params])
        functions = []
        for number, (anchor, members) in enumerate(groups.items()):
            functions.append(self._covered(w, f"{w.prefix}below_{number}", anchor, members))
        w.begin(name, call)
        w.line("try:")
        with w.indented():
            simple = [(i, g) for i, g in chosen if i not in covered and g.kind not in ("SHAPE_ENV", "STORAGE_OVERLAP")]
            last = [(i, g) for i, g in chosen if i not in covered and g.kind in ("SHAPE_ENV", "STORAGE_OVERLAP")]
            for i, g in simple:
                w.guard(i, g)
            for number, (anchor, members) in enumerate(groups.items()):
                self._call_covered(w, number, anchor, members, call)
            for i, g in last:
                w.guard(i, g)
            w.line("return None")
        w.line("except Exception:")
        w.line(f"    return {w.prefix}slow({call})")
        text = "\n\n".join([*functions, w.text()]) + "\n"
        return _define(text, name, w.namespace), text

    def _covered(self, w: Writer, name: str, anchor: Origin, members: list[tuple[int, Guard]]) -> str:
        """A function that tests every guard below one module; it runs when STATE.epoch or the module is new."""
        w.begin(name, ", ".join(["__fn", *self.params]))
        w.line(f"# what {anchor.text} holds: tested when a module or a parameter changed since the last call")
        for i, g in members:
            w.guard(i, g)
        w.line("return None")
        return w.text()

    def _call_covered(self, w: Writer, number: int, anchor: Origin, members: list, call: str) -> None:
        root = w.fetch(anchor)
        cover, reached = self.covers.setdefault(anchor, (Covered(), _stores(members)))
        p = w.prefix
        w.namespace[f"{p}passed_{number}"] = cover.passed
        w.namespace[f"{p}remember_{number}"] = cover.add
        w.namespace[f"{p}id"] = id
        w.line(f"# {len(members)} guards below {anchor.text} hold while it is the same module and no module changed")
        w.line(f"{p}epoch = {p}STATE.epoch")
        w.line(f"{p}known = {p}passed_{number}.get({p}id({root}))")
        # the dictionaries report changes of their contents (STATE.epoch); that a module has another dictionary, nobody does
        stores = [w.store(o, slot) for o, slot in reached]
        replaced = "".join(f" or {p}known[{i}] is not {s}" for i, s in enumerate(stores, 2))
        w.line(f"if {p}known is None or {p}known[0] is not {p}epoch or {p}known[1]() is not {root}{replaced}:")
        w.line(f"    {p}failed = {p}below_{number}({call})")
        w.line(f"    if {p}failed is not None: return {p}failed")
        w.line(f"    {p}remember_{number}({', '.join([root, f'{p}epoch', *stores])})")


def _groups(chosen: list[tuple[int, Guard]]) -> dict[Origin, list[tuple[int, Guard]]]:
    """Guards that STATE.epoch covers, by the module they hang on. A guard that makes another, uncovered guard's fetch
    safe is left among the others, so that it is tested first."""
    anchored = {i: module_anchor(g) for i, g in chosen}
    needed = {p for i, g in chosen if anchored[i] is None for o in (g.origin, *other_origins(g)) for p in prefixes(o)}
    groups: dict[Origin, list[tuple[int, Guard]]] = {}
    for i, g in chosen:
        anchor = anchored[i]
        if anchor is not None and g.origin not in needed:
            groups.setdefault(anchor, []).append((i, g))
    return {a: members for a, members in groups.items() if len(members) > 1}


def _stores(members: list[tuple[int, Guard]]) -> list[tuple[Origin, str]]:
    """(module, name of its dictionary) for every step that the origins of covered guards take, outermost first."""
    found: dict[tuple[Origin, str], None] = {}
    for _, g in members:
        for o in (g.origin, *other_origins(g)):
            found.update(dict.fromkeys(stores_of(o)))
    return list(found)


def _define(text: str, name: str, namespace: dict[str, Any]) -> Check:
    """Compile generated text, visible to debuggers and tracebacks while the function lives."""
    filename = f"<guards {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    function = namespace[name]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function


def build(guards: list[Guard], env: Any, params: list[str],
          globals_slots: dict[str, dict] | None = None) -> GuardProgram:
    """Compile the guards of one artifact. `env`: the ShapeEnv whose decisions are guards too, or None; `params`: names
    of the unit's parameters in order; `globals_slots`: the globals dict behind each GlobalOrigin.slot but "__G"."""
    bindings: dict[str, Origin] = dict(env.bindings) if env is not None else {}
    whole = list(guards)
    if env is not None:
        whole += _number_types(guards, env)
        for decided in env.guards():
            names = sorted(decided.relation.free)
            origin = bindings[names[0]] if names else None
            whole.append(Guard("SHAPE_ENV", origin, decided.relation, decided.span, decided.why + env.led_here(decided)))
    for g in whole:
        condition_text(g, bindings)                        # an unknown kind is our fault: say so now
    return GuardProgram(ordered(whole), bindings, params, globals_slots or {})


def _number_types(guards: list[Guard], env: Any) -> list[Guard]:
    """A symbol for a plain number stands for an int or a float, nothing else: guarded even if nobody did."""
    typed = {g.origin for g in guards if g.kind == "TYPE_MATCH"}
    return [Guard("TYPE_MATCH", o, float if env.kinds[n] == "float" else int, None, "a number kept symbolic")
            for n, o in env.bindings.items() if not isinstance(o, SizeOrigin) and o not in typed]


__all__ = ["GuardProgram", "build"]
