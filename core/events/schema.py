"""The session file: its records as frozen dataclasses, its tables, its columns and its version. Plain data, no Qt.

A session is one SQLite database. Rare things (codes, artifacts, breaks, ...) are rows of a table whose columns are the
fields of the dataclass of the same name; tuples and dicts are JSON text. Frequent things (runs, kernel launches) are
NumPy columns, stored as blobs of up to CHUNK rows. docs/session_file.md describes every table.
Writer and reader both derive from this file, so a new field is added in one place.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

APPLICATION_ID = 0x47554152          # "GUAR" in PRAGMA application_id: tells our databases from others
MAJOR, MINOR = 1, 3      # PRAGMA user_version = MAJOR << 16 | MINOR; 1.1: threads; 1.2: artifacts' owners; 1.3: guards' costs
VERSION = MAJOR << 16 | MINOR
CHUNK = 65536                        # rows in a full chunk of columns

# What became of a run, and of a whole call. The order is the number stored in the file; never reorder.
OUTCOMES = ("compile", "recompile", "reuse", "eager_limit", "not_compiled", "error")
OUTCOME_NUMBER = {name: number for number, name in enumerate(OUTCOMES)}
OUTCOME_WORDS = {"compile": "compiled", "recompile": "recompiled", "reuse": "reused",
                 "eager_limit": "eager after the limit", "not_compiled": "not compiled", "error": "error"}
WRONG_RESULT = "ShadowDifference"    # type of the "error" of a reused run that plain Python answered otherwise
STATES = ("running", "finished", "stopped", "killed", "crashed")
PHASES = ("capture", "guards", "lowering", "build", "first launch")

# Columns of the chunked streams: (name, dtype, what it holds). Times are ns since the session's start.
STREAMS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "run": (
        ("call", "<i4", "number of the top-level call the run belongs to"),
        ("code", "<i4", "id of the code that ran"),
        ("artifact", "<i4", "id of the artifact that ran, -1 if none"),
        ("outcome", "u1", "index in OUTCOMES"),
        ("start", "<i8", "ns since the session's start"),
        ("end", "<i8", "ns since the session's start"),
        ("depth", "<u2", "0 for the top-level run of a call, 1 for a run inside it, ..."),
        ("signature", "<i4", "id of the signature, -1 if unknown"),
        ("line", "<i4", "line of the call in the script, 0 if unknown"),
        ("thread", "<u2", "id of the thread it ran in"),
    ),
    "launch": (
        ("kernel", "<i4", "id of the kernel"),
        ("start", "<i8", "ns since the session's start"),
        ("end", "<i8", "ns since the session's start"),
    ),
}


@dataclass(frozen=True, slots=True)
class Code:
    """A code object that the compiler looked at. kind: function, resume, lambda or module."""

    id: int
    name: str
    qualname: str
    file: str
    first_line: int
    end_line: int
    kind: str = "function"
    resume_of: int | None = None
    resume_line: int | None = None
    params: tuple = ()
    module: str = ""
    owner: str = ""

    @property
    def title(self) -> str:
        """What people read: `f`, or `f (after line 12)` for what runs after a graph break there."""
        after = f" (after line {self.resume_line})"
        return self.qualname + (after if self.kind == "resume" and not self.qualname.endswith(after) else "")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One cache entry. `version` counts per code from 0; `call` made it (-1: outside any call); `miss` is the Miss that
    led to it (-1: the first). dynamic_dims: tuples (source, dimension, symbol). ends_in_break: a break's id. `owner`: the
    module or closure it was made for, where several share the code."""

    id: int
    code: int
    version: int
    call: int = -1
    miss: int = -1
    has_graph: bool = True
    ends_in_break: int | None = None
    time: int = 0
    graph_text: str = ""
    python_text: str = ""
    guard_source: str = ""
    dynamic_dims: tuple = ()
    inputs: tuple = ()
    reads: tuple = ()
    owner: str = ""


