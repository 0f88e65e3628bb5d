"""OpenCL programs: one per artifact and device, built once, kept in memory and on disk.

The key is the whole text (but for comments) with its options, so that equal kernels are never built twice, and on disk also
the device, its driver and our format version. PoCL keeps compiled kernels on disk itself, by content, in a folder of ours;
there we only note that a program was built before. A disk that cannot be written only costs the speed.

A driver may crash while it builds a program or runs it for the first time, and takes the process along. So an attempt
leaves a mark on disk that goes when it went well; a program whose attempts ended twice with the process is not tried
again, and NumPy runs the graph.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from ..errors import EnvironmentProblem
from ..events.recorder import RECORDER
from .declarations import SKIP, declarations
from .devices import Device, pyopencl
from .drivers import cache_folder

FORMAT = "2"
LOG_LINES = 12
COMMENT = re.compile(r"^[ \t]*//.*\n|[ \t]*//.*", re.MULTILINE)
ATTEMPTS = 2              # processes that may end while trying a program: one may have been stopped by hand
FORGOTTEN = 600.0         # seconds after which an attempt counts as ended, where processes cannot be asked for


class BuildFailed(EnvironmentProblem):
    """The driver rejected a kernel or ran out of resources. `log` is the driver's whole output."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


_PROGRAMS: dict[tuple[str, str, str], Any] = {}
_REJECTED: dict[tuple[str, str, str], BuildFailed] = {}
_LOCK = threading.Lock()
_MAKING = threading.RLock()


class Attempt:
    """A mark on disk while this process tries a program: a line with the process and the time for each attempt."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        if path is not None:
            with contextlib.suppress(OSError), path.open("a", encoding="ascii") as file:
                file.write(f"{os.getpid()} {time.time():.0f}\n")

    def end(self) -> None:
        """The process is still there."""
        if self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
            self.path = None

    @staticmethod
    def lost(path: Path | None) -> int:
        """How many processes ended while they tried the program."""
        try:
            lines = path.read_text("ascii").splitlines() if path is not None else []
        except (OSError, ValueError):
            return 0
        fields = [x.split() for x in lines]
        return sum(_has_ended(int(f[0]), float(f[1])) for f in fields if len(f) == 2 and f[0].isdigit() and f[1].isdigit())


_TRYING: dict[tuple[str, str, str], Attempt] = {}


@atexit.register
def _end_attempts() -> None:
    """A normal end of the process is no crash of the driver."""
    for attempt in _TRYING.values():
        attempt.end()


def _has_ended(pid: int, since: float) -> bool:
    if pid == os.getpid():
        return False
    if os.name != "posix":                               # os.kill ends processes there
        return time.time() - since > FORGOTTEN
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


class Built:
    """A program and how it came about: `where` is "memory", "disk" or "driver"; `build_ns` the time it took. `attempt`:
    what tells other processes that this one tries the program, until it ran once."""

    def __init__(self, program: Any, where: str, build_ns: int, attempt: Attempt | None = None) -> None:
        self.program, self.where, self.build_ns, self.attempt = program, where, build_ns, attempt

    @property
    def is_tried(self) -> bool:
        """Whether the program never ran since it was built."""
        return self.attempt is not None and self.attempt.path is not None

    def went_well(self) -> None:
        """The program ran."""
        if self.attempt is not None:
            self.attempt.end()

    def kernel(self, name: str) -> Any:
        """A kernel object of its own, with arguments of its own."""
        with _MAKING:                                    # pyopencl writes Python text for each kernel
            return pyopencl().Kernel(self.program, name)


def build(text: str, options: list[str], device: Device) -> Built:
    """The program for `text` on `device`. BuildFailed with the driver's log if it does not compile."""
    flags = [*options, *device.options]
    text = COMMENT.sub("", text)                         # a script's line that was moved makes no other program
    key = (text, " ".join(flags), device.key)
    start = time.perf_counter_ns()
    with _LOCK:
        found = _PROGRAMS.get(key)
        if found is not None:
            return Built(found, "memory", time.perf_counter_ns() - start, _TRYING.get(key))
        if key in _REJECTED:
            raise _REJECTED[key]
        kernels = text.count("__kernel void")
        RECORDER.step(f"compiling {kernels} {'kernel' if kernels == 1 else 'kernels'} for {device.info.name.partition('-')[0]}")
        path = _path(key)
        mark = path.with_suffix(".trying") if path is not None else None
        lost = Attempt.lost(mark)
        if lost >= ATTEMPTS:
            raise BuildFailed(f"the driver of {device.info.name!r} ended the process {lost} times while it built these kernels "
                              f"or ran them for the first time; expected it to run them: remove {str(mark)!r} to try again.")
        known = path is not None and path.exists()
        program = None if device.keeps_binaries else _from_disk(path, device)
        where = "disk" if program is not None or (device.keeps_binaries and known) else "driver"
        attempt = Attempt(mark) if lost or where == "driver" else None
        if program is None:
            try:
                program = _from_source(text, flags, device)
            except BuildFailed as problem:
                _REJECTED[key] = problem
                if attempt is not None:
                    attempt.end()
                raise
            if device.keeps_binaries:
                _mark(path)
            else:
                _to_disk(path, program)
        _PROGRAMS[key] = program
        if attempt is not None:
            _TRYING[key] = attempt
    return Built(program, where, time.perf_counter_ns() - start, attempt)


