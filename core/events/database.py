"""SQLite plumbing shared by the two writers of a session (the script's process and its parent) and by the reader.

Creating a session, opening one for writing, and turning records into SQL parameters. Everything that goes into the
file is a number, text, JSON text, or the raw buffer of a NumPy column.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import socket
import sqlite3
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import EnvironmentProblem, ScriptError
from .schema import APPLICATION_ID, MAJOR, OTHER, SINCE, STREAMS, TABLES, VERSION, ddl, fields_of

BUSY_MS = 5000                       # how long one writer waits for the other
LONGEST = 256 << 20                  # bytes of one value that are accepted when reading


# Databases that this process has open, by device and inode. Opening and closing such a file by other means than SQLite
# would cancel SQLite's locks on it (POSIX locks belong to the process), and another process would then take the
# write-ahead log away from under us. So files are looked into with `head`, which leaves these alone.
_in_use: Counter[tuple[int, int]] = Counter()


def hold(path: Path) -> tuple[int, int]:
    """Note that this process is about to open a database. Returns a ticket for `release`."""
    status = path.stat()
    ticket = (status.st_dev, status.st_ino)
    _in_use[ticket] += 1
    return ticket


def release(ticket: tuple[int, int]) -> None:
    """The database with this ticket is closed again."""
    _in_use[ticket] -= 1
    if _in_use[ticket] <= 0:
        del _in_use[ticket]


def head(path: Path, size: int) -> bytes | None:
    """The first bytes of a file; None if it is a database that this process has open. OSError if it cannot be read."""
    status = path.stat()
    if _in_use[status.st_dev, status.st_ino]:
        return None
    with path.open("rb") as file:
        return file.read(size)


def is_sqlite(path: Path) -> bool:
    """Whether the file starts as an SQLite database does. OSError if it cannot be read."""
    found = head(path, 16)
    return found is None or found == b"SQLite format 3\0"


def is_session(path: Path) -> bool:
    """Whether the file is a session by its SQLite application id, without opening it as a database."""
    try:
        found = head(path, 72)
    except OSError:
        return False
    if found is None:
        return True
    return found[:16] == b"SQLite format 3\0" and int.from_bytes(found[68:72], "big") == APPLICATION_ID


def remove(path: Path) -> None:
    """Delete a session with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def create(path: Path, info: dict[str, Any]) -> None:
    """Make an empty session at `path`, replacing a session that was there.

    EnvironmentProblem when that is not possible, ScriptError when something else than a session is in the way."""
    if path.is_dir():
        raise ScriptError(f"the session file {path} is a folder; name a file, for example {path / 'run.guardscope'}")
    if path.exists() and not path.is_file():
        raise ScriptError(f"the session file {path} is a device or a pipe, not a plain file; choose another name with -o")
    if path.exists() and path.stat().st_size > 0 and not is_session(path):
        raise ScriptError(f"{path} exists and is not a Guardscope session, so it is not overwritten; "
                          "choose another name with -o")
    try:
        remove(path)
        connection = sqlite3.connect(path, isolation_level=None)
    except (OSError, sqlite3.Error) as problem:
        raise EnvironmentProblem(cannot_write(path, problem)) from None
    try:
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        for statement in ddl():
            connection.execute(statement)
        facts = {**origin(), **info}
        connection.executemany("INSERT INTO info VALUES (?, ?)", [(k, dumps(v)) for k, v in facts.items()])
        connection.execute("COMMIT")
    except sqlite3.Error as problem:
        raise EnvironmentProblem(cannot_write(path, problem)) from None
    finally:
        connection.close()


def origin() -> dict[str, Any]:
    """What every session says about where it comes from. start_ns is time.perf_counter_ns() at time zero."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    return {"start_ns": time.perf_counter_ns(), "start_time": now, "engine": "guardscope", "state": "running",
            "python": sys.version.split()[0], "platform": platform.platform(), "host": socket.gethostname(),
            "pid": os.getpid()}


def recorder_alive(info: dict[str, Any]) -> bool:
    """Whether the process that writes a session is still there, as far as this machine can tell. info: the session's facts."""
    pid = info.get("pid")
    if info.get("host") != socket.gethostname() or not isinstance(pid, int) or not 0 < pid < 1 << 31:
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def cannot_write(path: Path, problem: BaseException) -> str:
    reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return (f"the session file {path} cannot be written ({reason}); "
            "choose a place with -o where you may write and that has room")


def connect(path: Path) -> sqlite3.Connection:
    """A writer's connection to an existing session. Transactions are explicit."""
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None,
                                     check_same_thread=False, timeout=BUSY_MS / 1000)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("SELECT count(*) FROM info").fetchone()
    except sqlite3.Error as problem:
        raise EnvironmentProblem(cannot_write(path, problem)) from None
    return connection


