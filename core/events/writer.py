"""What happens to recorded rows: the writer keeps the stack of runs, numbers calls, and stores.

It knows nothing of threads: `feed` takes rows in the order in which they happened, `flush` makes everything fed so far
durable in one transaction. Ids that the engine hands out are process-wide; in the file they count from 0 per session.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .chunks import ChunkWriter, Statement
from .database import clean, connect, dumps, encode, insert_sql
from .schema import OUTCOME_NUMBER, TABLES, WRONG_RESULT, Artifact, CallError, Event, Miss, Phase, Thread
from .signatures import Signatures

REUSE, ERROR = OUTCOME_NUMBER["reuse"], OUTCOME_NUMBER["error"]
INSERTS = {cls: insert_sql(table, cls) for table, cls in TABLES.items()}
REFERENCES = {"code": "code", "resume_of": "code", "artifact": "artifact", "ends_in_break": "break", "kernel": "kernel"}
TABLE_OF = {cls: table for table, cls in TABLES.items()}


class Frame:
    """A run that has begun and not yet ended."""

    __slots__ = ("code", "start", "line", "miss", "phases", "step")

    def __init__(self, code: int, start: int, line: int) -> None:
        self.code, self.start, self.line, self.miss = code, start, line, -1
        self.phases: list[dict[str, Any]] = []      # of a compilation whose artifact is not known yet
        self.step = ""                              # what the compilation is doing now


class Lane:
    """One thread of the script: the runs that have begun in it and not ended, and its current top-level call.

    `wrong`: an artifact (of the file) whose next row is a reuse that the shadow check found wrong; `failed`: the current call
    holds such a run."""

    __slots__ = ("number", "stack", "open_runs", "call", "last_call", "wrong", "failed")

    def __init__(self, number: int) -> None:
        self.number = number
        self.stack: list[Frame] = []
        self.open_runs: list[tuple[int, ...]] = []
        self.call = self.last_call = self.wrong = -1
        self.failed = False

    def outcome(self, artifact: int, outcome: int) -> int:
        """What is stored for a run of this artifact that ends now."""
        if self.wrong >= 0 and artifact == self.wrong:
            self.wrong, self.failed = -1, bool(self.stack)
            return ERROR
        return outcome


class Writer:
    """Writes one session. Every method must be called from one thread at a time. sqlite3.Error leaves `flush`, after
    which nothing is lost: the next flush tries again. `thread`: the one that rows without a thread come from."""

    def __init__(self, path: Path, thread: int | None = None) -> None:
        self.connection = connect(path)
        row = self.connection.execute("SELECT value FROM info WHERE key = 'start_ns'").fetchone()
        self.zero = int(row[0]) if row else 0
        self.runs, self.launches = ChunkWriter("run"), ChunkWriter("launch")
        self.next_call = 0
        self.ids: dict[str, dict[int, int]] = {"code": {}, "artifact": {}, "break": {}, "kernel": {}}
        self.counts: dict[str, int] = dict.fromkeys(TABLES, 0)
        self.artifact_code: dict[int, int] = {}
        self.pending: list[Statement] = []
        self.signatures = Signatures(self.pending)
        self.live = "[]"
        self.lost = 0
        self.lanes: dict[int | None, Lane] = {}
        self.main = self.lanes[None] = Lane(0)
        if thread is not None:
            self.lanes[thread] = self.main
        self._add(Thread, None, {"name": thread_name(thread, "main")}, self.main, translated=True)

    # ---- what was recorded

    def feed(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Take rows in order. See Recorder for their forms."""
        leaves: list[tuple[Any, ...]] = []
        for row in rows:
            if row[0].__class__ is int:
                leaves.append(row)
                continue
            if leaves:
                self._leaves(leaves)
                leaves = []
            try:
                self._row(row)
            except Exception as problem:      # a malformed row must not end the recording
                why = f"{type(problem).__name__}: {problem}"
                self._event("internal", f"a recorded row could not be understood ({why})", {"row": row[0]})
        if leaves:
            self._leaves(leaves)

    def _row(self, row: tuple[Any, ...]) -> None:
        kind = row[0]
        if kind == "begin":
            self._begin(*row[1:])
        elif kind == "end":
            self._end(*row[1:])
        elif kind == "add":
            cls, engine_id, fields, *thread = row[1:]
            self._add(cls, engine_id, fields, self._lane(*thread))
        elif kind == "launches":
            self._launches(row[1])
        elif kind == "step":
            stack = self._lane(row[2]).stack
            if stack:
                stack[-1].step = clean(row[1])
        elif kind in ("guards", "nodes"):
            artifact = self.ids["artifact"].get(row[1])
            if artifact is not None:
                self.pending.append((f"INSERT OR REPLACE INTO {kind} VALUES (?, ?)", (artifact, dumps(row[2]))))
        elif kind == "source":
            self.pending.append(("INSERT INTO source (file, text) VALUES (?, ?)", (clean(row[1]), clean(row[2]))))
        elif kind == "info":
            self.pending.append(("INSERT OR REPLACE INTO info VALUES (?, ?)", (row[1], dumps(row[2]))))
        else:
            raise ValueError(f"unknown kind of row {kind!r}")

    def _lane(self, thread: int | None = None) -> Lane:
        """The lane of a thread; an id that the operating system uses again means the same lane."""
        lane = self.lanes.get(thread)
        if lane is None:
            lane = self.lanes[thread] = Lane(min(self.counts["thread"], 65535))
            self._add(Thread, None, {"name": thread_name(thread, f"thread {lane.number}")}, lane, translated=True)
        return lane

    def _begin(self, start: int, code: int, line: int, thread: int | None = None) -> None:
        lane = self._lane(thread)
        if not lane.stack:
            lane.call = lane.last_call = self.next_call
            lane.failed = False
            self.next_call += 1
        lane.stack.append(Frame(self.ids["code"].get(code, -1), start, line))

    def _end(self, end: int, artifact: int, outcome: str, values: Any, error: tuple[str, str] | None,
             thread: int | None = None) -> None:
        lane = self._lane(thread)
        if not lane.stack:
            return                            # its begin was lost
        self._settle_phases(lane, lane.stack[-1], None)
        frame = lane.stack.pop()
        known = self.ids["artifact"].get(artifact, -1)
        if error is not None:
            facts = {"code": frame.code, "type": error[0], "message": error[1], "time": end}
            self._add(CallError, None, facts, lane, translated=True)
        if frame.code >= 0:
            signature = self.signatures.number(frame.code, values) if values is not None else -1
            number = lane.outcome(known, OUTCOME_NUMBER[outcome])
            if not lane.stack and lane.failed:
                number = ERROR
            lane.open_runs.append((lane.call, frame.code, known, number, frame.start - self.zero,
                                   end - self.zero, len(lane.stack), signature, frame.line, lane.number))
        if not lane.stack:
            self._settle_runs(lane)
            lane.call = -1

    def _settle_runs(self, lane: Lane) -> None:
        """Hand the finished runs of a lane's current call on, in order of their start."""
        if len(lane.open_runs) > 1:
            lane.open_runs.sort(key=lambda run: (run[4], run[6]))
        for run in lane.open_runs:
            self.runs.append(run)
        lane.open_runs = []

    def _leaves(self, rows: list[tuple[Any, ...]]) -> None:
        """Reused runs without a break inside: (artifact, start, end, values), and the thread."""
        known, main = self.ids["artifact"], self.main
        good = [row for row in rows if row[0] in known]
        if not good:
            return
        if not main.stack and max(map(len, good)) == 4:
            main.last_call = self.next_call + len(good) - 1
            self._whole_leaves(good, [])
            return
        whole: list[tuple[Any, ...]] = []
        lanes: list[int] = []                 # runs that are calls of their own
        for row in good:
            lane = main if len(row) == 4 else self._lane(row[4])
            if lane.stack:
                self._nested_leaf(lane, row)
            else:
                lane.last_call = self.next_call + len(whole)
                whole.append(row)
                lanes.append(lane.number)
        if whole:
            self._whole_leaves(whole, lanes)

    def _nested_leaf(self, lane: Lane, row: tuple[Any, ...]) -> None:
        number, start, end, values = self.ids["artifact"][row[0]], *row[1:4]
        code = self.artifact_code[number]
        lane.open_runs.append((lane.call, code, number, lane.outcome(number, REUSE), start - self.zero, end - self.zero,
                               len(lane.stack), self.signatures.number(code, values), 0, lane.number))

    def _whole_leaves(self, rows: list[tuple[Any, ...]], lanes: list[int]) -> None:
        """Calls that are one reused run each. `lanes`: the number of each one's thread; empty for the main thread."""
        n, codes, known = len(rows), self.artifact_code, self.ids["artifact"]
        columns = list(zip(*rows)) if not lanes else list(zip(*(row[:4] for row in rows)))
        numbers = [known[artifact] for artifact in columns[0]]
        code_list = [codes[number] for number in numbers]
        outcomes = np.full(n, REUSE, "u1")
        if self.main.wrong in numbers:            # the check runs while there is one thread
            outcomes[numbers.index(self.main.wrong)] = ERROR
            self.main.wrong = -1
        get = self.signatures.known.get
        signatures = []
        for code, values in zip(code_list, columns[3]):
            try:
                found = get((code, values, *map(type, values)))
            except TypeError:
                found = None
            signatures.append(self.signatures.number(code, values) if found is None else found)
        self.runs.extend([
            np.arange(self.next_call, self.next_call + n, dtype="<i4"), np.array(code_list, "<i4"), np.array(numbers, "<i4"),
            outcomes, np.array(columns[1], "<i8") - self.zero, np.array(columns[2], "<i8") - self.zero,
            np.zeros(n, "<u2"), np.array(signatures, "<i4"), np.zeros(n, "<i4"),
            np.array(lanes, "<u2") if lanes else np.zeros(n, "<u2")])
        self.next_call += n

    def _launches(self, rows: Iterable[tuple[Any, ...]]) -> None:
        kernels = self.ids["kernel"]
        for kernel, start, end, *_ in rows:
            number = kernels.get(kernel)
            if number is not None:
                self.launches.append((number, int(start) - self.zero, int(end) - self.zero))

    def _add(self, cls: type, engine_id: int | None, fields: dict[str, Any], lane: Lane, translated: bool = False) -> None:
        """A row of a table of dataclasses, from a thread. Ids in `fields` are the engine's unless `translated`."""
        table = TABLE_OF[cls]
        if not translated:
            fields = self._translate(table, fields)
        if fields.get("code", 0) is None or fields.get("code", 0) < 0:
            return                            # belongs to a code that was registered before this session
        if cls is Phase and (frame := self._frame_of(lane, fields["code"])) is not None:
            frame.step = ""                         # it is over
            if fields["artifact"] is None and "call" not in fields:
                frame.phases.append(fields)
                return
        number = self.counts[table]
        self.counts[table] = number + 1
        if engine_id is not None and table in self.ids:
            self.ids[table][engine_id] = number
        names = cls.__dataclass_fields__      # type: ignore[attr-defined]
        if "call" in names and "call" not in fields:
            after = table == "result" or fields.get("kind") == "shadow" and lane.call < 0     # its row comes next
            fields["call"] = (self.next_call if table == "event" else lane.last_call) if after else lane.call
        for key in ("time", "start", "end"):
            if key in fields:
                fields[key] = int(fields[key]) - self.zero
        if cls is Artifact:
            self.artifact_code[number] = fields["code"]
            frame = self._frame_of(lane, fields["code"])
            fields["miss"] = frame.miss if frame is not None else -1
            if frame is not None:
                self._settle_phases(lane, frame, number)
        elif table == "code":
            self.signatures.params[number] = tuple(fields.get("params", ()))
        elif cls is Event and fields["kind"] == "shadow":
            self._found_wrong(lane, fields)
        elif cls is Miss:
            frame = self._frame_of(lane, fields["code"])
            if frame is not None:
                frame.miss = number
            known = self.ids["artifact"]
            fields["failures"] = tuple({**f, "artifact": known.get(f.get("artifact"), -1)} for f in fields["failures"])
        self.pending.append((INSERTS[cls], encode(cls(id=number, **fields))))

    def _found_wrong(self, lane: Lane, fields: dict[str, Any]) -> None:
        """A difference that the shadow check found: its ids become the file's, and the run it is about an error."""
        data = fields["data"] = dict(fields["data"])
        for name in ("artifact", "code"):
            data[name] = self.ids[name].get(data.get(name, -1), -1)
        lane.wrong = data["artifact"]
        if data["code"] >= 0:
            self._add(CallError, None, {"code": data["code"], "type": WRONG_RESULT, "message": fields["text"],
                                        "call": fields["call"], "time": fields["time"] + self.zero}, lane, translated=True)

    def _frame_of(self, lane: Lane, code: int) -> Frame | None:
        """The innermost run of this code in a thread."""
        return next((f for f in reversed(lane.stack) if f.code == code), None)

    def _settle_phases(self, lane: Lane, frame: Frame, artifact: int | None) -> None:
        """Store the phases of a compilation, now that its artifact (or that there is none) is known."""
        phases, frame.phases = frame.phases, []
        for fields in phases:
            self._add(Phase, None, {**fields, "artifact": artifact, "call": lane.call}, lane, translated=True)

    def _translate(self, table: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Engine ids to file ids; an unknown code becomes -1, any other unknown reference None."""
        out = dict(fields)
        for name, target in REFERENCES.items():
            if name in out and out[name] is not None:
                out[name] = self.ids[target].get(out[name], -1 if name == "code" else None)
        return out

    def _event(self, kind: str, text: str, data: dict[str, Any]) -> None:
        self._add(Event, None, {"kind": kind, "text": text, "data": data}, self.main, translated=True)

    def rows_lost(self, what: str) -> None:
        """Rows are missing from what will be fed next: runs that have begun cannot be matched with their ends."""
        self.lost += 1
        self._event("lost", what, {})
        for thread, lane in list(self.lanes.items()):
            while lane.stack:
                self._end(lane.stack[-1].start, -1, "error", None, ("Lost", what), thread)

    # ---- storing

    def flush(self) -> None:
        """Store everything fed so far. sqlite3.Error if that fails; the rows are then kept for the next flush."""
        lanes = list(dict.fromkeys(self.lanes.values()))
        for lane in lanes:
            if lane.open_runs:
                self._settle_runs(lane)
        self.pending += self.runs.take()
        self.pending += self.launches.take()
        live = dumps([{"call": lane.call, "code": f.code, "line": f.line, "since": f.start - self.zero,
                       "done": [p["name"] for p in f.phases], "step": f.step,
                       "thread": lane.number} for lane in lanes for f in lane.stack])
        if live != self.live:
            self.pending.append(("INSERT OR REPLACE INTO live VALUES (0, ?)", (live,)))
            self.live = live
        if self.pending:
            self._store()

    def _store(self) -> None:
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement, parameters in self.pending:
                connection.execute(statement, parameters)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self.pending.clear()

    def close(self) -> None:
        """Store the rest, merge the last chunks and close. The connection is closed even when storing fails."""
        try:
            self.flush()
            self.pending += self.runs.finish()
            self.pending += self.launches.finish()
            if self.pending:
                self._store()
        finally:
            self.connection.close()

    @property
    def waiting(self) -> int:
        """Rough number of rows that could not be stored yet."""
        return len(self.pending)


def thread_name(ident: int | None, default: str) -> str:
    """What Python calls a thread that is (still) alive."""
    return next((t.name for t in threading.enumerate() if t.ident == ident), default)
