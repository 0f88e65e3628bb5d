"""The command line: `main.py [SCRIPT|SESSION]` opens the window; every other command does not.

Every input that cannot be used gets one sentence and exit status 2. `run` ends with the script's own status, or with 1
when a --fail-on condition holds.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from ..errors import EnvironmentProblem, GuardscopeError, ScriptError
from .budget import Budget, parse_budgets
from .cli_tools import check, compare, lab
from .display import INSTEAD, LIBRARIES, X11_LIBRARIES, obstacle

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "resources" / "examples" / "dynamic_shapes.py"
DYNAMIC = {"none": None, "true": True, "false": False}
COMMANDS: dict[str, str] = {
    "open": "open the window on a script or a session (the default)",
    "run": "run a script, record it, print a report",
    "headless": "run the built-in example without a window and print its report",
    "report": "print the report of a session",
    "export": "write a session as JSON, CSV, Chrome trace or HTML report",
    "devices": "list the OpenCL devices",
    "screenshot": "save a picture of the window on a script or a session",
    "compare": "compare two sessions by causes",
    "check": "fail when a script exceeds its budget of recompilations, breaks, eager calls",
    "lab": "run a script under several policies, and try what is advised",
}


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises ScriptError instead of printing its usage and exiting."""

    def error(self, message: str) -> Any:
        raise ScriptError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str]) -> int:
    """Run a command line (without the program's name). Returns the exit status."""
    try:
        return dispatch(list(argv))
    except GuardscopeError as problem:
        print(f"guardscope: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:              # `main.py report x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def dispatch(argv: list[str]) -> int:
    command = argv[0] if argv else "open"
    if command in ("-h", "--help"):
        top_parser().print_help()
        return 0
    if command == "--version":
        print(f"guardscope {version()}")
        return 0
    if command not in COMMANDS:
        if command.startswith("-"):
            raise ScriptError(f"there is no option {command}; see main.py --help")
        return open_window(argv)
    return HANDLERS[command](argv[1:])


def top_parser() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:<10} {text}" for name, text in COMMANDS.items())
    return argparse.ArgumentParser(
        prog="main.py", formatter_class=argparse.RawDescriptionHelpFormatter, add_help=False,
        usage="main.py [SCRIPT|SESSION]\n       main.py COMMAND ... (main.py COMMAND --help tells more)",
        description="See what a PyTorch script compiles, reuses and recompiles, and why.",
        epilog=f"commands:\n{listing}\n\nWithout arguments: the window on the built-in example.")


def version() -> str:
    """The project's version, from its metadata or from the checkout."""
    import tomllib
    from importlib import metadata

    try:
        return metadata.version("guardscope")
    except metadata.PackageNotFoundError:
        with (ROOT / "pyproject.toml").open("rb") as file:
            return str(tomllib.load(file)["project"]["version"])


# ---- the window


def open_window(argv: list[str]) -> int:
    """Open a script (and run it) or a session in the window; without a path, the example."""
    parser = Parser(prog="main.py", description=COMMANDS["open"], allow_abbrev=False,
                    usage="main.py [SCRIPT|SESSION] [ARGS...] [-- ARGS...]", epilog="ARGS go to the script.")
    parser.add_argument("path", nargs="?", help="a Python script or a recorded session")
    parser.add_argument("arguments", metavar="ARGS", nargs="*", help="arguments of the script")
    cut = argv.index("--") if "--" in argv else len(argv)
    options = parser.parse_args(argv[:cut])
    path, arguments = options.path, [*options.arguments, *argv[cut + 1:]]
    if path is None:
        path = str(EXAMPLE)
    is_session = looks_like_session(path)
    if is_session:
        if arguments:
            raise ScriptError(f"{path} is a session and takes no arguments; 'main.py compare A B' compares two")
        from ..events.reader import Session

        Session(path).close()
    else:
        from .process import check_script

        check_script(path)
    if (reason := obstacle()) is not None:
        raise EnvironmentProblem(reason)
    try:
        from ...gui.app import main as window
    except ImportError as problem:
        raise EnvironmentProblem(no_window(problem)) from None
    return window(path, not is_session, arguments)


def no_window(problem: ImportError) -> str:
    """Why the window's libraries could not be loaded, with the cure."""
    if problem.name and problem.name.split(".")[0] in ("PySide6", "pyqtgraph", "shiboken6"):
        missing = problem.name.split(".")[0]
        if "lib" not in str(problem) or "No module" in str(problem):
            return f"the window needs the package {missing}, which is not installed; install it with: pip install -e ."
    return (f"the window's libraries cannot be loaded ({problem}); on Debian or Ubuntu: apt install "
            f"{' '.join([*LIBRARIES.values(), *X11_LIBRARIES.values()])}, {INSTEAD}")