def is_built(program: Any) -> bool:
    """Whether a program is (still) kept in memory."""
    return program in _PROGRAMS.values()


def forget() -> None:
    """Drop the programs kept in memory (tests of the disk cache)."""
    with _LOCK:
        _PROGRAMS.clear()
        _REJECTED.clear()
        _TRYING.clear()


def _path(key: tuple[str, str, str]) -> Path | None:
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256("\0".join((FORMAT, *key)).encode()).hexdigest()
    return folder / f"{digest}.bin"


def _from_disk(path: Path | None, device: Device) -> Any:
    cl = pyopencl()
    try:
        binary = path.read_bytes() if path is not None else b""
    except OSError:
        return None
    if not binary:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cl.Program(device.context, [device.handle], [binary]).build(devices=[device.handle])
    except cl.Error:                                     # from another driver, or damaged: build it anew
        with contextlib.suppress(OSError):
            assert path is not None
            path.unlink()
        return None


def _from_source(text: str, flags: list[str], device: Device) -> Any:
    cl = pyopencl()
    before = os.environ.get("PYOPENCL_NO_CACHE")
    os.environ["PYOPENCL_NO_CACHE"] = "1"               # the cache is ours: keyed by the text as a whole
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = declarations(text) if device.long_header else None
            if own is not None:
                with contextlib.suppress(cl.Error):      # another version's header may be another: then as ever, with it
                    return cl.Program(device.context, own + text).build(options=[*flags, SKIP, "-w"], devices=[device.handle])
            return cl.Program(device.context, text).build(options=[*flags, "-w"], devices=[device.handle])
    except cl.Error as problem:
        log = str(problem)
        lines = [x for x in log.splitlines() if "error" in x.lower()] or log.splitlines()
        raise BuildFailed(f"the driver of {device.info.name!r} could not build a kernel: "
                          f"{' / '.join(x.strip() for x in lines[:LOG_LINES])}", log) from problem
    finally:
        if before is None:
            os.environ.pop("PYOPENCL_NO_CACHE", None)
        else:
            os.environ["PYOPENCL_NO_CACHE"] = before


def _mark(path: Path | None) -> None:
    """Leave a note that the driver has compiled this program before."""
    if path is not None:
        with contextlib.suppress(OSError):
            path.touch()


def _to_disk(path: Path | None, program: Any) -> None:
    cl = pyopencl()
    if path is None:
        return
    try:
        binary = next((b for b in program.get_info(cl.program_info.BINARIES) if b), b"")   # built for one device
        if not binary:
            return
        fd, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(fd, "wb") as file:
            file.write(binary)
        os.replace(temporary, path)                     # readers see the old file or the whole new one
    except (OSError, cl.Error):
        return
