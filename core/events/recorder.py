"""The recorder: where the engine says what happens, at the cost of one deque append on the script's thread.

RECORDER is the one recorder of the process. Until `open` it drops everything. Rows of the hot path, handed to
`RECORDER.append` with times from time.perf_counter_ns():

    (artifact_id, start, end, values)                        a reused run without a break inside
    ("begin", start, code_id, line)                          a run starts that may contain others
    ("end", end, artifact_id or -1, outcome, values, error)  the run that began last ends

Each may have one entry more: threading.get_ident() of the thread it happened in. Without it, it is the thread that called
`open`; so nothing is asked while a script has one thread. `error` is (type name, message) or None. `values` holds one entry
per parameter of the code: a TensorMeta, a plain Python value, or a type (or TypeName) when the value itself is not recorded.
The methods below are the slow path; they go through the same deque, so order is kept.

A thread drains the deque about 20 times a second into the session file. When the script is faster than the disk for
long, the oldest rows are dropped and an event says so; the script is never held up.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import itertools
import os
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..tensor.threads import own
from . import schema
from .database import cannot_write, create, hold, release, settle
from .signatures import TypeName
from .writer import Writer

BOUND = 2_000_000            # rows that may wait for the disk
BATCH = 65536                # rows fed between two commits
INTERVAL = 0.05              # seconds between two drains
PATIENCE = 0.1               # seconds that `step(at_once=True)` waits for the disk at most
_NOTHING: deque[Any] = deque(maxlen=0)


class Recorder:
    """See the module's text. `active`: a session is being recorded. `record_results`: the engine should give sums."""

    def __init__(self) -> None:
        self.active = False
        self.record_results = False
        self.profiling = False               # whether kernel launches should be timed
        self.path: Path | None = None
        self.append: Callable[[tuple[Any, ...]], None] = _NOTHING.append
        self._rows: deque[tuple[Any, ...]] = _NOTHING
        self._ids = {name: itertools.count() for name in ("code", "artifact", "break", "kernel")}
        self._writer: Writer | None = None
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._stored = threading.Event()     # a round of storing has ended
        self._stopping = False
        self._asked = False
        self._own = False
        self._ticket = (0, 0)

    # ---- life

    def open(self, path: str | os.PathLike[str], record_results: bool = False, new: bool = True) -> None:
        """Start recording into `path`. `new` makes the file and ends it with the state "finished"; otherwise it exists
        already and whoever made it (the runner's parent process) sees to its state.

        EnvironmentProblem or ScriptError when the file cannot be written."""
        self.close()
        place = Path(path).absolute()
        if new:
            create(place, {})
        self._writer = Writer(place, threading.get_ident())
        self._ticket = hold(place)
        self.path = place
        self.record_results = record_results
        self.profiling = True
        self._rows = deque(maxlen=BOUND)
        self.append = self._rows.append
        self._own = new
        self._stopping = False
        self._wake.clear()
        self._thread = own(threading.Thread(target=self._run, name="guardscope recorder", daemon=True))
        self.active = True
        self._thread.start()
        if not self._asked:
            self._asked = True
            atexit.register(self.close)

    def close(self, timeout: float = 30.0) -> None:
        """Store what was recorded and stop. Does nothing when nothing is being recorded."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self.active = False
        self.append = _NOTHING.append
        self._stopping = True
        self._wake.set()
        if thread is not threading.current_thread():
            thread.join(timeout)

    def forget(self) -> None:
        """In a forked child of the script: it must not touch the parent's session, nor close its database (closing
        would fold the write-ahead log under the parent's feet), so the connection is left alone for ever."""
        if self._writer is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._writer.connection))
            # Compiled code may hold the old `append`: without a thread that drains, the deque is emptied now and then.
            rows = self._rows
            gc.callbacks.append(lambda phase, info: rows.clear())
            self._rows.clear()
        self._writer = self._thread = None
        self.active = False
        self.append = _NOTHING.append

    # ---- the thread

    def _run(self) -> None:
        writer = self._writer
        assert writer is not None
        rows, failing_since = self._rows, 0.0
        while True:
            stopping = self._stopping
            if not stopping:
                self._wake.wait(INTERVAL)
                self._wake.clear()
                stopping = self._stopping
            try:
                self._drain(writer, rows)
                self._stored.set()
                failing_since = 0.0
                if stopping:
                    if self._own:
                        writer.feed([("info", "state", "finished")])
                    writer.close()
                    release(self._ticket)
                    if self._own and self.path is not None:
                        settle(self.path)
                    return
            except sqlite3.OperationalError as problem:
                failing_since = failing_since or time.monotonic()
                busy = "locked" in str(problem) or "busy" in str(problem)
                if not busy or stopping or time.monotonic() - failing_since > 60:
                    self._give_up(writer, problem)
                    return
            except Exception as problem:
                self._give_up(writer, problem)
                return

    def _drain(self, writer: Writer, rows: deque[tuple[Any, ...]]) -> None:
        while True:
            if len(rows) == rows.maxlen:
                writer.rows_lost(f"the disk could not keep up: more than {rows.maxlen} rows were waiting, "
                                 "so some calls were not recorded")
            count = min(len(rows), BATCH)
            if count:
                pop = rows.popleft
                writer.feed([pop() for _ in range(count)])
            writer.flush()
            if len(rows) < BATCH and (not rows or not self._stopping):
                return

    def _give_up(self, writer: Writer, problem: BaseException) -> None:
        self.active = False
        self.append = _NOTHING.append
        self._rows.clear()
        print(f"guardscope: {cannot_write(self.path or Path('session'), problem)}; the script goes on, nothing more is "
              "recorded", file=sys.stderr, flush=True)
        try:
            writer.connection.close()
        except sqlite3.Error:
            pass
        release(self._ticket)

    # ---- slow path: each returns an id at once

    def _add(self, cls: type, kind: str | None, fields: dict[str, Any]) -> int:
        number = next(self._ids[kind]) if kind is not None else -1
        if self.active:
            self.append(("add", cls, number if kind is not None else None, fields, threading.get_ident()))
        return number

    def code(self, name: str, qualname: str, file: str, first_line: int, end_line: int, kind: str = "function",
             resume_of: int | None = None, resume_line: int | None = None, params: Any = (), module: str = "",
             owner: str = "") -> int:
        """A code object the compiler met. params: names, in the order in which `values` come."""
        return self._add(schema.Code, "code", {
            "name": name, "qualname": qualname, "file": file, "first_line": first_line, "end_line": end_line,
            "kind": kind, "resume_of": resume_of, "resume_line": resume_line, "params": tuple(params), "module": module,
            "owner": owner})

    def artifact(self, code_id: int, version: int, graph_text: str = "", python_text: str = "", guard_source: str = "",
                 has_graph: bool = True, dynamic_dims: Any = (), ends_in_break: int | None = None, inputs: Any = (),
                 reads: Any = (), owner: str = "") -> int:
        """A new cache entry. dynamic_dims: (source text, dimension, symbol); inputs, reads: dicts for people; owner: whose
        version it is, where functions or modules share a code object."""
        return self._add(schema.Artifact, "artifact", {
            "code": code_id, "version": version, "graph_text": graph_text, "python_text": python_text,
            "guard_source": guard_source, "has_graph": has_graph, "dynamic_dims": tuple(tuple(d) for d in dynamic_dims),
            "ends_in_break": ends_in_break, "inputs": tuple(inputs), "reads": tuple(reads), "owner": owner,
            "time": time.perf_counter_ns()})

    def guards(self, artifact_id: int, rows: list[dict[str, Any]]) -> None:
        """The artifact's guards: dicts with the fields of schema.GuardRow."""
        self._put(("guards", artifact_id, rows))

    def nodes(self, artifact_id: int, rows: list[dict[str, Any]]) -> None:
        """The artifact's graph: dicts with the fields of schema.NodeRow."""
        self._put(("nodes", artifact_id, rows))

    def failures(self, code_id: int, rows: list[dict[str, Any]]) -> None:
        """The miss being handled now: dicts with the fields of schema.FailureRow, nearest artifact first."""
        self._add(schema.Miss, None, {"code": code_id, "failures": tuple(rows), "time": time.perf_counter_ns()})

    def graph_break(self, code_id: int, id: str, sentence: str, hint: str = "", file: str = "", line: int = 0,
                    col: int = 0, end_line: int = 0, end_col: int = 0, effect: str = "resume") -> int:
        """A graph break; `id` is the stable name of the reason."""
        return self._add(schema.Break, "break", {
            "code": code_id, "name": str(id), "sentence": sentence, "hint": hint or "", "file": file, "line": line,
            "col": col, "end_line": end_line, "end_col": end_col, "effect": effect, "time": time.perf_counter_ns()})

    def not_compiled(self, code_id: int, why: str, file: str = "", line: int = 0) -> None:
        """The code is given up: it runs as plain Python from now on."""
        self._add(schema.NotCompiled, None, {"code": code_id, "why": why, "file": file, "line": line,
                                             "time": time.perf_counter_ns()})

    def limit(self, code_id: int, limit: int, causes: Any = ()) -> None:
        """The code reached the recompile limit."""
        self._add(schema.Limit, None, {"code": code_id, "limit": limit, "causes": tuple(causes),
                                       "time": time.perf_counter_ns()})

    def kernel(self, artifact_id: int | None, name: str, source: str, device: str = "", build_ns: int = 0,
               nodes: Any = ()) -> int:
        """A device program; `launches` refers to the id."""
        return self._add(schema.Kernel, "kernel", {
            "artifact": artifact_id, "name": name, "source": source, "device": device, "build_ns": build_ns,
            "nodes": tuple(nodes), "time": time.perf_counter_ns()})

    def launches(self, rows: list[tuple[int, int, int, str]]) -> None:
        """Finished kernel launches: (kernel id, start, end, device), ns on the clock of time.perf_counter_ns."""
        self._put(("launches", rows))

    def phase(self, artifact_id: int | None, code_id: int, name: str, t0: int, t1: int) -> None:
        """A stretch of compile time; `name` is one of schema.PHASES."""
        self._add(schema.Phase, None, {"artifact": artifact_id, "code": code_id, "name": name, "start": t0, "end": t1})

    def step(self, text: str, at_once: bool = False) -> None:
        """What the compilation of the run that began last is doing now, a clause ("building kernel 4 of 9"); kept only while
        it runs. `at_once`: wait (some milliseconds) until it is stored, because what comes next keeps every other thread from
        running."""
        self._put(("step", text, threading.get_ident()))
        if at_once and self.active and threading.current_thread() is not self._thread:
            for _ in range(2):                           # a round that had begun before may have missed the row
                self._stored.clear()
                self._wake.set()
                self._stored.wait(PATIENCE)

    def decision(self, code_id: int, text: str) -> None:
        """Something the compiler decided, as a sentence."""
        self._add(schema.Decision, None, {"code": code_id, "text": text, "time": time.perf_counter_ns()})

    def event(self, kind: str, text: str, data: dict[str, Any] | None = None) -> None:
        """Anything else worth telling."""
        self._add(schema.Event, None, {"kind": kind, "text": text, "data": data or {}, "time": time.perf_counter_ns()})

    def result(self, sums: dict[str, Any]) -> None:
        """Sums over the result of the top-level call that is running. Does nothing unless `record_results`."""
        if self.record_results:
            self._add(schema.Result, None, {"sums": sums})

    def source(self, file: str, text: str) -> None:
        """The text of a file of the script, so that the session shows it on another machine."""
        self._put(("source", file, text))

    def info(self, key: str, value: Any) -> None:
        """A fact about the whole session."""
        self._put(("info", key, value))

    def _put(self, row: tuple[Any, ...]) -> None:
        if self.active:
            self.append(row)


RECORDER = Recorder()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=RECORDER.forget)

__all__ = ["RECORDER", "Recorder", "TypeName"]