def looks_like_session(path: str) -> bool:
    """Whether a path should be opened as a session: by its content, or by its name when there is no such script."""
    from ..events.database import is_sqlite

    place = Path(path)
    if place.is_file():
        try:
            return is_sqlite(place) or place.suffix == ".guardscope"
        except OSError:
            return False
    return place.suffix == ".guardscope"


# ---- run


def run_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="main.py run", description=COMMANDS["run"], allow_abbrev=False,
                    usage="main.py run SCRIPT [options] [ARGS...] [-- ARGS...]",
                    epilog="The script's own options come after --. Its output passes through, the report goes to "
                           "stderr.")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", metavar="ARGS", nargs="*", help="arguments of the script")
    parser.add_argument("-o", "--output", metavar="SESSION", help="session file (default: here, SCRIPT.guardscope)")
    parser.add_argument("--device", default="auto", help="an OpenCL device by part of its name; see: main.py devices")
    parser.add_argument("--dynamic", choices=list(DYNAMIC), default="none", help="default of torch.compile(dynamic=)")
    parser.add_argument("--backend", choices=["opencl", "eager"], default="opencl", help="eager runs graphs on NumPy")
    parser.add_argument("--recompile-limit", type=positive, metavar="N", help="versions per function, then eager")
    parser.add_argument("--fail-on", action="append", default=[], metavar="CONDITION",
                        help="exit with 1 when it holds, for example 'recompiles>3,breaks'")
    parser.add_argument("--quiet", action="store_true", help="no report")
    add_shadow(parser)
    return parser


SHADOW_EVERY = 20          # --shadow without a number


def add_shadow(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shadow", type=positive, metavar="[N]", default=0,
                        help=f"repeat every N-th reused call in plain Python and compare (without N: {SHADOW_EVERY})")
    parser.add_argument("--fail-on-shadow", action="store_true", help="exit with 1 when a repeated call differs")


def with_number(argv: list[str]) -> list[str]:
    """`--shadow` that no number follows gets one, so that it may stand before the script."""
    out: list[str] = []
    for i, word in enumerate(argv):
        out.append(word)
        if word == "--shadow" and not (i + 1 < len(argv) and argv[i + 1].lstrip("-").isdigit()):
            out.append(str(SHADOW_EVERY))
    return out


def shadow_of(options: argparse.Namespace) -> tuple[int, list[Budget]]:
    """(how often calls are repeated, the conditions of --fail-on-shadow, which turns the check on)."""
    every = options.shadow or (SHADOW_EVERY if options.fail_on_shadow else 0)
    return every, [Budget("shadow", ">", 0)] if options.fail_on_shadow else []


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def run(argv: list[str]) -> int:
    """Record a script, pass its output through, report on stderr."""
    if "--" in argv:
        cut = argv.index("--")
        argv, own = argv[:cut], argv[cut + 1:]
    else:
        own = []
    options, unknown = run_parser().parse_known_intermixed_args(with_number(argv))
    if unknown:
        raise ScriptError(f"there is no option {unknown[0]}; options of the script itself come after --")
    shadow, budgets = shadow_of(options)
    budgets += parse_budgets(options.fail_on)
    settings = {"dynamic": DYNAMIC[options.dynamic], "device": options.device, "backend": options.backend,
                "recompile_limit": options.recompile_limit, "shadow": shadow}
    session = options.output or f"{Path(options.script).stem}.guardscope"
    return record(options.script, [*options.arguments, *own], session, settings, budgets, quiet=options.quiet)


def headless(argv: list[str]) -> int:
    """The built-in example, recorded into a temporary place unless -o is given."""
    import tempfile

    parser = Parser(prog="main.py headless", description=COMMANDS["headless"], allow_abbrev=False)
    parser.add_argument("-o", "--output", metavar="SESSION", help="keep the session in this file")
    add_shadow(parser)
    options = parser.parse_args(with_number(argv))
    shadow, budgets = shadow_of(options)
    with tempfile.TemporaryDirectory(prefix="guardscope-") as folder:
        return record(str(EXAMPLE), [], options.output or os.path.join(folder, "example.guardscope"),
                      {"shadow": shadow}, budgets,
                      told=options.output is not None)