@dataclass(frozen=True, slots=True)
class GuardRow:
    """One guard of an artifact, in the words of the script. Lines count from 1, columns from 0; 0 = unknown. `facts`: what
    is expected as plain data where texts are not exact enough (core/guards/plain.py), {} in older files. `way`: how a reused
    call decides it ("look-up" of the tensors' metadata, "module": only after one changed, "test"), "" in older files; `ns`:
    what its own test takes, -1 if that was not measured."""

    index: int
    kind: str
    origin: str
    condition: str
    expected: str = ""
    file: str = ""
    line: int = 0
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    why: str = ""
    facts: dict = field(default_factory=dict)
    way: str = ""
    ns: int = -1


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node of an artifact's graph. args, dtype, shape are texts; users are node indices; kernel: number of the
    kernel among the artifact's kernels; view: the result shares memory with an argument."""

    index: int
    kind: str
    op: str
    name: str
    args: str = ""
    dtype: str = ""
    shape: str = ""
    file: str = ""
    line: int = 0
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    module: str = ""
    kernel: int | None = None
    users: tuple = ()
    view: bool = False


@dataclass(frozen=True, slots=True)
class FailureRow:
    """One guard that did not hold: `origin` was `expected` when the artifact was made and is `seen` now. `where` is the
    exact place in the script's words (`x.shape[0]`), `aspect` what differs there (size, stride, dtype, value, ...)."""

    artifact: int
    index: int
    kind: str
    origin: str
    expected: str = ""
    seen: str = ""
    dim: int | None = None
    where: str = ""
    aspect: str = ""


@dataclass(frozen=True, slots=True)
class Miss:
    """No artifact of `code` fitted. `failures`: every failing guard of every artifact, nearest artifact first."""

    id: int
    code: int
    call: int = -1
    time: int = 0
    failures: tuple = ()


@dataclass(frozen=True, slots=True)
class Break:
    """A graph break: where capture ended and why. `name` is the stable id of the reason (for example "GS0012").
    effect: resume, skip_rest, skip_frame, error."""

    id: int
    code: int
    name: str
    sentence: str
    hint: str = ""
    file: str = ""
    line: int = 0
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    effect: str = ""
    call: int = -1
    time: int = 0


@dataclass(frozen=True, slots=True)
class NotCompiled:
    """The compiler gave a code up: it runs as plain Python from now on."""

    id: int
    code: int
    why: str
    file: str = ""
    line: int = 0
    call: int = -1
    time: int = 0


@dataclass(frozen=True, slots=True)
class Limit:
    """A code reached the recompile limit. causes: tuples (origin, versions used up), or texts."""

    id: int
    code: int
    limit: int
    causes: tuple = ()
    call: int = -1
    time: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled device program. nodes: indices of the graph's nodes that it computes."""

    id: int
    artifact: int | None
    name: str
    source: str
    device: str = ""
    build_ns: int = 0
    nodes: tuple = ()
    time: int = 0


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of compile time; name is one of PHASES. artifact is None when the compilation failed."""

    id: int
    artifact: int | None
    code: int
    name: str
    start: int
    end: int
    call: int = -1


@dataclass(frozen=True, slots=True)
class Decision:
    """Something the compiler decided about a code, as a sentence ("x.shape[0] is dynamic from now on: 32, then 64")."""

    id: int
    code: int
    text: str
    call: int = -1
    time: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """Anything else worth telling; `kind` groups ("fallback", "lost", "uncaught", "warning")."""

    id: int
    kind: str
    text: str
    data: dict = field(default_factory=dict)
    call: int = -1
    time: int = 0


@dataclass(frozen=True, slots=True)
class CallError:
    """A run that raised: exception type and message."""

    id: int
    code: int
    type: str
    message: str
    call: int = -1
    time: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """Sums over the result of a top-level call, when the session was recorded with record_results."""

    id: int
    call: int
    sums: dict = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of the script that called compiled functions; 0 is the one that started the recording."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """One entry of a signature. kind "tensor": dtype, shape, strides (elements), device, requires_grad.
    kind "value": `value` is a None, bool, int, float or str. kind "type": only the type's name is known."""

    kind: str
    type: str
    value: Any = None
    dtype: str = ""
    shape: tuple = ()
    strides: tuple = ()
    device: str = "cpu"
    requires_grad: bool = False

    @property
    def text(self) -> str:
        """As people write it: `float32[64, 32]`, `float32[64, 32] @cuda`, `12`, `'relu'`, `list`."""
        if self.kind == "tensor":
            place = "" if self.device == "cpu" else f" @{self.device}"
            return f"{self.dtype}[{', '.join(map(str, self.shape))}]{place}{' grad' if self.requires_grad else ''}"
        return self.type if self.kind == "type" else repr(self.value)


