"""The script's process: runs the script as `__main__`, with `import torch` resolving to our API and events recorded.

To the script everything looks as if plain Python ran it: module, arguments, search path, tracebacks and exit status.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import io
import json
import linecache
import os
import signal
import sys
import traceback
import types
from pathlib import Path
from typing import Any, NoReturn

from ..artifacts.settings import SETTINGS
from ..errors import GuardscopeError
from ..events.recorder import RECORDER
from .tracebacks import raised_by_us, strip, where

_kept: list[types.ModuleType] = []


def main(argv: list[str]) -> NoReturn:
    """Run argv[1] with arguments argv[2:] under the options in argv[0] (JSON: session, settings, text: a file whose text
    is run in place of the script's). Ends the process."""
    options = json.loads(argv[0])
    script, arguments = argv[1], argv[2:]
    try:
        SETTINGS.update(options.get("settings", {}))
        if options.get("session"):
            RECORDER.open(options["session"], record_results=SETTINGS.record_results, new=False)
            if SETTINGS.recompile_limit is not None:
                RECORDER.info("recompile_limit", SETTINGS.recompile_limit)
        prepare_interpreter()
        install_torch()
    except GuardscopeError as problem:
        print(f"guardscope: {problem}", file=sys.stderr)
        sys.exit(2)
    run_script(script, arguments, options.get("text"))
    sys.exit(0)


def install_torch() -> None:
    """Let `import torch` in this process give our implementation."""
    from ..torch_api.importing import install

    install()


def prepare_interpreter() -> None:
    """Output line by line, as to a terminal, so that the window shows it as it comes; and a recorder that is closed
    even when the script leaves by os._exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    leave = os._exit

    def _exit(status: int) -> NoReturn:
        """Exit to the system with the given status, without the normal exit processing (the session is stored)."""
        RECORDER.close(timeout=5.0)
        leave(status)

    os._exit = _exit


def run_script(script: str, arguments: list[str], text: str | None = None) -> None:
    """Execute the script, or the text of the file `text` as if it were the script's. An uncaught exception is shown with the
    script's own frames and ends the process with 1."""
    path = os.path.abspath(script)
    module = make_main(path)
    sys.argv = [script, *arguments]
    if not sys.flags.safe_path:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    try:
        source = Path(text or path).read_bytes()
        if text is not None:                 # whoever looks the source up finds what runs
            shown = source.decode("utf-8", "replace")
            linecache.cache[path] = (len(shown), None, shown.splitlines(True), path)
        RECORDER.source(path, source.decode("utf-8", "replace"))
        code = compile(source, path, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException as problem:
        ended_by(problem)


def make_main(path: str) -> types.ModuleType:
    """A fresh `__main__` such as the interpreter makes for a script file."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=builtins, __cached__=None, __package__=None, __spec__=None,
                           __loader__=importlib.machinery.SourceFileLoader("__main__", path))
    before = sys.modules["__main__"]
    if "__annotations__" in vars(before):            # as the interpreter of this version does
        module.__dict__["__annotations__"] = {}
    _kept.append(before)                             # its globals must stay alive
    sys.modules["__main__"] = module
    return module


def ended_by(problem: BaseException) -> NoReturn:
    """Show the exception through sys.excepthook and end the process as the interpreter would."""
    full = "".join(traceback.format_exception(problem)) if raised_by_us(problem) else ""
    strip(problem)
    file, line = where(problem)
    data: dict[str, Any] = {"type": type(problem).__name__, "message": str(problem), "file": file, "line": line}
    if full:
        data["traceback"] = full                     # for a report of a fault of ours
    place = f" at line {line} of {os.path.basename(file)}" if line else ""
    said = "".join(traceback.format_exception_only(problem)).strip().splitlines()[-1]
    if isinstance(problem, KeyboardInterrupt):
        RECORDER.event("interrupted", f"the script was interrupted{place}", data)
    else:
        RECORDER.event("uncaught", f"the script ended with {said}{place}", data)
    sys.excepthook(type(problem), problem, problem.__traceback__)
    if isinstance(problem, KeyboardInterrupt) and os.name == "posix":
        flush_streams()
        RECORDER.close()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    sys.exit(1)


def flush_streams() -> None:
    """Push out what was printed, whatever became of the other end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