READABLE = partial(str, encoding="utf-8", errors="replace")      # reads a damaged text as far as it can be read


def open_to_read(path: Path) -> tuple[sqlite3.Connection, int, tuple[int, int]]:
    """A reader's connection to a session, the minor version of its format, and the ticket to give back when it is closed.

    EnvironmentProblem or ScriptError, each one sentence, when the file is missing, foreign, too new or unreadable."""
    if path.is_dir():
        raise ScriptError(f"{path} is a folder, not a session; name the .guardscope file in it")
    try:
        if not path.exists():
            raise ScriptError(f"there is no file {path}; record a session with: main.py run SCRIPT -o {path}")
        if not is_sqlite(path):
            raise ScriptError(f"{path} is not a Guardscope session: it does not start like an SQLite database")
    except OSError as problem:
        raise EnvironmentProblem(f"{path} cannot be read ({problem.strerror})") from None
    ticket = hold(path)
    failed: sqlite3.Error | None = None
    for mode in ("mode=ro", "mode=ro&immutable=1"):      # the second for a folder in which nothing may be written
        db = None
        try:
            db = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None,
                                 check_same_thread=False, timeout=2.0)
            return db, _prepare(db, path), ticket
        except sqlite3.Error as error:
            failed = failed or error
            if db is not None:
                db.close()
        except (ScriptError, EnvironmentProblem):
            if db is not None:
                db.close()
            release(ticket)
            raise
    release(ticket)
    raise EnvironmentProblem(f"{path} cannot be read as a session ({failed}); it may be cut off or damaged")


def _prepare(db: sqlite3.Connection, path: Path) -> int:
    """Make a connection safe for files made to do harm, and check that it is to a session. The minor version of its format."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    db.execute("PRAGMA writable_schema = ON")            # reads a file that is shorter than its header says
    db.text_factory = READABLE
    application = db.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise ScriptError(f"{path} is an SQLite database of another program, not a Guardscope session")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    major, minor = version >> 16, version & 0xFFFF
    if major > MAJOR:
        raise EnvironmentProblem(f"{path} was recorded by a newer Guardscope (format {major}, this one reads up to "
                                 f"{MAJOR}); update Guardscope to open it")
    kinds = dict(db.execute("SELECT name, type FROM sqlite_master WHERE rootpage > 0 OR type <> 'table'"))
    for table in (*TABLES, *OTHER, *(f"{s}_chunk" for s in STREAMS)):
        if SINCE.get(table, 0) > minor:                      # the file is older than the table
            continue
        kind = kinds.get(table)
        if kind != "table":
            found = "is missing" if kind is None else f"is a {kind}"
            raise ScriptError(f"{path} is not a usable session: its table '{table}' {found}")
        if any(hidden for *_, hidden in db.execute(f'PRAGMA table_xinfo("{table}")')):
            raise ScriptError(f"{path} is not a usable session: its table '{table}' computes columns")
    db.text_factory = str                                # far faster; the reader goes back where a text is damaged
    return minor


def set_info(connection: sqlite3.Connection, **values: Any) -> None:
    """Write facts about the session in one transaction. The caller handles sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT OR REPLACE INTO info VALUES (?, ?)", [(k, dumps(v)) for k, v in values.items()])
    connection.execute("COMMIT")


def settle(path: Path) -> None:
    """Fold the write-ahead log into the file, so that the session is one file that can be copied. Best effort: a reader
    that has it open keeps the log alive, and the last one to close folds it in."""
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=0.2)
    except sqlite3.Error:
        return
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.Error:
        pass
    finally:
        connection.close()


def clean(text: Any) -> str:
    """Text that UTF-8 can hold: lone surrogates become \\udcxx."""
    text = str(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode()
    return text


def dumps(value: Any) -> str:
    """Compact JSON; what JSON cannot hold is kept as its text."""
    return json.dumps(value, separators=(",", ":"), default=str)


def insert_sql(table: str, cls: type) -> str:
    names = [name for name, _, _ in fields_of(cls)]
    columns = ", ".join(f'"{name}"' for name in names)
    return f'INSERT OR REPLACE INTO "{table}" ({columns}) VALUES ({", ".join("?" * len(names))})'


def encode(record: Any) -> tuple[Any, ...]:
    """A record as SQL parameters, by its dataclass's annotations."""
    out: list[Any] = []
    for name, kind, optional in _fields(type(record)):
        value = getattr(record, name)
        if value is None and optional:
            out.append(None)
        elif kind is str:
            out.append(clean(value))
        elif kind in (tuple, dict):
            out.append(dumps(value))
        else:
            out.append(int(value))
    return tuple(out)


_known: dict[type, list[tuple[str, type, bool]]] = {}


def _fields(cls: type) -> list[tuple[str, type, bool]]:
    """fields_of, remembered: evaluating annotations is slow."""
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = fields_of(cls)
    return found