# Tables whose rows are the dataclass of the same name and whose ids count from 0; referred-to tables come first.
TABLES: dict[str, type] = {
    "code": Code, "break": Break, "artifact": Artifact, "miss": Miss, "not_compiled": NotCompiled, "limit": Limit,
    "kernel": Kernel, "phase": Phase, "decision": Decision, "event": Event, "error": CallError, "result": Result,
    "thread": Thread,
}
# Tables and columns (stream.column, table.column) that older files lack: the minor version that added them.
SINCE: dict[str, int] = {"thread": 1, "run.thread": 1, "artifact.owner": 2}

# Tables of other shapes.
OTHER: dict[str, str] = {
    "info": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "live": "id INTEGER PRIMARY KEY CHECK (id = 0), data TEXT NOT NULL",
    "guards": "artifact INTEGER PRIMARY KEY, data TEXT NOT NULL",
    "nodes": "artifact INTEGER PRIMARY KEY, data TEXT NOT NULL",
    "signature": "id INTEGER PRIMARY KEY, code INTEGER NOT NULL, data TEXT NOT NULL",
    "source": "id INTEGER PRIMARY KEY, file TEXT NOT NULL, text TEXT NOT NULL",
    "output": "id INTEGER PRIMARY KEY, time INTEGER NOT NULL, stream TEXT NOT NULL, text TEXT NOT NULL",
}


def column_kind(annotation: Any) -> tuple[type, bool]:
    """(plain type, may be None) of a dataclass field: int, bool, str, tuple or dict."""
    args = typing.get_args(annotation)
    if isinstance(annotation, types.UnionType):
        return next(a for a in args if a is not type(None)), True
    return annotation, False


def fields_of(cls: type) -> list[tuple[str, type, bool]]:
    """(name, plain type, may be None) of each field of a dataclass, in order."""
    hints = typing.get_type_hints(cls)
    return [(f.name, *column_kind(hints[f.name])) for f in dataclasses.fields(cls)]


def ddl() -> list[str]:
    """The statements that make an empty session."""
    statements = []
    for table, cls in TABLES.items():
        columns = []
        for name, kind, optional in fields_of(cls):
            sql = "INTEGER" if kind in (int, bool) else "TEXT"
            key = " PRIMARY KEY" if name == "id" else "" if optional else " NOT NULL"
            columns.append(f'"{name}" {sql}{key}')
        statements.append(f'CREATE TABLE "{table}" ({", ".join(columns)})')
    for table, text in OTHER.items():
        statements.append(f'CREATE TABLE "{table}" ({text})')
    for stream, columns_of in STREAMS.items():
        blobs = ", ".join(f'"{name}" BLOB NOT NULL' for name, _, _ in columns_of)
        statements.append(f'CREATE TABLE "{stream}_chunk" (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, {blobs})')
    statements.append('CREATE INDEX miss_call ON miss("call")')
    return statements


def empty_columns(stream: str) -> dict[str, np.ndarray]:
    """A stream's columns without rows."""
    return {name: np.empty(0, dtype) for name, dtype, _ in STREAMS[stream]}
