"""What views ask about a session, answered with NumPy on the session's columns and remembered until it grows.

Reads only; no Qt. Every method is cheap to call again: results are kept per revision of the session.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.events.advice import result_words
from ..core.events.schema import OUTCOMES, PHASES, Artifact, Code, FailureRow, GuardRow, Limit, Miss, NodeRow, Phase
from ..core.events.summary import place_of

DEFAULT_LIMIT = 8
_revisions = itertools.count(1)


def code_name(code: Code) -> str:
    """A function's name as people say it: without the function it is defined in, and for a resume function without
    what the engine adds to it."""
    return code.qualname.rpartition("<locals>.")[2].partition(" (after line")[0] or code.name


def code_title(code: Code) -> str:
    """`scale`, or `scale after line 12` for what runs after a graph break there."""
    return code_name(code) + (f" after line {code.resume_line}" if code.kind == "resume" else "")


def plainer(f: FailureRow) -> FailureRow:
    """A failed condition on one symbol as a value needed and a value seen: "s0 == 4, that is n == 4" and "n is 5" become
    4 and 5, "n <= 8" becomes "<= 8". Conditions on several stay as they are, without the symbols' names."""
    if f.aspect != "symbolic":
        return f
    expected, place = f.expected.rpartition(", that is ")[2], place_of(f)
    seen = f.seen.removeprefix(f"{place} is ")
    return replace(f, expected=expected.removeprefix(f"{place} == ").removeprefix(f"{place} "), seen=seen)


def plain_tensors(text: str) -> str:
    """A text in which tensors are written as everywhere: `float32[4, 8]` for "Tensor float32[4, 8]@cpu"."""
    return re.sub(r"\bTensor (\w+\[[^\]]*\])@cpu\b", r"\1", text) if "@cpu" in text else text


def column(table: Any, name: str) -> np.ndarray:
    """One column of a set of columns."""
    return table[name]


