"""Tracebacks that show the script's frames and none of ours, as plain Python would print them.

A frame is ours when its file belongs to the compiler, or when it runs generated code (no file, and globals without a
module's name). A fault of ours (InternalError) keeps every frame; so does GUARDSCOPE_FULL_TRACEBACK=1.
"""

from __future__ import annotations

import os
import types
from pathlib import Path

from ..errors import InternalError

ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(str(ROOT / part) + os.sep for part in ("core", "gui"))
FILES = (str(ROOT / "main.py"),)


def is_ours(frame: types.FrameType) -> bool:
    """Whether a frame belongs to the compiler or to code it generated."""
    file = frame.f_code.co_filename
    if file.startswith(OURS) or file in FILES:
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
    """A copy of the traceback that skips our frames."""
    kept = []
    while traceback is not None:
        if not is_ours(traceback.tb_frame):
            kept.append(traceback)
        traceback = traceback.tb_next
    result = None
    for entry in reversed(kept):
        result = types.TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def where(problem: BaseException) -> tuple[str, int]:
    """(file, line) of the innermost frame left in the traceback, or of the syntax error; ("", 0) if there is none."""
    if isinstance(problem, SyntaxError) and problem.lineno:
        return problem.filename or "", problem.lineno
    entry, found = problem.__traceback__, ("", 0)
    while entry is not None:
        found = (entry.tb_frame.f_code.co_filename, entry.tb_lineno)
        entry = entry.tb_next
    return found
