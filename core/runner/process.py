"""The parent's side of a script: start it in a child process, keep what it prints, stop it, say how it ended. No Qt.

The parent makes the session file, so a bad place is noticed before anything runs, and is its second writer: the child
writes what the engine does, the parent what the script prints and how it ended, even if the child was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import EnvironmentProblem, ScriptError
from ..events.database import clean, connect, create, hold, is_sqlite, release, set_info, settle
from .output import Echo, Output

START = Path(__file__).with_name("start.py")
INTERVAL = 0.05
if sys.platform == "win32":
    ASK = signal.CTRL_BREAK_EVENT
else:
    ASK = signal.SIGINT
FAULTS = {getattr(signal, name) for name in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS")
          if hasattr(signal, name)}


def check_script(script: str | os.PathLike[str]) -> Path:
    """The script's path. ScriptError if it cannot be a Python script, EnvironmentProblem if it cannot be read."""
    path = Path(script)
    if path.is_dir():
        raise ScriptError(f"{path} is a folder, not a Python script; name the .py file in it")
    if not path.exists():
        raise ScriptError(f"there is no script {path} (looked in {Path.cwd()})")
    try:
        if is_sqlite(path):
            raise ScriptError(f"{path} is a database, not a Python script; to see a recorded session: report {path}")
        data = path.read_bytes()
    except OSError as problem:
        raise EnvironmentProblem(f"{path} cannot be read ({problem.strerror})") from None
    if b"\0" in data:
        raise ScriptError(f"{path} is not a Python script: it holds binary data")
    return path


