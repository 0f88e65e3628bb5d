"""File > Export: the shown session as JSON, CSV or Chrome trace, written by a job with a session of its own.

The text goes into a file beside the target, which takes the target's place only when all of it is written. What is no
plain file (a folder, a device) is refused, never replaced.
"""

from __future__ import annotations

import os
from pathlib import Path

# Filter of the file dialog -> (format of core/events/exports.py, ending).
FILTERS = {"Chrome trace, for Perfetto and speedscope (*.trace.json)": ("chrome", ".trace.json"),
           "JSON, everything (*.json)": ("json", ".json"),
           "CSV, one row per call (*.csv)": ("csv", ".csv")}


def suggested(session: str | Path, ending: str) -> str:
    """A path beside the session with its name."""
    path = Path(session)
    return str(path.with_name(path.name.removesuffix(".guardscope") + ending))


def chosen_format(path: str, chosen_filter: str) -> tuple[str, str]:
    """(path with its ending, format): what the path's ending says, else the filter."""
    for form, ending in FILTERS.values():
        if path.endswith(ending):
            return path, form
    form, ending = FILTERS.get(chosen_filter, next(iter(FILTERS.values())))
    return path + ending, form


def write(session: str | Path, target: str | Path, form: str) -> int:
    """Write `session` to `target`; bytes written. EnvironmentProblem or ScriptError, one sentence, if that fails.
    Touches no widget, so that it can run on the jobs' thread."""
    from ..core.errors import EnvironmentProblem
    from ..core.events.exports import FORMATS
    from ..core.events.reader import Session

    target = Path(target)
    if target.exists() and not target.is_file():
        raise EnvironmentProblem(f"{target} is not a plain file; choose a file to write to")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with Session(session) as recorded, part.open("w", encoding="utf-8", newline="") as file:
            FORMATS[form](recorded, file)
        size = part.stat().st_size
        part.replace(target)
    except OSError as problem:
        raise EnvironmentProblem(f"{target} cannot be written ({problem.strerror})") from None
    finally:
        part.unlink(missing_ok=True)
    return size
