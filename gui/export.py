"""What the window can export, and where to: the session as a report, JSON, CSV or Chrome trace, or a view as a picture.

Texts are written by a job with a session of its own, into a file beside the target, which takes the target's place only
when all of it is written. What is no plain file (a folder, a device) is refused, never replaced. Pictures are painted in
gui/pictures.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of export. `name` is a format of core/events/exports.py, or "timeline" or "graph" for a picture of that
    view; `ending` begins with a dot; `about` is a sentence for people."""

    name: str
    ending: str
    title: str
    about: str

    @property
    def is_picture(self) -> bool:
        return self.name in ("timeline", "graph")


FORMS = (
    Form("html", ".html", "Report, one HTML page",
         "Timeline, causes, calls, guards and source for a colleague without Guardscope."),
    Form("chrome", ".trace.json", "Chrome trace", "For Perfetto, speedscope and chrome://tracing."),
    Form("json", ".json", "JSON, everything", "Every record of the session, for programs."),
    Form("csv", ".csv", "CSV, one row per call", "For a spreadsheet or pandas."),
    Form("timeline", ".png", "Timeline as PNG", "What the timeline shows now, with every lane, at twice the pixels."),
    Form("timeline", ".svg", "Timeline as SVG", "The same as a drawing that stays sharp."),
    Form("graph", ".graph.png", "Graph as PNG", "The whole graph of the selected version."),
    Form("graph", ".graph.svg", "Graph as SVG", "The same as a drawing that stays sharp."),
)


def suggested(session: str | Path, ending: str) -> str:
    """A path beside the session with its name."""
    path = Path(session)
    return str(path.with_name(path.name.removesuffix(".guardscope") + ending))


def form_of(path: str, default: Form = FORMS[0]) -> tuple[str, Form]:
    """(path with an ending, form): what the path's ending says (the longest that fits), else the default's."""
    fitting = [f for f in FORMS if path.lower().endswith(f.ending)]
    if fitting:
        return path, max(fitting, key=lambda f: len(f.ending))
    return path + default.ending, default


def refuse_special(target: Path) -> None:
    """EnvironmentProblem for a path that is there and is no plain file."""
    from ..core.errors import EnvironmentProblem

    if target.exists() and not target.is_file():
        raise EnvironmentProblem(f"{target} is not a plain file; choose a file to write to")


def replacing(target: str | Path, make: Callable[[Path], None]) -> int:
    """Let `make` write a file beside the target, then put it in the target's place; bytes written. EnvironmentProblem,
    one sentence, if the target cannot be written."""
    from ..core.errors import EnvironmentProblem

    target = Path(target)
    refuse_special(target)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        make(part)
        size = part.stat().st_size
        part.replace(target)
    except OSError as problem:
        raise EnvironmentProblem(f"{target} cannot be written ({problem.strerror})") from None
    finally:
        with suppress(OSError):              # where it could not be made, it cannot be removed
            part.unlink()
    return size


def write(session: str | Path, target: str | Path, form: str, source: bool = True, values: bool = True) -> int:
    """Write `session` to `target`; bytes written. EnvironmentProblem or ScriptError, one sentence, if that fails.
    Touches no widget, so that it can run on the jobs' thread."""
    from ..core.events.exports import FORMATS
    from ..core.events.reader import Session
    from ..core.events.scrub import Keep, scrubbed

    def make(part: Path) -> None:
        with Session(session) as recorded, part.open("w", encoding="utf-8", newline="") as file:
            FORMATS[form](scrubbed(recorded, Keep(source, values)), file)

    return replacing(target, make)