class ScriptProcess:
    """One run of a script. `start` returns at once; threads do the rest.

    echo: see Output. stdin: as for subprocess; empty if not given. own_group: the script and whatever it starts get a
    process group of their own, so that stopping reaches all of it (not in a terminal: Ctrl-C must reach it). text: run this
    text in place of the script's own (a change that is tried before it is written)."""

    def __init__(self, script: str | os.PathLike[str], arguments: Sequence[str] = (), *,
                 session: str | os.PathLike[str], settings: dict[str, Any] | None = None, echo: Echo | None = None,
                 stdin: Any = subprocess.DEVNULL, own_group: bool = True,
                 cwd: str | os.PathLike[str] | None = None, text: str | None = None) -> None:
        self.script = check_script(script)
        self.text = text
        self.arguments, self.settings = list(arguments), dict(settings or {})
        self.session = Path(session).absolute()
        self.echo, self.stdin, self.own_group, self.cwd = echo, stdin, own_group, cwd
        self.state = "running"
        self.returncode: int | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.grace = (3.0, 2.0)              # seconds from asking to insisting, and from insisting to killing
        self._stop_asked: float | None = None
        self._done = threading.Event()

    def start(self) -> ScriptProcess:
        """Make the session and start the child. ScriptError or EnvironmentProblem if that fails."""
        path = self.script.absolute()
        zero = time.perf_counter_ns()
        create(self.session, {"start_ns": zero, "script": str(path), "argv": [str(self.script), *self.arguments],
                              "settings": self.settings, "cwd": str(self.cwd or Path.cwd())})
        self._database = connect(self.session)
        self._ticket = hold(self.session)
        options = json.dumps({"session": str(self.session), "settings": self.settings, **self._tried_text()})
        more: dict[str, Any] = {}
        if self.own_group and sys.platform != "win32":
            more["start_new_session"] = True
        elif sys.platform == "win32":
            more["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
        script = str(self.script) if self.cwd is None else str(path)
        try:
            self.process = subprocess.Popen(
                [sys.executable, str(START), options, script, *self.arguments], stdin=self.stdin,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, cwd=self.cwd, **more)
        except OSError as problem:
            raise EnvironmentProblem(f"a Python process could not be started ({problem.strerror})") from None
        assert self.process.stdout is not None and self.process.stderr is not None
        self.output = Output({"stdout": self.process.stdout, "stderr": self.process.stderr}, zero, self.echo)
        threading.Thread(target=self._keep, name="guardscope script", daemon=True).start()
        return self

    def _tried_text(self) -> dict[str, str]:
        """Where the child finds the text to run, beside the session (an argument cannot hold it)."""
        if self.text is None:
            return {}
        place = self.session.with_name(self.session.name + ".py")
        place.write_text(self.text, encoding="utf-8", newline="")
        return {"text": str(place)}

    # ---- ending it

    def stop(self, ask: bool = True) -> None:
        """Ask the script to stop (KeyboardInterrupt); insist, then kill it and its group, when it does not. Returns at
        once; `wait` tells when it is over. ask=False: the script knows already (Ctrl-C in the terminal)."""
        if self._stop_asked is None and self.process is not None and self.returncode is None:
            self._stop_asked = time.monotonic()
            if ask:
                self._send(ASK, group=False)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until the script has ended and its session is complete. Its exit status, None after the timeout."""
        return self.exit_status if self._done.wait(timeout) else None

    @property
    def running(self) -> bool:
        return not self._done.is_set()

    @property
    def exit_status(self) -> int | None:
        """As a shell counts: the script's own status, or 128 + n for death by signal n. None while running."""
        code = self.returncode
        return code if code is None or code >= 0 else 128 - code

    @property
    def ending(self) -> str:
        """How the script ended, in words; "" while it runs and after a normal end."""
        return ending(self.state, self.returncode)

    def _send(self, number: int, group: bool) -> None:
        assert self.process is not None
        try:
            if group and self.own_group and os.name == "posix":
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
        except (ProcessLookupError, PermissionError, OSError):
            pass

    def _escalate(self, level: int) -> int:
        """Insist on an ending that was asked for. Returns the next level."""
        assert self._stop_asked is not None
        waited = time.monotonic() - self._stop_asked
        if level == 0 and waited > self.grace[0]:
            self._send(signal.SIGTERM, group=True)
            return 1
        if level == 1 and waited > sum(self.grace):
            self._send(getattr(signal, "SIGKILL", signal.SIGTERM), group=True)
            return 2
        return level

    # ---- the thread that looks after it

    def _keep(self) -> None:
        process, level = self.process, 0
        assert process is not None
        try:
            while True:
                try:
                    self.returncode = process.wait(INTERVAL)
                    break
                except subprocess.TimeoutExpired:
                    pass
                self._store(self.output.take())
                if self._stop_asked is not None:
                    level = self._escalate(level)
            deadline = time.monotonic() + 1.0      # then a grandchild holds the pipes
            while not self.output.ended and time.monotonic() < deadline:
                rows = self.output.take()
                if rows:
                    deadline = time.monotonic() + 1.0
                self._store(rows)
                self.output.join_for(INTERVAL)
            self.output.join(0.0)
            if self._stop_asked is not None:
                self._send_left_behind()
            self._store(self.output.take(last=True))
            self._finish()
        finally:
            self._database.close()
            release(self._ticket)
            settle(self.session)
            self._done.set()

    def _send_left_behind(self) -> None:
        """Kill what a stopped script left running in its group."""
        if self.own_group and os.name == "posix" and self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass

    def _store(self, rows: list[tuple[int, str, str]]) -> None:
        if not rows:
            return
        try:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT INTO output (time, stream, text) VALUES (?, ?, ?)",
                                       [(time, name, clean(text)) for time, name, text in rows])
            self._database.execute("COMMIT")
        except sqlite3.Error:
            if self._database.in_transaction:       # the disk is full: the script's output is passed on but not kept
                self._database.execute("ROLLBACK")

    def _finish(self) -> None:
        self.state = state_of(self.returncode, self._stop_asked is not None)
        number = -self.returncode if self.returncode is not None and self.returncode < 0 else None
        try:
            set_info(self._database, state=self.state, exit_code=self.exit_status, signal=number,
                     ending=self.ending, end_ns=time.perf_counter_ns() - self.output.zero)
        except sqlite3.Error:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")


def state_of(returncode: int | None, stopped: bool) -> str:
    """The session's state for how a process ended."""
    if stopped:
        return "stopped"
    if returncode is None or 0 <= returncode < 0xC0000000:
        return "finished"
    return "crashed" if returncode > 0 or -returncode in FAULTS else "killed"


def ending(state: str, returncode: int | None) -> str:
    """One clause about an ending that was not normal."""
    if returncode is None or (state == "finished" and returncode == 0):
        return ""
    if state == "stopped":
        return "stopped on request"
    if returncode > 0:
        return f"ended with exit status {returncode}" if state == "finished" else f"crashed (status {returncode:#x})"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        name = f"signal {-returncode}"
    words = {"SIGSEGV": "an invalid memory access", "SIGABRT": "an abort", "SIGFPE": "an arithmetic fault",
             "SIGKILL": "from outside, or for want of memory", "SIGBUS": "a bad memory access",
             "SIGILL": "an illegal instruction"}
    more = f": {words[name]}" if name in words else ""
    return f"{'crashed' if state == 'crashed' else 'was killed'} by {name}{more}"
