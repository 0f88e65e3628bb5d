"""Reading a session: `Session(path)` opens a file that is finished, still being written, damaged, or hostile.

Nothing in the file is executed or unpickled: columns are raw buffers of the dtypes that schema.py names, everything
else is numbers, text and JSON, and all of it is checked (checks.py). What cannot be read ends the session there: everything
before it is shown, and `problems` holds a sentence about the rest.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from ..errors import EnvironmentProblem
from .checks import FIELDS, Damaged, chunk, complete, decode, parse_json, within
from .columns import Calls, Columns, sort_runs
from .database import READABLE, cannot_write, open_to_read, recorder_alive, release
from .parsed import Details, Output, Signatures
from .schema import (
    OUTCOMES,
    SINCE,
    STATES,
    STREAMS,
    TABLES,
    Artifact,
    Break,
    CallError,
    Code,
    Decision,
    Event,
    FailureRow,
    GuardRow,
    Kernel,
    Limit,
    Miss,
    NodeRow,
    NotCompiled,
    Phase,
    Result,
    Thread,
    Value,
)

Record = TypeVar("Record")


class Records(Generic[Record]):
    """A table of a session as a list. Its rows are read, checked and made into records when they are first asked for: a
    window that shows the timeline needs few of them."""

    def __init__(self, cls: type[Record]) -> None:
        self.table = next(table for table, kind in TABLES.items() if kind is cls)

    def __get__(self, session: Session, _: type | None = None) -> list[Record]:
        return session._records(self.table)


class Session:
    """A recorded run, read-only. Lists hold frozen dataclasses of schema.py whose `id` is their position.

    EnvironmentProblem or ScriptError, each one sentence, when the file is missing, foreign, too new or unreadable."""

    codes = Records(Code)
    artifacts = Records(Artifact)
    misses = Records(Miss)
    breaks = Records(Break)
    not_compiled = Records(NotCompiled)
    limits = Records(Limit)
    kernels = Records(Kernel)
    phases = Records(Phase)
    decisions = Records(Decision)
    events = Records(Event)
    errors = Records(CallError)
    results = Records(Result)
    threads = Records(Thread)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.info: dict[str, Any] = {}
        self.sources: dict[str, str] = {}
        self.live: list[dict[str, Any]] = []
        self.runs = Columns({name: kind for name, kind, _ in STREAMS["run"]})
        self.launches = Columns({name: kind for name, kind, _ in STREAMS["launch"]})
        self.calls = Calls(self.runs)
        self._made: dict[str, list[Any]] = {table: [] for table in TABLES}
        self._there = dict.fromkeys(TABLES, 0)          # rows that there were at the last look
        self._lock = threading.RLock()         # jobs of the window read too
        self._problems: list[str] = []
        self._signatures = Signatures()
        self._output = Output()
        self._kept = Details()
        self._stored_runs = self._gaps = 0     # runs read from the file, and made up by _close_gap
        self._last_source = 0
        self._version = -1
        self._ended: set[str] = set()
        self._ticket: tuple[int, int] | None
        self._db, self._minor, self._ticket = open_to_read(self.path)
        self.refresh()

    # ---- the file

    def _too_old_for(self, name: str) -> bool:
        """Whether the file was recorded before this table or column existed."""
        return SINCE.get(name, 0) > self._minor

    def close(self) -> None:
        """Let go of the file. What it holds stays usable, except guards, nodes and output."""
        with self._lock:                       # a job may be reading
            for table in TABLES:
                self._records(table)
            self._let_go()

    def _let_go(self) -> None:
        self._db.close()
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            release(ticket)

    def __del__(self) -> None:
        if getattr(self, "_db", None) is not None:
            self._let_go()

    def save_copy(self, path: str | os.PathLike[str]) -> None:
        """Write the whole session into another file, also while it is being recorded. EnvironmentProblem if that fails.
        (Copying the file itself, in the process that has it open, would break SQLite's locks.)"""
        try:
            target = sqlite3.connect(path)
            try:
                self._db.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")
            finally:
                target.close()
        except sqlite3.Error as problem:
            raise EnvironmentProblem(cannot_write(Path(path), problem)) from None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- reading what is new

    def refresh(self) -> bool:
        """Read what was written since the last look; True if there was anything. Cheap when there was not."""
        with self._lock:
            return self._refresh()

    def _refresh(self) -> bool:
        try:
            version = self._db.execute("PRAGMA data_version").fetchone()[0]
            if version == self._version:
                return False
            self._db.execute("BEGIN")                        # one snapshot for all tables
        except sqlite3.Error as problem:
            self._problem("refresh", f"the session cannot be read on ({problem})")
            return False
        known_runs = len(self.runs)
        try:
            self._read_info()
            for table in TABLES:
                if not self._too_old_for(table):
                    self._look(table)
            self._read_signatures()
            self._read_sources()
            self._read_stream("run", self.runs)
            self._read_stream("launch", self.launches)
        finally:
            self._end_snapshot()
        self._version = version
        self._derive(known_runs)
        return True

    def _end_snapshot(self) -> None:
        if self._db.in_transaction:
            try:
                self._db.execute("COMMIT")
            except sqlite3.Error as problem:                 # SQLite objects to a file that is cut off
                self._problem("snapshot", f"the file is damaged ({problem})")
                if self._db.in_transaction:
                    self._db.rollback()

    def _rows(self, what: str, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows of a query, up to the first that cannot be read."""
        return self._query(what, sql, *parameters)[0]

    def _query(self, what: str, sql: str, *parameters: Any) -> tuple[list[tuple[Any, ...]], bool]:
        """Rows of a query, up to the first that cannot be read, and whether more may be read later: another process writes."""
        rows: list[tuple[Any, ...]] = []
        if what not in self._ended:
            try:
                with self._lock:
                    rows.extend(self._db.execute(sql, parameters))
            except (sqlite3.Error, OverflowError, MemoryError) as problem:
                said = str(problem) if isinstance(problem, sqlite3.OperationalError) else ""
                if "decode" in said and self._db.text_factory is str:
                    self._db.text_factory = READABLE         # a text is damaged: from now on every one is read with care
                    return self._query(what, sql, *parameters)
                if "locked" in said or "busy" in said:
                    return rows, True
                self._problem(what, f"{what}: the file is damaged from here on ({problem})")
        return rows, False

    def _problem(self, what: str, text: str) -> None:
        """Note that a part of the file cannot be read; it is not tried again."""
        if what not in self._ended:
            self._ended.add(what)
            self._problems.append(text)

    def _read_info(self) -> None:
        for key, value in self._rows("info", "SELECT key, value FROM info"):
            try:
                self.info[str(key)] = parse_json(value)
            except Damaged:
                continue
        self.live = []
        for (data,) in self._rows("live", "SELECT data FROM live"):
            try:
                frames = parse_json(data)
                if isinstance(frames, list) and all(isinstance(f, dict) for f in frames):
                    self.live = frames
            except Damaged:
                continue

    def _look(self, table: str) -> None:
        """See how many rows a table has."""
        for (last,) in self._rows(table, f'SELECT max(id) FROM "{table}"'):
            if isinstance(last, int):
                self._there[table] = last + 1
            elif last is not None:
                self._problem(table, f"{table}: its rows have no numbers")

    def _records(self, table: str) -> list[Any]:
        """The records of a table, as of the last look. Rows never change, so they need not be read at the time of the look."""
        made = self._made[table]
        if len(made) < self._there[table]:
            with self._lock:
                self._make(table, made, self._there[table])
        return made

    def _make(self, table: str, made: list[Any], end: int) -> None:
        cls = TABLES[table]
        # A column that the file is too old for is read as an empty text, which every such column may be.
        columns = ", ".join("''" if self._too_old_for(f"{table}.{name}") else f'"{name}"' for name, _, _ in FIELDS[cls])
        query = f'SELECT {columns} FROM "{table}" WHERE id >= ? AND id < ? ORDER BY id'
        rows, more = self._query(table, query, len(made), end)
        records, wrong = decode(cls, rows)
        count, problem = complete(table, records, len(made), lambda other: len(self._records(other)))
        made += records[:count]
        if len(made) < end and (problem or wrong or not more):
            self._problem(table, f"{table}: row {len(made)} cannot be used ({problem or wrong or 'it is missing'})")
            self._there[table] = len(made)

    @property
    def problems(self) -> list[str]:
        """What cannot be read, a sentence for each part. Checks all that has been read so far."""
        for table in TABLES:
            self._records(table)
        return self._problems

    def _read_signatures(self) -> None:
        try:
            self._signatures.read(self._rows)
        except Damaged as problem:
            self._problem("signature", str(problem))

    def _read_sources(self) -> None:
        query = "SELECT id, file, text FROM source WHERE id > ? ORDER BY id"
        for number, file, text in self._rows("source", query, self._last_source):
            self._last_source = number
            if isinstance(file, str) and isinstance(text, str):
                self.sources[file] = text

    def _read_stream(self, stream: str, into: Columns) -> None:
        names = ", ".join("NULL" if self._too_old_for(f"{stream}.{name}") else f'"{name}"' for name, _, _ in STREAMS[stream])
        query = f'SELECT first, count, {names} FROM "{stream}_chunk" WHERE first + count > ? ORDER BY first'
        pieces: list[dict[str, np.ndarray]] = []
        known = self._stored_runs if stream == "run" else len(into)
        for first, count, *blobs in self._rows(stream, query, known):
            try:
                columns = chunk(stream, first, count, blobs, known)
                self._check_chunk(stream, columns)
            except Damaged as problem:
                self._problem(stream, f"{stream}s: those after {known} cannot be used ({problem})")
                break
            pieces.append(columns)
            known += len(columns["start"])
        if stream == "run":
            self._stored_runs = known
        into.append(*pieces)

    def _check_chunk(self, stream: str, columns: dict[str, np.ndarray]) -> None:
        if stream == "run":
            within(columns, "code", 0, len(self.codes))
            within(columns, "artifact", -1, len(self.artifacts))
            within(columns, "outcome", 0, len(OUTCOMES))
            within(columns, "signature", -1, len(self._signatures))
            within(columns, "call", len(self.calls), 1 << 31)          # several threads: not in order, but none that is over
            within(columns, "thread", 0, max(len(self.threads), 1))
        else:
            within(columns, "kernel", 0, len(self.kernels))
        if np.any(columns["end"] < columns["start"]):
            raise Damaged("something ends before it starts")

    def _derive(self, new_from: int) -> None:
        sort_runs(self.runs, new_from)
        self.calls.find(self.artifacts, self.breaks)
        while self._gaps < len(self.threads) and self._close_gap():          # a thread leaves at most one call unfinished
            self._gaps += 1
            self.calls.find(self.artifacts, self.breaks)

    def _close_gap(self) -> bool:
        """Whether the next call can be given up: it never ended (the process did), while later calls of other threads are
        complete. It gets a run that ended in an error, so that calls stay numbered without gaps."""
        number, runs = len(self.calls), self.runs
        place = int(np.searchsorted(runs["call"], number, "left"))
        if not np.any((runs["call"][place:] > number) & (runs["depth"][place:] == 0)):
            return False
        frame = next((f for f in self.live if f.get("call") == number), None)
        if frame is not None and self.state == "running":
            return False
        own = runs["call"][place:] == number
        code = frame.get("code") if frame is not None else None
        if not isinstance(code, int) or not 0 <= code < len(self.codes):
            code = int(runs["code"][place])
        start = min(int(runs["start"][place]), int(runs["end"][place:][own].min()) if own.any() else int(runs["start"][place]))
        made = {"call": number, "code": code, "artifact": -1, "outcome": OUTCOMES.index("error"), "start": start,
                "end": max(start, int(runs["end"][place:][own].max()) if own.any() else start), "depth": 0, "signature": -1,
                "line": 0, "thread": int(runs["thread"][place]) if own.any() else 0}
        runs.append({name: np.array([made[name]], runs[name].dtype) for name in runs.names})
        sort_runs(runs, len(runs) - 1)
        return True

    # ---- asking

    @property
    def state(self) -> str:
        """running, finished (by itself, whatever its exit status), stopped (asked to), killed (by a signal from
        outside) or crashed (by a fault). A session whose recorder has vanished without a word was killed."""
        said = self.info.get("state")
        if said not in STATES:
            return "killed"
        return "killed" if said == "running" and not recorder_alive(self.info) else str(said)

    def guards(self, artifact: int) -> list[GuardRow]:
        """The artifact's guards, in the order in which they are checked."""
        return list(self._details("guards", artifact, GuardRow))

    def nodes(self, artifact: int) -> list[NodeRow]:
        """The artifact's graph, in the order of the script."""
        return list(self._details("nodes", artifact, NodeRow))

    def _details(self, table: str, artifact: int, cls: type) -> list[Any]:
        what = f"{table} of artifact {artifact}"
        with self._lock:
            try:
                return self._kept.rows(self._rows, what, table, artifact, cls)
            except Damaged as problem:
                self._problem(what, f"{what} cannot be used ({problem})")
                return []

    def miss_of(self, artifact: Artifact) -> Miss | None:
        """The miss that led to an artifact; None for the first of its code."""
        return self.misses[artifact.miss] if 0 <= artifact.miss < len(self.misses) else None

    def failures(self, call: int) -> list[FailureRow]:
        """Every guard that failed in a call, over all its misses, nearest artifact first."""
        return [failure for miss in self.misses if miss.call == call for failure in miss.failures]

    def values(self, signature: int) -> list[tuple[str, Value]]:
        """(parameter, Value) of a signature; empty for -1."""
        return self._signatures.values(signature)

    def signature(self, id: int) -> list[tuple[str, str]]:
        """(parameter, text) of a signature, such as ("x", "float32[64, 32]"); empty for -1."""
        return [(name, value.text) for name, value in self.values(id)]

    @property
    def signature_count(self) -> int:
        return len(self._signatures)

    def signature_code(self, id: int) -> int:
        """The code a signature belongs to, -1 if it is not known."""
        code = self._signatures.code(id)
        return code if 0 <= code < len(self.codes) else -1

    def output(self, since: int = 0, until: int | None = None) -> list[tuple[int, str, str]]:
        """What the script printed: (ns since start, "stdout" or "stderr", text), from piece `since` to before `until`."""
        return self._output.pieces(self._rows, since, until)

    def output_times(self) -> Sequence[int]:
        """When each piece of that was printed, ns since start."""
        with self._lock:
            return self._output.times(self._rows)