def record(script: str, arguments: list[str], session: str, settings: dict[str, Any], budgets: list[Budget],
           quiet: bool = False, told: bool = True, echo: Callable[[str, bytes], bool] | None = None) -> int:
    """Run a script to its end and report. Returns the exit status of the whole command."""
    from ..events.reader import Session
    from ..events.report import print_report
    from .process import ScriptProcess

    sys.stdout.flush()
    process = ScriptProcess(script, arguments, session=session, settings=settings, echo=echo or passed_on, stdin=None,
                            own_group=False)
    process.start()
    wait_in_terminal(process)
    status = process.exit_status or 0
    if process.state != "finished":
        print(f"guardscope: the script {process.ending}", file=sys.stderr)
    with Session(session) as recorded:
        if not quiet:
            print_report(recorded, sys.stderr)
            if told:
                print(f"\nsession: {session}", file=sys.stderr)
        broken = [reason for budget in budgets if (reason := budget.verdict(recorded)) is not None]
    for reason in broken:
        print(f"guardscope: --fail-on: {reason}", file=sys.stderr)
    return 1 if broken else status


def wait_in_terminal(process: Any) -> None:
    """Wait for the script; Ctrl-C (which the script gets too) and SIGTERM stop it."""
    def terminate(number: int, frame: Any) -> None:
        process.stop()

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        while process.running:
            try:
                process.wait(0.5)
            except KeyboardInterrupt:
                process.stop(ask=False)
    finally:
        signal.signal(signal.SIGTERM, before)


def passed_on(stream: str, data: bytes) -> bool:
    """Give a script's output to our own stdout or stderr; False when nobody reads it any more."""
    target: IO[bytes] = (sys.stdout if stream == "stdout" else sys.stderr).buffer
    try:
        target.write(data)
        target.flush()
    except (OSError, ValueError):
        return False
    return True


def to_stderr(stream: str, data: bytes) -> bool:
    """Give a script's output to our stderr: standard output is ours."""
    return passed_on("stderr", data)


# ---- sessions


def report(argv: list[str]) -> int:
    from ..events.reader import Session
    from ..events.report import print_report

    parser = Parser(prog="main.py report", description=COMMANDS["report"], allow_abbrev=False)
    parser.add_argument("session", metavar="SESSION")
    parser.add_argument("--all", action="store_true", help="of a call that no version took, why each of them did not")
    options = parser.parse_args(argv)
    with Session(options.session) as session:
        print_report(session, sys.stdout, every_version=options.all)
    return 0


ENDINGS = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html", ".trace": "chrome"}


def export(argv: list[str]) -> int:
    from ..events.exports import FORMATS
    from ..events.reader import Session
    from ..events.scrub import Keep, scrubbed

    parser = Parser(prog="main.py export", description=COMMANDS["export"], allow_abbrev=False)
    parser.add_argument("session", metavar="SESSION")
    parser.add_argument("--format", choices=list(FORMATS),
                        help="if not given, as FILE ends: .json, .csv, .html, .trace; "
                        "chrome: Trace Event Format, for Perfetto and speedscope; html: one page to open in a browser")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--no-source", action="store_true",
                        help="leave out source text, generated code, folders and the machine's name")
    parser.add_argument("--no-values", action="store_true",
                        help="replace the script's numbers and strings by labels; sizes and dtypes stay")
    options = parser.parse_args(argv)
    kind = options.format or ENDINGS.get(Path(options.output or "").suffix.lower())
    if kind is None:
        raise ScriptError(f"the ending of {options.output or 'standard output'} names no format; give one with --format: "
                          f"{', '.join(FORMATS)}")
    with Session(options.session) as whole:
        session = scrubbed(whole, Keep(not options.no_source, not options.no_values))
        if options.output in (None, "-"):
            FORMATS[kind](session, sys.stdout)
            sys.stdout.flush()
            return 0
        try:
            with open(options.output, "w", encoding="utf-8", newline="") as file:
                FORMATS[kind](session, file)
        except OSError as problem:
            raise EnvironmentProblem(f"{options.output} cannot be written ({problem.strerror})") from None
    return 0


def devices(argv: list[str]) -> int:
    Parser(prog="main.py devices", description=COMMANDS["devices"], allow_abbrev=False).parse_args(argv)
    from ..opencl.devices import devices as find

    for device in find():
        info = device.info
        print(f"{info.name}  [{info.kind}, {info.units} {'unit' if info.units == 1 else 'units'}]  {info.platform}, "
              f"{info.version}, driver {info.driver}")
    return 0


def screenshot(argv: list[str]) -> int:
    try:
        from ...gui.screenshot import main as picture
    except ImportError as problem:
        raise EnvironmentProblem(no_window(problem)) from None
    return picture(argv)


HANDLERS: dict[str, Callable[[list[str]], int]] = {
    "open": open_window, "run": run, "headless": headless, "report": report, "export": export, "devices": devices,
    "screenshot": screenshot, "compare": compare, "check": check, "lab": lab}