@dataclass(frozen=True, slots=True)
class GuardHistory:
    """How often a guard turned its artifact down, and with which value last."""

    failures: int = 0
    origin: str = ""
    seen: str = ""
    call: int = -1


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One value that was read while a version was traced. how: checked, input, constant (`why` says why) or
    unprotected. guard: index of the first guard on it, -1 for none; guards: their number."""

    origin: str
    how: str
    why: str = ""
    conditions: tuple[str, ...] = ()
    guards: int = 0
    guard: int = -1
    line: int = 0


class Facts:
    """Answers about one session. `revision` goes up with `renew()`, which forgets every answer but those in `lasting`, which
    never change; no two Facts share one."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.revision = next(_revisions)
        self._kept: dict[Any, Any] = {}
        self._of_rows: dict[Any, Any] = {}
        self.lasting: dict[Any, Any] = {}

    @property
    def whole(self) -> Facts:
        """Those about all of the session, where these are as of a call."""
        return self

    def renew(self) -> None:
        self.revision = next(_revisions)
        self._kept, self._of_rows = {}, {}

    def keep(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def keep_rows(self, key: Any, make: Callable[[], Any]) -> Any:
        """Like `keep`, for answers that follow from artifacts, misses, phases and the like, and not from the calls made."""
        if key not in self._of_rows:
            self._of_rows[key] = make()
        return self._of_rows[key]

    def has_rows(self, key: Any) -> bool:
        """Whether `keep_rows` knows already."""
        return key in self._of_rows

    def same_tables(self, other: Facts) -> bool:
        """Whether the answers of `keep_rows` are known to be the same: only calls were made in between."""
        return self._of_rows is other._of_rows

    # calls and runs

    @property
    def n_calls(self) -> int:
        return len(column(self.session.calls, "code"))

    def outcome_counts(self) -> dict[str, int]:
        """Calls per outcome name, every outcome present."""
        def make() -> dict[str, int]:
            outcomes = column(self.session.calls, "outcome")         # of few values: counting each is faster than bincount
            return {name: int(np.count_nonzero(outcomes == i)) for i, name in enumerate(OUTCOMES)}
        return self.keep("outcomes", make)

    def outcome(self, call: int) -> str:
        return OUTCOMES[int(column(self.session.calls, "outcome")[call])]

    def call_runs(self, call: int) -> list[dict[str, int]]:
        """The runs of a call in order of their start, as plain ints by column name."""
        calls, runs = self.session.calls, self.session.runs
        first, count = int(column(calls, "first_run")[call]), int(column(calls, "n_runs")[call])
        part = {n: column(runs, n)[first:first + count]
                for n in ("call", "code", "artifact", "outcome", "start", "end", "depth", "signature")}
        rows = [{n: int(part[n][i]) for n in part} for i in range(len(part["call"]))]
        return sorted(rows, key=lambda r: (r["start"], r["depth"]))

    def calls_of_code(self, code: int) -> np.ndarray:
        """Numbers of the calls whose top-level function is `code`."""
        return np.flatnonzero(column(self.session.calls, "code") == code)

    def first_calls(self, code: int, most: int, top: bool = False) -> tuple[int, ...]:
        """The first calls in which a code ran (with `top`: whose top-level function it is)."""
        def make() -> np.ndarray:
            if top:
                return np.flatnonzero(column(self.whole.session.calls, "code") == code)[:most]
            runs = self.whole.session.runs
            calls = column(runs, "call")[column(runs, "code") == code]
            return calls[np.diff(calls, prepend=-1) > 0][:most]
        found = self.whole.keep(("first calls", code, most, top), make)
        return tuple(found[:np.searchsorted(found, self.n_calls)].tolist())

    def code_outcomes(self) -> np.ndarray:
        """Array (codes, outcomes): runs of each code by outcome."""
        def make() -> np.ndarray:
            n, k = len(self.session.codes), len(OUTCOMES)
            flat = column(self.session.runs, "code").astype(np.int64) * k + column(self.session.runs, "outcome")
            return np.bincount(flat, minlength=n * k).reshape(n, k)
        return self.keep("code_outcomes", make)

    def artifact_uses(self) -> np.ndarray:
        """Runs served by each artifact."""
        def make() -> np.ndarray:
            ids = column(self.session.runs, "artifact")
            return np.bincount(ids[ids >= 0], minlength=len(self.session.artifacts))
        return self.keep("uses", make)

    def sum_by_code(self, key: str, weights: np.ndarray) -> np.ndarray:
        """Sums of `weights`, one per run, per code; `key` names them."""
        code, n = column(self.session.runs, "code"), len(self.session.codes)
        return self.keep(("sum", key), lambda: np.bincount(code, weights, n).astype(np.int64))

    # codes and artifacts

    def code(self, code: int) -> Code:
        return self.session.codes[code]

    def root(self, code: int) -> int:
        """The function that a resume function belongs to (itself for a function)."""
        seen = set()
        while (up := self.session.codes[code].resume_of) is not None and code not in seen:
            seen.add(code)
            code = up
        return code

    def artifacts_of(self, code: int) -> list[Artifact]:
        def make() -> dict[int, list[Artifact]]:
            found: dict[int, list[Artifact]] = defaultdict(list)
            for a in self.session.artifacts:
                found[a.code].append(a)
            return found
        return self.keep_rows("by_code", make).get(code, [])

    def resumes_of(self, code: int) -> list[Code]:
        """Resume functions of a function, by line."""
        def make() -> dict[int, list[Code]]:
            found: dict[int, list[Code]] = defaultdict(list)
            for c in self.session.codes:
                if c.resume_of is not None and (root := self.root(c.id)) != c.id:
                    found[root].append(c)
            return {root: sorted(own, key=lambda c: (c.resume_line or 0, c.id)) for root, own in found.items()}
        return self.keep_rows("resumes", make).get(code, [])

    def given_up(self) -> set[int]:
        """Codes that are never compiled."""
        return self.keep_rows("given up", lambda: {n.code for n in self.session.not_compiled})

    def resume_title(self, code: Code) -> str:
        """`after line 12`, with a number where a function goes on after several breaks of one line."""
        same = [c.id for c in self.resumes_of(self.root(code.id)) if c.resume_line == code.resume_line]
        return f"after line {code.resume_line}" + (f" ({same.index(code.id) + 1})" if len(same) > 1 else "")

    def title(self, code: int) -> str:
        """`scale`, or `scale after line 12`."""
        c = self.session.codes[code]
        return f"{code_name(c)} {self.resume_title(c)}" if c.kind == "resume" else code_name(c)

    def limit(self, code: int) -> int:
        """The recompile limit that holds for a code."""
        reached = self.limit_reached(code)
        if reached is not None:
            return reached.limit
        for key in ("recompile_limit", "limit"):
            value = self.session.info.get(key)
            if isinstance(value, int) and value > 0:
                return value
        return DEFAULT_LIMIT

    def kept(self, code: int) -> int:
        """Versions of a code that count towards the limit: those made since the last reset of all caches."""
        def make() -> int:
            return max((e.time for e in self.session.events if e.kind == "reset"), default=-1)
        since = self.keep_rows("reset", make)
        return sum(a.time > since for a in self.artifacts_of(code))

    def limit_reached(self, code: int) -> Limit | None:
        return self.keep_rows("limits", lambda: {n.code: n for n in self.session.limits}).get(code)

    def compile_ns(self, *, artifact: int | None = None, code: int | None = None, call: int | None = None) -> int:
        """Compile time of one artifact, one code, one call, or (nothing given) of the whole session."""
        def make() -> dict[tuple[str, int], int]:
            sums: dict[tuple[str, int], int] = defaultdict(int)
            for p in self.session.phases:
                ns = p.end - p.start
                sums["code", p.code] += ns
                sums["call", p.call] += ns
                if p.artifact is not None:
                    sums["artifact", p.artifact] += ns
            return sums
        for kind, value in (("artifact", artifact), ("code", code), ("call", call)):
            if value is not None:
                return self.keep_rows("compile_ns", make).get((kind, value), 0)
        return self.keep_rows("compile_ns of all", lambda: sum(p.end - p.start for p in self.session.phases))

    def phases_of(self, *, call: int | None = None, artifact: int | None = None) -> list[tuple[str, int]]:
        """(phase, ns) summed in the usual order, for a call or an artifact; phases that took no time left out."""
        def make() -> tuple[dict[int, list[Phase]], dict[int, list[Phase]]]:
            calls: dict[int, list[Phase]] = defaultdict(list)
            artifacts: dict[int, list[Phase]] = defaultdict(list)
            for p in self.session.phases:
                calls[p.call].append(p)
                if p.artifact is not None:
                    artifacts[p.artifact].append(p)
            return calls, artifacts
        calls, artifacts = self.keep_rows("phases", make)
        rows = calls.get(call, []) if call is not None else artifacts.get(-1 if artifact is None else artifact, [])
        sums: dict[str, int] = {}
        for p in rows:
            sums[p.name] = sums.get(p.name, 0) + p.end - p.start
        order = [*PHASES, *(n for n in sums if n not in PHASES)]
        return [(n, sums[n]) for n in order if sums.get(n)]

    # guards

    def guard_history(self, artifact: int) -> dict[int, GuardHistory]:
        """Guard index -> how often it turned this artifact down, and the last value seen."""
        code = self.session.artifacts[artifact].code

        def make() -> dict[int, dict[int, GuardHistory]]:
            found: dict[int, dict[int, GuardHistory]] = defaultdict(dict)
            for miss in self.misses_of(code):
                counted: set[tuple[int, int]] = set()
                for f in miss.failures:
                    old = found[f.artifact].get(f.index, GuardHistory())
                    more = 0 if (f.artifact, f.index) in counted else 1
                    counted.add((f.artifact, f.index))
                    found[f.artifact][f.index] = GuardHistory(
                        old.failures + more, self.spelled(miss.code, place_of(f)), self.spelled(miss.code, f.seen), miss.call)
            return found
        return self.keep_rows(("history", code), make).get(artifact, {})

    def misses_of(self, code: int) -> list[Miss]:
        """Misses of a code."""
        def make() -> dict[int, list[Miss]]:
            found: dict[int, list[Miss]] = defaultdict(list)
            for miss in self.whole.session.misses:
                found[miss.code].append(miss)
            return found
        own = self.whole.keep_rows("misses by code", make).get(code, [])
        return own[:bisect_left(own, len(self.session.misses), key=lambda miss: miss.id)]

    def failures_of_call(self, call: int) -> list[tuple[int, list[tuple[int, list[FailureRow]]]]]:
        """[(code, [(artifact, its failing guards), ...nearest first]), ...] of the misses in a call."""
        by_call = self.keep_rows("misses", self._misses_by_call)
        found = []
        for miss in by_call.get(call, []):
            if not miss.failures:                            # no version had been kept
                continue
            groups: dict[int, list[FailureRow]] = {}
            for f in miss.failures:
                groups.setdefault(f.artifact, []).append(
                    plainer(self._spelled(miss.code, f, "origin", "where", "expected", "seen")))
            found.append((miss.code, list(groups.items())))
        return found

    def _misses_by_call(self) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = defaultdict(list)
        for miss in self.session.misses:
            found[miss.call].append(miss)
        return found

    def guards(self, artifact: int) -> list[GuardRow]:
        """The guards of an artifact; they never change once written."""
        found = self.lasting.get(("guards", artifact))
        if not found:
            found = [self._spelled(self.session.artifacts[artifact].code, g, "origin", "condition")
                     for g in self.session.guards(artifact)]
            self.lasting["guards", artifact] = found
        return found

    def _spelled(self, code: int, row: Any, *fields: str) -> Any:
        """The row with what a broken expression gave spelled as the script writes it (`x.item()`, not `__r0`)."""
        changed = {f: text for f in fields if (text := self.spelled(code, getattr(row, f))) != getattr(row, f)}
        return replace(row, **changed) if changed else row

    def spelled(self, code: int, text: str) -> str:
        """A text about a code in the script's words."""
        return plain_tensors(result_words(self.session, code, text))

    def coverage(self, artifact: int) -> list[ReadLine]:
        """What was read while an artifact was traced, and what protects each value, in order of reading."""
        a = self.session.artifacts[artifact]
        by_origin: dict[str, list[GuardRow]] = defaultdict(list)
        for g in self.guards(artifact):
            by_origin[g.origin].append(g)
        # One guard stands for all names of libraries that the trace relied on; its condition lists them.
        named: dict[str, list[GuardRow]] = {}
        for g in by_origin[""]:
            if g.kind == "NAMES_UNCHANGED":
                for said in g.condition.removeprefix("as they were: ").split("; "):
                    name = said.removesuffix(" not defined")
                    was = "as they were" if name.startswith("the base classes") else "as it was"
                    named[name] = [replace(g, condition=said if said != name else f"{name} {was}")]
        found = []
        for read in a.reads:
            origin, said = self.spelled(a.code, str(read.get("origin", ""))), str(read.get("protected", ""))
            how, _, why = said.partition(": ")
            own = by_origin.get(origin, []) or named.get(origin, []) \
                or [g for g in by_origin[""] if g.kind == "GLOBAL_STATE" and origin.startswith("grad mode, ")]
            known = how if how in ("checked", "input", "constant") else "unprotected"
            found.append(ReadLine(origin, known, why if known == "constant" else "", tuple(g.condition for g in own),
                                  len(own), own[0].index if own else -1, next((g.line for g in own if g.line), 0)))
        return found

    def guard(self, artifact: int, index: int) -> GuardRow | None:
        return next((g for g in self.guards(artifact) if g.index == index), None)

    def nodes(self, artifact: int) -> list[NodeRow]:
        """The nodes of an artifact's graph, `kernel` being the id of the kernel that computes them."""
        found = self.lasting.get(("nodes", artifact))
        if not found:
            found = self.lasting["nodes", artifact] = self.session.nodes(artifact)
        kernel_of = self.keep_rows("kernel of", self._kernels_of_nodes).get(artifact, {})
        return [n if n.kernel == kernel_of.get(n.index) else replace(n, kernel=kernel_of.get(n.index)) for n in found]

    def _kernels_of_nodes(self) -> dict[int, dict[int, int]]:
        """Artifact -> node index -> id of the kernel that computes it."""
        found: dict[int, dict[int, int]] = defaultdict(dict)
        for k in self.session.kernels:
            if k.artifact is not None:
                found[k.artifact].update((int(n), k.id) for n in k.nodes)
        return found

    # source

    def files(self) -> list[str]:
        """Files with text, the script first, those without a compiled function last."""
        script = self.session.info.get("script", "")
        used = {c.file for c in self.session.codes}
        return sorted(self.session.sources, key=lambda f: (f != script, f not in used, f))

    def code_at(self, file: str, line: int) -> Code | None:
        """The innermost function (resume functions aside) whose text holds the line."""
        best = None
        for c in self.session.codes:
            if (c.file == file and c.kind != "resume" and c.first_line <= line <= c.end_line
                    and (best is None or c.end_line - c.first_line < best.end_line - best.first_line)):
                best = c
        return best

    def script_name(self) -> str:
        script = self.session.info.get("script", "")
        return Path(script).name if script else Path(str(self.session.path)).name
