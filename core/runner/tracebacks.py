"""Tracebacks that show the script's frames and none of ours, as plain Python would print them.

A frame is ours when its file belongs to the compiler, or when it runs generated code (no file, and globals without a
module's name); so are the frames of libraries that our code called. A fault of ours (InternalError) keeps every frame;
so does GUARDSCOPE_FULL_TRACEBACK=1.
"""

from __future__ import annotations

import os
import sysconfig
import types
from pathlib import Path

from ..errors import InternalError

ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(str(ROOT / part) + os.sep for part in ("core", "gui"))
FILES = (str(ROOT / "main.py"),)
LIBRARIES = tuple({str(Path(path).resolve()) + os.sep for name, path in sysconfig.get_paths().items()
                   if name in ("stdlib", "platstdlib", "purelib", "platlib")}) + ("<frozen ",)


def is_ours(frame: types.FrameType) -> bool:
    """Whether a frame belongs to the compiler or to code it generated."""
    file = frame.f_code.co_filename
    if file.startswith((*OURS, "<guardscope ")) or file in FILES:
        return True
    return file.startswith("<") and "__name__" not in frame.f_globals


def strip(problem: BaseException) -> None:
    """Take our frames out of the exception's traceback and out of those of its causes and contexts, in place."""
    if os.environ.get("GUARDSCOPE_FULL_TRACEBACK") == "1":
        return
    seen: set[int] = set()
    todo: list[BaseException | None] = [problem]
    while todo:
        here = todo.pop()
        if here is None or id(here) in seen or isinstance(here, InternalError):
            continue
        seen.add(id(here))
        here.__traceback__ = without_ours(here.__traceback__)
        todo += [here.__cause__, here.__context__]
        if isinstance(here, BaseExceptionGroup):
            todo += here.exceptions


def without_ours(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """A copy of the traceback that skips our frames and what they called in libraries."""
    kept = []
    inside = False                       # below a frame of ours, with no frame of the script since
    while traceback is not None:
        frame = traceback.tb_frame
        if is_ours(frame):
            inside = True
        elif not (inside and frame.f_code.co_filename.startswith(LIBRARIES)):
            inside = False
            kept.append(traceback)
        traceback = traceback.tb_next
    result = None
    for entry in reversed(kept):
        result = types.TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def raised_by_us(problem: BaseException) -> bool:
    """Whether the innermost frame is not the script's. To be asked before `strip`."""
    entry = problem.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return entry is not None and (is_ours(entry.tb_frame)
                                  or entry.tb_frame.f_code.co_filename.startswith(LIBRARIES))


def where(problem: BaseException) -> tuple[str, int]:
    """(file, line) of the innermost frame left in the traceback, or of the syntax error; ("", 0) if there is none."""
    if isinstance(problem, SyntaxError) and problem.lineno:
        return problem.filename or "", problem.lineno
    entry, found = problem.__traceback__, ("", 0)
    while entry is not None:
        found = (entry.tb_frame.f_code.co_filename, entry.tb_lineno)
        entry = entry.tb_next
    return found
